-- CREATE EXTENSION gid: what it brings, with the labels that the rules ask for;
-- into a schema, into another one, dropped and created again, by a user who is
-- no superuser.
SET client_min_messages = warning; DROP EXTENSION IF EXISTS gid;
\getenv srcdir PG_ABS_SRCDIR
\set numbers :srcdir '/sql/include/numbers.sql'
\set include :srcdir '/sql/include/expect.sql'
\i :include
\set reload :srcdir '/sql/include/reload.sql'

SELECT superuser, trusted, relocatable, schema, requires
FROM pg_available_extension_versions WHERE name = 'gid' AND version = '1.1';
CREATE SCHEMA gid_a;
CREATE SCHEMA gid_b;
CREATE EXTENSION gid SCHEMA gid_a;
SELECT extversion, extrelocatable, extnamespace::regnamespace AS schema,
	extconfig = ARRAY['gid_a.gid_decimal_generator'::regclass]::oid[] AS sequence_is_dumped
FROM pg_extension WHERE extname = 'gid';

-- Functions of the extension, and of which kind they are.
CREATE TEMP VIEW fn AS
SELECT p.*, CASE
	WHEN proname ~ '^gid_(make|extract)_' OR proname ~ '_(min|max|between|low|below)$'
		OR proname IN ('gid_uuid_from_mssql', 'gid_uuid_to_mssql', 'gid_uuid_shard_is', 'gid_region_shard',
		'gid_lexical_add', 'gid_permute', 'gid_unpermute', 'gid_encode')
		OR proname ~ '^gid_(decode|check)_'
		OR proname ~ '^(gid_)?gdid_' THEN 'pure'
	WHEN proname IN ('gid_uuid_v7', 'gid_uuid_v7_at', 'gid_uuid_sequential',
		'gid_uuid_sequential_mssql', 'gid_uuid_shard', 'gid_trace_id') THEN 'clock or random'
	WHEN proname ~ '^gid_stat_get_' THEN 'clock or random'
	WHEN proname ~ '^gid_inspect' THEN 'for people'
	WHEN proname IN ('gid_decimal_id', 'gid_forget') OR proname ~ '^gid_(next|authority_)'
		THEN 'may reserve' END AS kind
FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND p.prokind = 'f'
	AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gid');
SELECT proname AS function, pg_get_function_arguments(oid) AS arguments,
	pg_get_function_result(oid) AS result
FROM fn ORDER BY proname, 2;

-- Who breaks a rule: none.
CREATE TEMP VIEW offender AS
SELECT 'is of no known kind' AS rule, oid FROM fn WHERE kind IS NULL
UNION ALL SELECT 'name begins with gid_, of the type''s own with gdid_', oid FROM fn
	WHERE proname !~ '^(gid|gdid)_[a-z0-9_]+$'
UNION ALL SELECT 'has a comment', oid FROM fn
	WHERE coalesce(obj_description(oid, 'pg_proc'), '') = ''
UNION ALL SELECT 'every argument is named', oid FROM fn
	WHERE pronargs > 0 AND (proargnames IS NULL OR '' = ANY (proargnames))
UNION ALL SELECT 'pure: IMMUTABLE PARALLEL SAFE', oid FROM fn
	WHERE kind = 'pure' AND (provolatile, proparallel) <> ('i', 's')
	AND NOT (proname = 'gid_extract_trace_time' AND pronargs = 1)
UNION ALL SELECT 'reads the clock: STABLE PARALLEL SAFE', oid FROM fn
	WHERE proname = 'gid_extract_trace_time' AND pronargs = 1
	AND (provolatile, proparallel) <> ('s', 's')
UNION ALL SELECT 'clock or random: VOLATILE PARALLEL SAFE', oid FROM fn
	WHERE kind = 'clock or random' AND (provolatile, proparallel) <> ('v', 's')
UNION ALL SELECT 'for people: PARALLEL SAFE, STABLE where it shows a time', oid FROM fn
	WHERE kind = 'for people' AND (provolatile, proparallel) <>
		(CASE WHEN proname IN ('gid_inspect_family', 'gid_inspect_text') OR format_type(proargtypes[0], NULL) ~ 'gdid$'
		 THEN 'i'::"char" ELSE 's' END, 's'::"char")
UNION ALL SELECT 'may reserve: VOLATILE PARALLEL UNSAFE', oid FROM fn
	WHERE kind = 'may reserve' AND (provolatile, proparallel) <> ('v', 'u')
UNION ALL SELECT 'STRICT, but for the betweens and their ends, a look-up, a block''s vicinity, a family that may be left out and an id without a type', oid FROM fn
	WHERE proisstrict = (proname ~ '_(between|low|below)$' OR proname IN ('gid_authority_block', 'gid_uuid_shard_is')
		OR proname = 'gid_inspect' AND pronargs = 2 OR prosrc = 'gid_encode_text')
