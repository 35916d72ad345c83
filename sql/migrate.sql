-- Tables with rows change over to gid as doc/migration.md says: a serial
-- and an identity column to gid_next(), random UUIDs to version 7, SQL Server's ids to
-- PostgreSQL's order. No table is rewritten, no row is touched, and no id comes twice.
\i sql/include/start.sql
SET TimeZone = 'UTC';

-- What must not change: the files of the table and its primary key, and for each row
-- its place and the transaction that wrote it.
CREATE FUNCTION pg_temp.state(tab text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	rows text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(concat_ws('','', ctid, xmin, id), ''|'' ORDER BY ctid))
		FROM %I WHERE old', tab) INTO rows;
	RETURN concat_ws(' ', pg_relation_filenode(tab), pg_relation_filenode(tab || '_pkey'), rows);
END $$;

--
-- serial: the same sequence
--
CREATE ROLE regress_gid_clerk;
CREATE TABLE m_serial (id serial PRIMARY KEY, old boolean);
GRANT INSERT, SELECT ON m_serial TO regress_gid_clerk;
GRANT USAGE ON m_serial_id_seq TO regress_gid_clerk;
INSERT INTO m_serial (old) SELECT true FROM generate_series(1, 1000);
-- the last ids are deleted but were given, so the greatest id is not enough
DELETE FROM m_serial WHERE id > 990;
SELECT pg_temp.state('m_serial') AS before, 'm_serial_id_seq'::regclass::oid AS sequence \gset

ALTER TABLE m_serial ALTER id SET DEFAULT gid_next('m_serial_id_seq');
SELECT pg_temp.state('m_serial') = :'before' AS untouched,
	pg_get_serial_sequence('m_serial', 'id')::regclass::oid = :sequence AS same_sequence;
-- the privileges of before suffice, and nextval() still works
SET ROLE regress_gid_clerk;
INSERT INTO m_serial (old) VALUES (false), (false) RETURNING id;
SELECT nextval('m_serial_id_seq') > 1002 AS beside;
RESET ROLE;
-- The DEFAULT depends on the sequence, TRUNCATE restarts the sequence, and the
-- sequence goes with the table.
SELECT e.code FROM pg_temp.expect('DROP SEQUENCE m_serial_id_seq') AS e;
TRUNCATE m_serial RESTART IDENTITY;
INSERT INTO m_serial (old) VALUES (false) RETURNING id;
-- and back to nextval()
ALTER TABLE m_serial ALTER id SET DEFAULT nextval('m_serial_id_seq');
INSERT INTO m_serial (old) VALUES (false) RETURNING id > 1 AS behind_the_block;
DROP TABLE m_serial;
SELECT to_regclass('m_serial_id_seq') IS NULL AS sequence_gone;

--
-- identity: a new sequence takes over the name and the value
--
-- PostgreSQL does not allow a DEFAULT on an identity column, and drops the sequence
-- with the identity.
CREATE TABLE m_identity (id bigint GENERATED ALWAYS AS IDENTITY (INCREMENT 3 CACHE 5) PRIMARY KEY, old boolean);
SELECT e.statements, e.code, e.message FROM pg_temp.alike(
	'ALTER TABLE m_identity ALTER id SET DEFAULT gid_next(''m_identity_id_seq'')',
	'ALTER SEQUENCE m_identity_id_seq OWNED BY NONE',
	'ALTER SEQUENCE m_identity_id_seq OWNED BY m_identity.id') AS e;
-- gid_next() may draw from it when the statement gives the id.
INSERT INTO m_identity (id, old) OVERRIDING SYSTEM VALUE
VALUES (gid_next(pg_get_serial_sequence('m_identity', 'id')), true) RETURNING id;
INSERT INTO m_identity (old) SELECT true FROM generate_series(1, 1000);
DELETE FROM m_identity WHERE id > 2900;
GRANT INSERT, SELECT ON m_identity TO regress_gid_clerk;
SELECT pg_temp.state('m_identity') AS before, last_value AS reserved FROM m_identity_id_seq \gset

BEGIN;
LOCK TABLE m_identity;
ALTER SEQUENCE m_identity_id_seq RENAME TO m_identity_id_old;
CREATE SEQUENCE m_identity_id_seq INCREMENT 3 OWNED BY m_identity.id;
SELECT setval('m_identity_id_seq', last_value, is_called) = :reserved AS takes_over FROM m_identity_id_old;
ALTER TABLE m_identity ALTER id DROP IDENTITY, ALTER id SET DEFAULT gid_next('m_identity_id_seq');
COMMIT;
SELECT pg_temp.state('m_identity') = :'before' AS untouched,
	to_regclass('m_identity_id_old') IS NULL AS old_sequence_gone,
	pg_get_serial_sequence('m_identity', 'id') AS owned;
