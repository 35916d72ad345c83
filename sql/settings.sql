-- The settings: defaults, contexts, ranges, privileges, values of databases and roles, and
-- their effect on the ids. decimal_launch.sql has which launches follow which.
\getenv srcdir PG_ABS_SRCDIR
\set start :srcdir '/sql/include/start.sql'
\i :start
LOAD 'gid';

SELECT name, setting, unit, context, vartype, min_val, max_val
FROM pg_settings WHERE name LIKE 'gid.%' ORDER BY name;
-- The numbers of the server cannot be set for a session, a database or a role. A
-- misspelt name raises an error.
CREATE ROLE regress_gid_user;
SELECT e.code, e.message, e.detail FROM pg_temp.expect('SET gid.node_no = 1',
	format('ALTER DATABASE %I SET gid.authority = 1', current_database()),
	'ALTER ROLE regress_gid_user SET gid.wait_for_standbys = off', 'SET gid.nodeno = 1',
	format('ALTER DATABASE %I SET gid.shardkey = 1', current_database())) AS e;
-- A function that needs an unset number says how to set it.
CREATE SEQUENCE s;
SELECT e.code, e.message, e.detail, e.hint FROM pg_temp.expect('SELECT gid_trace_id()', 'SELECT gid_decimal_id()',
	'SELECT gid_uuid_shard()', 'SELECT gid_next_gdid(''s'')') AS e;
DROP SEQUENCE s;

-- Both ends of each range, and one past each.
\set VERBOSITY sqlstate
SELECT format('%s gid.%s = %L', CASE WHEN context = 'sighup' THEN 'ALTER SYSTEM SET' ELSE 'SET' END, setting, value)
FROM (VALUES ('sighup', 'node_no', '{-2,-1,65535,65536,seven}'::text[]), ('sighup', 'authority', '{-2,-1,15,16,"1 2"}'),
	('sighup', 'node_first', '{-1,0,65535,65536}'), ('sighup', 'node_max', '{-1,0,65535,65536,""}'),
	('sighup', 'wait_for_standbys', '{on,off,2}'),
	('suset', 'launch_id', '{-1,0,99999,100000,1.5}'), ('suset', 'max_block_size', '{0,1,65536,65537,""}'),
	('suset', 'timeline_skip', '{-1,0,2147483647,2147483648,""}')) AS v (context, setting, tried), unnest(tried) AS value \gexec
SELECT format('ALTER SYSTEM RESET %s', name) FROM pg_settings WHERE name LIKE 'gid.%' AND context = 'sighup' \gexec
RESET ALL;
\set VERBOSITY default
-- A number of the server says its range as PostgreSQL does, a string in the detail,
-- whatever sets it.
ALTER SYSTEM SET gid.node_no = 65536;
SELECT e.code, e.message, e.detail, e.hint FROM pg_temp.expect('SET gid.launch_id = 100000',
	format('ALTER DATABASE %I SET gid.max_block_size = 0', current_database()),
	'ALTER ROLE regress_gid_user SET gid.shard_key = -1', 'SELECT set_config(''gid.timeline_skip'', ''x'', true)') AS e;
RESET gid.launch_id;