UNION ALL SELECT 'a between, a look-up and gid_inspect have an SQL-standard body, nothing else has one', oid FROM fn
	WHERE (prosqlbody IS NOT NULL) <> (proname ~ '_between$' OR proname IN ('gid_inspect', 'gid_uuid_shard_is'))
UNION ALL SELECT 'LEAKPROOF where it cannot fail', oid FROM fn
	WHERE proleakproof <> (kind = 'pure' AND
		(proname ~ '^gid_(extract_|uuid_(to|from)_mssql)' AND pronargs = 1 OR proname ~ '_(low|below)$'
		 OR proname IN ('gid_gdid_hex', 'gid_gdid_pack') OR proname ~ '^gdid_' AND proname NOT IN
			('gdid_in', 'gdid_recv', 'gdid_from_bytea', 'gdid_sortsupport')))
UNION ALL SELECT 'no COST, no SET, not SECURITY DEFINER, for all to call', oid FROM fn
	WHERE procost <> CASE WHEN prosqlbody IS NULL THEN 1 ELSE 100 END
	OR proconfig IS NOT NULL OR prosecdef
	OR (proacl IS NOT NULL) <> (proname = 'gid_authority_generator')
UNION ALL SELECT 'the C function has the name of the SQL function, and begins with gid_', oid FROM fn
	WHERE prosqlbody IS NULL AND (prosrc !~ '^gid_'
		OR prosrc !~ ('^(gid_)?' || proname || '(_[a-z0-9_]+)?$'));
SELECT rule, oid::regprocedure FROM offender ORDER BY rule, oid::regprocedure::text;

-- Members that are no functions; those without a comment, and columns without one:
-- none.  (From 17 on array types and the row types of views are members, too.)
SELECT i.type, i.identity COLLATE "C" AS identity,
	(SELECT relacl IS NULL FROM pg_class WHERE d.classid = 'pg_class'::regclass AND oid = d.objid)
		AS owner_only
FROM pg_depend AS d, pg_identify_object(classid, objid, objsubid) AS i
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND i.type <> 'function'
	AND (i.type <> 'type' OR i.name IN ('gdid', 'gid_id', 'gid_js_id'))
	AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gid') ORDER BY 1, 2;
SELECT i.identity FROM pg_depend AS d, pg_identify_object(classid, objid, objsubid) AS i
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
	AND (d.classid <> 'pg_type'::regclass OR EXISTS
		(SELECT FROM pg_type AS t WHERE t.oid = d.objid AND t.typtype <> 'c' AND t.typcategory <> 'A'))
	AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gid')
	AND coalesce(obj_description(d.objid, (SELECT relname FROM pg_class WHERE oid = d.classid)), '') = '';
SELECT d.objid::regclass AS relation, a.attname AS column FROM pg_depend AS d
	JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind <> 'S'
	JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
	AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gid')
	AND coalesce(col_description(c.oid, a.attnum), '') = '';
-- The domains' constraints, which are parts of them, have one as well.
SELECT contypid::regtype AS domain, conname, pg_get_constraintdef(oid) AS definition,
	obj_description(oid, 'pg_constraint') IS NOT NULL AS has_comment
FROM pg_constraint WHERE contypid IN ('gid_a.gid_id'::regtype, 'gid_a.gid_js_id'::regtype) ORDER BY conname;
-- The sequence of the DecimalIds is its owner's alone.
SELECT pg_get_userbyid(relowner) = current_user AS owned, relacl FROM pg_class
WHERE oid = 'gid_a.gid_decimal_generator'::regclass;
SELECT data_type, start_value, min_value, max_value, increment_by, cycle, cache_size, last_value
FROM pg_sequences WHERE sequencename = 'gid_decimal_generator';

-- Every generator works whatever the search path is, and in another schema.
LOAD 'gid';
\i :numbers
ALTER SYSTEM SET gid.launch_id = 0;
\set until 'current_setting(''gid.launch_id'') = ''0'''
\i :reload
CREATE SEQUENCE public.moved_no;
CREATE TABLE public.moved (v7 uuid DEFAULT gid_a.gid_uuid_v7(),
	v7_at uuid DEFAULT gid_a.gid_uuid_v7_at(now()),
	sequential uuid DEFAULT gid_a.gid_uuid_sequential(),
	mssql uuid DEFAULT gid_a.gid_uuid_sequential_mssql(),
	shard uuid DEFAULT gid_a.gid_uuid_shard(7),
	trace bigint DEFAULT gid_a.gid_trace_id(),
	decimal bigint DEFAULT gid_a.gid_decimal_id(),
	next bigint DEFAULT gid_a.gid_next('public.moved_no'),
	code text DEFAULT gid_a.gid_next_code('public.moved_no', '00A000', 'alphanumeric', true),
	gdid gid_a.gdid UNIQUE DEFAULT gid_a.gid_next_gdid('public', 'moved_no'));