SELECT attidentity = '' AS plain, attnotnull FROM pg_attribute
WHERE attrelid = 'm_identity'::regclass AND attname = 'id';
INSERT INTO m_identity (old) VALUES (false) RETURNING id = :reserved + 3 AS goes_on;
-- An identity needs no privilege on its sequence. The DEFAULT does.
SELECT e.code FROM pg_temp.expect('SET LOCAL ROLE regress_gid_clerk',
	'INSERT INTO m_identity (old) VALUES (false)') AS e;
GRANT USAGE ON m_identity_id_seq TO regress_gid_clerk;
SELECT e.code FROM pg_temp.expect('SET LOCAL ROLE regress_gid_clerk',
	'INSERT INTO m_identity (old) VALUES (false)') AS e;
SELECT count(*) = count(DISTINCT id) AS distinct, min(id) FILTER (WHERE NOT old) > :reserved AS behind_all_given
FROM m_identity;
TRUNCATE m_identity RESTART IDENTITY;
INSERT INTO m_identity (old) VALUES (false) RETURNING id;
DROP TABLE m_identity;
SELECT to_regclass('m_identity_id_seq') IS NULL AS sequence_gone;

DROP ROLE regress_gid_clerk;

--
-- random UUIDs, continued with version 7
--
CREATE TABLE m_uuid (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), old boolean);
INSERT INTO m_uuid (old) SELECT true FROM generate_series(1, 20000);
CREATE TABLE m_child (id uuid REFERENCES m_uuid);
INSERT INTO m_child SELECT id FROM m_uuid;
SELECT pg_temp.state('m_uuid') AS before, pg_relation_size('m_uuid_pkey') / current_setting('block_size')::int AS blocks \gset
ALTER TABLE m_uuid ALTER id SET DEFAULT gid_uuid_v7();
SELECT pg_temp.state('m_uuid') = :'before' AS untouched;
INSERT INTO m_uuid (old) SELECT false FROM generate_series(1, 20000);
-- The version tells old and new ids apart. A range of time finds the new ones alone.
SELECT old, count(*), count(gid_extract_v7_time(id)) AS timed FROM m_uuid GROUP BY old ORDER BY old;
SELECT count(*) FROM m_uuid WHERE gid_extract_v7_time(id) IS NOT NULL
	AND gid_uuid_v7_between(id, now() - interval '1 hour', now() + interval '1 hour');
DROP TABLE m_child, m_uuid;

--
-- SQL Server's ids: exported as text, stored in PostgreSQL's order, sent back
--
-- In the order of SQL Server's ORDER BY, and in upper case as it prints them: of
-- NEWSEQUENTIALID(), of NEWID(), then of a generator that has ticks in its ids.
CREATE TEMP TABLE exported (n int GENERATED ALWAYS AS IDENTITY, guid text);
COPY exported (guid) FROM stdin;
7A0B4C1D-22C1-EC11-8A4E-00155D0A0B01
7B0B4C1D-22C1-EC11-8A4E-00155D0A0B01
3F2504E0-4F89-41D3-9A0C-0305E82C3301
9B2A1C6F-D3E0-5A47-E000-08DC391DF494
9B2A1C6F-D3E0-5A47-2B43-08DC391DF4E1
9B2A1C6F-D3E0-5A47-3407-08DC39C9C8CF
\.
CREATE TABLE m_mssql (id uuid PRIMARY KEY DEFAULT gid_uuid_sequential(), n int);
-- the order of the inserts is not that of the export
INSERT INTO m_mssql SELECT gid_uuid_from_mssql(guid::uuid), n FROM exported ORDER BY guid;
SELECT array_agg(n ORDER BY id) AS in_order FROM m_mssql;
SELECT n, id, gid_extract_sequential_time(id) AS made, encode(gid_extract_sequential_process(id), 'hex') AS process
FROM m_mssql WHERE id::text LIKE '08dc%' ORDER BY id;
-- New ids are greater than those of that generator.
INSERT INTO m_mssql (n) VALUES (7), (8);
SELECT array_agg(n ORDER BY id) AS in_order FROM m_mssql WHERE id >= '08dc0000-0000-0000-0000-000000000000';
-- Sent back, the ids are the same as before.
SELECT count(*) AS same FROM m_mssql JOIN exported USING (n)
WHERE upper(gid_uuid_to_mssql(id)::text) = guid;
-- A range of time uses the table's index.
SELECT n FROM m_mssql
WHERE gid_uuid_sequential_between(id, '2024-02-29 12:00:00+00', '2024-02-29 12:00:00.5+00');
SELECT n FROM m_mssql
WHERE gid_uuid_sequential_between(id, '2024-02-29 12:00:00+00', '2024-03-01 08:30:00.000001+00') ORDER BY n;
DROP TABLE m_mssql;
