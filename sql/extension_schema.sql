-- CREATE EXTENSION gid into a schema, which is renamed, dropped and created again, beside
-- a schema gid, by a role without superuser rights, and beside objects of other owners.
\i sql/include/start.sql
DROP EXTENSION gid;

CREATE SCHEMA gid_a;
CREATE SCHEMA gid_b;
CREATE EXTENSION gid SCHEMA gid_a;

-- A schema gid that is there before is not taken, whoever owns it. It cannot be the
-- schema of the functions either. Nothing is left.
DROP EXTENSION gid;
CREATE ROLE regress_gid_owner;
CREATE SCHEMA gid AUTHORIZATION regress_gid_owner;
SELECT e.statements, e.code, e.message FROM pg_temp.alike('CREATE EXTENSION gid', 'CREATE EXTENSION gid SCHEMA gid_a', 'CREATE EXTENSION gid SCHEMA gid') AS e;
ALTER SCHEMA gid OWNER TO CURRENT_USER;
SELECT e.code FROM pg_temp.expect('CREATE EXTENSION gid') AS e;
DROP SCHEMA gid;
SELECT e.code FROM pg_temp.expect('CREATE EXTENSION gid SCHEMA gid') AS e;
CREATE EXTENSION gid SCHEMA gid_a;
SELECT e.* FROM pg_temp.alike('DROP SCHEMA gid CASCADE', 'DROP SCHEMA gid') AS e;

-- Every generator works with an empty search path, and when its schema is renamed. The
-- extension cannot be moved to another schema.
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
	snowflake bigint DEFAULT gid_a.gid_snowflake_id(),
	decimal bigint DEFAULT gid_a.gid_decimal_id(),
	next bigint DEFAULT gid_a.gid_next('public.moved_no'),
	code text DEFAULT gid_a.gid_next_code('public.moved_no', '00A000', 'alphanumeric', true),
	gdid gid_a.gdid UNIQUE DEFAULT gid_a.gid_next_gdid('public', 'moved_no'));
SET search_path = '';
INSERT INTO public.moved DEFAULT VALUES;
SELECT e.code, e.message FROM pg_temp.expect('ALTER EXTENSION gid SET SCHEMA gid_b') AS e;
ALTER SCHEMA gid_b RENAME TO gid_c;
ALTER SCHEMA gid_a RENAME TO gid_b;
ALTER SCHEMA gid_c RENAME TO gid_a;
INSERT INTO public.moved DEFAULT VALUES;
SELECT gid_b.gid_uuid_v7_between(v7, now() - interval '1 hour', now() + interval '1 hour')
FROM public.moved;
RESET search_path;
SELECT count(DISTINCT v7) AS v7, count(DISTINCT v7_at) AS v7_at,
	count(DISTINCT sequential) AS sequential, count(DISTINCT mssql) AS mssql,
	count(DISTINCT shard) AS shard, count(DISTINCT trace) AS trace,
	count(DISTINCT snowflake) AS snowflake,
	count(DISTINCT decimal) AS decimal, array_agg(next ORDER BY next) AS next,
	array_agg(code ORDER BY code) AS code, array_agg(gdid::text ORDER BY gdid) AS gdid FROM moved;
-- Launch 0 in a new sequence: the first generator, and counters 1 and 2.
SELECT array_agg(decimal ORDER BY decimal) AS decimal_ids FROM moved;
SELECT last_value, is_called FROM gid.decimal_generator;
-- The relations are found by their schema's name, if the schema is the extension's.
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
SELECT * FROM pg_temp.with_schema('ALTER SCHEMA gid RENAME TO gid_c',
	'ALTER SCHEMA gid RENAME TO gid_c; CREATE SCHEMA gid; CREATE SEQUENCE gid.decimal_generator MINVALUE 0',
	'ALTER EXTENSION gid DROP SCHEMA gid; ALTER SCHEMA gid OWNER TO regress_gid_owner',
	'ALTER SCHEMA gid RENAME TO gid_c; ALTER SCHEMA gid_c RENAME TO gid');
DROP VIEW regress_gid_leases;
DROP TABLE moved;
DROP SEQUENCE moved_no;

-- No lease outlives the extension. A new extension has a new sequence, which reserves
-- its first number when the same session makes its next id.
DROP EXTENSION gid;
SELECT to_regclass('gid.decimal_generator') IS NULL AS sequence_gone,
	to_regproc('gid_b.gid_uuid_v7') IS NULL AS function_gone;
SET quote_all_identifiers = on;
CREATE EXTENSION gid SCHEMA gid_b;
RESET quote_all_identifiers;
SELECT is_called AS reserved FROM gid.decimal_generator;
SELECT gid_b.gid_decimal_id() AS decimal_id;
SELECT last_value, is_called AS reserved FROM gid.decimal_generator;
DROP EXTENSION gid;

-- A role that is no superuser but may create in the database: everything works. The
-- extension belongs to that role, and nothing in it does.
GRANT CREATE ON DATABASE :"DBNAME" TO regress_gid_owner;
GRANT CREATE, USAGE ON SCHEMA gid_a TO regress_gid_owner;
SET SESSION AUTHORIZATION regress_gid_owner;
CREATE EXTENSION gid SCHEMA gid_a;
SELECT pg_get_userbyid(extowner) AS owner FROM pg_extension WHERE extname = 'gid';
SELECT refclassid::regclass, count(*) FROM pg_shdepend
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND refobjid = 'regress_gid_owner'::regrole AND deptype = 'o' AND classid <> 'pg_extension'::regclass GROUP BY 1;
SELECT DISTINCT relowner = 10 AS bootstrap_superuser FROM pg_class WHERE relnamespace = 'gid'::regnamespace
UNION SELECT proowner = 10 FROM pg_proc WHERE pronamespace IN ('gid'::regnamespace, 'gid_a'::regnamespace)
UNION SELECT nspowner = 10 FROM pg_namespace WHERE nspname = 'gid';
SET search_path = gid_a;
SELECT num_nonnulls(gid_uuid_v7(), gid_uuid_v7_at(now()), gid_uuid_sequential(),
	gid_uuid_sequential_mssql(), gid_uuid_shard(1), gid_trace_id(), gid_snowflake_id(), gid_decimal_id()) AS ids;
-- Only who owns the database can dump and restore it.
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT setval('gid.decimal_generator', 41)$$,
	'SELECT last_value FROM gid.decimal_generator', 'TABLE gid.node_writer', 'TABLE gid.node_leases',
	'ALTER SEQUENCE gid.decimal_generator OWNER TO CURRENT_USER', 'ALTER TABLE gid.node_leases RENAME TO mine',
	'CREATE UNIQUE INDEX ON gid.node_leases (node)', 'DROP TABLE gid.node_leases', 'ALTER EXTENSION gid DROP TABLE gid.node_leases',
	'CREATE TABLE gid.mine ()', 'CREATE FUNCTION gid.authority_block(text, text, int, int) RETURNS int RETURN 1',
	'ALTER SCHEMA gid RENAME TO mine', 'DROP SCHEMA gid', 'ALTER EXTENSION gid DROP SCHEMA gid',
	'CREATE TABLE mine (node int REFERENCES gid.node_leases)',
	'LOCK TABLE gid.node_leases IN ACCESS SHARE MODE') AS e;
DROP EXTENSION gid;
RESET search_path;
RESET SESSION AUTHORIZATION;
REVOKE CREATE ON DATABASE :"DBNAME" FROM regress_gid_owner;

-- The functions do not call what somebody has put into the schema before, although it
-- fits better than what pg_catalog has.
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
