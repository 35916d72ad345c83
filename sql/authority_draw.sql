-- gid.authorities: GDIDs drawn from blocks of other servers. Which server gid asks, for
-- how many, and when; who may draw. The other servers are this database.
\i sql/include/start.sql
\i :loopback
\i :numbers
CREATE SCHEMA regress_gid_app;
CREATE ROLE regress_gid_user;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
SET search_path = regress_gid_app, public;

-- What gid refuses before it asks a server: for want of a privilege, in a read-only
-- transaction, without a permanent sequence. Functions that make no GDIDs ask nobody.
CREATE SEQUENCE ids CACHE 20;
CREATE UNLOGGED SEQUENCE unlogged;
SET gid.authorities = :'gone';
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$) AS e;
RESET ROLE;
BEGIN READ ONLY;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$) AS e;
COMMIT;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('unlogged')$$) AS e;
SELECT gid_next('ids'), gid_next_many('ids', 1);
DROP SEQUENCE ids;

-- Blocks and batches come from the sequence of the same names. They have the authority
-- number of the server that reserved them.
CREATE SEQUENCE ids CACHE 20;
SET gid.authorities = :'uri';
SELECT gid_next_gdid('ids') AS regclass, gid_next_gdid('regress_gid_app', 'ids') AS named;
SELECT sequence, source, next, last, block_size, reservations, prefetched FROM gid.stat_sequences WHERE sequence = 'ids'::regclass;
SELECT array_agg(g) FROM gid_next_gdids('ids', 3) AS g;
SELECT gid_next_gdid('ids') AS next_of_block, gid_next('ids') AS own_block;
-- Every role that may draw from the sequence shares the block.
GRANT USAGE ON SEQUENCE ids TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid_next_gdid('ids') AS next_of_block;
RESET ROLE;
-- A block keeps its authority until it is used up, whatever changes in the settings.
ALTER SYSTEM SET gid.authority = 8;
\set until 'current_setting(''gid.authority'') = ''8'''
\i :reload
SET gid.authorities = :'gone';
SELECT gid_next_gdid('ids') AS from_the_block;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdids('ids', 3)$$) AS e;
RESET gid.authorities;
SELECT gid_next_gdid('ids') AS own;
-- gid_forget() ends the blocks of both kinds. So does an ALTER SEQUENCE on this server.
SET gid.authorities = :'two';
SELECT gid_forget('ids');
SELECT source, next IS NULL AS no_block FROM gid.stat_sequences WHERE sequence = 'ids'::regclass ORDER BY source;
ALTER SEQUENCE ids RESTART 1000;
SELECT gid_next_gdid('ids') AS a, gid_next_gdid('ids') AS b;
-- The GDIDs increase over many blocks.
SELECT count(*), count(*) FILTER (WHERE id <= before) AS not_in_order
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM (SELECT n, gid_next_gdid('ids') AS id FROM generate_series(1, 300) AS n) AS i) AS m;

-- The other server does not know what this transaction has not committed. The sequence
-- there has ended, or its values are no counters.
CREATE SEQUENCE short MAXVALUE 10;
CREATE SEQUENCE low MINVALUE -1;
BEGIN;
CREATE SEQUENCE fresh;
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect($$SELECT gid_next_gdid('fresh')$$,
	$$SELECT gid_next_gdids('short', 11)$$, $$SELECT gid_next_gdid('low')$$) AS e;
