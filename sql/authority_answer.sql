-- gid.authorities and gid.decimal_authority: what gid makes of answers, right and wrong.
-- Functions stand in for gid.authority_block() and gid.authority_generator(), and answer
-- what no server should. The other server is this server. 016_authority_connection.pl has
-- answers that break the protocol.
\i sql/include/start.sql
\i :loopback
\i :numbers
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

-- The function answers what the table says for the sequence.
ALTER FUNCTION gid.authority_block(text, text, int, bigint) RENAME TO regress_gid_away;
CREATE TABLE answer (sequence text, authority text, era text, start text, count text);
CREATE FUNCTION gid.authority_block(scope text, sequence text, size int, vicinity bigint)
RETURNS TABLE (authority text, era text, start text, count text) LANGUAGE sql AS $$
	SELECT a.authority, a.era, a.start, coalesce(a.count, size::text) FROM regress_gid_app.answer AS a WHERE a.sequence = $2
$$;
INSERT INTO answer (sequence, authority, era, start, count) VALUES
	('least', 0, 0, 1, 1), ('most', 15, 7, 1152921504606846975, 1), ('whole', 3, 5, 0, NULL), ('fewer', 3, 5, 100, 1),
	('authority_16', 16, 0, 1, 1), ('authority_below', -1, 0, 1, 1), ('era_8', 0, 8, 1, 1), ('era_below', 0, -1, 1, 1),
	('counter_0', 0, 0, 0, 1), ('counter_below', 0, 1, -1, 1), ('end_beyond', 0, 0, 1152921504606846975, 2),
	('end_far_beyond', 0, 0, 9223372036854775807, 2), ('count_0', 0, 0, 1, 0), ('count_more', 0, 0, 1, 65537),
	('null_start', 0, 0, NULL, 1), ('a_word', 0, 'word', 1, 1), ('empty', 0, 0, '', 1),
	('too_large', 0, 0, 9223372036854775808, 1), ('a_fraction', 0, 0, 1.5, 1),
	('two_rows', 0, 0, 1, 1), ('two_rows', 0, 0, 2, 1);
DO $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT DISTINCT sequence FROM answer UNION SELECT 'no_row' LOOP
		EXECUTE format('CREATE SEQUENCE %I CACHE 2', name);
	END LOOP;
END $$;
SET gid.authorities = :'one';
SELECT gid_next_gdid('least') AS least, gid_next_gdid('most') AS most, gid_next_gdids('whole', 2) AS whole;
-- gid refuses an answer that is no block, and uses nothing of it.
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect($$SELECT gid_next_gdid('authority_16')$$) AS e;
SELECT string_agg(s.sequence, ' ' ORDER BY s.sequence), e.code, replace(pg_temp.plain(e.detail), s.sequence, 'IT') AS detail FROM (SELECT DISTINCT sequence FROM answer UNION SELECT 'no_row') AS s,
	pg_temp.expect(format('SELECT gid_next_gdid(%L)', sequence)) AS e
WHERE sequence NOT IN ('least', 'most', 'whole', 'fewer') GROUP BY 2, 3 ORDER BY 1;
SELECT count(*) FROM gid.stat_sequences WHERE source <> 'local' AND next IS NOT NULL AND sequence::text ~ '_';
-- When a batch gets fewer values than it needs, gid asks once more and then gives up.
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdids('fewer', 2)$$) AS e;
-- Another number of columns. An error that the other server sends: that server has not
-- failed, and the log alone has what it said. Notices, which gid drops. No function.
CREATE PROCEDURE answer_by(returns text, body text) LANGUAGE plpgsql AS $$
BEGIN
	DROP FUNCTION gid.authority_block(text, text, int, bigint);
	EXECUTE format('CREATE FUNCTION gid.authority_block(scope text, sequence text, size int, vicinity bigint) '
		'RETURNS %s LANGUAGE plpgsql AS %L', returns, body);
END $$;
CREATE FUNCTION pg_temp.refused(OUT code text, OUT detail text, OUT hint text) LANGUAGE sql AS
	$$SELECT e.code, pg_temp.plain(e.detail), e.hint FROM pg_temp.expect('SELECT gid_next_gdids(''no_row'', 1)') AS e$$;
