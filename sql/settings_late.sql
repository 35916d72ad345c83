-- Settings that are given before the library is loaded.  PostgreSQL takes any
-- gid.* then; what is wrong with it is said when a function loads the library.
-- (A server that preloads gid says so at once, and differs here.)
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
-- CREATE EXTENSION has loaded it.
\c -
\getenv srcdir PG_ABS_SRCDIR
\set include :srcdir '/sql/include/expect.sql'
\i :include
CREATE ROLE regress_gid_user;

-- Wrong values and names.
SET gid.shard_key = 'seven';
SET gid.nodeno = 1;
SET gid.launch_id = 1;
SELECT gid_extract_shard(gid_uuid_shard(1));
SHOW gid.shard_key;
SHOW gid.launch_id;
SET gid.nodeno = 1;

-- A right one is taken over.
\c -
SET gid.shard_key = 8;
SELECT gid_extract_shard(gid_uuid_shard());

-- A user who is no superuser has to load it before setting it.
\c -
\i :include
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.* FROM pg_temp.expect('ALTER ROLE regress_gid_user SET gid.shard_key = 9') AS e;
SELECT gid_extract_shard(gid_uuid_shard(1));
SELECT e.* FROM pg_temp.expect('ALTER ROLE regress_gid_user SET gid.shard_key = 9') AS e;
RESET SESSION AUTHORIZATION;
DROP ROLE regress_gid_user;
