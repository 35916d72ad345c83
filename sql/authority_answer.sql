-- What gid makes of the answers of other servers, right and wrong: blocks, generator
-- numbers and leases of node numbers. Functions stand in for those of gid, and answer
-- what no server should. The other server is this server. 016_authority_connection.pl
-- has answers that break the protocol.
\i sql/include/start.sql
\i :loopback
\i :numbers
\set ECHO none
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;
CREATE SEQUENCE ids;

-- Question n gets answer n, whatever becomes of the transaction that asks.
CREATE SEQUENCE question;
CREATE FUNCTION question() RETURNS bigint LANGUAGE sql AS $$SELECT nextval('regress_gid_app.question')$$;

--
-- Blocks
--
ALTER FUNCTION gid.authority_block(text, text, int, bigint) RENAME TO regress_gid_away;
CREATE TABLE block (n int GENERATED ALWAYS AS IDENTITY, kind text, authority text, era text, start text, count text);
CREATE FUNCTION gid.authority_block(scope text, sequence text, size int, vicinity bigint)
RETURNS TABLE (authority text, era text, start text, count text) LANGUAGE sql AS $$
	WITH question AS MATERIALIZED (SELECT regress_gid_app.question() AS n)
	SELECT b.authority, b.era, b.start, b.count FROM regress_gid_app.block AS b, question AS q WHERE b.n = q.n
$$;
INSERT INTO block (kind, authority, era, start, count) VALUES
	('least', 0, 0, 1, 2), ('most', 15, 7, 1152921504606846974, 2),
	('authority_16', 16, 0, 1, 2), ('authority_below', -1, 0, 1, 2), ('era_8', 0, 8, 1, 2), ('era_below', 0, -1, 1, 2),
	('counter_0', 0, 0, 0, 2), ('counter_below', 0, 1, -1, 2), ('end_beyond', 0, 0, 1152921504606846975, 2),
	('end_far_beyond', 0, 0, 9223372036854775807, 2), ('count_0', 0, 0, 1, 0), ('count_more', 0, 0, 1, 3),
	('null', 0, 0, NULL, 2), ('word', 0, 'word', 1, 2), ('empty', 0, 0, '', 2),
	('too_large', 0, 0, 9223372036854775808, 2), ('fraction', 0, 0, 1.5, 2), ('two_rows', 0, 0, 1, 2);
INSERT INTO block OVERRIDING SYSTEM VALUE SELECT * FROM block WHERE kind = 'two_rows';
SET gid.authorities = :'one';
\set ECHO all
SELECT array_agg(g) AS least FROM gid_next_gdids('ids', 2) AS g;
SELECT array_agg(g) AS most FROM gid_next_gdids('ids', 2) AS g;
-- An answer that describes no valid block is refused.
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect($$SELECT gid_next_gdids('ids', 2)$$) AS e;
SELECT string_agg(kind, ' ' ORDER BY n), e.code, pg_temp.plain(e.detail) AS detail
FROM (SELECT DISTINCT n, kind FROM block WHERE n > 3 UNION SELECT 19, 'no_row' ORDER BY n) AS b,
	pg_temp.expect(format('SELECT gid_next_gdids(''ids'', 2) OFFSET 0 * %s', n)) AS e GROUP BY 2, 3 ORDER BY 1;
-- When a batch gets fewer values than it needs, gid asks again and then gives up.
INSERT INTO block (kind, authority, era, start, count) SELECT 'fewer', 3, 5, 100, 1 FROM generate_series(1, 4);
SELECT setval('question', 19);
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdids('ids', 2)$$) AS e;
-- Another number of columns. An error that the other server sends: that server has not
-- failed, and the log alone has what it said. An error of a server that shuts down: it is
-- passed over. No function.
CREATE PROCEDURE answer_by(returns text, body text) LANGUAGE plpgsql AS $$
BEGIN
	DROP FUNCTION gid.authority_block(text, text, int, bigint);
	EXECUTE format('CREATE FUNCTION gid.authority_block(scope text, sequence text, size int, vicinity bigint) '
		'RETURNS %s LANGUAGE plpgsql AS %L', returns, body);
END $$;
CREATE FUNCTION pg_temp.refused(OUT code text, OUT detail text, OUT hint text) LANGUAGE sql AS
	$$SELECT e.code, pg_temp.plain(e.detail), e.hint FROM pg_temp.expect('SELECT gid_next_gdids(''ids'', 1)') AS e$$;
