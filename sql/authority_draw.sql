-- gid.authorities: GDIDs drawn from blocks of other servers. Which server gid asks, for
-- how many, and when; who may draw. The other servers are this database.
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

-- What gid refuses before it asks a server: for want of a privilege, in a read-only
-- transaction, without a permanent sequence.
CREATE SEQUENCE ids CACHE 20;
CREATE UNLOGGED SEQUENCE unlogged;
SET gid.authorities = :'gone';
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$,
	$$SELECT gid_next_gdid('regress_gid_app', 'ids')$$) AS e;
RESET ROLE;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('unlogged')$$, $$SELECT gid_next_gdid('regress_gid_app', 'none')$$) AS e;
BEGIN READ ONLY;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$) AS e;
COMMIT;
-- None of these calls has reached the sequence. Functions that make no GDIDs ask nobody.
SELECT last_value, is_called FROM ids;
SELECT gid_next('ids'), gid_next_many('ids', 1), gid_next_code('ids', '0') IS NOT NULL AS code;
DROP SEQUENCE ids;

-- Blocks and batches come from the sequence of the same names. They have the authority
-- number of the server that reserved them.
CREATE SEQUENCE ids CACHE 20;
SET gid.authorities = :'uri';
SELECT gid_next_gdid('ids') AS regclass, gid_next_gdid('regress_gid_app', 'ids') AS named;
SELECT sequence, source, next, last, block_size, reservations, prefetched FROM gid.stat_sequences WHERE sequence = 'ids'::regclass;
SELECT last_value FROM ids;
SELECT gid_next_gdids('ids', 3);
SELECT gid_next_gdid('ids') AS next_of_block, gid_next('ids') AS own_block;
-- Every role that may draw from the sequence shares the block; a privilege on the other
-- server is none here.
GRANT USAGE ON SEQUENCE ids TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid_next_gdid('ids') AS next_of_block;
RESET ROLE;
REVOKE USAGE ON SEQUENCE ids FROM regress_gid_user;
CREATE FUNCTION definer() RETURNS boolean SECURITY DEFINER LANGUAGE sql AS
	$$SELECT count(*) = 3 FROM gid_next_gdids('regress_gid_app.ids', 3)$$;
SET ROLE regress_gid_user;
SELECT definer();
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdids('ids', 1)$$) AS e;
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
ALTER SYSTEM SET gid.authority = 7;
\set until 'current_setting(''gid.authority'') = ''7'''
\i :reload
-- gid_forget() ends the blocks of both kinds. So does an ALTER SEQUENCE on this server.
SET gid.authorities = :'two';
SELECT gid_forget('ids');
SELECT source, next IS NULL AS no_block FROM gid.stat_sequences WHERE sequence = 'ids'::regclass ORDER BY source;
ALTER SEQUENCE ids RESTART 1000;
SELECT gid_next_gdid('ids') AS a, gid_next_gdid('ids') AS b;
SELECT gid_next_gdids('ids', 1) AS a, gid_next_gdids('ids', 2) AS b, gid_next_gdids('ids', 2) AS c;

-- The GDIDs increase over many blocks. After a rollback new GDIDs follow, not the same.
CREATE TABLE made (n int GENERATED ALWAYS AS IDENTITY, id gdid DEFAULT gid_next_gdid('ids'));
INSERT INTO made SELECT FROM generate_series(1, 300);
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		BEGIN
			INSERT INTO made SELECT FROM generate_series(1, 5);
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
			INSERT INTO made (id) VALUES (gid_next_gdid('regress_gid_app', 'ids'));
		END;
	END LOOP;
END $$;
SELECT count(*), count(*) FILTER (WHERE id <= before) AS not_in_order, max(gid_extract_gdid_counter(id)) >= 1000 + 805 AS none_again
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;

-- The other server does not know what this transaction has not committed.
BEGIN;
CREATE SEQUENCE fresh;
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect($$SELECT gid_next_gdid('fresh')$$) AS e;
ROLLBACK;
-- The sequence at the other server has ended, or its values are no counters.
CREATE SEQUENCE short MAXVALUE 10;
CREATE SEQUENCE low MINVALUE -1;
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect($$SELECT gid_next_gdids('short', 11)$$, $$SELECT gid_next_gdid('short')$$,
	$$SELECT gid_next_gdid('low')$$) AS e;
