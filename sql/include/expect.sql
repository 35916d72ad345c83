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
\set ECHO all
