-- gid_decimal_id(): counter, generator and launch side by side in decimal, and the
-- functions that make such an id and take it apart. test/unit/test_bigint.c has the digits.
\i sql/include/start.sql
\if :library
LOAD 'gid';

ALTER SYSTEM SET gid.launch_id = 2001;
\set until 'current_setting(''gid.launch_id'') = ''2001'''
\i :reload

-- A batch: the ids have this launch and one generator, the number
-- that the sequence reserved last. The counter grows by one. The page has no values
-- logged ahead, which nextval() would take for its own.
CREATE TEMP TABLE made AS
SELECT n, gid_decimal_id() AS id FROM generate_series(1, 20000) AS n;
SELECT count(*) FILTER (WHERE gid_extract_decimal_launch(id) IS DISTINCT FROM 2001) AS wrong_launch,
	count(DISTINCT gid_extract_decimal_generator(id)) AS generators,
	count(*) FILTER (WHERE id <> before + 10000000000) AS not_next
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;
SELECT bool_and(200100000 + gid_extract_decimal_generator(id) = last_value) AS reserved,
	min(log_cnt) AS log_cnt
FROM made, gid.decimal_generator;
\endif

-- Both ends of each part, one past each, and numbers that are no DecimalIds.
SELECT gid_make_decimal_id(counter => 1, generator => 0, launch => 0) AS smallest,
	gid_make_decimal_id(1415, 92, 65) AS middle, gid_make_decimal_id(922337202, 99999, 99999) AS largest;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_decimal_id(0, 0, 1)$$,
	$$SELECT gid_make_decimal_id(922337203, 0, 0)$$,
	$$SELECT gid_make_decimal_id(1, 100000, 0)$$,
	$$SELECT gid_make_decimal_id(1, 0, 100000)$$) AS e;
SELECT e.code, count(*) FROM pg_temp.expect('SELECT gid_make_decimal_id(1, -1, 0)', 'SELECT gid_make_decimal_id(1, 0, -1)') AS e GROUP BY 1;
SELECT id, gid_extract_decimal_counter(id) AS counter,
	gid_extract_decimal_generator(id) AS generator, gid_extract_decimal_launch(id) AS launch
FROM unnest(ARRAY[9999999999, 14150009200065, 9223372030000000000]) AS id;

\if :library
-- Clean up.
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
ALTER SEQUENCE gid.decimal_generator RESTART;
\endif
