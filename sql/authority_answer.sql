-- gid.authorities: every kind of wrong answer. A function stands in for
-- gid.authority_block() and answers what no server should. The other server is this
-- server.
\i sql/include/fleet.sql
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

\i :answers

INSERT INTO answer (sequence, authority, era, start, count) VALUES
	('least', 0, 0, 1, 1), ('most', 15, 7, 1152921504606846975, 1), ('whole', 3, 5, 0, NULL), ('fewer', 3, 5, 100, 1),
	('lowest', 0, 0, 1, NULL), ('highest', 15, 7, 1152921504606846974, NULL),
	('authority_16', 16, 0, 1, 1), ('authority_below', -1, 0, 1, 1), ('era_8', 0, 8, 1, 1), ('era_below', 0, -1, 1, 1),
	('counter_0', 0, 0, 0, 1), ('counter_below', 0, 1, -1, 1), ('counter_beyond', 0, 0, 1152921504606846976, 1),
	('end_beyond', 0, 0, 1152921504606846975, 2), ('end_far_beyond', 0, 0, 9223372036854775807, 2),
	('count_0', 0, 0, 1, 0), ('count_below', 0, 0, 1, -1), ('count_more', 0, 0, 1, 65537),
	('null_authority', NULL, 0, 1, 1), ('null_start', 0, 0, NULL, 1), ('a_word', 0, 'word', 1, 1), ('empty', 0, 0, '', 1),
	('too_large', 0, 0, 9223372036854775808, 1), ('blanks', 0, 0, ' 1 ', 1), ('a_sign', 0, 0, '+1x', 1), ('a_fraction', 0, 0, 1.5, 1), ('an_exponent', 0, 0, '1e3', 1),
	('long', 0, 0, repeat('0', 200) || '1', 1), ('era_far_below', 0, -9223372036854775808, 1, 1), ('authority_far', 4294967296, 0, 1, 1),
	('era_far', 0, 1152921504606846976, 1, 1), ('count_far', 0, 0, 1, 4294967297), ('null_era', 0, NULL, 1, 1), ('many_rows', 0, 0, 1, 1), ('two_rows', 0, 0, 1, 1), ('two_rows', 0, 0, 2, 1);
INSERT INTO answer SELECT 'many_rows', 0, 0, n, 1 FROM generate_series(1, 100000) AS n;
DO $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT DISTINCT sequence FROM answer LOOP
		EXECUTE format('CREATE SEQUENCE %I CACHE 2', name);
	END LOOP;
	CREATE SEQUENCE no_row;
END $$;
SET gid.authorities = :'one';
SELECT pg_temp.drawn('least', 1) AS least, pg_temp.drawn('most', 1) AS most, pg_temp.drawn('whole', 3) AS whole, pg_temp.drawn('fewer', 2) AS fewer;
SELECT pg_temp.asked();
-- gid refuses an answer that is no block, and uses nothing of it.
SELECT e.code, e.message, pg_temp.plain(e.detail) AS detail, e.hint FROM pg_temp.expect($$SELECT gid_next_gdid('authority_16')$$) AS e;
SELECT string_agg(s.sequence, ' ' ORDER BY s.sequence), e.code, replace(pg_temp.plain(e.detail), s.sequence, 'IT') AS detail FROM (SELECT DISTINCT sequence FROM answer UNION SELECT 'no_row') AS s,
	pg_temp.expect(format('SELECT gid_next_gdid(%L)', sequence)) AS e
WHERE sequence NOT IN ('least', 'most', 'lowest', 'highest', 'whole', 'fewer') GROUP BY 2, 3 ORDER BY 1;
SELECT count(*) FROM gid.stat_sequences WHERE source <> 'local' AND next IS NOT NULL
	AND sequence::text ~ '^(authority|era|counter|end|count|null)_';
TRUNCATE asked;
-- A batch may begin with the least GDID, and end with the greatest.
SELECT gid_next_gdids('lowest', 1) AS lowest;
SELECT gid_next_gdids('lowest', 2) AS lowest, gid_next_gdids('highest', 2) AS highest;
TRUNCATE asked;
-- When a batch gets fewer values than it needs, gid asks once more and then gives up.
SELECT gid_next_gdids('whole', 3);
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdids('fewer', 2)$$) AS e;
SELECT pg_temp.asked();
-- The answer has other columns, no row, or an error of any length.
SET gid.authorities = :'one';
CREATE PROCEDURE answer_by(returns text, body text) LANGUAGE plpgsql AS $$
BEGIN
	DROP FUNCTION gid.authority_block(text, text, int, bigint);
	EXECUTE format('CREATE FUNCTION gid.authority_block(scope text, sequence text, size int, vicinity bigint) '
		'RETURNS %s LANGUAGE plpgsql AS %L', returns, body);
