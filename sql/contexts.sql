-- Where clients make ids: column DEFAULTs with INSERT and COPY, prepared statements,
-- PL/pgSQL, a role that may only insert, parallel plans, read-only transactions,
-- transactions that roll back.
\i sql/include/start.sql
LOAD 'gid';
\i :parallel
\i :numbers
ALTER SYSTEM SET gid.launch_id = 1001;
\set until 'current_setting(''gid.launch_id'') = ''1001'''
\i :reload
SET gid.shard_key = 7;

-- Each generator as a DEFAULT. The unique indexes refuse an id that comes twice.
CREATE TABLE ids (n int, how text,
	v7 uuid UNIQUE DEFAULT gid_uuid_v7(),
	v7_at uuid UNIQUE DEFAULT gid_uuid_v7_at(now()),
	sequential uuid UNIQUE DEFAULT gid_uuid_sequential(),
	mssql uuid UNIQUE DEFAULT gid_uuid_sequential_mssql(),
	shard uuid UNIQUE DEFAULT gid_uuid_shard(),
	shard_8 uuid UNIQUE DEFAULT gid_uuid_shard(8),
	trace bigint UNIQUE DEFAULT gid_trace_id(),
	snowflake bigint UNIQUE DEFAULT gid_snowflake_id(),
	discord bigint UNIQUE DEFAULT gid_snowflake_id(1420070400000),
	decimal bigint UNIQUE DEFAULT gid_decimal_id(),
	made timestamptz GENERATED ALWAYS AS (gid_extract_v7_time(v7)) STORED);

INSERT INTO ids (n, how) SELECT n, 'insert' FROM generate_series(1, 100) AS n;
COPY ids (n, how) FROM stdin;
1	copy
2	copy
\.

-- The planner folds no generator into a prepared plan.
SET plan_cache_mode = force_generic_plan;
PREPARE add(int) AS INSERT INTO ids (n, how) VALUES ($1, 'prepared');
EXECUTE add(1);
EXECUTE add(2);
PREPARE make AS SELECT gid_uuid_v7() AS v7, gid_uuid_v7_at('2024-01-01') AS v7_at, gid_uuid_sequential() AS sequential,
	gid_uuid_sequential_mssql() AS mssql, gid_uuid_shard() AS shard, gid_trace_id() AS trace, gid_decimal_id() AS decimal,
	gid_snowflake_id() AS snowflake;
EXECUTE make \gset a_
EXECUTE make \gset b_
SELECT :'a_v7' <> :'b_v7' AS v7, :'a_v7_at' <> :'b_v7_at' AS v7_at, :'a_sequential' <> :'b_sequential' AS sequential,
	:'a_mssql' <> :'b_mssql' AS mssql, :'a_shard' <> :'b_shard' AS shard, :'a_trace' <> :'b_trace' AS trace,
	:'a_decimal' <> :'b_decimal' AS decimal, :'a_snowflake' <> :'b_snowflake' AS snowflake;
DEALLOCATE ALL;
RESET plan_cache_mode;

DO $$
DECLARE
	a uuid;
	b uuid;
BEGIN
	FOR i IN 1..10 LOOP
		a := gid_uuid_v7();
		b := gid_uuid_v7();
		IF a >= b THEN
			RAISE 'out of order';
		END IF;
		INSERT INTO ids (n, how, v7) VALUES (i, 'plpgsql', a);
		BEGIN
			INSERT INTO ids (n, how) VALUES (i, 'plpgsql, rolled back');
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
			INSERT INTO ids (n, how) VALUES (i, 'plpgsql, after an error');
		END;
	END LOOP;
END $$;

-- A role that may only insert into the table.
CREATE ROLE regress_gid_writer;
GRANT INSERT ON ids TO regress_gid_writer;
SET ROLE regress_gid_writer;
INSERT INTO ids (n, how) SELECT n, 'as a writer' FROM generate_series(1, 10) AS n;
SELECT e.code FROM pg_temp.expect('SELECT nextval(''gid.decimal_generator'')') AS e;
RESET ROLE;

SELECT how, count(*) AS rows,
	count(*) FILTER (WHERE num_nulls(v7, v7_at, sequential, mssql, shard, shard_8, trace,
		snowflake, discord, decimal, made) > 0) AS with_nulls,
	min(gid_extract_shard(shard)) AS shard, max(gid_extract_shard(shard_8)) AS shard_8,
	bool_and(made = gid_extract_v7_time(v7)) AS made
FROM ids GROUP BY how ORDER BY how;