-- A batch that reaches the end of an era begins with the next era.
CREATE SEQUENCE era START 1152921504606846973;
SELECT gid_next_gdids('era', 4);
-- Names that need quotes.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --'\";
SELECT gid_next_gdid('Regress "gid"', 'Mixed.Case é; --''\') AS id;

--
-- A list of servers, and the connection
--

-- A server that refuses is asked again each time. One that cannot be reached is passed
-- over for a while. The detail has a line for each, and shows host, port and database.
CREATE FUNCTION pg_temp.details(call text, OUT code text, OUT detail text) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT e.code, d FROM pg_temp.expect(call) AS e, regexp_split_to_table(pg_temp.plain(e.detail), '\n') AS d
$$;
CREATE SEQUENCE other;
SELECT pg_temp.uri('bare', dbname => 'template1') AS bare \gset
SELECT :'bare' || ' ' || :'gone' AS list \gset
SET gid.authorities = :'list';
SELECT * FROM pg_temp.details($$SELECT gid_next_gdid('other')$$);
SELECT * FROM pg_temp.details($$SELECT gid_next_gdids('other', 2)$$);
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
SELECT gid_next_gdid('ahead');
-- gid asks for as many values as CACHE says, at the latest for the last quarter of a block.
SELECT min(id), max(id), count(*) FROM (SELECT gid_next_gdid('ahead') AS id FROM generate_series(1, 15)) AS d;
SELECT block_size, reservations, prefetched FROM gid.stat_sequences WHERE sequence = 'ahead'::regclass;
-- Without CACHE it asks for what the pace needs, up to gid.max_block_size.
CREATE SEQUENCE paced;
SET gid.max_block_size = 1;
SELECT gid_next_gdid('paced') FROM generate_series(1, 3);
SELECT block_size FROM gid.stat_sequences WHERE sequence = 'paced'::regclass;
RESET gid.max_block_size;

-- Nothing runs that the caller has put in the way: in the search path, in the temporary
-- schema, or in the search path of the database at the other end. A trap counts in a
-- sequence, because no rollback undoes that.
CREATE SCHEMA regress_gid_evil;
GRANT ALL ON SCHEMA regress_gid_evil TO PUBLIC;
CREATE SEQUENCE regress_gid_evil.called;
GRANT ALL ON SEQUENCE regress_gid_evil.called TO PUBLIC;
GRANT USAGE ON SEQUENCE other TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
CREATE FUNCTION regress_gid_evil.who(pg_catalog.text) RETURNS boolean LANGUAGE sql AS
	$$SELECT pg_catalog.nextval('regress_gid_evil.called') OPERATOR(pg_catalog.>) 0$$;
CREATE DOMAIN regress_gid_evil.text AS pg_catalog.text CHECK (regress_gid_evil.who(VALUE::pg_catalog.text));
CREATE DOMAIN regress_gid_evil.int4 AS pg_catalog.int4 CHECK (regress_gid_evil.who(VALUE::pg_catalog.text));
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (regress_gid_evil.who(VALUE::pg_catalog.text));
CREATE FUNCTION regress_gid_evil.equal(oid, oid) RETURNS boolean LANGUAGE sql AS $$SELECT regress_gid_evil.who('oid')$$;
CREATE OPERATOR regress_gid_evil.= (FUNCTION = regress_gid_evil.equal, LEFTARG = oid, RIGHTARG = oid);
CREATE FUNCTION regress_gid_evil.set_config(pg_catalog.text, pg_catalog.text, boolean) RETURNS pg_catalog.text LANGUAGE sql AS
	'SELECT regress_gid_evil.who($1)::pg_catalog.text';
CREATE FUNCTION regress_gid_evil.authority_block(pg_catalog.text, pg_catalog.text, int, bigint) RETURNS int LANGUAGE sql AS
	'SELECT 1 FROM regress_gid_evil.who($1)';
CREATE FUNCTION regress_gid_evil.concat(VARIADIC pg_catalog.text[]) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT regress_gid_evil.who($1[1])::pg_catalog.text';
SELECT gid_next_gdids('regress_gid_app.other', 1) IS NOT NULL AS with_temporary_schema;
SET search_path = regress_gid_evil, pg_catalog, public, pg_temp;
SELECT gid_next_gdids('regress_gid_app.other', 1) IS NOT NULL AS with_search_path;
RESET SESSION AUTHORIZATION;
ALTER DATABASE :"DBNAME" SET search_path = regress_gid_evil, pg_catalog, public;
SELECT gid_next_gdids('regress_gid_app.other', 1) IS NOT NULL AS with_search_path_of_database;
ALTER DATABASE :"DBNAME" RESET search_path;
SELECT is_called FROM regress_gid_evil.called;
-- The trap does count when something calls it.
SELECT regress_gid_evil.concat('x');
SELECT is_called FROM regress_gid_evil.called;
DROP DOMAIN pg_temp.text;

-- Clean up.
SET search_path = public;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app, regress_gid_evil, "Regress ""gid""" CASCADE;
DROP ROLE regress_gid_user;
ALTER SYSTEM RESET gid.authority;
\set until 'current_setting(''gid.authority'') = ''-1'''
\i :reload
