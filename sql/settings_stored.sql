-- Wrong settings of a database or a role, which a session has before it loads the
-- library. settings_late.sql has those that a session gives itself.
\i sql/include/start.sql
LOAD 'gid';
CREATE ROLE regress_gid_user;
-- The values below must not fall back to these.
ALTER SYSTEM SET gid.launch_id = 5065;
ALTER SYSTEM SET gid.shard_key = 5;
ALTER SYSTEM SET gid.node_no = 7;
\set until 'current_setting(''gid.launch_id'') = ''5065'' AND current_setting(''gid.node_no'') = ''7'''
\i :reload

-- A database's wrong value is in force for every role as long as it is stored.
\c -
ALTER DATABASE :"DBNAME" SET gid.launch_id = '5066x';
\c -
\i :expect
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_extract_shard(gid_uuid_shard());
SELECT e.statements, e.code, e.message FROM pg_temp.alike('SELECT gid_decimal_id()', 'SHOW gid.launch_id',
	'SET gid.launch_id = 5065') AS e;
RESET gid.launch_id;
DISCARD ALL;
SHOW gid.launch_id;
-- A reload does not restore the server's value.
RESET SESSION AUTHORIZATION;
\i :expect
ALTER SYSTEM SET gid.node_no = 8;
\set until 'current_setting(''gid.node_no'') = ''8'''
\i :reload
SHOW gid.launch_id;
SELECT e.code FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
-- A superuser sets another value, for a session and then for the database.
SET gid.launch_id = 5066;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;
RESET gid.launch_id;
SELECT e.code FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
ALTER DATABASE :"DBNAME" SET gid.launch_id = 5066;
\c -
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;
ALTER DATABASE :"DBNAME" RESET gid.launch_id;

-- A role's wrong value.
\c -
ALTER ROLE regress_gid_user LOGIN;
ALTER ROLE regress_gid_user SET gid.shard_key = '-1';
\set user :USER
\c -reuse-previous=on "user=regress_gid_user options=''"
SHOW gid.shard_key;
SELECT gid_extract_shard(gid_uuid_shard(1));
SHOW gid.shard_key;
\set VERBOSITY terse
SELECT gid_uuid_shard();
\set VERBOSITY default
\c - :user

-- Parallel workers get the refused value, and report nothing themselves.
ALTER DATABASE :"DBNAME" SET gid.shard_key = 'eleven';
\c -
\i :expect
SELECT gid_extract_shard(gid_uuid_shard(1));
ALTER DATABASE :"DBNAME" RESET gid.shard_key;
CREATE TABLE regress_gid_rows AS SELECT n FROM generate_series(1, 10000) AS n;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT count(gid_uuid_shard()) FROM regress_gid_rows;
SELECT count(gid_uuid_shard(n)) FROM regress_gid_rows;
SELECT e.code, e.message FROM pg_temp.expect('SELECT count(gid_uuid_shard()) FROM regress_gid_rows') AS e;
DROP TABLE regress_gid_rows;
DROP ROLE regress_gid_user;

-- Clean up.
ALTER SYSTEM RESET gid.launch_id;
ALTER SYSTEM RESET gid.shard_key;
ALTER SYSTEM RESET gid.node_no;
\set until 'current_setting(''gid.launch_id'') = '''' AND current_setting(''gid.node_no'') = '''''
\i :reload
ALTER SEQUENCE gid.decimal_generator RESTART;
