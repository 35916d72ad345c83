-- gid_next_gdid() and gid_next_gdids(): GDIDs of gid.authority from the values of
-- a sequence, their eras, exact names of scope and sequence.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
\getenv srcdir PG_ABS_SRCDIR
\set numbers :srcdir '/sql/include/numbers.sql'
\set include :srcdir '/sql/include/expect.sql'
\i :include
\set reload :srcdir '/sql/include/reload.sql'
LOAD 'gid';
\i :numbers
CREATE SCHEMA regress_gid_app;
CREATE ROLE regress_gid_user;
SET search_path = regress_gid_app, public;
CREATE SEQUENCE orders;

-- One value, one GDID, whichever function draws it.
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
-- The values that are left of a block get the authority of when they are drawn.
ALTER SYSTEM SET gid.authority = 15;
\set until 'current_setting(''gid.authority'') = ''15'''
\i :reload
SELECT gid_next_gdid('orders') AS id;
SELECT e.code FROM pg_temp.expect('SET gid.authority = 1') AS e;
ALTER SYSTEM SET gid.authority = 16;
ALTER SYSTEM SET gid.authority = -1;
SELECT setting, boot_val, context FROM pg_settings WHERE name = 'gid.authority';
-- Without an authority nothing is drawn, whatever is left of a block.
SELECT last_value AS before FROM orders \gset
ALTER SYSTEM RESET gid.authority;
\set until 'current_setting(''gid.authority'') = '''''
\i :reload
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('orders')$$) AS e;
SELECT e.statement, e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$,
	$$SELECT gid_next_gdids('orders', 2)$$, $$SELECT * FROM gid_authority_block('regress_gid_app', 'orders', 3)$$) AS e;
SELECT last_value - :before AS taken FROM orders;
\i :numbers
SELECT gid_next_gdid('orders') AS id;

--
-- Eras: 2^60 values each, up to the end of a bigint sequence
--

CREATE FUNCTION pg_temp.at(options text) RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL client_min_messages = warning;
	DROP SEQUENCE IF EXISTS regress_gid_app.at;
	EXECUTE 'CREATE SEQUENCE regress_gid_app.at ' || options;
	RETURN 'regress_gid_app.at';
END $$;
SELECT setval('orders', 1152921504606846975, false), gid_forget('orders');
SELECT gid_next_gdid('orders') AS last, gid_next_gdid('orders') AS first, gid_next_gdid('orders') AS second;
SELECT options, gid_next_gdid(seq) AS a, gid_next_gdid(seq) AS b, gid_next_gdid(seq) AS c
FROM unnest(ARRAY['', 'START 2305843009213693950', 'CACHE 10 START 3458764513820540927', 'INCREMENT 1152921504606846976',
	'INCREMENT -1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1152921504606846977',
	'INCREMENT -1 MINVALUE 1 MAXVALUE 9223372036854775807', 'START 9223372036854775805']) AS options,
	pg_temp.at(options) AS seq;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('at')$$) AS e;
-- The order of the ids is that of the values, over the end of an era too.
SELECT count(*) AS tried, count(*) FILTER (WHERE id <= before) AS not_in_order,
	count(DISTINCT gid_extract_gdid_era(id)) AS eras
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before
	FROM (SELECT n, gid_next_gdid(seq) AS id
		FROM pg_temp.at('START 1152921504606845976') AS seq, generate_series(1, 2000) AS n) AS d) AS m;

-- A batch is of one era, and of consecutive counters.
CREATE FUNCTION pg_temp.outcomes(seq regclass, VARIADIC counts int[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	ids gdid[];
BEGIN
	FOR i IN 1 .. cardinality(counts) LOOP
		BEGIN
			ids := ARRAY(SELECT gid_next_gdids(seq, counts[i]));
			RETURN NEXT format('%s: %s to %s', cardinality(ids), ids[1], ids[cardinality(ids)]);
		EXCEPTION WHEN OTHERS THEN
			RETURN NEXT format('%s: %s', SQLSTATE, SQLERRM);
		END;
	END LOOP;
END $$;
SELECT o FROM pg_temp.at('START 1152921504606846970') AS seq, pg_temp.outcomes(seq, 3, 3, 1) AS o;
SELECT o FROM pg_temp.at('START 1152921504606846970') AS seq, pg_temp.outcomes(seq, 7, 1) AS o;
SELECT o FROM pg_temp.at('START 9223372036854775801') AS seq, pg_temp.outcomes(seq, 8, 5, 3, 2, 1) AS o;
SELECT o FROM pg_temp.at('INCREMENT -1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1152921504606846979') AS seq,
	pg_temp.outcomes(seq, 3, 2, 1) AS o;
SELECT o FROM pg_temp.at('INCREMENT 5') AS seq, pg_temp.outcomes(seq, 4, 1) AS o;
SELECT o FROM pg_temp.at('MINVALUE 1152921504606846970 MAXVALUE 1152921504606846990 START 1152921504606846985 CYCLE') AS seq,
	pg_temp.outcomes(seq, 7, 10, 6) AS o;
SELECT count(*), min(id), max(id), count(DISTINCT id), bool_and(gid_extract_gdid_counter(id) = n) AS in_order
FROM pg_temp.at('') AS seq, gid_next_gdids(seq, 65536) WITH ORDINALITY AS m (id, n);
SELECT gid_next_gdids('at', 1000) AS id LIMIT 2;
SELECT gid_next_gdids('at', 1) AS id;

--
-- Values that are no counter
--

SELECT pg_temp.at('MINVALUE -1') \gset
SELECT e.* FROM pg_temp.expect(VARIADIC array_fill($$SELECT gid_next_gdid('at')$$::text, ARRAY[3])) AS e;
SELECT pg_temp.at('INCREMENT -1 MAXVALUE 2 START 2 MINVALUE -9223372036854775808') \gset
SELECT e.code, e.message FROM pg_temp.expect(VARIADIC array_fill($$SELECT gid_next_gdid('at')$$::text, ARRAY[4])) AS e;
SELECT pg_temp.at('MINVALUE -9223372036854775808') \gset
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('at')$$) AS e;
SELECT o FROM pg_temp.at('MINVALUE 0') AS seq, pg_temp.outcomes(seq, 3, 3) AS o;
SELECT o FROM pg_temp.at('INCREMENT -1 MAXVALUE 3 START 3 MINVALUE -10') AS seq, pg_temp.outcomes(seq, 2, 3, 1) AS o;
SELECT o FROM pg_temp.at('INCREMENT -1 MAXVALUE 3 START 3 MINVALUE 1') AS seq, pg_temp.outcomes(seq, 2, 2, 1) AS o;

--
-- Scope and sequence
--

-- Exact names: no folding, no quotes, no search path, no parts.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --";
CREATE SEQUENCE "Regress ""gid""".plain;
CREATE SEQUENCE regress_gid_app."Orders" START 100;
CREATE SEQUENCE regress_gid_app.a23456789b23456789c23456789d23456789e23456789f23456789g23456789;
SELECT gid_next_gdid('Regress "gid"', 'Mixed.Case é; --') AS strange, gid_next_gdid('Regress "gid"', 'plain') AS plain,
	gid_next_gdid('regress_gid_app', 'Orders') AS upper,
	gid_next_gdid(scope => 'regress_gid_app', sequence => 'a23456789b23456789c23456789d23456789e23456789f23456789g23456789') AS longest;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'ORDERS')$$) AS e;
SELECT n.scope, n.name, e.code, e.message = format('sequence "%s" does not exist in scope "%s"', n.name, n.scope) AS message
FROM (VALUES ('REGRESS_GID_APP', 'orders'), ('Regress_gid_app', 'orders'), ('"regress_gid_app"', 'orders'),
	('regress_gid_app', '"orders"'), ('regress_gid_app', ' orders'), ('regress_gid_app', 'orders '), ('regress_gid_app', 'Plain'),
	('public', 'orders'), ('', 'orders'), ('regress_gid_app', ''), ('', ''), ('regress_gid_none', 'orders'),
	('regress_gid_app', 'regress_gid_app.orders'), ('regress_gid_app.orders', ''), ('*', '*'), ('pg_temp', 'orders'), ('regress_gid_app', 'none'),
	('regress_gid_app', 'a23456789b23456789c23456789d23456789e23456789f23456789g23456789h')) AS n (scope, name),
	pg_temp.expect(format('SELECT gid_next_gdid(%L, %L)', n.scope, n.name)) AS e;

-- What is no sequence to draw from.
CREATE TABLE regress_gid_app.a_table (a int);
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE regress_gid_app.unlogged;
SELECT e.statement, e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'a_table')$$,
	$$SELECT gid_next_gdid('a_table')$$, $$SELECT gid_next_gdids('a_table', 1)$$,
	$$SELECT gid_next_gdid('pg_temp', 'temporary')$$, $$SELECT gid_next_gdid('regress_gid_app', 'unlogged')$$,
	$$SELECT gid_next_gdids('unlogged', 2)$$, $$SELECT gid_next_gdid(0)$$, $$SELECT gid_next_gdids(0, 1)$$,
	$$SELECT gid_next_gdids('orders', 0)$$, $$SELECT * FROM gid_next_gdids('orders', -5)$$) AS e;
DROP TABLE a_table;
DROP SEQUENCE temporary, unlogged;

-- The name is looked up at each call.
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
-- Privileges: USAGE on the schema to name it, as everywhere; then the sequence's
--

SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$,
	$$SELECT gid_next_gdid('regress_gid_app', 'none')$$) AS e;
RESET ROLE;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$,
	$$SELECT gid_next_gdids('regress_gid_app.orders', 2)$$) AS e;
RESET ROLE;
GRANT USAGE ON SEQUENCE orders TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid_next_gdid('regress_gid_app', 'orders') > '1:0:0' AS named, gid_next_gdid('orders') > '1:0:0' AS regclass;
BEGIN;
SELECT gid_next_gdid('regress_gid_app', 'orders') > '1:0:0' AS named;
RESET ROLE;
REVOKE USAGE ON SCHEMA regress_gid_app FROM regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('regress_gid_app', 'orders')$$) AS e;
ROLLBACK;
RESET ROLE;

--
-- Labels, NULLs, read-only transactions, the count in gid_stat_backends
--

SELECT oid::regprocedure AS function, provolatile AS volatile, proisstrict AS strict, proparallel AS parallel, proretset AS set
FROM pg_proc WHERE proname IN ('gid_next_gdid', 'gid_next_gdids') ORDER BY oid::regprocedure::text;
SELECT num_nulls(gid_next_gdid(NULL::regclass), gid_next_gdid(NULL, 'orders'), gid_next_gdid('regress_gid_app', NULL)) AS nulls,
	(SELECT count(*) FROM gid_next_gdids(NULL, 1)) AS no_sequence, (SELECT count(*) FROM gid_next_gdids('orders', NULL)) AS no_count;
BEGIN READ ONLY;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('orders')$$,
	$$SELECT gid_next_gdid('regress_gid_app', 'orders')$$, $$SELECT gid_next_gdids('orders', 2)$$) AS e;
COMMIT;
\c -
SELECT count(*) FROM (SELECT gid_next_gdid('regress_gid_app.orders') FROM generate_series(1, 30)) AS d;
SELECT count(*) FROM gid_next_gdids('regress_gid_app.orders', 12);
SELECT family, issued FROM gid_stat_backends WHERE pid = pg_backend_pid();

-- In a COPY, and after a rollback: none comes again.
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
DROP SCHEMA regress_gid_app, "Regress ""gid""" CASCADE;
DROP ROLE regress_gid_user;
\i :no_numbers
