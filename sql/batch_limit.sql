-- gid_next_many() and gid_next_gdids(): a batch has 1 to 65536 values. Any other count
-- is refused before a value is reserved.
\i sql/include/start.sql
\i :loopback
\i :numbers
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;
CREATE SEQUENCE s CACHE 20;

SELECT function, n, e.code, e.message FROM unnest(ARRAY['gid_next_many', 'gid_next_gdids']) AS function,
	unnest(ARRAY[-2147483648, 0, 65537, 2147483647]) AS n,
	pg_temp.expect(format('SELECT %s(''s'', %s) LIMIT 1', function, n)) AS e ORDER BY 1 DESC, 2;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_many('s', 65537)$$, $$SELECT gid_next_gdids('s', 65537)$$) AS e;
SELECT last_value, is_called FROM s;
-- A NULL count gives no row.
SELECT count(*) FROM gid_next_many('s', NULL);
SELECT count(*) FROM gid_next_gdids('s', NULL);
-- The largest and the smallest batch.
SELECT count(*), count(DISTINCT v), min(v), max(v) FROM gid_next_many('s', 65536) AS v;
SELECT count(*), count(DISTINCT v), min(v), max(v) FROM gid_next_gdids('s', 65536) AS v;
-- An authority is not asked for a count that is refused.
SET gid.authorities = :'uri';
SELECT last_value AS before FROM s \gset
SELECT n, e.code FROM unnest(ARRAY[-1, 0, 65537, 2147483647]) AS n, pg_temp.expect(format('SELECT gid_next_gdids(''s'', %s)', n)) AS e;
SELECT last_value - :before AS taken FROM s;
RESET gid.authorities;

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
