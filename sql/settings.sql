-- The settings: defaults, contexts, ranges, and their effect on the ids.
-- settings_launch.sql has gid.launch_id.
\getenv srcdir PG_ABS_SRCDIR
\set start :srcdir '/sql/include/start.sql'
\i :start
LOAD 'gid';

SELECT name, setting, context, vartype, max_val, boot_val = setting AS initial, pending_restart
FROM pg_settings WHERE name LIKE 'gid.%' ORDER BY name;
-- The numbers of the server cannot be set for a session, a database or a role.
CREATE ROLE regress_gid_user;
SELECT e.* FROM pg_temp.expect('SET gid.node_no = 1', 'SET gid.authority = 1',
	format('ALTER DATABASE %I SET gid.node_no = 1', current_database()),
	format('ALTER DATABASE %I SET gid.authority = 1', current_database()),
	'ALTER ROLE regress_gid_user SET gid.node_no = 1') AS e;
-- A function that needs an unset number says how to set it.
CREATE SEQUENCE s;
SELECT e.code, e.message, e.detail FROM pg_temp.expect('SELECT gid_trace_id()', 'SELECT gid_decimal_id()',
	'SELECT gid_uuid_shard()', 'SELECT gid_next_gdid(''s'')') AS e;
SELECT e.hint FROM pg_temp.expect('SELECT gid_trace_id()', 'SELECT gid_decimal_id()',
	'SELECT gid_uuid_shard()', 'SELECT gid_next_gdid(''s'')') AS e;
DROP SEQUENCE s;
-- A misspelt name raises an error.
SELECT e.* FROM pg_temp.expect('SET gid.nodeno = 1', 'SET gid.shard = 1',
	format('ALTER DATABASE %I SET gid.shardkey = 1', current_database())) AS e;

--
-- The numbers that may be unset
--
-- Decimal digits, with or without blanks around them. The empty string is "unset".
SELECT value, e.code, e.message
FROM unnest(ARRAY['0', '7', '007', ' 7', '7 ', '4294967295', '', ' ', '4294967296', '42949672950',
	'18446744073709551623', '99999999999999999999', '-1', '+1', '1e3', '0x10', '7.0', '7 8', '7,8', 'seven', '(refused)'])
	WITH ORDINALITY AS v (value, n),
	pg_temp.expect(format('SET gid.shard_key = %L', value)) AS e ORDER BY n;
-- SHOW shows the number itself, and an empty string for unset.
SELECT format('%L', value) AS value, set_config('gid.shard_key', value, false) AS shard_key,
	set_config('gid.launch_id', value, false) AS launch_id
FROM unnest(ARRAY['7', ' 007 ', E'\t0\n', '00', '', '   ']) AS v (value);
RESET gid.shard_key;
RESET gid.launch_id;
-- Every way to set them gives the same message, with the range.
SELECT e.* FROM pg_temp.expect('SET gid.launch_id = 100000', 'SET gid.launch_id = -1',
	'SELECT set_config(''gid.launch_id'', ''x'', true)', 'ALTER ROLE regress_gid_user SET gid.launch_id = ''1.5''',
	format('ALTER DATABASE %I SET gid.launch_id = 100000', current_database()),
	'SET gid.shard_key = 4294967296', 'ALTER ROLE regress_gid_user SET gid.shard_key = -1',
	'CREATE FUNCTION pg_temp.wrong() RETURNS int LANGUAGE sql SET gid.shard_key = ''x'' AS ''SELECT 1''') AS e;
ALTER SYSTEM SET gid.node_no = 70000;
ALTER SYSTEM SET gid.authority = 16;
ALTER SYSTEM SET gid.launch_id = 100000;
ALTER SYSTEM SET gid.shard_key = 4294967296;