CALL answer_by('TABLE (a int, b bigint, c bigint)', 'BEGIN RETURN QUERY SELECT 0, 0::bigint, 1::bigint; END');
SELECT code, detail FROM pg_temp.refused();
CALL answer_by('int', $$BEGIN RAISE EXCEPTION E'first line, bell\x07\nsecond line'; END$$);
SELECT * FROM pg_temp.refused() UNION ALL SELECT * FROM pg_temp.refused();
SET gid.authorities = :'two';
CALL answer_by('int', $$BEGIN RAISE EXCEPTION 'ends' USING ERRCODE = 'admin_shutdown'; END$$);
SELECT code, detail FROM pg_temp.refused() UNION ALL SELECT code, detail FROM pg_temp.refused();
SET gid.authorities = :'one';
DROP FUNCTION gid.authority_block(text, text, int, bigint);
SELECT code, hint FROM pg_temp.refused();
ALTER FUNCTION gid.regress_gid_away(text, text, int, bigint) RENAME TO authority_block;
SELECT gid_next_gdids('ids', 1);

--
-- Generator numbers of DecimalIds
--

-- A launch that this server has begun with its own numbers has no others, and this server
-- gives none. While nobody answers, the next launch is not begun. A database cannot be
-- its own authority: it would draw from its own sequence.
SET gid.launch_id = 6002;
SELECT gid_decimal_id() AS own;
SET gid.decimal_authority = :'uri';
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()', 'SELECT gid.authority_generator(6002)') AS e;
SET gid.launch_id = 6003;
SET gid.decimal_authority = :'gone';
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SET gid.decimal_authority = :'uri';
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;

-- A launch asks for one number. The first number of an authority closes the launch for
-- this server's own numbers.
ALTER FUNCTION gid.authority_generator(int) RENAME TO regress_gid_away;
CREATE FUNCTION gid.authority_generator(launch int) RETURNS int LANGUAGE sql AS
	'SELECT (ARRAY[500, -1, 100000, NULL, 99999, 0])[regress_gid_app.question()]';
SELECT setval('question', 1, false);
SET gid.launch_id = 6004;
SELECT gid_decimal_id() AS a, gid_decimal_id() AS b;
SELECT sequence, source, next, last FROM gid.stat_sequences WHERE source LIKE 'launch 6004%';
RESET gid.decimal_authority;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
SET gid.decimal_authority = :'uri';
SELECT gid_decimal_id() AS goes_on, last_value AS asked FROM question;
-- The smallest and the largest number are taken. Anything else is refused.
SET gid.launch_id = 6005;
SELECT e.statements, e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint
FROM pg_temp.alike('SELECT gid_decimal_id()', 'SELECT gid_decimal_id()', 'SELECT gid_decimal_id()') AS e;
SELECT gid_decimal_id() AS last;
SET gid.launch_id = 6006;
SELECT gid_decimal_id() AS first;
\set ECHO none
DROP FUNCTION gid.authority_generator(int);
ALTER FUNCTION gid.regress_gid_away(int) RENAME TO authority_generator;
RESET gid.decimal_authority;

--
-- Leases of node numbers
--

-- An answer is a lease of the seconds that were asked for and of a number up to
-- gid.node_max, or the moment from which on numbers are leased. A question that fails is
-- followed by the next one a second later.
ALTER FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int) RENAME TO regress_gid_away;
CREATE TABLE lease (n int GENERATED ALWAYS AS IDENTITY, kind text, node int, since interval, until interval);
CREATE FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int)
RETURNS TABLE (node int, since timestamptz, until timestamptz) LANGUAGE sql AS $$
	WITH question AS MATERIALIZED (SELECT regress_gid_app.question() AS n)
	SELECT l.node, $4 + l.since, $5 + l.until FROM regress_gid_app.lease AS l, question AS q WHERE l.n = q.n
$$;
INSERT INTO lease (kind, node, since, until) VALUES ('node_below', -2, '0', '0'), ('node_1024', 1024, '0', '0'),
	('early', 5, '-1 s', '0'), ('late', 5, '0', '1 s'), ('empty', 5, '60 s', '0'), ('pause_below', NULL, '-100 years', NULL),
	('pause', NULL, '0', NULL), ('most', 1023, '0', '0');
\set ECHO all
SELECT setval('question', 1, false);
ALTER SYSTEM SET gid.node_authority = :'uri';
\set until 'current_setting(''gid.node_authority'') <> '''''
\i :reload
SELECT string_agg(kind, ' ' ORDER BY n), e.code, e.message, regexp_replace(pg_temp.plain(e.detail), '\d{4}-.*', 'MOMENT') AS detail
FROM (SELECT n, kind FROM lease WHERE kind <> 'most' ORDER BY n) AS l,
	pg_temp.expect(format('SELECT pg_sleep(1.1), gid_trace_id() OFFSET 0 * %s', n)) AS e GROUP BY 2, 3, 4 ORDER BY min(n);
SELECT pg_sleep(1.1) IS NULL AS slept, gid_extract_trace_node(gid_trace_id()) AS most;
DROP FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int);
ALTER FUNCTION gid.regress_gid_away(uuid, int, timestamptz, timestamptz, timestamptz, int) RENAME TO authority_node;

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
ALTER SEQUENCE gid.decimal_generator RESTART;
ALTER SYSTEM RESET gid.node_authority;
\i :no_numbers
