\set ECHO none
-- Puts a function in the place of gid.authority_block(). It answers what the table
-- "answer" says for the sequence, and notes in the table "asked" which server was
-- asked for how many values. Server "one" refuses the sequence only_2.
--
-- pg_temp.asked(): the questions since the last call.
-- pg_temp.drawn(seq, n): n GDIDs.
--
-- At the end the test drops the function, and names gid.regress_gid_away() again
-- gid.authority_block(). Wants the schema regress_gid_app in the search path.
ALTER FUNCTION gid.authority_block(text, text, int, bigint) RENAME TO regress_gid_away;
CREATE TABLE asked (n int GENERATED ALWAYS AS IDENTITY, server text, sequence text, size int);
CREATE TABLE answer (sequence text, authority text, era text, start text, count text);
CREATE FUNCTION gid.authority_block(scope text, sequence text, size int, vicinity bigint)
RETURNS TABLE (authority text, era text, start text, count text) LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO regress_gid_app.asked (server, sequence, size)
	VALUES (current_setting('application_name'), authority_block.sequence, size);
	IF authority_block.sequence = 'only_2' AND current_setting('application_name') = 'one' THEN
		RAISE 'not from me' USING DETAIL = E'First line.\nSecond line.';
	END IF;
	RETURN QUERY SELECT a.authority, a.era, a.start, coalesce(a.count, size::text)
	FROM regress_gid_app.answer AS a WHERE a.sequence = authority_block.sequence;
END $$;
CREATE FUNCTION pg_temp.asked() RETURNS text LANGUAGE sql AS $$
	WITH gone AS (DELETE FROM asked RETURNING *)
	SELECT string_agg(format('%s %s of %s', sequence, size, server), ', ' ORDER BY n) FROM gone
$$;
CREATE FUNCTION pg_temp.drawn(seq regclass, n int) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(id::text, ' ' ORDER BY i) FROM (SELECT i, gid_next_gdid(seq) AS id FROM generate_series(1, n) AS i) AS d$$;
\set ECHO all
