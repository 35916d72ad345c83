-- Errors of gid_next(), gid_next_many() and gid_forget(): the end of a sequence,
-- relations that are no sequence or no permanent one, dropped sequences, read-only
-- transactions.
\i sql/include/start.sql
\i :sequence

CREATE SEQUENCE s MAXVALUE 2;
SELECT e.code FROM pg_temp.expect(VARIADIC array_fill($$SELECT gid_next('s')$$::text, ARRAY[2])) AS e;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next('s')$$, $$SELECT * FROM gid_next_many('s', 1)$$) AS e;
ALTER SEQUENCE s MAXVALUE 3;
SELECT gid_next('s');
DROP SEQUENCE s;
CREATE SEQUENCE s INCREMENT -1 MINVALUE -2;
SELECT gid_next('s'), gid_next('s');
SELECT e.* FROM pg_temp.alike($$SELECT gid_next('s')$$, $$SELECT * FROM gid_next_many('s', 1)$$) AS e;
DROP SEQUENCE s;

-- A crash resets temporary and unlogged sequences.
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE unlogged;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next('temporary')$$, $$SELECT gid_next('unlogged')$$,
	$$SELECT * FROM gid_next_many('temporary', 2)$$, $$SELECT gid_forget('unlogged')$$) AS e;
ALTER SEQUENCE unlogged SET LOGGED;
SELECT gid_next('unlogged'), gid_next('unlogged');
ALTER SEQUENCE unlogged SET UNLOGGED;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('unlogged')$$) AS e;
ALTER SEQUENCE unlogged SET LOGGED;
SELECT gid_next('unlogged') > 2 AS goes_on;
DROP SEQUENCE unlogged, temporary;

-- Relations that are no sequence. nextval() has the same SQLSTATE.
CREATE TABLE regress_gid_mine.a_table (a int PRIMARY KEY);
CREATE VIEW a_view AS SELECT 1 AS a;
CREATE MATERIALIZED VIEW a_matview AS SELECT 1 AS a;
CREATE TABLE a_partitioned (a int) PARTITION BY LIST (a);
CREATE TYPE a_type AS (a int);
SELECT name, e.code, e.message, e.code = n.code AS same_code
FROM unnest(ARRAY['a_table', 'a_table_pkey', 'a_view', 'a_matview', 'a_partitioned', 'a_type', 'pg_class']) AS name,
	pg_temp.expect(format('SELECT gid_next(%L)', name)) AS e,
	pg_temp.expect(format('SELECT nextval(%L)', name)) AS n;
SELECT e.* FROM pg_temp.alike($$SELECT * FROM gid_next_many('a_view', 1)$$, $$SELECT gid_forget('a_table')$$) AS e;
DROP TABLE a_table, a_partitioned;
DROP VIEW a_view;
DROP MATERIALIZED VIEW a_matview;
DROP TYPE a_type;

-- Sequences that do not exist, or that this transaction has dropped.
SELECT e.* FROM pg_temp.alike('SELECT gid_next(0)', 'SELECT * FROM gid_next_many(0, 1)', 'SELECT gid_forget(0)') AS e;
CREATE SEQUENCE s;
SELECT 's'::regclass::oid AS dropped, gid_next('s') \gset
DROP SEQUENCE s;
SELECT e.code, e.message = 'sequence with OID ' || :dropped || ' does not exist' AS message
FROM pg_temp.expect('SELECT gid_next(' || :dropped || ')', 'SELECT * FROM gid_next_many(' || :dropped || ', 1)',
	'SELECT gid_forget(' || :dropped || ')') AS e;
CREATE SEQUENCE s;
SELECT 's'::regclass::oid AS dropped, gid_next('s') \gset
BEGIN;
SELECT gid_next('s');
SAVEPOINT a;
DROP SEQUENCE s;
SELECT e.code FROM pg_temp.expect('SELECT gid_next(' || :dropped || ')') AS e;
ROLLBACK TO SAVEPOINT a;
SELECT gid_next('s');
COMMIT;

-- Read-only transactions get the error of nextval(), with or without an open block.
BEGIN READ ONLY;
SELECT s.* FROM pg_temp.same($$SELECT gid_next('s')$$, $$SELECT nextval('s')$$) AS s;
SELECT s.* FROM pg_temp.same($$SELECT * FROM gid_next_many('s', 2)$$, $$SELECT nextval('s')$$) AS s;
SELECT s.* FROM pg_temp.same($$SELECT gid_forget('s')$$, $$SELECT nextval('s')$$) AS s;
COMMIT;
BEGIN;
SELECT gid_next('s');
SET TRANSACTION READ ONLY;
SELECT s.* FROM pg_temp.same($$SELECT gid_next('s')$$, $$SELECT nextval('s')$$) AS s;
COMMIT;

-- NULL in, NULL out.
SELECT gid_next(NULL) IS NULL AS next, gid_forget(NULL) IS NULL AS forget,
	(SELECT count(*) FROM gid_next_many(NULL, 1)) AS many;
DROP SEQUENCE s;

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