-- Parallel workers: first the whole plan in one worker, then two workers for a scan.
CREATE TABLE source AS SELECT n FROM generate_series(1, 5000) AS n;
ANALYZE source;
\set generators 'gid_uuid_v7() AS v7, gid_uuid_v7_at(now()) AS v7_at, gid_uuid_sequential() AS sequential, gid_uuid_sequential_mssql() AS mssql, gid_uuid_shard() AS shard, gid_uuid_shard(8) AS shard_8, gid_trace_id() AS trace, gid_snowflake_id() AS snowflake'
SELECT pg_temp.force_parallel('on');
SELECT pg_temp.gathers('SELECT ' || :'generators') AS gathers;
CREATE TABLE parallel_ids AS SELECT :generators FROM source;
SELECT pg_temp.force_parallel('off');
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT pg_temp.gathers('SELECT n, ' || :'generators' || ' FROM source') AS gathers;
INSERT INTO parallel_ids SELECT :generators FROM source;
CREATE TABLE parallel_more AS SELECT :generators FROM source;
INSERT INTO parallel_ids TABLE parallel_more;
SELECT count(*) AS ids, count(DISTINCT v7) AS v7, count(DISTINCT v7_at) AS v7_at,
	count(DISTINCT sequential) AS sequential, count(DISTINCT mssql) AS mssql,
	count(DISTINCT shard) AS shard, count(DISTINCT shard_8) AS shard_8,
	count(DISTINCT trace) AS trace, count(DISTINCT snowflake) AS snowflake,
	count(*) FILTER (WHERE gid_extract_shard(shard) IS DISTINCT FROM 7) AS wrong_shard
FROM parallel_ids;
-- gid_decimal_id() prevents a parallel plan. It raises an error in a worker when a
-- function that calls it has the wrong label.
SELECT pg_temp.gathers('SELECT gid_decimal_id() FROM source') AS gathers;
SELECT count(DISTINCT id) FROM (SELECT gid_decimal_id() AS id FROM source) AS d;
CREATE FUNCTION mislabelled() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE
AS 'BEGIN RETURN gid_decimal_id(); END';
SELECT pg_temp.force_parallel('on');
SELECT e.* FROM pg_temp.alike('SELECT mislabelled()') AS e;
SELECT pg_temp.force_parallel('off');
RESET max_parallel_workers_per_gather;
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;

-- Read-only transactions: functions that reserve fail as nextval() does, with or
-- without a lease. The other functions work.
SELECT gid_decimal_id() IS NOT NULL AS warm;
BEGIN READ ONLY;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
SELECT num_nonnulls(gid_uuid_v7(), gid_uuid_v7_at(now()), gid_uuid_sequential(),
	gid_uuid_sequential_mssql(), gid_uuid_shard(), gid_uuid_shard(8), gid_trace_id(), gid_snowflake_id()) AS ids;
COMMIT;

-- A rollback gives back neither ids nor the generator number that the transaction
-- reserved.
ALTER SYSTEM SET gid.launch_id = 1002;
\set until 'current_setting(''gid.launch_id'') = ''1002'''
\i :reload
\set made 'SELECT gid_uuid_v7() AS v7, gid_uuid_sequential() AS sequential, gid_uuid_shard() AS shard, gid_trace_id() AS trace, gid_decimal_id() AS decimal, gid_snowflake_id() AS snowflake'
BEGIN;
:made \gset a_
SAVEPOINT s;
:made \gset b_
ROLLBACK TO SAVEPOINT s;
:made \gset c_
SELECT last_value AS reserved FROM gid.decimal_generator \gset
ROLLBACK;
:made \gset d_
SELECT :'a_v7'::uuid < :'b_v7' AND :'b_v7'::uuid < :'c_v7' AND :'c_v7'::uuid < :'d_v7' AS v7,
	:'a_sequential'::uuid < :'b_sequential' AND :'b_sequential'::uuid < :'c_sequential'
		AND :'c_sequential'::uuid < :'d_sequential' AS sequential,
	:'a_shard'::uuid < :'b_shard' AND :'b_shard'::uuid < :'c_shard'
		AND :'c_shard'::uuid < :'d_shard' AS shard,
	:a_trace < :b_trace AND :b_trace < :c_trace AND :c_trace < :d_trace AS trace,
	:a_decimal < :b_decimal AND :b_decimal < :c_decimal AND :c_decimal < :d_decimal AS decimal,
	:a_snowflake < :b_snowflake AND :b_snowflake < :c_snowflake AND :c_snowflake < :d_snowflake AS snowflake;
SELECT last_value = :reserved AND is_called AS still_reserved FROM gid.decimal_generator;

-- A generator number that is reserved after an ALTER SEQUENCE stays reserved when the
-- ALTER is rolled back. Afterwards the session has its lease again.
BEGIN;
SAVEPOINT s;
ALTER SEQUENCE gid.decimal_generator RESTART 100200050;
SELECT gid_extract_decimal_generator(gid_decimal_id()) AS generator;
ROLLBACK TO SAVEPOINT s;
SELECT last_value >= 100200050 AS followed FROM gid.decimal_generator;
SELECT 100200000 + gid_extract_decimal_generator(gid_decimal_id()) <= last_value AS reserved
FROM gid.decimal_generator;
COMMIT;
SELECT 100200000 + gid_extract_decimal_generator(gid_decimal_id()) <= last_value AS reserved
FROM gid.decimal_generator;

-- Clean up.
DROP FUNCTION mislabelled();
DROP TABLE ids, source, parallel_ids, parallel_more;
DROP ROLE regress_gid_writer;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
ALTER SEQUENCE gid.decimal_generator RESTART;
\i :no_numbers
