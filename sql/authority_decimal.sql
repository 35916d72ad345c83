-- gid.decimal_authority: generator numbers of DecimalIds from another server. That
-- server is this database, with a function in place of gid.authority_generator().
\i sql/include/start.sql
\i :loopback
LOAD 'gid';
CREATE SCHEMA regress_gid_app;
CREATE ROLE regress_gid_user;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
SET search_path = regress_gid_app, public;

ALTER SYSTEM SET gid.launch_id = 6002;
\set until 'current_setting(''gid.launch_id'') = ''6002'''
\i :reload
-- A launch that this server has begun with its own numbers goes on with them, whatever
-- the setting says.
SELECT gid_decimal_id() AS own;
SET gid.decimal_authority = :'gone';
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
SET gid.decimal_authority = :'uri';
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()', 'SELECT gid.authority_generator(6002)') AS e;
RESET gid.decimal_authority;
SELECT gid_decimal_id() AS own;
-- While nobody answers, the next launch is not begun. Setting the sequence to the
-- start of the launch does not begin the launch.
SELECT setval('gid.decimal_generator', 600300000, false);
ALTER SYSTEM SET gid.launch_id = 6003;
\set until 'current_setting(''gid.launch_id'') = ''6003'''
\i :reload
SET gid.decimal_authority = :'gone';
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail
FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SELECT last_value, is_called FROM gid.decimal_generator;
-- This database cannot be its own authority, because the number would be one of its
-- own.
SET gid.decimal_authority = :'uri';
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;

-- A function stands in for gid.authority_generator().
ALTER FUNCTION gid.authority_generator(int) RENAME TO regress_gid_away;
CREATE TABLE given (generator text, asked int DEFAULT 0, own bigint);
INSERT INTO given VALUES (500);
CREATE FUNCTION gid.authority_generator(launch int) RETURNS text LANGUAGE sql AS
	'UPDATE regress_gid_app.given SET asked = asked + 1 RETURNING generator';
ALTER SYSTEM SET gid.launch_id = 6004;
\set until 'current_setting(''gid.launch_id'') = ''6004'''
\i :reload
SET gid.decimal_authority = :'uri';
SELECT gid_decimal_id() AS a, gid_decimal_id() AS b;
-- The first number of an authority closes the launch for this server's own numbers.
SELECT last_value, asked FROM gid.decimal_generator, given;
SELECT launch, pg_temp.plain(source) AS source, generators_used, generators_left, leases_held, leases_idle FROM gid.stat_launches
WHERE launch = 6004 ORDER BY source;
RESET gid.decimal_authority;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
-- The view has no name for an authority that the setting does not name.
SELECT source FROM gid.stat_launches WHERE launch = 6004 ORDER BY source;
SET gid.decimal_authority = :'gone';
SELECT source FROM gid.stat_launches WHERE launch = 6004 ORDER BY source;
SET gid.decimal_authority = :'uri';
-- The lease goes on in each transaction and in the next session, without another
-- question.
SELECT gid_decimal_id() AS again;
SELECT pg_backend_pid() AS pid \gset
\c -
\i :expect
\i :loopback
SET search_path = regress_gid_app, public;
\set until 'NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ' :pid ')'
\i :reload
SET gid.decimal_authority = :'uri';
SELECT gid_decimal_id() AS idle_lease;
SELECT asked FROM given;
-- The numbers may come in any order. Each new lease asks for one number.
UPDATE given SET generator = 7;
ALTER SEQUENCE gid.decimal_generator CACHE 1;
SET ROLE regress_gid_user;
SELECT gid_decimal_id() AS id;
RESET ROLE;
SELECT last_value, asked FROM gid.decimal_generator, given;
-- The smallest and the largest number are taken. Anything else is refused.
ALTER SYSTEM SET gid.launch_id = 6005;
\set until 'current_setting(''gid.launch_id'') = ''6005'''
\i :reload
UPDATE given SET generator = -1;
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
UPDATE given SET generator = 100000;
SELECT e.code, pg_temp.plain(e.detail) AS detail FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
UPDATE given SET generator = NULL;
SELECT e.code, pg_temp.plain(e.detail) AS detail FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SELECT last_value FROM gid.decimal_generator;
UPDATE given SET generator = 99999;
SELECT gid_decimal_id() AS last;
UPDATE given SET generator = 0;
ALTER SEQUENCE gid.decimal_generator CACHE 1;
SELECT gid_decimal_id() AS first;
-- Another session of this server begins the launch with its own number while the
-- authority is asked. The number that arrives then is not used.
CREATE OR REPLACE FUNCTION gid.authority_generator(launch int) RETURNS text LANGUAGE sql AS
	'UPDATE regress_gid_app.given SET own = public.gid_decimal_id() RETURNING generator';
ALTER SYSTEM SET gid.launch_id = 6006;
\set until 'current_setting(''gid.launch_id'') = ''6006'''
\i :reload
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid_decimal_id()') AS e;
SELECT own, last_value FROM given, gid.decimal_generator;
-- An earlier launch cannot be used any more.
ALTER SYSTEM SET gid.launch_id = 6004;
\set until 'current_setting(''gid.launch_id'') = ''6004'''
\i :reload
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
DROP FUNCTION gid.authority_generator(int);
ALTER FUNCTION gid.regress_gid_away(int) RENAME TO authority_generator;

-- Clean up.
RESET gid.decimal_authority;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
DROP ROLE regress_gid_user;
ALTER SEQUENCE gid.decimal_generator RESTART;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
