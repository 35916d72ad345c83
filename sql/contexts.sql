-- Where clients make ids: column DEFAULTs with INSERT and COPY, prepared
-- statements, PL/pgSQL, a role that may only insert, parallel plans, read-only
-- transactions, transactions that roll back.
\i sql/include/start.sql
LOAD 'gid';
\i :parallel
\i :numbers
ALTER SYSTEM SET gid.launch_id = 1001;
\set until 'current_setting(''gid.launch_id'') = ''1001'''
\i :reload
SET gid.shard_key = 7;

-- Each generator as a DEFAULT. Unique indexes refuse a duplicate.
CREATE TABLE ids (n int, how text,
	v7 uuid NOT NULL UNIQUE DEFAULT gid_uuid_v7(),
	v7_at uuid NOT NULL UNIQUE DEFAULT gid_uuid_v7_at(now()),
	sequential uuid NOT NULL UNIQUE DEFAULT gid_uuid_sequential(),
	mssql uuid NOT NULL UNIQUE DEFAULT gid_uuid_sequential_mssql(),
	shard uuid NOT NULL UNIQUE CHECK (gid_extract_shard(shard) = 7) DEFAULT gid_uuid_shard(),
	trace bigint NOT NULL UNIQUE DEFAULT gid_trace_id(),
	snowflake bigint NOT NULL UNIQUE DEFAULT gid_snowflake_id(),
	decimal bigint NOT NULL UNIQUE DEFAULT gid_decimal_id(),
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
PREPARE make AS INSERT INTO ids (how, v7, v7_at, sequential, mssql, shard, trace, snowflake, decimal)
	SELECT 'made', gid_uuid_v7(), gid_uuid_v7_at('2024-01-01'), gid_uuid_sequential(), gid_uuid_sequential_mssql(), gid_uuid_shard(),
		gid_trace_id(), gid_snowflake_id(), gid_decimal_id();
EXECUTE make;
EXECUTE make;
RESET plan_cache_mode;
DO $$
DECLARE
	a uuid;
BEGIN
	FOR i IN 1..10 LOOP
		a := gid_uuid_v7();
		IF a >= gid_uuid_v7() THEN
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
RESET ROLE;
SELECT how, count(*), bool_and(made = gid_extract_v7_time(v7)) AS made FROM ids GROUP BY how ORDER BY how;

-- Two parallel workers and their leader for a scan.
CREATE TABLE source AS SELECT n FROM generate_series(1, 5000) AS n;
ANALYZE source;
\set generators 'gid_uuid_v7() AS v7, gid_uuid_v7_at(now()) AS v7_at, gid_uuid_sequential() AS sequential, gid_uuid_sequential_mssql() AS mssql, gid_uuid_shard() AS shard, gid_trace_id() AS trace, gid_snowflake_id() AS snowflake'
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT pg_temp.gathers('SELECT n, ' || :'generators' || ' FROM source') AS gathers;
CREATE TABLE parallel_ids AS SELECT :generators FROM source;
SELECT count(DISTINCT v7) AS v7, count(DISTINCT v7_at) AS v7_at, count(DISTINCT sequential) AS sequential, count(DISTINCT mssql) AS mssql,
	count(DISTINCT shard) FILTER (WHERE gid_extract_shard(shard) = 7) AS shard, count(DISTINCT trace) AS trace, count(DISTINCT snowflake) AS snowflake
FROM parallel_ids;
-- gid_decimal_id() prevents a parallel plan. It raises an error in a worker
-- when a function that calls it has the wrong label.
SELECT pg_temp.gathers('SELECT gid_decimal_id() FROM source') AS gathers;
CREATE FUNCTION mislabelled() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE
AS 'BEGIN RETURN gid_decimal_id(); END';
SELECT pg_temp.force_parallel('on');
SELECT e.* FROM pg_temp.alike('SELECT mislabelled()') AS e;
SELECT pg_temp.force_parallel('off');

-- Read-only transactions: functions that reserve fail as nextval() does, with
-- or without a lease. The other functions work.
SELECT gid_decimal_id() IS NOT NULL AS warm;
BEGIN READ ONLY;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
SELECT num_nonnulls(gid_uuid_v7(), gid_uuid_v7_at(now()), gid_uuid_sequential(),
	gid_uuid_sequential_mssql(), gid_uuid_shard(), gid_trace_id(), gid_snowflake_id()) AS ids;
COMMIT;
-- A rollback gives back neither ids nor the generator number that the
-- transaction reserved.
ALTER SYSTEM SET gid.launch_id = 1002;
\set until 'current_setting(''gid.launch_id'') = ''1002'''
\i :reload
CREATE TABLE drawn (n int, v7 uuid, sequential uuid, shard uuid, trace bigint, decimal bigint, snowflake bigint);
DO $$
DECLARE
	many drawn[];
BEGIN
	FOR n IN 1..3 LOOP
		many := many || ROW(n, gid_uuid_v7(), gid_uuid_sequential(), gid_uuid_shard(), gid_trace_id(), gid_decimal_id(), gid_snowflake_id())::drawn;
		ROLLBACK;
	END LOOP;
	INSERT INTO drawn SELECT * FROM unnest(many);
END $$;
SELECT a.v7 < b.v7 AS v7, a.sequential < b.sequential AS sequential, a.shard < b.shard AS shard, a.trace < b.trace AS trace,
	a.decimal < b.decimal AS decimal, a.snowflake < b.snowflake AS snowflake, gid_extract_decimal_generator(a.decimal) = last_value % 100000 AS still_reserved
FROM drawn AS a JOIN drawn AS b ON a.n + 1 = b.n, gid.decimal_generator;

DROP FUNCTION mislabelled();
DROP TABLE ids, source, parallel_ids, drawn;
DROP ROLE regress_gid_writer;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
ALTER SEQUENCE gid.decimal_generator RESTART;
\i :no_numbers
