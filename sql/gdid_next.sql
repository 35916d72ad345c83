-- gid_next_gdid() and gid_next_gdids(): GDIDs with gid.authority and the values of a
-- sequence. gdid_era.sql has the ends of eras, gdid_scope.sql names and privileges.
\i sql/include/start.sql
LOAD 'gid';
\i :numbers
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;
CREATE SEQUENCE orders;

-- Each value gives one GDID, whichever function draws it.
SELECT gid_next_gdid('orders') AS a, gid_next_gdid('regress_gid_app', 'orders') AS b, gid_next('orders') AS c,
	gid_next_gdid('orders') AS d;
CREATE TABLE made (id gdid PRIMARY KEY DEFAULT gid_next_gdid('orders'), n int);
INSERT INTO made (n) SELECT n FROM generate_series(1, 10000) AS n;
INSERT INTO made SELECT gid_next_gdid('regress_gid_app', 'orders'), n FROM generate_series(10001, 20000) AS n;
INSERT INTO made SELECT id, 20000 + n FROM gid_next_gdids('orders', 10000) WITH ORDINALITY AS m (id, n);
SELECT count(*), count(DISTINCT gid_extract_gdid_counter(id)) AS counters,
	min(gid_extract_gdid_era(id)) AS min_era, max(gid_extract_gdid_era(id)) AS max_era,
	min(gid_extract_gdid_authority(id)) AS min_authority, max(gid_extract_gdid_authority(id)) AS max_authority
FROM made;
SELECT count(before) AS tried, count(*) FILTER (WHERE id <= before) AS not_in_order
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;
DROP TABLE made;

--
-- Authority
--

ALTER SYSTEM SET gid.authority = 5;
\set until 'current_setting(''gid.authority'') = ''5'''
\i :reload
ALTER SEQUENCE orders RESTART CACHE 5;
SELECT gid_next_gdid('orders') AS regclass, gid_next_gdid('regress_gid_app', 'orders') AS named;
SELECT gid_next_gdids('orders', 2) AS many;
-- The rest of a block gets the authority number of the moment when it is drawn.
ALTER SYSTEM SET gid.authority = 15;
\set until 'current_setting(''gid.authority'') = ''15'''
\i :reload
SELECT gid_next_gdid('orders') AS id;
-- Without an authority number gid draws nothing, even from an open block.
SELECT last_value AS before FROM orders \gset
ALTER SYSTEM RESET gid.authority;
\set until 'current_setting(''gid.authority'') = '''''
\i :reload
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('orders')$$) AS e;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$,
	$$SELECT gid_next_gdids('orders', 2)$$, $$SELECT * FROM gid.authority_block('regress_gid_app', 'orders', 3)$$) AS e;
SELECT last_value - :before AS taken FROM orders;
\i :numbers
SELECT gid_next_gdid('orders') AS id;
-- A batch keeps the authority number of the moment when it was reserved.
ALTER SYSTEM SET gid.authority = 9;
BEGIN;
DECLARE batch CURSOR FOR SELECT gid_extract_gdid_authority(gid_next_gdids('orders', 3)) AS authority;
FETCH 1 FROM batch;
\set until 'current_setting(''gid.authority'') = ''9'''
\i :reload
FETCH 1 FROM batch;
COMMIT;
ALTER SYSTEM RESET gid.authority;
BEGIN;
DECLARE batch CURSOR FOR SELECT gid_extract_gdid_authority(gid_next_gdids('orders', 3)) AS authority;
FETCH 1 FROM batch;
\set until 'current_setting(''gid.authority'') = '''''
\i :reload
FETCH 1 FROM batch;
COMMIT;
\i :numbers

--
-- NULLs, read-only transactions, the count in gid.stat_backends
--

SELECT num_nulls(gid_next_gdid(NULL::regclass), gid_next_gdid(NULL, 'orders'), gid_next_gdid('regress_gid_app', NULL)) AS nulls,
	(SELECT count(*) FROM gid_next_gdids(NULL, 1)) AS no_sequence;
BEGIN READ ONLY;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('orders')$$,
	$$SELECT gid_next_gdid('regress_gid_app', 'orders')$$, $$SELECT gid_next_gdids('orders', 2)$$) AS e;
COMMIT;
\c -
SELECT count(*) FROM (SELECT gid_next_gdid('regress_gid_app.orders') FROM generate_series(1, 30)) AS d;
SELECT count(*) FROM gid_next_gdids('regress_gid_app.orders', 12);
SELECT family, issued FROM gid.stat_backends WHERE pid = pg_backend_pid();

-- COPY and a rollback: no id comes twice.
CREATE TABLE regress_gid_app.copied (id gdid PRIMARY KEY DEFAULT gid_next_gdid('regress_gid_app', 'orders'), n int);
COPY regress_gid_app.copied (n) FROM stdin;
1
2
3
\.
BEGIN;
INSERT INTO regress_gid_app.copied (n) SELECT n FROM generate_series(4, 100) AS n;
SELECT max(id) AS largest FROM regress_gid_app.copied \gset
ROLLBACK;
INSERT INTO regress_gid_app.copied (n) VALUES (4) RETURNING id > :'largest' AS above;
SELECT count(*) FROM regress_gid_app.copied;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
