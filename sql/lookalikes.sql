-- Nothing of the extension is looked up where others can put things:
-- look-alikes of the functions and operators that its script names are in the
-- schema of its functions before CREATE EXTENSION. None is ever called.
\i sql/include/start.sql
\set ECHO none
SET client_min_messages = warning;
-- The names that the script calls, with the arguments of each function.
CREATE TEMP TABLE called AS
SELECT DISTINCT p.proname AS name, p.proargtypes::oid[] AS types
FROM pg_config AS c, pg_read_file(c.setting || '/extension/gid--2.1.sql') AS s(script),
	regexp_matches(script, '\m([a-z_0-9]+)\(', 'g') AS m, pg_proc AS p
WHERE c.name = 'SHAREDIR' AND p.proname = m[1] AND 2281 <> ALL (p.proargtypes) AND p.pronargs BETWEEN 1 AND 8
	AND (p.pronamespace = 'pg_catalog'::regnamespace OR p.proname ~ '^gid_');
DROP EXTENSION gid;
CREATE ROLE regress_gid_evil;
CREATE SCHEMA regress_gid_like AUTHORIZATION regress_gid_evil;
CREATE TEMP TABLE kind AS
SELECT * FROM unnest('{text,name,oid,regclass,int,bigint,uuid,bytea,"\"char\"",timestamptz,interval,boolean,text[]}'::regtype[]) AS type;
GRANT SELECT ON called, kind TO regress_gid_evil;

-- Each function with another type of an argument, or with fewer arguments.
SET ROLE regress_gid_evil;
DO $do$
DECLARE
	one record;
BEGIN
	FOR one IN
		(SELECT DISTINCT name, array_to_string(ARRAY(SELECT CASE WHEN n = place THEN kind.type ELSE t::regtype END FROM unnest(types) WITH ORDINALITY AS u(t, n)), ', ') AS arguments
		FROM called, kind, generate_series(1, cardinality(types)) AS place
		UNION
		SELECT name, array_to_string(types[:n]::regtype[], ', ') FROM called, generate_series(0, cardinality(types) - 1) AS n)
		EXCEPT
		-- the script's own
		SELECT name, array_to_string(types::regtype[], ', ') FROM called WHERE name ~ '^gid_'
	LOOP
		BEGIN
			EXECUTE format('CREATE FUNCTION regress_gid_like.%I(%s) RETURNS boolean LANGUAGE plpgsql AS %L', one.name, one.arguments,
				format('BEGIN RAISE %L; END', 'a look-alike was called: ' || one.name || '(' || one.arguments || ')'));
		EXCEPTION WHEN OTHERS THEN
			-- a pseudo-type alone
			NULL;
		END;
	END LOOP;
	FOR one IN SELECT a.type AS left, b.type AS right FROM kind AS a, kind AS b LOOP
		EXECUTE format('CREATE FUNCTION regress_gid_like.operate(%s, %s) RETURNS boolean LANGUAGE plpgsql AS %L', one.left, one.right,
			format('BEGIN RAISE %L; END', 'a look-alike was called: ' || one.left || ', ' || one.right));
	END LOOP;
	FOR one IN
		SELECT o.name, a.type AS left, b.type AS right FROM unnest('{=,<>,<,<=,>,>=,||,+,-,&,|,<<,>>,~,~~}'::text[]) AS o(name), kind AS a, kind AS b
	LOOP
		EXECUTE format('CREATE OPERATOR regress_gid_like.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = regress_gid_like.operate)', one.name, one.left, one.right);
	END LOOP;
END $do$;
RESET ROLE;
RESET client_min_messages;
\set ECHO all
SELECT count(*) > 1000 AS functions FROM pg_proc WHERE pronamespace = 'regress_gid_like'::regnamespace;
SELECT count(*) > 1000 AS operators FROM pg_operator WHERE oprnamespace = 'regress_gid_like'::regnamespace;
-- They are good ones: a superuser who writes such a condition calls one.
SET search_path = regress_gid_like;
SELECT 1::oid = 'pg_class'::regclass;

CREATE EXTENSION gid SCHEMA regress_gid_like;
\set ECHO none
CREATE FUNCTION pg_temp.read(view regclass) RETURNS text LANGUAGE plpgsql SET search_path = regress_gid_like AS $$
BEGIN
	EXECUTE pg_catalog.format('SELECT pg_catalog.count(v) FROM %s AS v', view);
	RETURN 'read';