ROLLBACK;
-- A batch that reaches the end of an era begins with the next era.
CREATE SEQUENCE era START 1152921504606846973;
SELECT array_agg(g) FROM gid_next_gdids('era', 4) AS g;
-- Names that need quotes.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --'\";
SELECT gid_next_gdid('Regress "gid"', 'Mixed.Case é; --''\') AS id;

-- A server that refuses is asked again each time. One that cannot be reached is passed
-- over for a while. The detail has a line for each, and shows host, port and database.
CREATE SEQUENCE other;
SELECT pg_temp.uri('bare', dbname => 'template1') AS bare \gset
SELECT :'bare' || ' ' || :'gone' AS list \gset
SET gid.authorities = :'list';
SELECT e.code, pg_temp.plain(e.detail) AS detail FROM pg_temp.expect($$SELECT gid_next_gdid('other')$$, $$SELECT gid_next_gdids('other', 2)$$) AS e;
-- The first server that answers gives the block; so does the first host of a URI that
-- can be reached.
SELECT :'gone' || ' ' || :'bare' || E'\n\t' || :'one' || ' ' || :'two' AS list, replace(:'one', '@', '@%2Fnonexistent:1,') AS hosts \gset
SET gid.authorities = :'list';
SELECT gid_next_gdid('other'), gid_next_gdid('other');
SET gid.authorities = :'hosts';
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;

-- While nobody answers, gid gives out the values that it still has. The first value that
-- is missing raises the error, and no value is missing when somebody answers again.
SET gid.authorities = :'one';
CREATE SEQUENCE ahead CACHE 20;
SELECT gid_next_gdid('ahead');
SET gid.authorities = :'gone';
SELECT min(id), max(id), count(*) FROM (SELECT gid_next_gdid('ahead') AS id FROM generate_series(1, 19)) AS d;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ahead')$$) AS e;
SET gid.authorities = :'one';
-- gid asks for as many values as CACHE says. When half of a block is left, an errand asks.
SELECT min(id), max(id), count(*) FROM (SELECT gid_next_gdid('ahead') AS id FROM generate_series(1, 10)) AS d;
DO $$
BEGIN
	FOR i IN 1..600 LOOP
		EXIT WHEN (SELECT prefetched > 0 FROM gid.stat_sequences WHERE sequence = 'ahead'::regclass);
		PERFORM pg_sleep(0.1);
	END LOOP;
END $$;
SELECT block_size, reservations, prefetched FROM gid.stat_sequences WHERE sequence = 'ahead'::regclass;
SELECT min(id), max(id), count(*) FROM (SELECT gid_next_gdid('ahead') AS id FROM generate_series(1, 20)) AS d;
-- Without CACHE it asks for what the pace needs, up to gid.max_block_size.
CREATE SEQUENCE paced;
SET gid.max_block_size = 1;
SELECT gid_next_gdid('paced'), gid_next_gdid('paced');
SELECT block_size FROM gid.stat_sequences WHERE sequence = 'paced'::regclass;

-- Nothing runs that stands in the search path of the database at the other end. A trap
-- counts in a sequence, because no rollback undoes that.
CREATE SCHEMA regress_gid_evil;
CREATE SEQUENCE regress_gid_evil.called;
CREATE FUNCTION regress_gid_evil.who(pg_catalog.text) RETURNS boolean LANGUAGE sql AS
	$$SELECT pg_catalog.nextval('regress_gid_evil.called') OPERATOR(pg_catalog.>) 0$$;
CREATE DOMAIN regress_gid_evil.text AS pg_catalog.text CHECK (regress_gid_evil.who(VALUE::pg_catalog.text));
CREATE DOMAIN regress_gid_evil.int4 AS pg_catalog.int4 CHECK (regress_gid_evil.who(VALUE::pg_catalog.text));
CREATE FUNCTION regress_gid_evil.set_config(pg_catalog.text, pg_catalog.text, boolean) RETURNS pg_catalog.text LANGUAGE sql AS
	'SELECT regress_gid_evil.who($1)::pg_catalog.text';
ALTER DATABASE :"DBNAME" SET search_path = regress_gid_evil, pg_catalog, public;
SELECT gid_next_gdids('regress_gid_app.other', 1) IS NOT NULL AS answers;
ALTER DATABASE :"DBNAME" RESET search_path;
SELECT is_called FROM regress_gid_evil.called;
-- The trap does count when something calls it.
SELECT regress_gid_evil.set_config('x', 'y', false);
SELECT is_called FROM regress_gid_evil.called;

-- Clean up.
SET search_path = public;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app, regress_gid_evil, "Regress ""gid""" CASCADE;
DROP ROLE regress_gid_user;
\i :no_numbers
