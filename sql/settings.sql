-- The settings: defaults, contexts, ranges, and their effect on the ids.
-- settings_launch.sql has gid.launch_id.
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
	'ALTER ROLE regress_gid_user SET gid.reservation_standbys = 1', 'SET gid.nodeno = 1',
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
	('sighup', 'reservation_standbys', '{-1,0,100,101}'),
	('sighup', 'reservation_wait', '{-2,-500ms,-1,0,1h,3600001ms,10 apples,NaN,infinity}'),
	('suset', 'launch_id', '{-1,0,99999,100000,1.5}'), ('suset', 'max_block_size', '{0,1,65536,65537,""}'),
	('suset', 'timeline_skip', '{-2,-1,2147483647,2147483648,""}')) AS v (context, setting, tried), unnest(tried) AS value \gexec
SELECT format('ALTER SYSTEM RESET %s', name) FROM pg_settings WHERE name LIKE 'gid.%' AND context = 'sighup' \gexec
RESET ALL;
\set VERBOSITY default
-- A number of the server says its range as PostgreSQL does, a string in the detail,
-- whatever sets it.
ALTER SYSTEM SET gid.node_no = 65536;
SELECT e.code, e.message, e.detail, e.hint FROM pg_temp.expect('SET gid.launch_id = 100000',
	format('ALTER DATABASE %I SET gid.max_block_size = 0', current_database()),
	'ALTER ROLE regress_gid_user SET gid.shard_key = -1', 'SELECT set_config(''gid.timeline_skip'', ''x'', true)') AS e;
-- SHOW shows the number itself, and an empty string for unset.
SELECT format('%L', value) AS value, set_config('gid.shard_key', value, false) AS shard_key,
	set_config('gid.launch_id', value, false) AS launch_id
FROM unnest(ARRAY['7', ' 007 ', E'\t0\n', '1e3', '7.0', '', '   ']) AS v (value);
SELECT value, e.code FROM unnest(ARRAY['4294967295', '4294967296', '-1', '18446744073709551623', '1e300', 'inf', 'nan',
	'7 8', '7,8', '7ms', '(refused)']) AS value, pg_temp.expect(format('SET gid.shard_key = %L', value)) AS e;
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
-- gid.node_no, and a time: without a unit it is in seconds
--
ALTER SYSTEM SET gid.node_no = 65535;
ALTER SYSTEM SET gid.reservation_wait = '1.5';
\set until 'current_setting(''gid.node_no'') = ''65535'' AND current_setting(''gid.reservation_wait'') = ''1500ms'''
\i :reload
SELECT gid_extract_trace_node(gid_trace_id());
ALTER SYSTEM SET gid.node_no = -1;
ALTER SYSTEM RESET gid.reservation_wait;
\set until 'current_setting(''gid.node_no'') = '''' AND current_setting(''gid.reservation_wait'') = ''-1'''
\i :reload
SELECT e.code FROM pg_temp.expect('SELECT gid_trace_id()') AS e;
ALTER SYSTEM RESET gid.node_no;

-- Clean up.
DROP ROLE regress_gid_user;
SELECT name, setting FROM pg_settings WHERE name LIKE 'gid.%' AND setting <> boot_val AND setting <> '';