END $$;
\set ECHO all
SELECT c.relname, pg_temp.read(c.oid) FROM pg_catalog.pg_class AS c WHERE c.relkind = 'v' AND c.relnamespace::oid OPERATOR(pg_catalog.=) 'gid'::regnamespace::oid ORDER BY c.relname;
-- What has a body in SQL, and what calls helpers.
SELECT i.part FROM gid_inspect(gid_uuid_v7()) AS i;
SELECT i.part FROM gid_inspect('00000000-0000-0000-0000-000000000000'::uuid) AS i;
SELECT i.part FROM gid_inspect('0:1:75'::gdid) AS i;
SELECT i.part FROM gid_inspect(14150009200065, 'decimal'::text) AS i;
SELECT i.part FROM gid_inspect('06H073JVFDQJ37CTP7S1G67824'::text) AS i WHERE i.part = 'form'::text;
SELECT gid_uuid_v7_between(gid_uuid_v7(), NULL::timestamptz, NULL::timestamptz) AS v7,
	gid_uuid_sequential_between(gid_uuid_sequential(), NULL::timestamptz, NULL::timestamptz) AS sequential,
	gid_uuid_shard_between(gid_uuid_shard(7::bigint), NULL::timestamptz, NULL::timestamptz) AS shard,
	gid_snowflake_id_between(2124503163196174345, NULL::timestamptz, NULL::timestamptz, 1288834974657) AS snowflake,
	gid_uuid_shard_is(id, id) AS shard_is FROM (SELECT '61ff0f80-a2a1-a4a3-a50a-0b0c07000000'::uuid) AS s(id);
SELECT 5::gid_id, 5::gid_js_id;
SELECT '0:1:75'::gdid < '0:1:76'::gdid AS less;
SELECT l.node FROM gid.authority_node('61ff0f80-a2a1-a4a3-a50a-0b0c07000000'::uuid, NULL, NULL, pg_catalog.date_trunc('second'::text, pg_catalog.now()),
	pg_catalog.date_trunc('second'::text, pg_catalog.now()) OPERATOR(pg_catalog.+) '1 min'::interval, 1023) AS l;
CREATE TABLE made (id gdid PRIMARY KEY, code text COLLATE "C");
INSERT INTO made VALUES ('0:1:75', gid_lexical_add('9'::text, 1::bigint, 'numeric'::text, false));
SELECT id, code FROM made ORDER BY id;
RESET search_path;

DROP EXTENSION gid CASCADE;

-- The script ends with a look at what its objects need: nothing of others. The
-- owner of the schema renames it while the script runs, and puts another one
-- in its place. An event trigger does that here, at one moment of the script.
\set ECHO none
CREATE SCHEMA regress_gid_now;
CREATE SCHEMA regress_gid_other;
CREATE FUNCTION regress_gid_other.gid_uuid_v7_low(since timestamptz) RETURNS uuid LANGUAGE sql AS $$SELECT NULL::uuid$$;
CREATE FUNCTION regress_gid_other.gid_uuid_v7_below(since timestamptz) RETURNS uuid LANGUAGE sql AS $$SELECT NULL::uuid$$;
CREATE FUNCTION pg_temp.rename() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
	IF to_regprocedure('regress_gid_now.gid_uuid_v7_below(timestamptz)') IS NOT NULL AND to_regnamespace('regress_gid_before') IS NULL THEN
		ALTER SCHEMA regress_gid_now RENAME TO regress_gid_before;
		ALTER SCHEMA regress_gid_other RENAME TO regress_gid_now;
	END IF;
END $$;
CREATE EVENT TRIGGER regress_gid_rename ON ddl_command_end WHEN TAG IN ('CREATE FUNCTION') EXECUTE FUNCTION pg_temp.rename();
\set ECHO all
\set SHOW_CONTEXT never
CREATE EXTENSION gid SCHEMA regress_gid_now;
DROP EVENT TRIGGER regress_gid_rename;
SELECT count(*) FROM pg_extension WHERE extname = 'gid';

SET client_min_messages = warning;
DROP SCHEMA regress_gid_like, regress_gid_now, regress_gid_other CASCADE;
DROP OWNED BY regress_gid_evil;
DROP ROLE regress_gid_evil;
CREATE EXTENSION gid;
