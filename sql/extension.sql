-- CREATE EXTENSION gid: its objects, their labels, comments and privileges.
-- extension_schema.sql has schemas and owners, reference.sql all objects.
\i sql/include/start.sql
DROP EXTENSION gid;

SELECT superuser, trusted, relocatable, schema, requires
FROM pg_available_extension_versions WHERE name = 'gid' AND version = '2.1';
CREATE SCHEMA gid_a;
CREATE EXTENSION gid SCHEMA gid_a;
SELECT extversion, extrelocatable, extnamespace::regnamespace AS schema,
	extconfig = ARRAY['gid.decimal_generator'::regclass, 'gid.node_writer'::regclass]::oid[] AS state_is_dumped
FROM pg_extension WHERE extname = 'gid';

\set ECHO none
CREATE TEMP VIEW member AS
SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gid');
-- The functions of the extension, and the kind of each. "name" is that of the
-- C function: in the schema gid the prefix is left out.
CREATE TEMP VIEW fn AS
SELECT p.*, nspname, name, CASE
	WHEN name ~ '^gid_(make|extract)_' OR name ~ '_(min|max|between|low|below)$'
		OR name IN ('gid_uuid_from_mssql', 'gid_uuid_to_mssql', 'gid_uuid_shard_is', 'gid_region_shard',
		'gid_lexical_add', 'gid_code_normalize', 'gid_permute', 'gid_unpermute', 'gid_uuid_mask', 'gid_uuid_unmask', 'gid_encode',
		'gid_typeid', 'gid_typeid_uuid', 'gid_edition')
		OR name ~ '^gid_(decode|check)_'
		OR name ~ '^(gid_)?gdid_' THEN 'pure'
	WHEN name ~ '^gid_inspect' THEN 'for people'
	WHEN name IN ('gid_stat_get_column_state', 'gid_stat_get_node_leases') THEN 'looks at rows'
	WHEN name IN ('gid_decimal_id', 'gid_forget', 'gid_advance', 'gid_catch_up', 'gid_catch_up_members') OR name ~ '^gid_(next|authority_|serve_)' AND name <> 'gid_serve_reason'
		THEN 'may reserve'
	WHEN name ~ '_horizon$' AND name !~ '^gid_stat_' THEN 'horizon'
	WHEN name IN ('gid_stat_get_horizon', 'gid_stat_get_readers') THEN 'looks at backends'
	WHEN name IN ('gid_uuid_v7', 'gid_uuid_sequential', 'gid_uuid_sequential_mssql', 'gid_snowflake_id', 'gid_trace_id')
		THEN 'is the leader''s'
	WHEN (provolatile, proparallel) = ('v', 's') THEN 'clock or random' END AS kind
FROM pg_proc AS p
JOIN pg_namespace AS s ON s.oid = p.pronamespace
CROSS JOIN LATERAL (SELECT CASE WHEN nspname = 'gid' THEN 'gid_' ELSE '' END || p.proname) AS n (name)
JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE p.prokind = 'f';
\set ECHO all
-- Functions that break a rule: none.
\set ECHO none
CREATE TEMP VIEW offender AS
SELECT 'pure, for people, may reserve, a horizon, the leader''s, or else VOLATILE PARALLEL SAFE' AS rule, oid FROM fn WHERE kind IS NULL
UNION ALL SELECT 'name begins with gid_, of the type''s own with gdid_', oid FROM fn
	WHERE name !~ '^(gid|gdid)_[a-z0-9_]+$'
UNION ALL SELECT 'what other servers call and helpers of other objects are in gid, the rest is in the schema that was chosen', oid FROM fn
	WHERE nspname <> CASE WHEN name ~ '^gid_(authority|catch_up|serve|stat_get)_' OR name ~ '^gid_inspect_(text|family)$'
		THEN 'gid' ELSE 'gid_a' END
UNION ALL SELECT 'has a comment', oid FROM fn
	WHERE coalesce(obj_description(oid, 'pg_proc'), '') = ''
UNION ALL SELECT 'every argument is named', oid FROM fn
	WHERE pronargs > 0 AND (proargnames IS NULL OR '' = ANY (proargnames))
UNION ALL SELECT 'pure: IMMUTABLE PARALLEL SAFE', oid FROM fn
	WHERE kind = 'pure' AND (provolatile, proparallel) <> ('i', 's')
	AND NOT (name = 'gid_extract_trace_time' AND pronargs = 1)
UNION ALL SELECT 'reads the clock: STABLE PARALLEL SAFE', oid FROM fn
	WHERE name = 'gid_extract_trace_time' AND pronargs = 1
	AND (provolatile, proparallel) <> ('s', 's')
UNION ALL SELECT 'for people: PARALLEL SAFE, STABLE where it shows a time', oid FROM fn
	WHERE kind = 'for people' AND (provolatile, proparallel) <>
		(CASE WHEN name IN ('gid_inspect_family', 'gid_inspect_text') OR format_type(proargtypes[0], NULL) ~ 'gdid$'
		 THEN 'i'::"char" ELSE 's' END, 's'::"char")
UNION ALL SELECT 'may reserve: VOLATILE PARALLEL UNSAFE', oid FROM fn
	WHERE kind = 'may reserve' AND (provolatile, proparallel) <> ('v', 'u')
UNION ALL SELECT 'horizon: STABLE PARALLEL RESTRICTED', oid FROM fn
	WHERE kind = 'horizon' AND (provolatile, proparallel) <> ('s', 'r')