CALL answer_by('TABLE (a int, b bigint, c bigint)', 'BEGIN RETURN QUERY SELECT 0, 0::bigint, 1::bigint; END');
SELECT code, detail FROM pg_temp.refused();
CALL answer_by('int', $$BEGIN RAISE EXCEPTION E'first line, bell\x07\nsecond line'; END$$);
SELECT * FROM pg_temp.refused() UNION ALL SELECT * FROM pg_temp.refused();
CALL answer_by('TABLE (a int, b bigint, c bigint, d int)', $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		RAISE WARNING 'not for you %', i;
	END LOOP;
	RETURN QUERY SELECT 3, 0::bigint, 1::bigint, 1;
END$$);
SELECT gid_next_gdids('no_row', 1);
DROP FUNCTION gid.authority_block(text, text, int, bigint);
SELECT code, hint FROM pg_temp.refused();
ALTER FUNCTION gid.regress_gid_away(text, text, int, bigint) RENAME TO authority_block;
SELECT gid_next_gdid('no_row');

--
-- Generator numbers of DecimalIds
--

-- A launch that this server has begun with its own numbers goes on with them, whatever
-- the setting says. While nobody answers, the next launch is not begun.
ALTER SYSTEM SET gid.launch_id = 6002;
\set until 'current_setting(''gid.launch_id'') = ''6002'''
\i :reload
SELECT gid_decimal_id() AS own;
SET gid.decimal_authority = :'uri';
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()', 'SELECT gid.authority_generator(6002)') AS e;
ALTER SYSTEM SET gid.launch_id = 6003;
\set until 'current_setting(''gid.launch_id'') = ''6003'''
\i :reload
SET gid.decimal_authority = :'gone';
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
-- A database cannot be its own authority: it would draw from its own sequence.
SET gid.decimal_authority = :'uri';
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;

-- A function stands in for gid.authority_generator().
ALTER FUNCTION gid.authority_generator(int) RENAME TO regress_gid_away;
CREATE TABLE given (generator text, asked int DEFAULT 0, own bigint);
INSERT INTO given VALUES (500);
CREATE FUNCTION gid.authority_generator(launch int) RETURNS text LANGUAGE sql AS
	'UPDATE regress_gid_app.given SET asked = asked + 1 RETURNING generator';
ALTER SYSTEM SET gid.launch_id = 6004;
\set until 'current_setting(''gid.launch_id'') = ''6004'''
\i :reload
SELECT gid_decimal_id() AS a, gid_decimal_id() AS b;
SELECT sequence, source, next, last FROM gid.stat_sequences WHERE source LIKE 'launch 6004%';
-- The first number of an authority closes the launch for this server's own numbers.
RESET gid.decimal_authority;
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()') AS e;
SET gid.decimal_authority = :'uri';
-- The next session goes on in the block, without another question.
SELECT pg_backend_pid() AS pid \gset
\c -
\i :expect
\i :loopback
SET search_path = regress_gid_app, public;
\set until 'NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ' :pid ')'
\i :reload
SET gid.decimal_authority = :'uri';
SELECT gid_decimal_id() AS goes_on, asked FROM given;
-- The smallest and the largest number are taken. Anything else is refused.
ALTER SYSTEM SET gid.launch_id = 6005;
\set until 'current_setting(''gid.launch_id'') = ''6005'''
\i :reload
UPDATE given SET generator = -1;
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
UPDATE given SET generator = 100000;
SELECT e.code, pg_temp.plain(e.detail) AS detail FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
UPDATE given SET generator = NULL;
SELECT e.code, pg_temp.plain(e.detail) AS detail FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
UPDATE given SET generator = 99999;
SELECT gid_decimal_id() AS last;
UPDATE given SET generator = 0;
ALTER SEQUENCE gid.decimal_generator CACHE 1;
SELECT gid_decimal_id() AS first;
DROP FUNCTION gid.authority_generator(int);
ALTER FUNCTION gid.regress_gid_away(int) RENAME TO authority_generator;

-- Clean up.
RESET gid.decimal_authority;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
ALTER SEQUENCE gid.decimal_generator RESTART;
ALTER SYSTEM RESET gid.launch_id;
\i :no_numbers