SET search_path = '';
INSERT INTO public.moved DEFAULT VALUES;
ALTER EXTENSION gid SET SCHEMA gid_b;
INSERT INTO public.moved DEFAULT VALUES;
SELECT gid_b.gid_uuid_v7_between(v7, now() - interval '1 hour', now() + interval '1 hour')
FROM public.moved;
RESET search_path;
SELECT count(DISTINCT v7) AS v7, count(DISTINCT v7_at) AS v7_at,
	count(DISTINCT sequential) AS sequential, count(DISTINCT mssql) AS mssql,
	count(DISTINCT shard) AS shard, count(DISTINCT trace) AS trace,
	count(DISTINCT decimal) AS decimal, array_agg(next ORDER BY next) AS next,
	array_agg(code ORDER BY code) AS code, array_agg(gdid::text ORDER BY gdid) AS gdid FROM moved;
-- Launch 0 in a new sequence: its first generator, counters 1 and 2.
SELECT array_agg(decimal ORDER BY decimal) AS decimal_ids FROM moved;
SELECT last_value, is_called FROM gid_b.gid_decimal_generator;
DROP TABLE moved;
DROP SEQUENCE moved_no;

-- No lease outlives the extension: a new one has a new sequence, whose first
-- number is reserved when the same session makes its next id.
DROP EXTENSION gid;
SELECT to_regclass('gid_b.gid_decimal_generator') IS NULL AS sequence_gone,
	to_regproc('gid_b.gid_uuid_v7') IS NULL AS function_gone;
CREATE EXTENSION gid SCHEMA gid_b;
SELECT is_called AS reserved FROM gid_b.gid_decimal_generator;
SELECT gid_b.gid_decimal_id() AS decimal_id;
SELECT last_value, is_called AS reserved FROM gid_b.gid_decimal_generator;
DROP EXTENSION gid;

-- A user who is no superuser but may create in the database: everything works
-- and belongs to that user.
CREATE ROLE regress_gid_owner;
GRANT CREATE ON DATABASE :"DBNAME" TO regress_gid_owner;
GRANT CREATE, USAGE ON SCHEMA gid_a TO regress_gid_owner;
SET SESSION AUTHORIZATION regress_gid_owner;
CREATE EXTENSION gid SCHEMA gid_a;
SELECT pg_get_userbyid(extowner) AS owner FROM pg_extension WHERE extname = 'gid';
SELECT pg_get_userbyid(relowner) AS owner FROM pg_class
WHERE oid = 'gid_a.gid_decimal_generator'::regclass;
SET search_path = gid_a;
SELECT num_nonnulls(gid_uuid_v7(), gid_uuid_v7_at(now()), gid_uuid_sequential(),
	gid_uuid_sequential_mssql(), gid_uuid_shard(1), gid_trace_id(), gid_decimal_id()) AS ids;
SELECT setval('gid_decimal_generator', 41) AS own_sequence;
DROP EXTENSION gid;
RESET search_path;
RESET SESSION AUTHORIZATION;
REVOKE CREATE ON DATABASE :"DBNAME" FROM regress_gid_owner;

-- What somebody has put into the schema before is not called by the functions,
-- though it fits better than what pg_catalog has.
SET ROLE regress_gid_owner;
CREATE FUNCTION gid_a.cardinality(text[]) RETURNS int RETURN 1;
CREATE FUNCTION gid_a.array_remove(text[], text) RETURNS text[] RETURN $1;
CREATE FUNCTION gid_a.array_to_string(text[], text) RETURNS text RETURN $2;
CREATE FUNCTION gid_a.joined(text, int) RETURNS text RETURN $1;
CREATE FUNCTION gid_a.joined(int, text) RETURNS text RETURN $2;
CREATE FUNCTION gid_a.same(text[], text[]) RETURNS boolean RETURN true;
CREATE OPERATOR gid_a.|| (LEFTARG = text, RIGHTARG = int, FUNCTION = gid_a.joined);
CREATE OPERATOR gid_a.|| (LEFTARG = int, RIGHTARG = text, FUNCTION = gid_a.joined);
CREATE OPERATOR gid_a.= (LEFTARG = text[], RIGHTARG = text[], FUNCTION = gid_a.same);
RESET ROLE;
CREATE EXTENSION gid SCHEMA gid_a;
SELECT pg_describe_object(d.classid, d.objid, 0) AS object,
	pg_describe_object(d.refclassid, d.refobjid, 0) AS calls
FROM pg_depend AS d
JOIN pg_depend AS e ON e.classid = d.classid AND e.objid = d.objid AND e.deptype = 'e'
WHERE (d.refclassid, d.refobjid) IN (
	SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE proowner = 'regress_gid_owner'::regrole
	UNION ALL
	SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprowner = 'regress_gid_owner'::regrole);
DROP EXTENSION gid;
DROP OWNED BY regress_gid_owner;
DROP SCHEMA gid_a, gid_b;
DROP ROLE regress_gid_owner;

ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
\i :no_numbers
