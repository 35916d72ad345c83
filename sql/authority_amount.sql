-- gid.authorities: how many GDIDs are asked for, when and of whom.  A function in the
-- place of gid_authority_block() notes it; the servers are this one.
\getenv srcdir PG_ABS_SRCDIR
\set fleet :srcdir '/sql/include/fleet.sql'
\i :fleet
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

-- In the place of gid_authority_block(): what a table has for the sequence, and a
-- note of who was asked for how many.
ALTER FUNCTION gid_authority_block(text, text, int, bigint) RENAME TO regress_gid_away;
CREATE TABLE asked (n int GENERATED ALWAYS AS IDENTITY, server text, sequence text, size int);
CREATE TABLE answer (sequence text, authority text, era text, start text, count text);
CREATE FUNCTION public.gid_authority_block(scope text, sequence text, size int, vicinity bigint)
RETURNS TABLE (authority text, era text, start text, count text) LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO regress_gid_app.asked (server, sequence, size)
	VALUES (current_setting('application_name'), gid_authority_block.sequence, size);
	IF gid_authority_block.sequence = 'only_2' AND current_setting('application_name') = 'one' THEN
		RAISE 'not from me' USING DETAIL = E'First line.\nSecond line.';
	END IF;
	RETURN QUERY SELECT a.authority, a.era, a.start, coalesce(a.count, size::text)
	FROM regress_gid_app.answer AS a WHERE a.sequence = gid_authority_block.sequence;
END $$;
CREATE FUNCTION pg_temp.asked() RETURNS text LANGUAGE sql AS $$
	WITH gone AS (DELETE FROM asked RETURNING *)
	SELECT string_agg(format('%s %s of %s', sequence, size, server), ', ' ORDER BY n) FROM gone
$$;
CREATE SEQUENCE only_2 CACHE 2;
SET gid.authorities = :'one';
CREATE FUNCTION pg_temp.drawn(seq regclass, n int) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(id::text, ' ' ORDER BY i) FROM (SELECT i, gid_next_gdid(seq) AS id FROM generate_series(1, n) AS i) AS d$$;

-- How many are asked for: a sequence's CACHE, else by the pace and
-- gid.max_block_size, never more than there can be.
CREATE SEQUENCE large CACHE 100000;
CREATE SEQUENCE paced;
INSERT INTO answer VALUES ('large', 1, 0, 1, NULL), ('paced', 1, 0, 1, NULL);
SELECT pg_temp.drawn('large', 1), gid_next_gdids('large', 65536) LIMIT 1;
SELECT pg_temp.asked();
SELECT pg_temp.drawn('paced', 3);
SELECT (array_agg(size ORDER BY n))[1] AS first, max(size) BETWEEN 2 AND 4 * 2 + 4 AS second FROM asked;
TRUNCATE asked;
SET gid.max_block_size = 1;
SELECT gid_forget('paced'), pg_temp.drawn('paced', 2);
RESET gid.max_block_size;
SELECT pg_temp.asked();
-- No question while there is a block; the next one ahead of need, once.
CREATE SEQUENCE ahead CACHE 20;
INSERT INTO answer VALUES ('ahead', 1, 0, 1, NULL);
SELECT pg_temp.drawn('ahead', 15) IS NOT NULL AS drawn, pg_temp.asked();
SELECT pg_temp.drawn('ahead', 1) IS NOT NULL AS drawn, pg_temp.asked();
SELECT pg_temp.drawn('ahead', 19) IS NOT NULL AS drawn, pg_temp.asked();
SELECT reservations, prefetched FROM gid_stat_sequences WHERE sequence = 'ahead'::regclass;
-- While nobody answers, what is left is given out; the error comes with the first
-- one that is missing.
SELECT gid_forget('ahead'), pg_temp.drawn('ahead', 1) IS NOT NULL AS drawn;
SET gid.authorities = :'gone';
SELECT pg_temp.drawn('ahead', 19);
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ahead')$$) AS e;
SET gid.authorities = :'one';
SELECT pg_temp.drawn('ahead', 1);
UPDATE answer SET era = 99 WHERE sequence = 'ahead';
SELECT pg_temp.drawn('ahead', 19);
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ahead')$$) AS e;
-- The next server is asked when one refuses.  Of the error its message is told.
TRUNCATE asked;
INSERT INTO answer VALUES ('only_2', 2, 0, 1, NULL);
SELECT e.code, pg_temp.plain(e.detail) AS detail FROM pg_temp.expect($$SELECT gid_next_gdid('only_2')$$) AS e;
SELECT :'gone' || ' ' || :'one' || ' ' || :'two' AS list \gset
SET gid.authorities = :'list';
SELECT pg_temp.drawn('only_2', 3);
SELECT gid_next_gdids('only_2', 2);
SELECT pg_temp.asked();

-- As it was.
DROP FUNCTION gid_authority_block(text, text, int, bigint);
ALTER FUNCTION regress_gid_away(text, text, int, bigint) RENAME TO gid_authority_block;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
