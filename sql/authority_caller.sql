-- gid.authorities: who may draw from blocks of other servers. gid runs no object of
-- the caller's. The other server is this database.
\i sql/include/fleet.sql
CREATE SCHEMA regress_gid_app;
CREATE ROLE regress_gid_user;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
SET search_path = regress_gid_app, public;

CREATE SEQUENCE other;
SET gid.authorities = :'uri';

-- Only the privileges on the sequence decide. The connection is that of the URI,
-- whoever calls and whoever owns the sequence.
SELECT gid_forget('other');
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_gdid('other')$$, $$SELECT gid_next_gdids('other', 1)$$,
	$$SELECT gid_next_gdid('regress_gid_app', 'other')$$) AS e;
RESET SESSION AUTHORIZATION;
GRANT USAGE ON SEQUENCE other TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_next_gdid('other') IS NOT NULL AS single, gid_next_gdids('other', 1) IS NOT NULL AS batch,
	gid_next_gdid('regress_gid_app', 'other') IS NOT NULL AS named;
RESET SESSION AUTHORIZATION;
CREATE SEQUENCE theirs;
ALTER SEQUENCE theirs OWNER TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_next_gdid('theirs') IS NOT NULL AS answers;
RESET SESSION AUTHORIZATION;
REVOKE ALL ON SEQUENCE theirs FROM regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdids('theirs', 1)$$) AS e;
RESET ROLE;
DROP SEQUENCE theirs;
-- A SECURITY DEFINER function draws for a caller who has no privilege.
REVOKE USAGE ON SEQUENCE other FROM regress_gid_user;
CREATE FUNCTION definer() RETURNS boolean SECURITY DEFINER LANGUAGE sql AS
	$$SELECT count(*) = 3 FROM gid_next_gdids('regress_gid_app.other', 3)$$;
SET ROLE regress_gid_user;
SELECT definer();
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdids('other', 1)$$) AS e;
SELECT definer();
RESET ROLE;
DROP FUNCTION definer();
-- gid runs no object of the caller's: nothing from the search path, from the temporary
-- schema, or from the search path of the database at the other end. Each object of the
-- trap counts in a sequence, because no rollback undoes that.
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
CREATE FUNCTION regress_gid_evil.equal(pg_catalog.text, pg_catalog.text) RETURNS boolean LANGUAGE sql AS 'SELECT regress_gid_evil.who($1)';
CREATE FUNCTION regress_gid_evil.equal(name, pg_catalog.text) RETURNS boolean LANGUAGE sql AS 'SELECT regress_gid_evil.who($2)';
CREATE FUNCTION regress_gid_evil.equal(oid, oid) RETURNS boolean LANGUAGE sql AS $$SELECT regress_gid_evil.who('oid')$$;
CREATE OPERATOR regress_gid_evil.= (FUNCTION = regress_gid_evil.equal, LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text);
CREATE OPERATOR regress_gid_evil.= (FUNCTION = regress_gid_evil.equal, LEFTARG = name, RIGHTARG = pg_catalog.text);
CREATE OPERATOR regress_gid_evil.= (FUNCTION = regress_gid_evil.equal, LEFTARG = oid, RIGHTARG = oid);
CREATE FUNCTION regress_gid_evil.quote_ident(pg_catalog.text) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT regress_gid_evil.who($1)::pg_catalog.text';
CREATE FUNCTION regress_gid_evil.set_config(pg_catalog.text, pg_catalog.text, boolean) RETURNS pg_catalog.text LANGUAGE sql AS
	'SELECT regress_gid_evil.who($1)::pg_catalog.text';
CREATE FUNCTION regress_gid_evil.authority_block(pg_catalog.text, pg_catalog.text, int, bigint) RETURNS int LANGUAGE sql AS
	'SELECT 1 FROM regress_gid_evil.who($1)';
CREATE FUNCTION regress_gid_evil.concat(VARIADIC pg_catalog.text[]) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT regress_gid_evil.who($1[1])::pg_catalog.text';
-- The schema of what is called there is for nobody else.
SELECT e.code, e.message FROM pg_temp.expect($$CREATE FUNCTION gid.authority_block(pg_catalog.text, pg_catalog.text, int, bigint) RETURNS int LANGUAGE sql AS 'SELECT 1'$$) AS e;
SELECT gid_next_gdids('regress_gid_app.other', 1) IS NOT NULL AS with_temporary_schema;
SET search_path = regress_gid_evil, pg_catalog, public, pg_temp;
SELECT gid_next_gdids('regress_gid_app.other', 1) IS NOT NULL AS with_search_path;
RESET SESSION AUTHORIZATION;
ALTER DATABASE :"DBNAME" SET search_path = regress_gid_evil, pg_catalog, public;
SELECT gid_forget('regress_gid_app.other');
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_next_gdids('regress_gid_app.other', 1) IS NOT NULL AS with_search_path_of_database,
	gid_next_gdid('regress_gid_app.other') IS NOT NULL AS single;
RESET SESSION AUTHORIZATION;
ALTER DATABASE :"DBNAME" RESET search_path;
SELECT is_called FROM regress_gid_evil.called;
-- The trap does count when something calls it.
SELECT regress_gid_evil.quote_ident('x');
SELECT is_called FROM regress_gid_evil.called;
DROP DOMAIN pg_temp.text;

-- Clean up.
SET search_path = public;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app, regress_gid_evil CASCADE;
DROP ROLE regress_gid_user;
\i :no_numbers