END $$;
CREATE FUNCTION pg_temp.refused(OUT code text, OUT detail text) LANGUAGE sql AS
	$$SELECT e.code, pg_temp.plain(e.detail) FROM pg_temp.expect('SELECT gid_next_gdids(''no_row'', 1)') AS e$$;
CALL answer_by('int', 'BEGIN RETURN 1; END');
SELECT * FROM pg_temp.refused();
CALL answer_by('TABLE (a int, b bigint, c bigint, d int, e int)', 'BEGIN RETURN QUERY SELECT 0, 0::bigint, 1::bigint, 1, 1; END');
SELECT * FROM pg_temp.refused();
CALL answer_by('TABLE (a int, b bigint, c bigint)', 'BEGIN RETURN QUERY SELECT 0, 0::bigint, 1::bigint; END');
SELECT * FROM pg_temp.refused();
CALL answer_by('void', 'BEGIN END');
SELECT * FROM pg_temp.refused();
CALL answer_by('TABLE (a text, b bytea, c bytea, d bool)', $$BEGIN RETURN QUERY SELECT '0', '\x30'::bytea, '\x31'::bytea, true; END$$);
SELECT * FROM pg_temp.refused();
CALL answer_by('TABLE (a text, b text, c text, d text)', $$BEGIN RETURN QUERY SELECT '0', '0', repeat('1', 10000000), '1'; END$$);
SELECT * FROM pg_temp.refused();
-- An error of the other server is no failure of it, whatever its class: gid asks it again.
CALL answer_by('int', 'BEGIN RAISE feature_not_supported; END');
SELECT e.code, pg_temp.plain(e.detail) AS detail, e.hint FROM generate_series(1, 2),
	pg_temp.expect('SELECT gid_next_gdids(''no_row'', 1)') AS e;
CALL answer_by('int', $$BEGIN RAISE EXCEPTION E'first line\nsecond line'; END$$);
SELECT * FROM pg_temp.refused();
CALL answer_by('int', $$BEGIN RAISE EXCEPTION E'bell\x07 and escape \x1b[31m'; END$$);
SELECT * FROM pg_temp.refused();
CALL answer_by('int', $$BEGIN RAISE EXCEPTION '%', repeat('long ', 100000); END$$);
SELECT code, length(detail) < 200 AS short FROM pg_temp.refused();
-- gid drops the notices of the other server, however many there are.
CALL answer_by('TABLE (a int, b bigint, c bigint, d int)', $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		RAISE WARNING 'not for you %', i;
	END LOOP;
	RETURN QUERY SELECT 3, 0::bigint, 1::bigint, 1;
END$$);
SELECT gid_next_gdids('no_row', 1);
-- The answer does not come in time. The caller may give up earlier.
CALL answer_by('int', 'BEGIN PERFORM pg_sleep(60); RETURN 1; END');
SELECT pg_temp.uri('slow') AS slow \gset
SET gid.authorities = :'slow';
SET statement_timeout = '300ms';
SELECT gid_next_gdids('no_row', 1);
RESET statement_timeout;
SELECT clock_timestamp() AS began \gset
SELECT code, detail ~ '^HERE: (no answer in time|.* statement timeout)$' AS late FROM pg_temp.refused();
SELECT clock_timestamp() - :'began' < '30 s' AS soon;
SELECT code, detail ~ '^HERE: passed over after: ' AS passed_over FROM pg_temp.refused();
SET gid.authorities = :'one';
-- The other server does not have the function.
DROP FUNCTION gid.authority_block(text, text, int, bigint);
SELECT e.code, e.detail ~ ': function .* does not exist$' AS detail
FROM pg_temp.expect($$SELECT gid_next_gdid('no_row')$$) AS e;
ALTER FUNCTION gid.regress_gid_away(text, text, int, bigint) RENAME TO authority_block;
SELECT gid_next_gdid('no_row');

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
