-- gid.authorities: GDIDs that are drawn from blocks of other servers. The other
-- servers are this database.
\i sql/include/start.sql
\i :loopback
LOAD 'gid';
ALTER SYSTEM SET gid.authority = 7;
\set until 'current_setting(''gid.authority'') = ''7'''
\i :reload
CREATE SCHEMA regress_gid_app;
CREATE ROLE regress_gid_user;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
SET search_path = regress_gid_app, public;

-- What gid refuses before it asks a server.
CREATE SEQUENCE ids;
CREATE UNLOGGED SEQUENCE unlogged;
SET gid.authorities = :'gone';
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$) AS e;
RESET ROLE;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('unlogged')$$, $$SELECT gid_next_gdids('unlogged', 1)$$,
	$$SELECT gid_next_gdid('regress_gid_app', 'none')$$) AS e;
DROP SEQUENCE unlogged;
BEGIN READ ONLY;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$) AS e;
COMMIT;
-- None of these calls has reached the sequence. Functions that make no GDIDs ask
-- nobody.
SELECT last_value, is_called FROM ids;
SELECT gid_next('ids'), gid_next_many('ids', 1), gid_next_code('ids', '0') IS NOT NULL AS code;
SELECT sequence, source, next IS NOT NULL AS open, reservations FROM gid.stat_sequences
WHERE sequence = 'ids'::regclass AND source <> 'local';
RESET gid.authorities;
SELECT gid_extract_gdid_authority(gid_next_gdid('ids')) AS own;
DROP SEQUENCE ids;

-- Blocks and batches come from the sequence of the same names. They have the authority
-- number of the server that reserved them.
CREATE SEQUENCE ids CACHE 20;
SET gid.authorities = :'uri';
SELECT gid_next_gdid('ids') AS regclass, gid_next_gdid('regress_gid_app', 'ids') AS named;
SELECT sequence, source, next, last, block_size, reservations, prefetched FROM gid.stat_sequences WHERE sequence = 'ids'::regclass;
-- This server does not know when an authority's sequence ends.
SELECT values_left = last - next + 1 AS "left", pace > 0 AS paced, exhausted_at, era_ends_at FROM gid.stat_sequences WHERE sequence = 'ids'::regclass;
SELECT last_value FROM ids;
SELECT gid_next_gdids('ids', 3);
SELECT gid_next_gdid('ids') AS next_of_block, gid_next('ids') AS own_block;
SELECT sequence, source, next, last FROM gid.stat_sequences WHERE sequence = 'ids'::regclass ORDER BY source;
-- Every role that may draw from the sequence shares the block.
GRANT USAGE ON SEQUENCE ids TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid_next_gdid('ids') AS next_of_block;
RESET ROLE;
-- A block keeps its authority until it is used up, whatever changes in the settings.
ALTER SYSTEM SET gid.authority = 8;
\set until 'current_setting(''gid.authority'') = ''8'''
\i :reload
SELECT gid_next_gdid('ids') AS of_authority_7;
SET gid.authorities = :'gone';
SELECT gid_next_gdid('ids') AS from_the_block;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdids('ids', 3)$$) AS e;
RESET gid.authorities;
SELECT gid_next_gdid('ids') AS own;
ALTER SYSTEM SET gid.authority = 7;
\set until 'current_setting(''gid.authority'') = ''7'''
\i :reload
-- gid_forget() ends the blocks of both kinds. So does an ALTER SEQUENCE on this
-- server.
SET gid.authorities = :'two';
SELECT gid_forget('ids');
SELECT source, next IS NULL AS no_block FROM gid.stat_sequences WHERE sequence = 'ids'::regclass ORDER BY source;
SELECT last_value AS before FROM ids \gset
SELECT gid_extract_gdid_counter(gid_next_gdid('ids')) - :before AS next, gid_extract_gdid_counter(gid_next_gdid('ids')) - :before AS after;
ALTER SEQUENCE ids RESTART 1000;
SELECT gid_next_gdid('ids') AS a, gid_next_gdid('ids') AS b;
SELECT gid_next_gdids('ids', 1) AS a, gid_next_gdids('ids', 2) AS b, gid_next_gdids('ids', 2) AS c;
DROP SEQUENCE ids;

