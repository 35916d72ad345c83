-- gid.launch_id within a session and a transaction, and what the owner of
-- gid.decimal_generator may do to the sequence. 006_decimal has which launches
-- follow which, settings.sql who may set them.
\i sql/include/start.sql
\set ECHO none
LOAD 'gid';

-- A session that changes the launch goes on at once with a generator number of
-- the other launch, also after a commit that restores the first one. No id
-- repeats.
CREATE TEMP TABLE made (id bigint PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY);
SET gid.launch_id = 3010;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SET gid.launch_id = 3011;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
BEGIN;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SET LOCAL gid.launch_id = 3012;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
COMMIT;
\set ECHO all
-- Launch 3011 is lower now, and has its block: one warning.
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SELECT gid_extract_decimal_launch(id) AS launch, count(*), max(gid_extract_decimal_counter(id)) AS counter
FROM made GROUP BY 1 ORDER BY 1;
-- A launch that is used up or behind gets no number, and takes none.
SET gid.launch_id = 3013;
SELECT setval('gid.decimal_generator', 301399999);
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SET gid.launch_id = 3009;
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SELECT last_value FROM gid.decimal_generator;
SET gid.launch_id = '';
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;

--
-- The owner of the sequence
--
-- gid refuses every change after which generator numbers could repeat or end
-- early: a cycle, a descending sequence, a MAXVALUE that is too near, an
-- unlogged one. It checks when the next number is needed.
SET gid.launch_id = 5001;
\set make 'SELECT code, message FROM pg_temp.expect(''SELECT gid_decimal_id()'')'
SELECT 'ALTER SEQUENCE gid.decimal_generator ' || change, :'make'
FROM unnest(ARRAY['CYCLE', 'NO CYCLE INCREMENT -1', 'INCREMENT 1 MAXVALUE 500199999', 'MAXVALUE 9999999999',
	'SET UNLOGGED', 'SET LOGGED']) AS change \gexec
-- Larger steps only skip numbers.
ALTER SEQUENCE gid.decimal_generator INCREMENT 7;
SELECT last_value AS before FROM gid.decimal_generator \gset
SELECT gid_decimal_id() - gid_decimal_id() AS one_generator;
SELECT last_value - :before AS step FROM gid.decimal_generator;
ALTER SEQUENCE gid.decimal_generator INCREMENT 1;

-- A transaction that has altered the sequence makes no id: its rollback would
-- give back the number. To a savepoint, too.
BEGIN;
SELECT gid_decimal_id() IS NOT NULL AS made;
SAVEPOINT s;
ALTER SEQUENCE gid.decimal_generator MAXVALUE 99999999999;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()', 'SELECT gid.authority_generator(5001)') AS e;
ROLLBACK TO SAVEPOINT s;
SELECT gid_decimal_id() IS NOT NULL AS made;
ROLLBACK;
-- The transaction that creates the extension may.
BEGIN;
DROP EXTENSION gid;
CREATE EXTENSION gid;
SELECT gid_decimal_id();
ROLLBACK;

-- A setval() ends the block: its number could repeat. So does nextval(),
-- and neither gives a number that the other has given.
SELECT gid_extract_decimal_generator(gid_decimal_id()) AS before \gset
SELECT setval('gid.decimal_generator', 500100000);
SELECT gid_decimal_id(), gid_decimal_id();
SELECT setval('gid.decimal_generator', 500100000 + :before);
SELECT gid_extract_decimal_generator(gid_decimal_id()) - :before AS step;
SELECT nextval('gid.decimal_generator') - 500100000 - :before AS step;
SELECT gid_extract_decimal_generator(gid_decimal_id()) - :before AS step;

-- The sequence is gone, or something else has its name.
BEGIN;
ALTER EXTENSION gid DROP SEQUENCE gid.decimal_generator;
ALTER SEQUENCE gid.decimal_generator RENAME TO regress_gid_away;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
CREATE TABLE gid.decimal_generator ();
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
ROLLBACK;
-- A function that does not belong to the extension draws from the same
-- sequence.
BEGIN;
CREATE FUNCTION pg_temp.copy() RETURNS bigint AS '$libdir/gid', 'gid_decimal_id' LANGUAGE C;
SELECT pg_temp.copy() - gid_decimal_id() AS one_generator;
DROP EXTENSION gid;
SELECT e.code, e.message FROM pg_temp.expect('SELECT pg_temp.copy()') AS e;
ROLLBACK;
ALTER SEQUENCE gid.decimal_generator RESTART;
