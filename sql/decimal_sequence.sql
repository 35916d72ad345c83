-- What the owner of gid.decimal_generator may do to the sequence. gid refuses every
-- change by which generator numbers could come twice or not be the last. It checks
-- when the next number is needed, and ignores a change that has been undone.
\i sql/include/start.sql
LOAD 'gid';
ALTER SYSTEM SET gid.launch_id = 5001;
\set until 'current_setting(''gid.launch_id'') = ''5001'''
\i :reload

-- A cycle, a descending sequence, a MAXVALUE that is too near.
ALTER SEQUENCE gid.decimal_generator CYCLE;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
ALTER SEQUENCE gid.decimal_generator NO CYCLE INCREMENT -1;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
ALTER SEQUENCE gid.decimal_generator INCREMENT 1 MAXVALUE 500199999;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
ALTER SEQUENCE gid.decimal_generator MAXVALUE 9999999999;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;

-- Larger steps only skip numbers.
ALTER SEQUENCE gid.decimal_generator INCREMENT 7;
SELECT last_value AS before FROM gid.decimal_generator \gset
SELECT gid_decimal_id() - gid_decimal_id() AS one_generator;
SELECT last_value = :before + 7 AS skipped FROM gid.decimal_generator;
ALTER SEQUENCE gid.decimal_generator INCREMENT 1;

-- A crash would reset an unlogged sequence.
ALTER SEQUENCE gid.decimal_generator SET UNLOGGED;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
ALTER SEQUENCE gid.decimal_generator SET LOGGED;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;

-- A transaction that has altered the sequence makes no id: its rollback would give back
-- the number. To a savepoint, too.
BEGIN;
SELECT gid_decimal_id() IS NOT NULL AS made;
SAVEPOINT s;
ALTER SEQUENCE gid.decimal_generator MAXVALUE 99999999999;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()', 'SELECT gid.authority_generator(5001)') AS e;
ROLLBACK TO SAVEPOINT s;
SELECT gid_decimal_id() IS NOT NULL AS made;
ROLLBACK;

-- A setval() ends the block: its number could come again. So does a database that is
-- created again under an old number.
SELECT gid_extract_decimal_generator(gid_decimal_id()) AS before \gset
SELECT setval('gid.decimal_generator', 500100000);
SELECT gid_decimal_id(), gid_decimal_id();
SELECT setval('gid.decimal_generator', 500100000 + :before);
SELECT gid_extract_decimal_generator(gid_decimal_id()) > :before AS goes_on;

-- The transaction that creates the extension.
BEGIN;
DROP EXTENSION gid;
CREATE EXTENSION gid;
SELECT gid_decimal_id();
SAVEPOINT s;
ALTER SEQUENCE gid.decimal_generator CACHE 1;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
ROLLBACK TO SAVEPOINT s;
SELECT gid_decimal_id();
ROLLBACK;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;

-- The sequence is detached from the extension and gone, or something else has its
-- name.
ALTER EXTENSION gid DROP SEQUENCE gid.decimal_generator;
ALTER SEQUENCE gid.decimal_generator RENAME TO regress_gid_away;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
CREATE TABLE gid.decimal_generator ();
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
DROP TABLE gid.decimal_generator;
ALTER SEQUENCE gid.regress_gid_away RENAME TO decimal_generator;
ALTER EXTENSION gid ADD SEQUENCE gid.decimal_generator;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;

-- A function that does not belong to the extension draws from the same sequence, and has
-- none without the extension.
CREATE SCHEMA regress_gid_other;
CREATE FUNCTION regress_gid_other.copy() RETURNS bigint
AS '$libdir/gid', 'gid_decimal_id' LANGUAGE C;
SELECT regress_gid_other.copy() < gid_decimal_id() AS one_generator;
BEGIN;
DROP EXTENSION gid;
SELECT e.code, e.message FROM pg_temp.expect('SELECT regress_gid_other.copy()') AS e;
ROLLBACK;
DROP FUNCTION regress_gid_other.copy();
DROP SCHEMA regress_gid_other;

-- Clean up.
ALTER SEQUENCE gid.decimal_generator RESTART;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