-- The GDIDs are in order and different: in a DEFAULT, a COPY and a loop, over many
-- blocks.
CREATE SEQUENCE ids;
SET gid.authorities = :'uri';
CREATE TABLE made (n int, id gdid DEFAULT gid_next_gdid('ids'));
INSERT INTO made SELECT n FROM generate_series(1, 1000) AS n;
COPY made (n) FROM stdin;
1001
1002
1003
\.
INSERT INTO made SELECT 1003 + n, id FROM gid_next_gdids('ids', 100) WITH ORDINALITY AS m (id, n);
DO $$
BEGIN
	FOR i IN 1104 .. 1200 LOOP
		INSERT INTO made VALUES (i, gid_next_gdid('regress_gid_app', 'ids'));
	END LOOP;
END $$;
SELECT count(*), count(DISTINCT id), min(id),
	count(*) FILTER (WHERE id <= before AND n NOT BETWEEN 1004 AND 1104) AS not_in_order,
	count(*) FILTER (WHERE n BETWEEN 1005 AND 1103 AND
		gid_extract_gdid_counter(id) <> gid_extract_gdid_counter(before) + 1) AS not_consecutive,
	count(*) FILTER (WHERE gid_extract_gdid_authority(id) <> 7) AS foreign
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;
-- Values that are rolled back do not come again: transaction, savepoint, exception
-- block.
TRUNCATE made;
SELECT gid_forget('ids');
BEGIN;
INSERT INTO made SELECT n FROM generate_series(1201, 1300) AS n;
SELECT max(id) AS most FROM made \gset
SAVEPOINT a;
INSERT INTO made VALUES (1301) RETURNING id > :'most' AS after;
SELECT max(id) AS most FROM made \gset
ROLLBACK TO SAVEPOINT a;
INSERT INTO made VALUES (1301) RETURNING id > :'most' AS after;
SELECT max(id) AS most FROM made \gset
ROLLBACK;
INSERT INTO made VALUES (1301) RETURNING id > :'most' AS after;
DO $$
BEGIN
	FOR i IN 1302 .. 1400 LOOP
		BEGIN
			INSERT INTO made SELECT i FROM generate_series(1, 5);
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
			INSERT INTO made VALUES (i);
		END;
	END LOOP;
END $$;
SELECT count(*), count(DISTINCT id), bool_and(id > before) AS in_order, bool_and(id > :'most') AS after
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made WHERE n > 1300) AS m;
DROP TABLE made;

-- A transaction of another isolation level, with a snapshot before and after.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM gid_next_gdids('ids', 10);
SELECT gid_next_gdid('ids') < gid_next_gdid('ids') AS in_order FROM generate_series(1, 3);
COMMIT;

-- The other server does not know what this transaction has not committed.
BEGIN;
CREATE SEQUENCE fresh;
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect($$SELECT gid_next_gdid('fresh')$$) AS e;
ROLLBACK;
-- The sequence at the other server has ended, or its values are no counters.
CREATE SEQUENCE short MAXVALUE 10;
CREATE SEQUENCE low MINVALUE -1;
CREATE SEQUENCE down INCREMENT -1;
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect($$SELECT gid_next_gdids('short', 11)$$, $$SELECT gid_next_gdid('short')$$,
	$$SELECT gid_next_gdid('low')$$, $$SELECT gid_next_gdid('down')$$) AS e;
DROP SEQUENCE short, low, down;
-- A batch that reaches the end of an era begins with the next era.
CREATE SEQUENCE era START 1152921504606846973;
SELECT gid_next_gdids('era', 4);
CREATE SEQUENCE border CACHE 5 START 1152921504606846973;
SELECT gid_next_gdid('border') FROM generate_series(1, 5);
DROP SEQUENCE era, border;
-- Names that need quotes.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --'\";
SELECT gid_next_gdid('Regress "gid"', 'Mixed.Case é; --''\') AS id;

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app, "Regress ""gid""" CASCADE;
DROP ROLE regress_gid_user;
ALTER SYSTEM RESET gid.authority;
\set until 'current_setting(''gid.authority'') = '''''
\i :reload
