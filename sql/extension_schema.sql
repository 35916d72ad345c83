-- CREATE EXTENSION gid into a schema, which is renamed, beside a schema gid,
-- by a role without superuser rights, and with default privileges.
\i sql/include/start.sql
DROP EXTENSION gid;
CREATE SCHEMA gid_a;
CREATE SCHEMA gid_b;

-- A schema gid that is there before is not taken, whoever owns it. It cannot
-- be the schema of the functions either. Nothing is left.
CREATE ROLE regress_gid_owner;
CREATE SCHEMA gid AUTHORIZATION regress_gid_owner;
SELECT e.statements, e.code, e.message FROM pg_temp.alike('CREATE EXTENSION gid', 'CREATE EXTENSION gid SCHEMA gid_a', 'CREATE EXTENSION gid SCHEMA gid') AS e;
ALTER SCHEMA gid OWNER TO CURRENT_USER;
SELECT e.code FROM pg_temp.expect('CREATE EXTENSION gid') AS e;
DROP SCHEMA gid;
SELECT e.code FROM pg_temp.expect('CREATE EXTENSION gid SCHEMA gid') AS e;
CREATE EXTENSION gid SCHEMA gid_a;
SELECT e.* FROM pg_temp.alike('DROP SCHEMA gid CASCADE', 'DROP SCHEMA gid') AS e;

-- Every generator works with an empty search path, and when its schema is
-- renamed. The extension cannot be moved to another schema.
LOAD 'gid';
\i :numbers
ALTER SYSTEM SET gid.launch_id = 0;
\set until 'current_setting(''gid.launch_id'') = ''0'''
\i :reload
CREATE SEQUENCE public.moved_no;
CREATE TABLE public.moved (v7 uuid UNIQUE DEFAULT gid_a.gid_uuid_v7(), v7_at uuid UNIQUE DEFAULT gid_a.gid_uuid_v7_at(now()),
	sequential uuid UNIQUE DEFAULT gid_a.gid_uuid_sequential(), mssql uuid UNIQUE DEFAULT gid_a.gid_uuid_sequential_mssql(),
	shard uuid UNIQUE DEFAULT gid_a.gid_uuid_shard(7), trace bigint UNIQUE DEFAULT gid_a.gid_trace_id(),
	snowflake bigint UNIQUE DEFAULT gid_a.gid_snowflake_id(), decimal bigint DEFAULT gid_a.gid_decimal_id(),
	next bigint DEFAULT gid_a.gid_next('public.moved_no'),
	code text DEFAULT gid_a.gid_next_code('public.moved_no', '00A000', 'alphanumeric', true),
	gdid gid_a.gdid UNIQUE DEFAULT gid_a.gid_next_gdid('public', 'moved_no'));
