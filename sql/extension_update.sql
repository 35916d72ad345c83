-- An installation that was updated from an older version equals a fresh one: members,
-- definitions, owners, privileges, comments, labels, dependencies.
\i sql/include/start.sql
\set ECHO none
DROP EXTENSION gid;

-- What the extension consists of, without numbers that differ from one installation to the next.
CREATE FUNCTION pg_temp.row_of(class oid, object oid) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE result jsonb;
BEGIN
	EXECUTE format('SELECT to_jsonb(c) FROM %s AS c WHERE oid = $1', class::regclass) INTO result USING object;
	-- shown by their definitions below, or by dependencies and privileges
	RETURN regexp_replace((result - '{oid,relfilenode,reltoastrelid,relpages,reltuples,relfrozenxid,relminmxid,relacl,proacl,typacl,nspacl,prosqlbody,prosrc,proargdefaults,ev_action,ev_qual,adbin,conbin}'::text[])::text,
		'(?<![0-9])([2-9][0-9]{4}|1[7-9][0-9]{3}|16[4-9][0-9]{2}|163(8[4-9]|9[0-9])|[0-9]{6,10})(?![0-9])', '-', 'g')::jsonb;
END $$;
CREATE TEMP VIEW part AS
WITH RECURSIVE part AS (
	SELECT classid, objid, 'member' AS how FROM pg_depend
	WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gid')
	UNION
	SELECT d.classid, d.objid, 'part' FROM part AS p
	JOIN pg_depend AS d ON d.refclassid = p.classid AND d.refobjid = p.objid AND d.deptype IN ('a', 'i')
)
TABLE part;
CREATE TEMP VIEW surface AS
WITH described AS (SELECT p.*, pg_describe_object(classid, objid, 0) AS object FROM part AS p
	WHERE pg_describe_object(classid, objid, 0) NOT LIKE '%pg_toast%')
SELECT object, how AS what, pg_temp.row_of(classid, objid)::text AS value FROM described
UNION ALL
SELECT object, 'definition', CASE classid
	WHEN 'pg_proc'::regclass THEN pg_get_functiondef((SELECT oid FROM pg_proc WHERE oid = objid AND prokind <> 'a'))
	WHEN 'pg_class'::regclass THEN coalesce(pg_get_viewdef(objid), pg_get_indexdef(objid))
	WHEN 'pg_constraint'::regclass THEN pg_get_constraintdef(objid)
	WHEN 'pg_attrdef'::regclass THEN (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE oid = objid) END
FROM described
UNION ALL
SELECT object, 'column ' || attnum, concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attacl, col_description(objid, attnum))
FROM described JOIN pg_attribute ON classid = 'pg_class'::regclass AND attrelid = objid AND attnum > 0
UNION ALL
SELECT object, 'comment', obj_description(objid, classid::regclass::name) FROM described
UNION ALL
SELECT object, 'label', label FROM described JOIN pg_seclabel AS l ON l.classoid = classid AND l.objoid = objid
UNION ALL
SELECT object, 'needs', concat_ws(' ', deptype, pg_describe_object(refclassid, refobjid, refobjsubid))
FROM described JOIN pg_depend USING (classid, objid)
UNION ALL
SELECT object, name || ' of ' || coalesce(nullif(grantee, 0)::regrole::text, 'public'), concat_ws(' ', grantor::regrole, privilege_type, is_grantable)
FROM described
CROSS JOIN LATERAL (
	SELECT 'privilege', acl FROM (
		SELECT oid, coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner)) FROM pg_class
		UNION ALL SELECT oid, coalesce(proacl, acldefault('f', proowner)) FROM pg_proc
		UNION ALL SELECT oid, coalesce(typacl, acldefault('T', typowner)) FROM pg_type
		UNION ALL SELECT oid, coalesce(nspacl, acldefault('n', nspowner)) FROM pg_namespace) AS c (oid, acl) WHERE oid = objid
	UNION ALL
	SELECT 'initial privilege', initprivs FROM pg_init_privs AS i WHERE i.classoid = classid AND i.objoid = objid AND objsubid = 0) AS l (name, acl)
