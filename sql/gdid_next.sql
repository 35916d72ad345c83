-- gid_next_gdid() and gid_next_gdids(): GDIDs with gid.authority and the values of a
-- sequence; exact names, privileges. gdid_era.sql has the ends of eras.
\i sql/include/start.sql
LOAD 'gid';
\i :numbers
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;
CREATE SEQUENCE orders;
CREATE ROLE regress_gid_user;

-- Each value gives one GDID, in order, whichever function draws it.
SELECT gid_next_gdid('orders') AS a, gid_next_gdid('regress_gid_app', 'orders') AS b, gid_next('orders') AS c,
	gid_next_gdid('orders') AS d;
CREATE TABLE made (id gdid PRIMARY KEY DEFAULT gid_next_gdid('orders'), n int);
INSERT INTO made (n) SELECT n FROM generate_series(1, 10000) AS n;
INSERT INTO made SELECT gid_next_gdid('regress_gid_app', 'orders'), n FROM generate_series(10001, 20000) AS n;
INSERT INTO made SELECT id, 20000 + n FROM gid_next_gdids('orders', 10000) WITH ORDINALITY AS m (id, n);
SELECT count(*), count(*) FILTER (WHERE id <= before) AS not_in_order
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;
-- A rollback gives nothing back.
BEGIN;
SELECT gid_next_gdid('orders') AS largest \gset
ROLLBACK;
SELECT gid_next_gdid('orders') > :'largest' AS above;

-- Authority. The rest of a block gets the number of the moment when it is drawn, a batch
-- that of the moment when it was reserved.
ALTER SYSTEM SET gid.authority = 15;
\set until 'current_setting(''gid.authority'') = ''15'''
\i :reload
ALTER SEQUENCE orders RESTART CACHE 5;
SELECT gid_next_gdid('orders') AS regclass, gid_next_gdid('regress_gid_app', 'orders') AS named, gid_next_gdids('orders', 1) AS many;
ALTER SYSTEM SET gid.authority = 5;
BEGIN;
DECLARE batch CURSOR FOR SELECT gid_next_gdids('orders', 2);
FETCH 1 FROM batch;
\set until 'current_setting(''gid.authority'') = ''5'''
\i :reload
FETCH 1 FROM batch;
COMMIT;
SELECT gid_next_gdid('orders') AS id;
-- Without an authority number gid draws nothing, even from an open block. A read-only
-- transaction, such as a standby's, is told that it is one.
SELECT last_value AS before FROM orders \gset
ALTER SYSTEM RESET gid.authority;
\set until 'current_setting(''gid.authority'') = ''-1'''
\i :reload
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('orders')$$, $$SELECT gid_next_gdid('regress_gid_app', 'orders')$$,
	$$SELECT gid_next_gdids('orders', 2)$$, $$SELECT * FROM gid.authority_block('regress_gid_app', 'orders', 3)$$) AS e;
SELECT last_value - :before AS taken FROM orders;
BEGIN READ ONLY;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('orders')$$, $$SELECT gid_next_gdids('orders', 2)$$) AS e;
COMMIT;
\i :numbers

-- NULLs, the count in gid.stat_backends.
SELECT num_nulls(gid_next_gdid(NULL::regclass), gid_next_gdid(NULL, 'orders'), gid_next_gdid('regress_gid_app', NULL)) AS nulls,
	(SELECT count(*) FROM gid_next_gdids(NULL, 1)) AS no_sequence;
\c -
\i :expect
SET search_path = regress_gid_app, public;
SELECT count(*) FROM (SELECT gid_next_gdid('orders') FROM generate_series(1, 30)) AS d;
SELECT count(*) FROM gid_next_gdids('orders', 12);
SELECT family, issued FROM gid.stat_backends WHERE pid = pg_backend_pid();

-- Scope and sequence are exact names: no case folding, no quotes, no search path, no
-- dots. gid looks them up at each call.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --";
CREATE SEQUENCE regress_gid_app.a23456789b23456789c23456789d23456789e23456789f23456789g23456789;
SELECT gid_next_gdid('Regress "gid"', 'Mixed.Case é; --') AS strange,
	gid_next_gdid(scope => 'regress_gid_app', sequence => 'a23456789b23456789c23456789d23456789e23456789f23456789g23456789') AS longest;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_app', 'ORDERS')$$) AS e;
SELECT count(*), e.code, e.message = format('sequence "%s" does not exist in scope "%s"', n.name, n.scope) AS message
FROM (VALUES ('REGRESS_GID_APP', 'orders'), ('"regress_gid_app"', 'orders'), ('regress_gid_app', '"orders"'), ('regress_gid_app', 'orders '),
	('public', 'orders'), ('', 'orders'), ('regress_gid_app', ''), ('regress_gid_none', 'orders'), ('regress_gid_app', 'regress_gid_app.orders'), ('pg_temp', 'orders'),
	('regress_gid_app', 'a23456789b23456789c23456789d23456789e23456789f23456789g23456789h')) AS n (scope, name),
	pg_temp.expect(format('SELECT gid_next_gdid(%L, %L)', n.scope, n.name)) AS e GROUP BY 2, 3;
CREATE SEQUENCE renamed START 10;
SELECT gid_next_gdid('regress_gid_app', 'renamed') AS id;
BEGIN;
ALTER SEQUENCE renamed RENAME TO other;
SELECT gid_next_gdid('regress_gid_app', 'other') AS id;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'renamed')$$) AS e;
ROLLBACK;
SELECT gid_next_gdid('regress_gid_app', 'renamed') AS renamed;
-- Relations that are no sequence, or no permanent one.
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE regress_gid_app.unlogged;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_app', 'made')$$, $$SELECT gid_next_gdids('made', 1)$$,
	$$SELECT gid_next_gdid('temporary')$$, $$SELECT gid_next_gdids('unlogged', 2)$$, $$SELECT gid_next_gdid(0)$$) AS e;

-- Privileges: USAGE on the schema for the name, then those on the sequence.
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$, $$SELECT gid_next_gdid('regress_gid_app', 'none')$$) AS e;
RESET ROLE;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$, $$SELECT gid_next_gdids('regress_gid_app.orders', 2)$$) AS e;
RESET ROLE;
GRANT USAGE ON SEQUENCE orders TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid_next_gdid('regress_gid_app', 'orders') < gid_next_gdid('orders') AS draws;
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_app, "Regress ""gid""" CASCADE;
DROP ROLE regress_gid_user;
\i :no_numbers
