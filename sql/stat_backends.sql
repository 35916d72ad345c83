-- gid.stat_backends and gid.stat_clock: how many ids each session has issued,
-- where the clock and its bound stand, and who may see it.
\i sql/include/start.sql
LOAD 'gid';
\i :numbers
ALTER SYSTEM SET gid.launch_id = 4001;
\set until 'current_setting(''gid.launch_id'') = ''4001'''
\i :reload

-- A session has a row for each family that it has used: the exact count, the
-- time of the last id. Ids that are rolled back count; those that are made of
-- given parts or for a given moment do not.
SELECT count(*) AS before FROM gid.stat_backends WHERE pid = pg_backend_pid();
CREATE TEMP TABLE made AS
SELECT gid_uuid_v7() AS v7, gid_uuid_sequential() AS sequential, gid_uuid_sequential_mssql() AS mssql,
	gid_uuid_shard(1) AS shard, gid_trace_id() AS trace, gid_snowflake_id() AS snowflake, gid_decimal_id() AS decimal,
	gid_uuid_v7_at(now()) AS v7_at, gid_make_decimal_id(1, 0, 0) AS made_decimal
FROM generate_series(1, 1000);
SELECT family, issued, last_time = CASE family
	WHEN 'uuid_sequential' THEN (SELECT max(gid_extract_sequential_time(gid_uuid_from_mssql(mssql))) FROM made)
	WHEN 'uuid_shard' THEN (SELECT max(gid_extract_shard_time(shard)) FROM made)
	WHEN 'trace_id' THEN (SELECT max(gid_extract_trace_time(trace)) FROM made)
	WHEN 'snowflake_id' THEN (SELECT max(gid_extract_snowflake_time(snowflake)) FROM made)
	WHEN 'uuid_v7' THEN (SELECT max(gid_extract_v7_time(v7)) FROM made) + (last_time - date_trunc('milliseconds', last_time)) END AS last_time
FROM gid.stat_backends WHERE pid = pg_backend_pid() ORDER BY family;
BEGIN;
SELECT gid_trace_id() IS NOT NULL AS made;
ROLLBACK;
SELECT issued FROM gid.stat_backends WHERE pid = pg_backend_pid() AND family = 'trace_id';
-- The bound on disk is some seconds ahead of every id.
SELECT family, last_time < durable_bound AS below_bound,
	durable_bound - last_time < interval '10 seconds' AS bound_is_near,
	num_nulls(lead, steps_back, waits) AS nulls
FROM gid.stat_clock ORDER BY family;

-- Another role sees no more of a session than pid and slot, as in
-- pg_stat_activity. A role sees everything that has pg_read_all_stats, or the
-- privileges of the session's role.
SELECT pg_backend_pid() AS pid \gset
CREATE ROLE regress_gid_reader;
CREATE FUNCTION pg_temp.seen() RETURNS text RETURN (SELECT concat_ws(' ', count(*), count(slot), count(family), count(last_time), count(issued))
	FROM gid.stat_backends WHERE pid = pg_backend_pid());
SET ROLE regress_gid_reader;
SELECT pg_temp.seen(), (SELECT count(*) FROM gid.stat_clock) AS clock;
RESET ROLE;
SELECT current_user AS me \gset
GRANT pg_read_all_stats TO regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT pg_temp.seen();
RESET ROLE;
REVOKE pg_read_all_stats FROM regress_gid_reader;
GRANT :"me" TO regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT pg_temp.seen();
RESET ROLE;
DROP ROLE regress_gid_reader;
-- A closed connection has no rows. A new one begins at 0.
\c -
\set until 'NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ' :pid ')'
\i :reload
SELECT count(*) FROM gid.stat_backends WHERE pid = :pid;
SELECT gid_trace_id() IS NOT NULL AS made;
SELECT family, issued FROM gid.stat_backends WHERE pid = pg_backend_pid();

ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
ALTER SEQUENCE gid.decimal_generator RESTART;
\i :no_numbers
