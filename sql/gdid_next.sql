-- gid_next_gdid() and gid_next_gdids(): GDIDs with gid.authority and the
-- values of a sequence; exact names, privileges. gdid_era.sql has the ends of
-- eras.
\i sql/include/start.sql
\i :sequence
\i :numbers
CREATE SEQUENCE orders;

-- Each value gives one GDID, in order, whichever function draws it, and counts
-- as an id.
SELECT gid_next_gdid('orders') AS a, gid_next_gdid('regress_gid_mine', 'orders') AS b, gid_next('orders') AS c,
	gid_next_gdid('orders') AS d;
SELECT issued AS before FROM gid.stat_backends WHERE pid = pg_backend_pid() AND family = 'gdid' \gset
CREATE TABLE made (id gdid PRIMARY KEY DEFAULT gid_next_gdid('orders'), n int);
INSERT INTO made (n) SELECT n FROM generate_series(1, 1000) AS n;
INSERT INTO made SELECT gid_next_gdid('regress_gid_mine', 'orders'), n FROM generate_series(1001, 2000) AS n;
INSERT INTO made SELECT id, 2000 + n FROM gid_next_gdids('orders', 1000) WITH ORDINALITY AS m (id, n);
SELECT count(*), bool_and(id > before) AS in_order FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;
SELECT issued - :before AS issued FROM gid.stat_backends WHERE pid = pg_backend_pid() AND family = 'gdid';

-- The rest of a block gets the authority of the moment when it is drawn, a
-- batch that of the moment when it was reserved.
ALTER SYSTEM SET gid.authority = 15;
\set until 'current_setting(''gid.authority'') = ''15'''
\i :reload
ALTER SEQUENCE orders RESTART CACHE 5;
SELECT gid_next_gdid('orders') AS regclass, gid_next_gdid('regress_gid_mine', 'orders') AS named, gid_next_gdids('orders', 1) AS many;
ALTER SYSTEM SET gid.authority = 5;
BEGIN;
DECLARE batch CURSOR FOR SELECT gid_next_gdids('orders', 2);
FETCH 1 FROM batch;
\set until 'current_setting(''gid.authority'') = ''5'''
\i :reload
FETCH 1 FROM batch;
COMMIT;
SELECT gid_next_gdid('orders') AS id;
-- Without an authority number gid draws nothing, even from an open block. A
-- read-only transaction, such as a standby's, is told that it is one.
SELECT last_value AS before FROM orders \gset
\i :no_numbers
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('orders')$$, $$SELECT gid_next_gdid('regress_gid_mine', 'orders')$$,
	$$SELECT gid_next_gdids('orders', 2)$$, $$SELECT * FROM gid.authority_block('regress_gid_mine', 'orders', 3)$$) AS e;
SELECT last_value - :before AS taken FROM orders;
BEGIN READ ONLY;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('orders')$$, $$SELECT gid_next_gdids('orders', 2)$$) AS e;
COMMIT;
\i :numbers
SELECT num_nulls(gid_next_gdid(NULL::regclass), gid_next_gdid(NULL, 'orders'), gid_next_gdid('regress_gid_mine', NULL)) AS nulls,
	(SELECT count(*) FROM gid_next_gdids(NULL, 1)) AS no_sequence;

-- Scope and sequence are exact names: no case folding, no quotes, no search
-- path, no dots, no truncation. gid looks them up at each call.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --";
CREATE SEQUENCE a23456789b23456789c23456789d23456789e23456789f23456789g23456789;
SELECT gid_next_gdid('Regress "gid"', 'Mixed.Case é; --') AS strange,
	gid_next_gdid(scope => 'regress_gid_mine', sequence => 'a23456789b23456789c23456789d23456789e23456789f23456789g23456789') AS longest;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_mine', 'ORDERS')$$) AS e;
SELECT count(*), e.code, e.message = format('sequence "%s" does not exist in scope "%s"', n.name, n.scope) AS message
FROM (VALUES ('REGRESS_GID_MINE', 'orders'), ('regress_gid_mine', '"orders"'), ('regress_gid_mine', 'orders '), ('', 'orders'),
	('regress_gid_mine', ''), ('regress_gid_none', 'orders'), ('regress_gid_mine', 'regress_gid_mine.orders'), ('pg_temp', 'orders'),
	('regress_gid_mine', 'a23456789b23456789c23456789d23456789e23456789f23456789g23456789h')) AS n (scope, name),
	pg_temp.expect(format('SELECT gid_next_gdid(%L, %L)', n.scope, n.name)) AS e GROUP BY 2, 3;
BEGIN;
ALTER SEQUENCE orders RENAME TO other;
SELECT gid_next_gdid('regress_gid_mine', 'other') AS id;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_mine', 'orders')$$) AS e;
ROLLBACK;
-- Relations that are no sequence, or no permanent one.
CREATE UNLOGGED SEQUENCE unlogged;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_mine', 'made')$$,
	$$SELECT gid_next_gdids('made', 1)$$, $$SELECT gid_next_gdid('unlogged')$$, $$SELECT gid_next_gdids('unlogged', 2)$$) AS e;

-- Privileges: USAGE on the schema for the name, then those on the sequence.
CREATE FUNCTION pg_temp.as_user(OUT named text, OUT "none" text, OUT regclass text, OUT many text) LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL ROLE regress_gid_user;
	named := pg_temp.outcome('SELECT gid_next_gdid(''regress_gid_mine'', ''orders'') IS NOT NULL');
	"none" := pg_temp.outcome('SELECT gid_next_gdid(''regress_gid_mine'', ''none'')');
	regclass := pg_temp.outcome('SELECT gid_next_gdid(''orders'') IS NOT NULL');
	many := pg_temp.outcome('SELECT count(*) FROM gid_next_gdids(''orders'', 2)');
	RESET ROLE;
END $$;
SELECT * FROM pg_temp.as_user();
GRANT USAGE ON SEQUENCE orders TO regress_gid_user;
SELECT * FROM pg_temp.as_user();
REVOKE USAGE ON SCHEMA regress_gid_mine FROM regress_gid_user;
SELECT named, "none" FROM pg_temp.as_user();

SET client_min_messages = warning;
DROP SCHEMA regress_gid_mine, regress_gid_theirs, "Regress ""gid""" CASCADE;
DROP ROLE regress_gid_user;
\i :no_numbers
