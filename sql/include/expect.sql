\set ECHO none
-- pg_temp.expect(statements): a row for each statement with the error that it raises,
-- or 00000. A statement without an error keeps its effect.
CREATE FUNCTION pg_temp.expect(VARIADIC statements text[])
RETURNS TABLE (statement text, code text, message text, detail text, hint text)
LANGUAGE plpgsql AS $$
BEGIN
	FOREACH statement IN ARRAY statements LOOP
		code := '00000';
		message := NULL;
		detail := NULL;
		hint := NULL;
		BEGIN
			EXECUTE statement;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE,
				message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
				hint = PG_EXCEPTION_HINT;
		END;
		RETURN NEXT;
	END LOOP;
END $$;
-- pg_temp.alike(statements): a row for each different outcome, with the numbers of the
-- statements that have it.
CREATE FUNCTION pg_temp.alike(VARIADIC each text[])
RETURNS TABLE (statements text, code text, message text, detail text, hint text) LANGUAGE sql AS $$
	SELECT string_agg(n::text, ' ' ORDER BY n), e.code, e.message, e.detail, e.hint
	FROM pg_temp.expect(VARIADIC each) WITH ORDINALITY AS e (statement, code, message, detail, hint, n)
	GROUP BY 2, 3, 4, 5 ORDER BY min(n)
$$;
\set ECHO all