--
-- gid.shard_key
--
SET gid.shard_key = ' 0042 ';
SELECT gid_extract_shard(gid_uuid_shard());
-- A wrong value leaves the earlier one in place.
SET gid.shard_key = '-1';
SELECT gid_extract_shard(gid_uuid_shard());
SET gid.shard_key = '';
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_uuid_shard()') AS e;
RESET gid.shard_key;
-- Every role may set it: for a transaction, a session, itself, a function.
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.shard_key = 1;
BEGIN;
SET LOCAL gid.shard_key = 2;
SELECT gid_extract_shard(gid_uuid_shard());
ROLLBACK;
SELECT gid_extract_shard(gid_uuid_shard());
ALTER ROLE regress_gid_user SET gid.shard_key = 3;
-- But not these.
SELECT e.message FROM pg_temp.expect('SET gid.max_block_size = 2', 'SET gid.timeline_skip = 0', 'SET gid.authorities = ''''') AS e;
RESET SESSION AUTHORIZATION;
CREATE FUNCTION pg_temp.of_shard_5() RETURNS bigint SET gid.shard_key = 5
LANGUAGE sql AS 'SELECT gid_extract_shard(gid_uuid_shard())';
SELECT pg_temp.of_shard_5(), gid_extract_shard(gid_uuid_shard()) AS after;
-- For a database it is in force from the next connection on.
ALTER DATABASE :"DBNAME" SET gid.shard_key = 7;
\c -
SELECT gid_extract_shard(gid_uuid_shard());
ALTER DATABASE :"DBNAME" RESET gid.shard_key;
\c -
\i :expect
SELECT e.code FROM pg_temp.expect('SELECT gid_uuid_shard()') AS e;

--
-- gid.launch_id: for a database, whose roles cannot change it, unless a grant says so
--
ALTER DATABASE :"DBNAME" SET gid.launch_id = 3010;
\c -
\i :expect
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS of_database;
SELECT e.statements, e.code, e.message FROM pg_temp.alike('SET gid.launch_id = 3011', 'SET gid.launch_id = ''''',
	'ALTER ROLE regress_gid_user SET gid.launch_id = 3011', 'SELECT set_config(''gid.launch_id'', ''3011'', true)') AS e;
RESET SESSION AUTHORIZATION;
GRANT SET ON PARAMETER gid.launch_id TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.code FROM pg_temp.expect('SET gid.launch_id = 3010') AS e;
RESET SESSION AUTHORIZATION;
REVOKE SET ON PARAMETER gid.launch_id FROM regress_gid_user;
-- A role's launch takes precedence over the database's.
\set user :USER
CREATE ROLE regress_gid_launch LOGIN;
ALTER ROLE regress_gid_launch SET gid.launch_id = 3013;
\c - regress_gid_launch
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS of_role;
\c - :user
ALTER DATABASE :"DBNAME" RESET gid.launch_id;
DROP ROLE regress_gid_launch;

--
-- Wrong values that a session has before it loads the library. As long as they are there
-- a function that needs the setting raises an error. It takes no other value.
--
\c -
LOAD 'gid';
ALTER SYSTEM SET gid.launch_id = 5065;
\set until 'current_setting(''gid.launch_id'') = ''5065'''
\i :reload
\c -
ALTER DATABASE :"DBNAME" SET gid.launch_id = '5066x';
\c -
\i :expect
SET client_min_messages = error;
SELECT gid_extract_shard(gid_uuid_shard(1));
SELECT e.code FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid_decimal_id()') AS e;
-- A superuser sets another value, for a session and then for the database.
SET gid.launch_id = 5066;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;
ALTER DATABASE :"DBNAME" SET gid.launch_id = 5067;
\c -
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;
ALTER DATABASE :"DBNAME" RESET gid.launch_id;
-- A session cannot set the server's own numbers. What it has set before is dropped.
\c -
SET gid.node_no = 3;
SET client_min_messages = error;
SELECT gid_extract_shard(gid_uuid_shard(1));
RESET client_min_messages;
SHOW gid.node_no;
\i :expect

--
-- gid.node_no
--
ALTER SYSTEM SET gid.node_no = 65535;
\set until 'current_setting(''gid.node_no'') = ''65535'''
\i :reload
SELECT gid_extract_trace_node(gid_trace_id());
ALTER SYSTEM SET gid.node_no = -1;
\set until 'current_setting(''gid.node_no'') = ''-1'''
\i :reload
SELECT e.code FROM pg_temp.expect('SELECT gid_trace_id()') AS e;
ALTER SYSTEM RESET gid.node_no;

-- Clean up.
LOAD 'gid';
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
ALTER SEQUENCE gid.decimal_generator RESTART;
DROP ROLE regress_gid_user;
SELECT name, setting FROM pg_settings WHERE name LIKE 'gid.%' AND setting <> boot_val AND setting <> '';
