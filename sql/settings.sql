-- The settings: defaults, contexts, ranges, what each does to the ids, and which
-- launches a database takes.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
LOAD 'gid';
\getenv srcdir PG_ABS_SRCDIR
\set include :srcdir '/sql/include/expect.sql'
\i :include
\set reload :srcdir '/sql/include/reload.sql'

SELECT name, setting, context, vartype, max_val, boot_val = setting AS initial, pending_restart
FROM pg_settings WHERE name LIKE 'gid.%' ORDER BY name;
-- Not in a session, nor for a database or a role: the server's alone.
CREATE ROLE regress_gid_user;
SELECT e.* FROM pg_temp.expect('SET gid.node_no = 1', 'SET gid.authority = 1',
	format('ALTER DATABASE %I SET gid.node_no = 1', current_database()),
	format('ALTER DATABASE %I SET gid.authority = 1', current_database()),
	'ALTER ROLE regress_gid_user SET gid.node_no = 1') AS e;
-- What needs a number that is unset says how to set it.
CREATE SEQUENCE s;
SELECT e.code, e.message, e.detail FROM pg_temp.expect('SELECT gid_trace_id()', 'SELECT gid_decimal_id()',
	'SELECT gid_uuid_shard()', 'SELECT gid_next_gdid(''s'')') AS e;
SELECT e.hint FROM pg_temp.expect('SELECT gid_trace_id()', 'SELECT gid_decimal_id()',
	'SELECT gid_uuid_shard()', 'SELECT gid_next_gdid(''s'')') AS e;
DROP SEQUENCE s;
-- A misspelt name shows.
SELECT e.* FROM pg_temp.expect('SET gid.nodeno = 1', 'SET gid.shard = 1',
	format('ALTER DATABASE %I SET gid.shardkey = 1', current_database())) AS e;

--
-- The numbers that may be unset
--
-- Decimal digits, with blanks around them or not; the empty string is "unset".
SELECT value, e.code, e.message
FROM unnest(ARRAY['0', '7', '007', ' 7', '7 ', '4294967295', '', ' ', '4294967296', '42949672950',
	'18446744073709551623', '99999999999999999999', '-1', '+1', '1e3', '0x10', '7.0', '7 8', '7,8', 'seven', '(refused)'])
	WITH ORDINALITY AS v (value, n),
	pg_temp.expect(format('SET gid.shard_key = %L', value)) AS e ORDER BY n;
-- SHOW shows the number itself, and unset as an empty string.
SELECT format('%L', value) AS value, set_config('gid.shard_key', value, false) AS shard_key,
	set_config('gid.launch_id', value, false) AS launch_id
FROM unnest(ARRAY['7', ' 007 ', E'\t0\n', '00', '', '   ']) AS v (value);
RESET gid.shard_key;
RESET gid.launch_id;
-- One message for all ways to set them, with the range.
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
-- A wrong value leaves the one before in place.
SET gid.shard_key = '-1';
SELECT gid_extract_shard(gid_uuid_shard());
SET gid.shard_key = '';
SELECT e.* FROM pg_temp.expect('SELECT gid_uuid_shard()') AS e;
RESET gid.shard_key;
SELECT e.* FROM pg_temp.expect('SELECT gid_uuid_shard()') AS e;
-- Anybody sets it, for a transaction, a session, the own role, a function.
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
-- For a database: from the next connection on.
ALTER DATABASE :"DBNAME" SET gid.shard_key = 7;
\c -
SELECT gid_extract_shard(gid_uuid_shard());
ALTER DATABASE :"DBNAME" RESET gid.shard_key;
\c -
\i :include
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
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.max_block_size = 2;
RESET SESSION AUTHORIZATION;
RESET gid.max_block_size;

--
-- gid.launch_id
--
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
ALTER SYSTEM SET gid.launch_id = 3001;
\set until 'current_setting(''gid.launch_id'') = ''3001'''
\i :reload
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;

-- A new launch takes effect at once: a new generator, from counter 1.
ALTER SYSTEM SET gid.launch_id = 3002;
\set until 'current_setting(''gid.launch_id'') = ''3002'''
\i :reload
SELECT gid_decimal_id() AS id \gset
SELECT gid_extract_decimal_launch(:id) AS launch, gid_extract_decimal_counter(:id) AS counter,
	last_value = 300200000 + gid_extract_decimal_generator(:id) AS reserved
