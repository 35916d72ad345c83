-- CREATE EXTENSION in a database that has made DecimalIds before: a notice says that
-- generator numbers begin again and that a new launch is needed.
\i sql/include/start.sql
\set home :DBNAME
CREATE DATABASE regress_gid_created;
\c regress_gid_created
-- There is no notice without a launch, nor with launch 0, which is for tests.
CREATE EXTENSION gid;
DROP EXTENSION gid;
LOAD 'gid';
SET gid.launch_id = 0;
CREATE EXTENSION gid;
SELECT gid_decimal_id();
DROP EXTENSION gid;
CREATE EXTENSION gid;
DROP EXTENSION gid;
-- If a launch is set, it may have been used. Only the administrator can know.
SET gid.launch_id = 65;
CREATE EXTENSION gid;
SELECT gid_decimal_id();
-- The function that raises the notice is not part of the extension.
SELECT count(*) FROM pg_proc WHERE proname = 'gid_decimal_check_created';
-- The leases in this server's memory show the use.
DROP EXTENSION gid;
CREATE EXTENSION gid;
DROP EXTENSION gid;
-- So do they when the launch has been unset, and in another session.
RESET gid.launch_id;
CREATE EXTENSION gid;
DROP EXTENSION gid;
\c -
CREATE EXTENSION gid;
DROP EXTENSION gid;
-- A greater launch may have been used, too.
LOAD 'gid';
SET gid.launch_id = 66;
CREATE EXTENSION gid;
SELECT gid_decimal_id();
-- The notice comes at commit, and not after a rollback. A launch that the session has
-- set counts, too.
BEGIN;
DROP EXTENSION gid;
CREATE EXTENSION gid;
SET LOCAL gid.launch_id = 67;
SELECT gid_decimal_id();
ROLLBACK;
BEGIN;
SAVEPOINT a;
DROP EXTENSION gid;
CREATE EXTENSION gid;
ROLLBACK TO a;
COMMIT;
BEGIN;
DROP EXTENSION gid;
CREATE EXTENSION gid;
SELECT 'not yet' AS told;
COMMIT;
-- With an authority the numbers go on, unless they were this server's own.
SET gid.decimal_authority = 'postgresql://u@h/d';
DROP EXTENSION gid;
CREATE EXTENSION gid;
DROP EXTENSION gid;
SET gid.launch_id = 68;
CREATE EXTENSION gid;
RESET gid.decimal_authority;
-- A rollback to a savepoint restores the extension that was created before the
-- savepoint.
BEGIN;
DROP EXTENSION gid;
CREATE EXTENSION gid;
SAVEPOINT before;
DROP EXTENSION gid;
CREATE EXTENSION gid;
ROLLBACK TO before;
COMMIT;
-- client_min_messages hides the notice. A user who owns the schema sees it.
SELECT gid_decimal_id();
DROP EXTENSION gid;
SET client_min_messages = warning;
CREATE EXTENSION gid;
DROP EXTENSION gid;
RESET client_min_messages;
CREATE ROLE regress_gid_owner;
GRANT CREATE ON DATABASE regress_gid_created TO regress_gid_owner;
CREATE SCHEMA regress_gid_own AUTHORIZATION regress_gid_owner;
SET SESSION AUTHORIZATION regress_gid_owner;
CREATE EXTENSION gid SCHEMA regress_gid_own;
RESET SESSION AUTHORIZATION;
-- Clean up.
\c :home
DROP DATABASE regress_gid_created;
DROP ROLE regress_gid_owner;
