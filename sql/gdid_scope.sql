-- gid_next_gdid(scope, sequence): exact names, relations that are no sequence to draw
-- from, privileges.
\i sql/include/start.sql
LOAD 'gid';
\i :numbers
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;
CREATE SEQUENCE orders;
CREATE ROLE regress_gid_user;

-- Scope and sequence are exact names: no case folding, no quotes, no search path, no
-- dots.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --";
CREATE SEQUENCE "Regress ""gid""".plain;
CREATE SEQUENCE regress_gid_app."Orders" START 100;
CREATE SEQUENCE regress_gid_app.a23456789b23456789c23456789d23456789e23456789f23456789g23456789;
SELECT gid_next_gdid('Regress "gid"', 'Mixed.Case é; --') AS strange, gid_next_gdid('Regress "gid"', 'plain') AS plain,
	gid_next_gdid('regress_gid_app', 'Orders') AS upper,
	gid_next_gdid(scope => 'regress_gid_app', sequence => 'a23456789b23456789c23456789d23456789e23456789f23456789g23456789') AS longest;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_app', 'ORDERS')$$) AS e;
SELECT count(*), e.code, e.message = format('sequence "%s" does not exist in scope "%s"', n.name, n.scope) AS message
FROM (VALUES ('REGRESS_GID_APP', 'orders'), ('Regress_gid_app', 'orders'), ('"regress_gid_app"', 'orders'),
	('regress_gid_app', '"orders"'), ('regress_gid_app', ' orders'), ('regress_gid_app', 'orders '), ('regress_gid_app', 'Plain'),
	('public', 'orders'), ('', 'orders'), ('regress_gid_app', ''), ('', ''), ('regress_gid_none', 'orders'),
	('regress_gid_app', 'regress_gid_app.orders'), ('regress_gid_app.orders', ''), ('*', '*'), ('pg_temp', 'orders'), ('regress_gid_app', 'none'),
	('regress_gid_app', 'a23456789b23456789c23456789d23456789e23456789f23456789g23456789h')) AS n (scope, name),
	pg_temp.expect(format('SELECT gid_next_gdid(%L, %L)', n.scope, n.name)) AS e GROUP BY 2, 3;

-- Relations that are no sequence, or no permanent one.
CREATE TABLE regress_gid_app.a_table (a int);
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE regress_gid_app.unlogged;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_app', 'a_table')$$,
	$$SELECT gid_next_gdid('a_table')$$, $$SELECT gid_next_gdids('a_table', 1)$$,
	$$SELECT gid_next_gdid('pg_temp', 'temporary')$$, $$SELECT gid_next_gdid('regress_gid_app', 'unlogged')$$,
	$$SELECT gid_next_gdids('unlogged', 2)$$, $$SELECT gid_next_gdid(0)$$, $$SELECT gid_next_gdids(0, 1)$$) AS e;
DROP TABLE a_table;
DROP SEQUENCE temporary, unlogged;

-- gid looks up the name at each call.
CREATE SEQUENCE renamed CACHE 10 START 10;
SELECT gid_next_gdid('regress_gid_app', 'renamed') AS id;
ALTER SEQUENCE renamed RENAME TO other;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'renamed')$$) AS e;
CREATE SEQUENCE renamed CACHE 10 START 1000;
SELECT gid_next_gdid('regress_gid_app', 'renamed') AS renamed, gid_next_gdid('regress_gid_app', 'other') AS other;
BEGIN;
SELECT gid_next_gdid('regress_gid_app', 'other') AS id;
DROP SEQUENCE renamed;
ALTER SEQUENCE other RENAME TO renamed;
SELECT gid_next_gdid('regress_gid_app', 'renamed') AS id;
ALTER SCHEMA regress_gid_app RENAME TO regress_gid_away;
SELECT gid_next_gdid('regress_gid_away', 'renamed') AS id;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'renamed')$$) AS e;
ROLLBACK;
SELECT gid_next_gdid('regress_gid_app', 'renamed') AS renamed, gid_next_gdid('regress_gid_app', 'other') AS other;
DROP SEQUENCE renamed, other;

--
-- Privileges: USAGE on the schema for the name, then those on the sequence
--

SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$,
	$$SELECT gid_next_gdid('regress_gid_app', 'none')$$) AS e;
RESET ROLE;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$,
	$$SELECT gid_next_gdids('regress_gid_app.orders', 2)$$) AS e;
RESET ROLE;
GRANT USAGE ON SEQUENCE orders TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid_next_gdid('regress_gid_app', 'orders') AS named, gid_next_gdid('orders') AS regclass;
BEGIN;
SELECT gid_next_gdid('regress_gid_app', 'orders') AS named;
RESET ROLE;
REVOKE USAGE ON SCHEMA regress_gid_app FROM regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$) AS e;
ROLLBACK;
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_app, "Regress ""gid""" CASCADE;
DROP ROLE regress_gid_user;
\i :no_numbers
