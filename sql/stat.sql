-- gid_stat_backends, gid_stat_clock and gid_stat_sequences: what the generators
-- have done, and who may see it.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
LOAD 'gid';
\getenv srcdir PG_ABS_SRCDIR
\set reload :srcdir '/sql/include/reload.sql'
ALTER SYSTEM SET gid.launch_id = 4001;
\set until 'current_setting(''gid.launch_id'') = ''4001'''
\i :reload

-- A session has a row for each family that it has used, with the exact count,
-- the time of its last id, and the generator of its DecimalIds.
SELECT count(*) AS before FROM gid_stat_backends WHERE pid = pg_backend_pid();
CREATE TEMP TABLE made AS
SELECT gid_uuid_v7() AS v7, gid_uuid_sequential() AS sequential, gid_uuid_sequential_mssql() AS mssql,
	gid_uuid_shard(1) AS shard, gid_trace_id() AS trace, gid_decimal_id() AS decimal
FROM generate_series(1, 1000);
SELECT family, issued, generator = (SELECT min(gid_extract_decimal_generator(decimal)) FROM made) AS generator,
	last_time = CASE family
		WHEN 'uuid_sequential' THEN (SELECT max(gid_extract_sequential_time(gid_uuid_from_mssql(mssql))) FROM made)
		WHEN 'uuid_shard' THEN (SELECT max(gid_extract_shard_time(shard)) FROM made)
		WHEN 'trace_id' THEN (SELECT max(gid_extract_trace_time(trace)) FROM made) END AS last_time,
	CASE family WHEN 'uuid_v7' THEN date_trunc('milliseconds', last_time) =
		(SELECT max(gid_extract_v7_time(v7)) FROM made) END AS last_v7_time
FROM gid_stat_backends WHERE pid = pg_backend_pid() ORDER BY family;
-- Not counted: ids put together, and those for a given moment.
SELECT num_nonnulls(gid_uuid_v7_at(now()), gid_make_decimal_id(1, 0, 0)) AS made;
SELECT sum(issued) AS issued FROM gid_stat_backends WHERE pid = pg_backend_pid();
-- What is rolled back was issued.
BEGIN;
SELECT gid_trace_id() IS NOT NULL AS made;
ROLLBACK;
SELECT issued FROM gid_stat_backends WHERE pid = pg_backend_pid() AND family = 'trace_id';

-- The clock: the bound on disk lies ahead of every id, by some seconds.
SELECT family, last_time < durable_bound AS below_bound,
	durable_bound - last_time < interval '10 seconds' AS bound_is_near,
	num_nulls(lead, steps_back, waits) AS nulls
FROM gid_stat_clock ORDER BY family;

-- Another user sees no more of a session than its pid and slot, as in
-- pg_stat_activity; pg_read_all_stats sees all.
SELECT pg_backend_pid() AS pid \gset
CREATE ROLE regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT count(*) AS rows, count(slot) AS slot, count(family) AS family, count(generator) AS generator,
	count(last_time) AS last_time, count(issued) AS issued
FROM gid_stat_backends WHERE pid = :pid;
SELECT count(*) FROM gid_stat_clock;
RESET ROLE;
GRANT pg_read_all_stats TO regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT count(*) AS rows, count(slot) AS slot, count(family) AS family, count(generator) AS generator,
	count(last_time) AS last_time, count(issued) AS issued
FROM gid_stat_backends WHERE pid = :pid;
RESET ROLE;
DROP ROLE regress_gid_reader;

-- A connection that is gone has no rows; a new one begins at 0.
\c -
\set until 'NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ' :pid ')'
\i :reload
SELECT count(*) FROM gid_stat_backends WHERE pid = :pid;
SELECT gid_trace_id() IS NOT NULL AS made;
SELECT family, issued FROM gid_stat_backends WHERE pid = pg_backend_pid();

-- Sequences show to those who may read them, in the rows behind the view, too.
CREATE ROLE regress_gid_reader;
CREATE SEQUENCE regress_gid_a CACHE 20;
CREATE SEQUENCE regress_gid_b CACHE 20 START 101;
CREATE SEQUENCE regress_gid_c CACHE 20 START 201;
CREATE FUNCTION pg_temp.shown(OUT view text, OUT rows text) LANGUAGE sql AS $$
	-- those of this test, and numbers without a name
	SELECT (SELECT string_agg(sequence::text || ' ' || next, ', ' ORDER BY next) FROM gid_stat_sequences
			WHERE sequence::text ~ '^(regress_gid_|\d)'),
		(SELECT string_agg(sequence::regclass::text || ' ' || next, ', ' ORDER BY next) FROM gid_stat_get_sequences()
			WHERE sequence::regclass::text ~ '^(regress_gid_|\d)')
$$;
CREATE FUNCTION pg_temp.shown_to_reader(privilege text, OUT view text, OUT rows text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('GRANT %s TO regress_gid_reader', privilege);
	SET LOCAL ROLE regress_gid_reader;
	SELECT s.* INTO view, rows FROM pg_temp.shown() AS s;
	RESET ROLE;
	EXECUTE format('REVOKE %s FROM regress_gid_reader', privilege);
END $$;
SELECT gid_next('regress_gid_a'), gid_next('regress_gid_b'), gid_next('regress_gid_c');
SELECT * FROM pg_temp.shown();
SELECT privilege, s.* FROM unnest(ARRAY['ALL ON SCHEMA public', 'USAGE, UPDATE ON SEQUENCE regress_gid_a', 'SELECT ON SEQUENCE regress_gid_a',
	'SELECT ON SEQUENCE regress_gid_a, regress_gid_c', 'pg_read_all_data', 'pg_read_all_stats', 'pg_monitor']) AS privilege,
	pg_temp.shown_to_reader(privilege) AS s;
ALTER SEQUENCE regress_gid_b OWNER TO regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT * FROM pg_temp.shown();
RESET ROLE;
ALTER SEQUENCE regress_gid_b OWNER TO CURRENT_USER;
-- A block of an earlier file is not the sequence's any more; one of a sequence
-- that was dropped shows to nobody.
ALTER SEQUENCE regress_gid_a RESTART 1001;
SELECT view FROM pg_temp.shown();
SELECT gid_next('regress_gid_a');
SELECT view FROM pg_temp.shown();
DROP SEQUENCE regress_gid_a;
SELECT * FROM pg_temp.shown();
BEGIN;
DROP SEQUENCE regress_gid_b;
SELECT * FROM pg_temp.shown();
ROLLBACK;
SELECT * FROM pg_temp.shown();
-- Blocks of another database do not show, though its sequences have the same
-- numbers, and are not drawn from.
CREATE DATABASE gid_regression_copy TEMPLATE :"DBNAME";
SELECT :'DBNAME' AS here \gset
\c gid_regression_copy
SELECT count(*) FROM gid_stat_get_sequences();
SELECT gid_next('regress_gid_c');
SELECT sequence, next, last FROM gid_stat_sequences;
SELECT count(*) FROM gid_stat_get_sequences();
\c :"here"
SELECT sequence, next, last FROM gid_stat_sequences WHERE sequence::text ~ '^regress_gid_' ORDER BY next;
SELECT gid_next('regress_gid_c');
DROP DATABASE gid_regression_copy;
DROP SEQUENCE regress_gid_b, regress_gid_c;
DROP ROLE regress_gid_reader;

-- As it was.
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
ALTER SEQUENCE gid_decimal_generator RESTART;
