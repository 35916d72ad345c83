-- gid.authorities and gid.decimal_authority that are set before the library is loaded.
-- gid drops values of a user who may not set them. A value that gid refuses raises an
-- error when it is needed, and never counts as an empty one.
\i sql/include/start.sql
LOAD 'gid';
ALTER SYSTEM SET gid.authority = 7;
ALTER SYSTEM SET gid.launch_id = 0;
\set until 'current_setting(''gid.authority'') = ''7'' AND current_setting(''gid.launch_id'') = ''0'''
\i :reload
CREATE ROLE regress_gid_user;
CREATE SEQUENCE public.regress_gid_ids CACHE 20;
GRANT USAGE ON SEQUENCE regress_gid_ids TO regress_gid_user;


-- gid drops what a user has set.
\c -
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.authorities = 'postgresql://u@%2Fnonexistent:1/d';
SET gid.decimal_authority = 'nonsense';
SELECT gid_extract_gdid_era('0:0:0') AS loaded;
SELECT gid_extract_gdid_authority(gid_next_gdid('regress_gid_ids')) AS own;
RESET SESSION AUTHORIZATION;
SELECT current_setting('gid.authorities') AS authorities, current_setting('gid.decimal_authority') AS decimal_authority;
-- The database's value is in force for everybody. A user cannot change it.
ALTER DATABASE :"DBNAME" SET gid.authorities = 'postgresql://u@%2Fnonexistent:1/d';
\c -
\i :expect
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.authorities = '';
SELECT e.statements, e.code FROM pg_temp.alike($$SELECT gid_next_gdids('regress_gid_ids', 1)$$, 'SHOW gid.authorities', 'SET gid.authorities = ''''') AS e;
RESET gid.authorities;
DISCARD ALL;
RESET SESSION AUTHORIZATION;
SHOW gid.authorities;

-- The values of a superuser and of a database are checked when the library is loaded.
-- If a value is no URI, nothing is drawn.
\c -
\i :expect
SET client_min_messages = error;
SET gid.authorities = 'nonsense';
SET gid.decimal_authority = 'nonsense';
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_ids')$$, 'SELECT gid_decimal_id()') AS e;
\c -
ALTER DATABASE :"DBNAME" SET gid.authorities = 'postgresql://h';
ALTER DATABASE :"DBNAME" SET gid.decimal_authority = 'postgresql://u@h/d postgresql://u@i/d';
\c -
\i :expect
SET client_min_messages = error;
SELECT last_value AS before FROM regress_gid_ids \gset
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.statements, e.code FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_ids')$$, $$SELECT gid_next_gdids('regress_gid_ids', 1)$$,
	$$SELECT gid_next_gdid('public', 'regress_gid_ids')$$, 'SELECT gid_decimal_id()') AS e;
-- Nothing was reserved. Functions that ask nobody work.
RESET SESSION AUTHORIZATION;
SELECT last_value - :before AS taken FROM regress_gid_ids;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_next('regress_gid_ids') IS NOT NULL AS drawn, gid_next_many('regress_gid_ids', 1) IS NOT NULL AS many,
	gid_extract_gdid_era('1:2:3') AS era, gid_uuid_v7() IS NOT NULL AS uuid;
SELECT count(*) FROM gid.stat_launches WHERE source <> 'local';
-- Nothing that this user does changes that.
\set VERBOSITY terse
BEGIN;
SELECT gid_next_gdid('regress_gid_ids');
ROLLBACK;
SET gid.authorities = '';
SET gid.authorities = DEFAULT;
RESET ALL;
SELECT gid_next_gdid('regress_gid_ids');
DISCARD ALL;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_next_gdid('regress_gid_ids');
SELECT gid_decimal_id();
-- A superuser's value takes precedence. An empty value draws from this server.
\c -
SET client_min_messages = error;
SELECT gid_next_gdid('regress_gid_ids');
SET gid.authorities = 'postgresql://h';
SELECT gid_next_gdid('regress_gid_ids');
SET gid.authorities = '';
SELECT gid_extract_gdid_authority(gid_next_gdid('regress_gid_ids')) AS own;
SET gid.authorities = 'postgresql://u@%2Fnonexistent:1/d';
SELECT gid_next_gdids('regress_gid_ids', 1);
-- A library that is loaded when the session starts gives the same.
\c -reuse-previous=on "options='-c session_preload_libraries=gid -c client_min_messages=error'"
SELECT gid_next_gdid('regress_gid_ids');
SELECT gid_decimal_id();
\c -reuse-previous=on "options=''"
\set VERBOSITY default
ALTER DATABASE :"DBNAME" RESET gid.authorities;
ALTER DATABASE :"DBNAME" RESET gid.decimal_authority;
\c -
SELECT gid_extract_gdid_authority(gid_next_gdid('regress_gid_ids')) AS own;

-- Clean up.
DROP SEQUENCE regress_gid_ids;
DROP ROLE regress_gid_user;
ALTER SYSTEM RESET gid.authority;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.authority'') = '''' AND current_setting(''gid.launch_id'') = '''''
\i :reload