FROM gid_decimal_generator;

-- A lower one may have been used up to anywhere: refused, and nothing is lost
-- by the refusal.
ALTER SYSTEM SET gid.launch_id = 3001;
\set until 'current_setting(''gid.launch_id'') = ''3001'''
\i :reload
SELECT last_value AS before FROM gid_decimal_generator \gset
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid_decimal_id()') AS e;
SELECT last_value = :before AS unchanged FROM gid_decimal_generator;
ALTER SYSTEM SET gid.launch_id = 3002;
\set until 'current_setting(''gid.launch_id'') = ''3002'''
\i :reload
SELECT gid_decimal_id() = :id + 10000000000 AS goes_on;

-- The last generator of a launch, and none after it.  The sequence's owner can
-- move it (and answers for it).
ALTER SYSTEM SET gid.launch_id = 3003;
\set until 'current_setting(''gid.launch_id'') = ''3003'''
\i :reload
SELECT setval('gid_decimal_generator', 300399999);
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid_decimal_id()') AS e;
SELECT last_value FROM gid_decimal_generator;
SELECT setval('gid_decimal_generator', 300399998);
SELECT gid_decimal_id(), gid_decimal_id();
SELECT last_value FROM gid_decimal_generator;

-- In the middle of a transaction, too.
ALTER SYSTEM SET gid.launch_id = 3004;
BEGIN;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;
\set until 'current_setting(''gid.launch_id'') = ''3004'''
\i :reload
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;
COMMIT;

-- The largest launch.
ALTER SYSTEM SET gid.launch_id = 99999;
\set until 'current_setting(''gid.launch_id'') = ''99999'''
\i :reload
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;

-- Unset again: no id, even with a lease at hand.
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
SELECT e.code FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
ALTER SEQUENCE gid_decimal_generator RESTART;

--
-- gid.launch_id for a database, a role and a session
--
ALTER DATABASE :"DBNAME" SET gid.launch_id = 3010;
\c -
\i :include
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS of_database;
-- A user gets it, too, and cannot change it.
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS of_database;
SELECT e.code, e.message FROM pg_temp.expect('SET gid.launch_id = 3011', 'SET gid.launch_id = ''''',
	'ALTER ROLE regress_gid_user SET gid.launch_id = 3011', 'SELECT set_config(''gid.launch_id'', ''3011'', true)') AS e;
RESET SESSION AUTHORIZATION;
-- Unless a superuser lets him.
GRANT SET ON PARAMETER gid.launch_id TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.code FROM pg_temp.expect('SET gid.launch_id = 3010') AS e;
RESET SESSION AUTHORIZATION;
REVOKE SET ON PARAMETER gid.launch_id FROM regress_gid_user;
RESET gid.launch_id;
-- A session that changes it goes on at once under a generator of the other launch,
-- and so after a commit that takes the change back.  No id comes twice.
CREATE TEMP TABLE made (id bigint PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SET gid.launch_id = 3011;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
BEGIN;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SET LOCAL gid.launch_id = 3012;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
COMMIT;
SELECT gid_extract_decimal_launch(id) AS launch, count(*), max(gid_extract_decimal_counter(id)) - count(*) AS before
FROM made GROUP BY 1 ORDER BY 1;
-- Launch 3011 again, and that of the database: behind.
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
RESET gid.launch_id;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SET gid.launch_id = 3012;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SELECT max(gid_extract_decimal_counter(id)) AS counter FROM made WHERE n > 12;
-- Unset for a session: none.
SET gid.launch_id = '';
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
-- A role's goes before the database's.
\set user :USER
CREATE ROLE regress_gid_launch LOGIN;
ALTER ROLE regress_gid_launch SET gid.launch_id = 3013;
\c - regress_gid_launch
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS of_role;
\c - :user
ALTER DATABASE :"DBNAME" RESET gid.launch_id;
DROP ROLE regress_gid_launch;
\c -

-- As it was.
ALTER SEQUENCE gid_decimal_generator RESTART;
DROP ROLE regress_gid_user;
LOAD 'gid';
SELECT name, setting FROM pg_settings WHERE name LIKE 'gid.%' ORDER BY name;