CROSS JOIN LATERAL aclexplode(acl)
UNION ALL
SELECT 'dumped', c::regclass::text, w FROM pg_extension, unnest(extconfig, extcondition) AS d (c, w) WHERE extname = 'gid'
UNION ALL
SELECT 'extension', extversion, concat_ws(' ', extowner::regrole, extnamespace::regnamespace, extrelocatable) FROM pg_extension WHERE extname = 'gid';

CREATE EXTENSION gid;
CREATE TEMP TABLE fresh AS TABLE surface;
\set ECHO all
SELECT count(*) > 1500 AS many, count(*) FILTER (WHERE what = 'definition' AND value <> '') > 150 AS defined,
	count(*) FILTER (WHERE what ~ '^initial') > 50 AS initial, count(*) FILTER (WHERE what = 'comment' AND value <> '') > 150 AS commented
FROM fresh;
\set ECHO none
DROP EXTENSION gid;

-- 2.0, with views of users on all of gid's views, and rights of their own on its functions.
CREATE EXTENSION gid VERSION '2.0';
CREATE ROLE regress_gid_update;
CREATE SCHEMA users;
-- The library serves the script of 2.0: a lease, its extension and the view.
CREATE FUNCTION pg_temp.lease(held_node int, until interval) RETURNS record LANGUAGE sql AS $$
	SELECT a.node, a.until - date_trunc('second', now())
	FROM (SELECT date_trunc('second', now())) AS t(s), gid.authority_node('00000000-0000-4000-8000-000000000001', held_node,
		(SELECT l.until FROM gid.node_leases AS l WHERE l.node = held_node), s, s + lease.until, 1023) AS a
$$;
BEGIN;
\set ECHO all
SELECT gid.authority_resume(), pg_temp.lease(NULL, '20 s'), pg_temp.lease(256, '30 s');
SELECT node, is_held FROM gid.stat_node_leases;
SELECT e.code, left(e.message, 40) FROM pg_temp.expect('SELECT gid.authority_node(NULL, NULL, NULL, now(), now(), 1)',
	'SELECT gid.lease_used_up(256, 1023, now())') AS e;
\set ECHO none
COMMIT;
DO $$
DECLARE it record;
BEGIN
	FOR it IN SELECT classid, objid::regprocedure AS routine, objid::regclass AS relation FROM pg_temp.part
	LOOP
		IF it.classid = 'pg_proc'::regclass THEN
			EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO regress_gid_update', it.routine);
		ELSIF (SELECT relkind = 'v' FROM pg_class WHERE oid = it.relation) THEN
			EXECUTE format('GRANT SELECT ON %s TO regress_gid_update', it.relation);
			EXECUTE format('CREATE VIEW users.%s AS TABLE %s', replace(it.relation::text, 'gid.', ''), it.relation);
		END IF;
	END LOOP;
END $$;
ALTER EXTENSION gid UPDATE;
-- The leases are there.
BEGIN;
\set ECHO all
SELECT pg_temp.lease(256, '40 s'), gid.authority_resume();
SELECT node, is_held FROM gid.stat_node_leases;
COMMIT;
CREATE TEMP TABLE updated AS SELECT * FROM surface WHERE what <> 'privilege of regress_gid_update';
SELECT 'fresh', * FROM (TABLE fresh EXCEPT ALL TABLE updated) AS d
UNION ALL
SELECT 'updated', * FROM (TABLE updated EXCEPT ALL TABLE fresh) AS d ORDER BY 2, 3, 1, 4;
SELECT count(*) > 100 AS kept, count(*) FILTER (WHERE what ~ '^initial') AS would_leave_dumps
FROM surface WHERE what ~ ' of regress_gid_update$';
SET client_min_messages = warning;
DROP SCHEMA users CASCADE;
DROP EXTENSION gid;
DROP ROLE regress_gid_update;
