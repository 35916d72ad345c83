-- Settings that a session gives before the library is loaded. PostgreSQL accepts any
-- gid.* then. gid reports a wrong value when a function loads the library, and puts no
-- other value in its place. A server that preloads gid reports it at once, and fails
-- here. settings_stored.sql has the settings of databases and roles.
\i sql/include/start.sql
LOAD 'gid';
CREATE ROLE regress_gid_user;
-- The values below must not fall back to these.
ALTER SYSTEM SET gid.launch_id = 5065;
ALTER SYSTEM SET gid.shard_key = 5;
ALTER SYSTEM SET gid.node_no = 7;
\set until 'current_setting(''gid.launch_id'') = ''5065'' AND current_setting(''gid.node_no'') = ''7'''
\i :reload

-- Wrong values and names.
\c -
\i :expect
SET gid.shard_key = 'seven';
SET gid.nod_no = 1;
SET gid.launch_id = 100000;
SET gid.max_block_size = 0;
SELECT gid_extract_shard(gid_uuid_shard(1));
SHOW gid.shard_key;
SHOW gid.launch_id;
SHOW gid.max_block_size;
SET gid.nod_no = 1;
-- Functions that need them raise an error. Only RESET brings back the server's value.
SELECT e.* FROM pg_temp.alike('SELECT gid_uuid_shard()', 'SELECT gid_decimal_id()') AS e;
SELECT gid_extract_shard(gid_uuid_shard(8));
RESET gid.shard_key;
SELECT gid_extract_shard(gid_uuid_shard());
RESET gid.launch_id;
SHOW gid.launch_id;

-- A parallel operation that loads the library drops earlier values. gid refuses those
-- too, and a reload brings no other value. No worker is available, so that the session
-- itself runs what is below Gather.
\c -
\i :expect
SET gid.shard_key = 8;
SET gid.launch_id = 5066;
CREATE TABLE parallel_load AS SELECT 1 AS n;
ALTER TABLE parallel_load SET (parallel_workers = 2);
CREATE FUNCTION parallel_load(n int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE
AS $$ BEGIN RETURN gid_extract_trace_node(gid_make_trace_id(now(), n, 1, 1)); END $$;
SET max_parallel_workers = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET client_min_messages = error;
SELECT parallel_load(n) FROM parallel_load WHERE parallel_load(n) = 1;
RESET client_min_messages;
SHOW gid.shard_key;
SELECT pg_conf_load_time() AS loaded \gset
\set until 'pg_conf_load_time() > ' :'loaded'
\i :reload
SELECT e.* FROM pg_temp.alike('SELECT gid_uuid_shard()', 'SELECT gid_decimal_id()') AS e;
SET gid.shard_key = 9;
SELECT gid_extract_shard(gid_uuid_shard());
DROP FUNCTION parallel_load;
DROP TABLE parallel_load;

-- A session cannot set the server's own numbers. gid drops what it has set.
\c -
SET gid.node_no = 70000;
SET gid.authority = 3;
SELECT gid_extract_trace_node(gid_trace_id());
SHOW gid.authority;

-- A value of the connection's options hides the server's number. The library refuses
-- that value, and the next reload brings the number.
\c -reuse-previous=on "options='-c gid.node_no=8'"
\i :expect
SET client_min_messages = error;
SELECT gid_extract_shard(gid_uuid_shard());
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_trace_id()') AS e;
\set until 'current_setting(''gid.node_no'') = ''7'''
\i :reload
SELECT gid_extract_trace_node(gid_trace_id());
\c -reuse-previous=on "options=''"

-- The value of a transaction is refused, and that of the session stays.
\c -
SET client_min_messages = error;
SET gid.shard_key = 10;
BEGIN;
SET LOCAL gid.shard_key = 'ten';
SELECT gid_extract_shard(gid_uuid_shard(1));
SHOW gid.shard_key;
COMMIT;
SELECT gid_extract_shard(gid_uuid_shard());

-- A role that is no superuser has to load the library before it may set one for
-- itself.
\c -
\i :expect
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.* FROM pg_temp.alike('ALTER ROLE regress_gid_user SET gid.shard_key = 9') AS e;
SELECT gid_extract_shard(gid_uuid_shard(1));
SELECT e.* FROM pg_temp.alike('ALTER ROLE regress_gid_user SET gid.shard_key = 9') AS e;
RESET SESSION AUTHORIZATION;
DROP ROLE regress_gid_user;

-- Clean up.
ALTER SYSTEM RESET gid.launch_id;
ALTER SYSTEM RESET gid.shard_key;
ALTER SYSTEM RESET gid.node_no;
\set until 'current_setting(''gid.launch_id'') = '''' AND current_setting(''gid.node_no'') = '''''
\i :reload
