-- gid.authority_generator(), which reserves generator numbers of DecimalIds for other
-- servers.
\i sql/include/start.sql
LOAD 'gid';
CREATE ROLE regress_gid_user;

-- The function needs a privilege, because each call uses up a number.
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.alike('SELECT gid.authority_generator(6000)') AS e;
RESET ROLE;
SELECT last_value < 600000000 AS untouched FROM gid.decimal_generator;
GRANT EXECUTE ON FUNCTION gid.authority_generator(int) TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid.authority_generator(6000) AS a, gid.authority_generator(6000) AS b, gid.authority_generator(NULL) AS none;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION gid.authority_generator(int) FROM regress_gid_user;
SELECT last_value, is_called FROM gid.decimal_generator;
SELECT e.* FROM pg_temp.alike('SELECT gid.authority_generator(-1)', 'SELECT gid.authority_generator(100000)',
	'SELECT gid.authority_generator(5999)', 'SELECT gid.authority_generator(0)') AS e;
SELECT last_value FROM gid.decimal_generator;
-- gid.launch_id need not be set on this server. If it is set, both take numbers from
-- the same sequence.
SHOW gid.launch_id;
ALTER SYSTEM SET gid.launch_id = 6000;
\set until 'current_setting(''gid.launch_id'') = ''6000'''
\i :reload
SELECT gid_decimal_id() AS own, gid.authority_generator(6000) AS for_another, gid_decimal_id() AS own_again;
-- A rollback gives nothing back, not even one of an ALTER SEQUENCE. A sequence that
-- could give a number twice is refused.
BEGIN;
SELECT gid.authority_generator(6000);
SAVEPOINT a;
SELECT gid.authority_generator(6000);
ROLLBACK TO SAVEPOINT a;
SELECT gid.authority_generator(6000);
ROLLBACK;
SELECT gid.authority_generator(6000);
BEGIN;
ALTER SEQUENCE gid.decimal_generator INCREMENT 5;
SELECT gid.authority_generator(6000);
ROLLBACK;
SELECT gid.authority_generator(6000);
ALTER SEQUENCE gid.decimal_generator CYCLE;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid.authority_generator(6000)') AS e;
ALTER SEQUENCE gid.decimal_generator NO CYCLE;
-- After the last number of a launch there is an error. The next launch begins with its
-- first number and ends the launch before, for this server's own ids too.
SELECT setval('gid.decimal_generator', 600099998);
SELECT gid.authority_generator(6000);
SELECT e.* FROM pg_temp.alike('SELECT gid.authority_generator(6000)') AS e;
SELECT gid.authority_generator(6001);
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid.authority_generator(6000)') AS e;
SELECT gid.authority_generator(99999);
SELECT setval('gid.decimal_generator', 9999999999);
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid.authority_generator(99999)') AS e;
ALTER SEQUENCE gid.decimal_generator RESTART;
SELECT gid.authority_generator(0);

-- Clean up.
DROP ROLE regress_gid_user;
ALTER SEQUENCE gid.decimal_generator RESTART;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