UNION ALL SELECT 'makes ids that have a horizon or a leased number: VOLATILE PARALLEL RESTRICTED', oid FROM fn
	WHERE kind = 'is the leader''s' AND (provolatile, proparallel) <> ('v', 'r')
UNION ALL SELECT 'looks at backends of the leader: VOLATILE PARALLEL RESTRICTED', oid FROM fn
	WHERE kind = 'looks at backends' AND (provolatile, proparallel) <> ('v', 'r')
UNION ALL SELECT 'looks at rows with a snapshot of its own: STABLE PARALLEL UNSAFE', oid FROM fn
	WHERE kind = 'looks at rows' AND (provolatile, proparallel) <> ('s', 'u')
UNION ALL SELECT 'STRICT, but for the betweens and their ends, a look-up, a block''s vicinity, a lease that is not held and a family that may be left out', oid FROM fn
	WHERE proisstrict = (name ~ '_(between|low|below)$' OR name IN ('gid_authority_block', 'gid_authority_node', 'gid_uuid_shard_is')
		OR name = 'gid_inspect' AND pronargs = 2)
UNION ALL SELECT 'a between, a look-up, gid_catch_up, gid_edition and gid_inspect have an SQL-standard body, nothing else has one', oid FROM fn
	WHERE (prosqlbody IS NOT NULL) <> (name ~ '_between$' OR name IN ('gid_catch_up', 'gid_edition', 'gid_inspect', 'gid_uuid_shard_is'))
UNION ALL SELECT 'LEAKPROOF where it cannot fail', oid FROM fn
	WHERE proleakproof <> (kind = 'pure' AND
		(name ~ '^gid_(extract_|uuid_(to|from)_mssql)' AND pronargs = 1 OR name ~ '_(low|below)$' AND pronargs = 1
		 OR name IN ('gid_gdid_hex', 'gid_gdid_pack') OR name ~ '^gdid_' AND name NOT IN
			('gdid_in', 'gdid_recv', 'gdid_from_bytea', 'gdid_sortsupport')))
UNION ALL SELECT 'no COST, no SET, no SECURITY DEFINER, for all to call but what gives to other servers and shows leases', oid FROM fn
	WHERE procost <> CASE WHEN prosqlbody IS NULL THEN 1 ELSE 100 END
	OR proconfig IS NOT NULL OR prosecdef
	OR EXISTS (SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee = 0) =
		(name ~ '^gid_authority_' AND name <> 'gid_authority_block' OR name = 'gid_stat_get_node_leases')
UNION ALL SELECT 'the C function has the name of the SQL function, and begins with gid_', oid FROM fn
	WHERE prosqlbody IS NULL AND (prosrc !~ '^gid_'
		OR prosrc !~ ('^(gid_)?' || name || '(_[a-z0-9_]+)?$'));
\set ECHO all
SELECT rule, oid::regprocedure FROM offender ORDER BY rule, oid::regprocedure::text;

-- Members and columns without a comment: none. From 17 on array types and row
-- types of views are members, too.
SELECT pg_describe_object(classid, objid, 0) FROM member
WHERE coalesce(obj_description(objid, (SELECT relname FROM pg_class WHERE oid = classid)), '') = ''
	AND (classid <> 'pg_type'::regclass OR objid IN (SELECT oid FROM pg_type WHERE typtype <> 'c' AND typcategory <> 'A'));
SELECT attrelid::regclass AS relation, attname AS column
FROM member JOIN pg_class AS c ON classid = 'pg_class'::regclass AND c.oid = objid AND relkind <> 'S'
	JOIN pg_attribute ON attrelid = objid AND attnum > 0
WHERE coalesce(col_description(attrelid, attnum), '') = '';
SELECT contypid::regtype AS domain, pg_get_constraintdef(oid) AS definition, obj_description(oid, 'pg_constraint') IS NOT NULL AS has_comment
FROM pg_constraint WHERE contypid IN ('gid_a.gid_id'::regtype, 'gid_a.gid_js_id'::regtype) ORDER BY conname;

-- Privileges of others than the owner. The rules have those of PUBLIC on
-- functions. Types have the default privileges.
SELECT pg_describe_object(classid, objid, 0) COLLATE "C" AS object, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee,
	string_agg(a.privilege_type, ' ' ORDER BY a.privilege_type) AS privileges
FROM member JOIN (
	SELECT 'pg_class'::regclass, oid, relowner, relacl FROM pg_class
	UNION ALL SELECT 'pg_proc'::regclass, oid, proowner, proacl FROM pg_proc
	UNION ALL SELECT 'pg_type'::regclass, oid, typowner, typacl FROM pg_type
	UNION ALL SELECT 'pg_namespace'::regclass, oid, nspowner, nspacl FROM pg_namespace) AS o (class, oid, owner, acl)
	ON classid = class AND objid = o.oid, aclexplode(acl) AS a
WHERE a.grantee <> owner AND NOT (a.grantee = 0 AND classid = 'pg_proc'::regclass) GROUP BY 1, 2 ORDER BY 1, 2;
-- The state of a new extension.
SELECT data_type, start_value, min_value, max_value, increment_by, cycle, cache_size, last_value
FROM pg_sequences WHERE schemaname = 'gid';
SELECT FROM gid.node_writer;
DROP EXTENSION gid;
DROP SCHEMA gid_a;