--
-- gid.shard_key
--
SET gid.shard_key = ' 0042 ';
SELECT gid_extract_shard(gid_uuid_shard());
-- A wrong value leaves the earlier one in place.
SET gid.shard_key = '-1';
SELECT gid_extract_shard(gid_uuid_shard());
SET gid.shard_key = '';
SELECT e.* FROM pg_temp.expect('SELECT gid_uuid_shard()') AS e;
RESET gid.shard_key;
SELECT e.* FROM pg_temp.expect('SELECT gid_uuid_shard()') AS e;
-- Every role may set it: for a transaction, a session, itself, a function.
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.shard_key = 1;
BEGIN;
SET LOCAL gid.shard_key = 2;
SELECT gid_extract_shard(gid_uuid_shard());
ROLLBACK;
SELECT gid_extract_shard(gid_uuid_shard());
ALTER ROLE regress_gid_user SET gid.shard_key = 3;
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
-- gid.node_no
--
ALTER SYSTEM SET gid.node_no = 65535;
\set until 'current_setting(''gid.node_no'') = ''65535'''
\i :reload
SELECT gid_extract_trace_node(gid_trace_id());
ALTER SYSTEM SET gid.node_no = 0;
\set until 'current_setting(''gid.node_no'') = ''0'''
\i :reload
SELECT gid_extract_trace_node(gid_trace_id());
ALTER SYSTEM SET gid.node_no = '';
\set until 'current_setting(''gid.node_no'') = '''''
\i :reload
SELECT e.code FROM pg_temp.expect('SELECT gid_trace_id()') AS e;
ALTER SYSTEM RESET gid.node_no;

--
-- Ends of the ranges, and gid.max_block_size
--
\set VERBOSITY terse
ALTER SYSTEM SET gid.node_no = -1;
ALTER SYSTEM SET gid.node_no = 65536;
ALTER SYSTEM SET gid.authority = -1;
ALTER SYSTEM SET gid.authority = '1.5';
\set VERBOSITY default
SELECT e.code, e.message FROM pg_temp.expect('SET gid.max_block_size = 0',
	'SET gid.max_block_size = 65537', 'SET gid.max_block_size = 1') AS e;
SELECT e.code, e.message FROM pg_temp.expect('SET gid.timeline_skip = -2',
	'SET gid.timeline_skip = 2147483648', 'SET gid.timeline_skip = 2147483647', 'SET gid.timeline_skip = -1',
	'SET gid.reservation_standbys = 1') AS e;
\set VERBOSITY terse
ALTER SYSTEM SET gid.reservation_standbys = -1;
ALTER SYSTEM SET gid.reservation_standbys = 101;
ALTER SYSTEM SET gid.reservation_wait = -2;
ALTER SYSTEM SET gid.reservation_wait = '-500ms';
ALTER SYSTEM SET gid.reservation_wait = '3600001ms';
ALTER SYSTEM SET gid.reservation_wait = '10 apples';
ALTER SYSTEM SET gid.reservation_wait = 'NaN';
ALTER SYSTEM SET gid.reservation_wait = 'infinity';
\set VERBOSITY default
-- A time without a unit is in seconds.
ALTER SYSTEM SET gid.reservation_wait = '1.5';
\set until 'current_setting(''gid.reservation_wait'') = ''1500ms'''
\i :reload
ALTER SYSTEM SET gid.reservation_wait = '1h';
\set until 'current_setting(''gid.reservation_wait'') = ''3600s'''
\i :reload
ALTER SYSTEM SET gid.reservation_wait = 0;
\set until 'current_setting(''gid.reservation_wait'') = ''0'''
\i :reload
ALTER SYSTEM SET gid.reservation_wait = '-1s';
\set until 'current_setting(''gid.reservation_wait'') = ''-1'''
\i :reload
ALTER SYSTEM RESET gid.reservation_wait;
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.max_block_size = 2;
SET gid.timeline_skip = 0;
RESET SESSION AUTHORIZATION;
RESET gid.max_block_size;
RESET gid.timeline_skip;

-- Clean up.
DROP ROLE regress_gid_user;
LOAD 'gid';
SELECT name, setting FROM pg_settings WHERE name LIKE 'gid.%' ORDER BY name;
