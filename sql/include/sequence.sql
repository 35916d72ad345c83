\set ECHO none
-- Start of a test of sequences: two schemas, of which the first is in the search path,
-- and a role that may use both. The test drops all three at its end.
--
-- pg_temp.outcome(call): the value of a call, or its error.
-- pg_temp.same(mine, theirs): the error of a call, and whether nextval() raises the
-- same one but for the function's name.
\if :library
LOAD 'gid';
\endif
CREATE SCHEMA regress_gid_mine;
CREATE SCHEMA regress_gid_theirs;
CREATE ROLE regress_gid_user;
GRANT USAGE ON SCHEMA regress_gid_mine, regress_gid_theirs TO regress_gid_user;
SET search_path = regress_gid_mine, public;
CREATE FUNCTION pg_temp.outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	value text;
BEGIN
	EXECUTE call INTO value;
	RETURN value;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION pg_temp.same(mine text, theirs text)
RETURNS TABLE (code text, message text, as_nextval boolean) LANGUAGE sql AS $$
	SELECT m.code, m.message, m.code = t.code AND
		regexp_replace(m.message, 'gid_[a-z_]+', 'nextval') = t.message
	FROM pg_temp.expect(mine) AS m, pg_temp.expect(theirs) AS t
$$;
\set ECHO all