SET search_path = '';
INSERT INTO public.moved DEFAULT VALUES RETURNING decimal, next, code, gdid;
SELECT e.code, e.message FROM pg_temp.expect('ALTER EXTENSION gid SET SCHEMA gid_b') AS e;
ALTER SCHEMA gid_b RENAME TO gid_c;
ALTER SCHEMA gid_a RENAME TO gid_b;
ALTER SCHEMA gid_c RENAME TO gid_a;
INSERT INTO public.moved DEFAULT VALUES RETURNING decimal, next, code, gdid;
SELECT DISTINCT gid_b.gid_uuid_v7_between(v7, now() - interval '1 hour', now() + interval '1 hour') FROM public.moved;
RESET search_path;
SELECT last_value, is_called FROM gid.decimal_generator;
-- The sequence is found by the name of the extension's own schema, the tables of leases are
-- found as members of the extension.
\set ECHO none
CREATE FUNCTION pg_temp.with_schema(VARIADIC changes text[]) RETURNS TABLE (change text, decimal_id text, leases text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH change IN ARRAY changes LOOP
		BEGIN
			EXECUTE change;
			SELECT concat_ws(' ', e.code, e.message) INTO decimal_id FROM pg_temp.expect('SELECT gid_b.gid_decimal_id()') AS e;
			SELECT concat_ws(' ', e.code, e.message) INTO leases FROM pg_temp.expect('TABLE regress_gid_leases') AS e;
			RAISE 'roll back' USING ERRCODE = 'ZZ000';
		EXCEPTION WHEN SQLSTATE 'ZZ000' THEN
			RETURN NEXT;
		END;
	END LOOP;
END $$;
CREATE VIEW regress_gid_leases AS SELECT * FROM gid.stat_node_leases;
\set ECHO all
SELECT * FROM pg_temp.with_schema('ALTER SCHEMA gid RENAME TO gid_c',
	'ALTER SCHEMA gid RENAME TO gid_c; CREATE SCHEMA gid; CREATE SEQUENCE gid.decimal_generator MINVALUE 0',
	'ALTER EXTENSION gid DROP SCHEMA gid; ALTER SCHEMA gid OWNER TO regress_gid_owner',
	'ALTER SCHEMA gid RENAME TO gid_c; ALTER SCHEMA gid_c RENAME TO gid');
\set ECHO none
DROP VIEW regress_gid_leases;
DROP TABLE moved;
DROP SEQUENCE moved_no;

-- Default privileges change nothing in the extension, and leave no dependency.
CREATE TEMP VIEW privilege AS
SELECT pg_describe_object(d.classid, d.objid, 0) AS object, l.*
FROM pg_extension AS e JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
JOIN (
	SELECT 'pg_proc'::regclass, oid, 'f'::"char", proowner, proacl FROM pg_proc
	UNION ALL SELECT 'pg_type'::regclass, oid, 'T', typowner, typacl FROM pg_type
	UNION ALL SELECT 'pg_class'::regclass, oid, CASE WHEN relkind = 'S' THEN 's'::"char" ELSE 'r' END, relowner, relacl FROM pg_class
	UNION ALL SELECT 'pg_namespace'::regclass, oid, 'n', nspowner, nspacl FROM pg_namespace
) AS o (class, oid, kind, owner, acl) ON o.class = d.classid AND o.oid = d.objid
LEFT JOIN pg_init_privs AS p ON p.classoid = d.classid AND p.objoid = d.objid AND p.objsubid = 0,
LATERAL (SELECT ARRAY(SELECT a::text FROM unnest(coalesce(acl, acldefault(kind, owner))) AS a ORDER BY 1),
	ARRAY(SELECT a::text FROM unnest(coalesce(p.initprivs, acldefault(kind, owner))) AS a ORDER BY 1)) AS l (privileges, dumped_against)
WHERE e.extname = 'gid';
CREATE TEMP TABLE plain AS TABLE privilege;
DROP EXTENSION gid;
\set ECHO all
SELECT format('ALTER DEFAULT PRIVILEGES GRANT ALL ON %s TO regress_gid_owner', objects)
FROM unnest('{TABLES,SEQUENCES,FUNCTIONS,TYPES,SCHEMAS}'::text[]) AS objects \gexec
ALTER DEFAULT PRIVILEGES IN SCHEMA gid_b GRANT ALL ON FUNCTIONS TO regress_gid_owner WITH GRANT OPTION;
SET quote_all_identifiers = on;
CREATE EXTENSION gid SCHEMA gid_b;
RESET quote_all_identifiers;
SELECT count(*) > 100 AS objects FROM plain;
(TABLE plain EXCEPT TABLE privilege) UNION (TABLE privilege EXCEPT TABLE plain);
DROP EXTENSION gid;
CREATE EXTENSION gid VERSION '2.0' SCHEMA gid_b;
SET quote_all_identifiers = on;
ALTER EXTENSION gid UPDATE;
RESET quote_all_identifiers;
(TABLE plain EXCEPT TABLE privilege) UNION (TABLE privilege EXCEPT TABLE plain);
SELECT count(*) FROM pg_shdepend AS s JOIN pg_depend AS d ON (d.classid, d.objid) = (s.classid, s.objid)
WHERE s.refobjid = 'regress_gid_owner'::regrole AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e';
CREATE TABLE other ();
SELECT has_table_privilege('regress_gid_owner', 'other', 'SELECT') AS they_do_something;
DROP TABLE other;
-- A new extension has a new sequence, which reserves its first number when the
-- same session makes its next id.
SELECT is_called AS reserved FROM gid.decimal_generator;
SELECT gid_b.gid_decimal_id() AS decimal_id;
SELECT last_value, is_called AS reserved FROM gid.decimal_generator;
DROP EXTENSION gid;
DROP OWNED BY regress_gid_owner;

-- A role that is no superuser but may create in the database: everything
-- works. The extension belongs to that role, and nothing in it does. So the
-- role can change nothing that others use, and sets no trap there.
GRANT CREATE ON DATABASE :"DBNAME" TO regress_gid_owner;
GRANT CREATE, USAGE ON SCHEMA gid_a TO regress_gid_owner;
SET SESSION AUTHORIZATION regress_gid_owner;
CREATE EXTENSION gid SCHEMA gid_a;
SELECT pg_get_userbyid(extowner) AS owner FROM pg_extension WHERE extname = 'gid';
SELECT refclassid::regclass, count(*) FROM pg_shdepend
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND refobjid = 'regress_gid_owner'::regrole AND deptype = 'o' AND classid <> 'pg_extension'::regclass GROUP BY 1;
SET search_path = gid_a;
SELECT num_nonnulls(gid_uuid_v7(), gid_uuid_v7_at(now()), gid_uuid_sequential(),
	gid_uuid_sequential_mssql(), gid_uuid_shard(1), gid_trace_id(), gid_snowflake_id(), gid_decimal_id()) AS ids;
CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
-- Only who owns the database can dump and restore it.
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT setval('gid.decimal_generator', 41)$$,
	'SELECT last_value FROM gid.decimal_generator', 'TABLE gid.node_writer', 'TABLE gid.node_leases',
	'ALTER SEQUENCE gid.decimal_generator OWNER TO CURRENT_USER', 'ALTER TABLE gid.node_leases RENAME TO mine',
	'CREATE UNIQUE INDEX ON gid.node_leases (node) WHERE node > 0', 'DROP TABLE gid.node_leases', 'ALTER EXTENSION gid DROP TABLE gid.node_leases',
	'CREATE TABLE gid.mine ()', 'CREATE FUNCTION gid.authority_block(text, text, int, int) RETURNS int RETURN 1',
	'ALTER SCHEMA gid RENAME TO mine', 'DROP SCHEMA gid', 'ALTER EXTENSION gid DROP SCHEMA gid',
	'CREATE TABLE mine (node int REFERENCES gid.node_leases)', 'LOCK TABLE gid.node_leases IN ACCESS SHARE MODE',
	'CREATE RULE trap AS ON INSERT TO gid.node_leases DO ALSO SELECT 1', 'CREATE POLICY trap ON gid.node_leases USING (true)',
	'ALTER TABLE gid.node_leases ALTER client_name SET DEFAULT 1', 'CREATE TABLE mine () INHERITS (gid.node_leases)',
	'CREATE TRIGGER trap BEFORE INSERT ON gid.node_leases FOR EACH ROW EXECUTE FUNCTION trap()',
	'ALTER VIEW gid.stat_clock SET (security_invoker = true)', 'CREATE OR REPLACE VIEW gid.stat_clock AS SELECT 1 AS family',
	'ALTER FUNCTION gid.authority_confirm() OWNER TO CURRENT_USER', 'ALTER FUNCTION gid.serve_nextval(regclass) RENAME TO other',
	'CREATE OR REPLACE FUNCTION gid_a.gid_uuid_v7() RETURNS uuid RETURN NULL::uuid', 'ALTER FUNCTION gid_a.trap() SET SCHEMA gid') AS e;
DROP EXTENSION gid;
RESET search_path;
RESET SESSION AUTHORIZATION;
DROP OWNED BY regress_gid_owner;
DROP SCHEMA gid_a, gid_b;
DROP ROLE regress_gid_owner;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
\i :no_numbers
