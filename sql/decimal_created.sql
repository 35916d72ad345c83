-- CREATE EXTENSION in a database where DecimalIds were made before: a notice says that
-- generator numbers begin anew and that a new launch is due.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
\getenv srcdir PG_ABS_SRCDIR
\set include :srcdir '/sql/include/expect.sql'
\set home :DBNAME
CREATE DATABASE regress_gid_created;
\c regress_gid_created
-- Without a launch there is nothing to say; nor with the launch for tests.
CREATE EXTENSION gid;
DROP EXTENSION gid;
LOAD 'gid';
SET gid.launch_id = 0;
CREATE EXTENSION gid;
SELECT gid_decimal_id();
DROP EXTENSION gid;
CREATE EXTENSION gid;
DROP EXTENSION gid;
-- Where a launch is set it may have been used, and nobody else can know.
SET gid.launch_id = 65;
CREATE EXTENSION gid;
SELECT gid_decimal_id();
-- The function that says so is not part of the extension.
SELECT count(*) FROM pg_proc WHERE proname = 'gid_decimal_check_created';
-- In this server's memory the leases show it.
DROP EXTENSION gid;
CREATE EXTENSION gid;
DROP EXTENSION gid;
-- Also when the launch was taken back, and to another session.
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
-- With the transaction, if it is committed; a launch of its own counts as well.
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
SET gid.decimal_authority = 'postgresql://h/d';
DROP EXTENSION gid;
CREATE EXTENSION gid;
DROP EXTENSION gid;
SET gid.launch_id = 68;
CREATE EXTENSION gid;
RESET gid.decimal_authority;
-- A rollback to a savepoint brings the extension back that was created before it.
BEGIN;
DROP EXTENSION gid;
CREATE EXTENSION gid;
SAVEPOINT before;
DROP EXTENSION gid;
CREATE EXTENSION gid;
ROLLBACK TO before;
COMMIT;
-- An update of the extension goes on with its numbers.
DROP EXTENSION gid;
CREATE EXTENSION gid VERSION '1.0';
SELECT gid_decimal_id();
ALTER EXTENSION gid UPDATE;
SELECT gid_decimal_id();
-- Who does not want to see notices does not; a user who owns the database sees them.
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
-- As it was.
\c :home
DROP DATABASE regress_gid_created;
DROP ROLE regress_gid_owner;
