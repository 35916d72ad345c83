-- The functions with core's names that doc/migration.md shows or names, on all versions,
-- and whether those that read ids agree with core's of 18, on 18 and later.
\i sql/include/start.sql
SET TimeZone = 'UTC';
-- The statements of the manual's section, up to the next one: CREATE FUNCTION only.
\set file :srcdir '/doc/migration.md'
\set functions `sed -n '/^## uuidv7() before/,/^\*\*After an upgrade/p' ":file" | sed -n '/^CREATE FUNCTION/,/;$/p'`
\set file :srcdir '/doc/decoders/uuid_extract.sql'
\set more `sed -n '/^CREATE FUNCTION/,/;$/p' ":file"`
CREATE SCHEMA w;
SET search_path = w, public;
:functions
:more
SELECT proname, pg_get_function_arguments(oid) AS arguments, provolatile, proparallel, prosecdef, proacl
FROM pg_proc WHERE pronamespace = 'w'::regnamespace ORDER BY proname COLLATE "C", pronargs;
SET search_path = public, w;

-- Ids, their version and their time. Those of version 1: the RFC's, both ends, and the
-- digits of each place.
CREATE TEMP TABLE id (id uuid, version int, time timestamptz);
INSERT INTO id VALUES
('c232ab00-9414-11ec-b3c8-9f6bdeced846', 1, '2022-02-22 19:22:22'),
('00000000-0000-1000-8000-000000000000', 1, '1582-10-15'),
('00000009-0000-1000-8000-000000000000', 1, '1582-10-15'),
('0000000a-0000-1000-bfff-ffffffffffff', 1, '1582-10-15 00:00:00.000001'),
('ffffffff-ffff-1fff-bfff-ffffffffffff', 1, '5236-03-31 21:21:00.684697'),
('13814009-1dd2-11b2-9000-000000000000', 1, '1970-01-01'),
('1381400a-1dd2-11b2-9000-000000000000', 1, '1970-01-01 00:00:00.000001'),
('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 7, '2022-02-22 19:22:22'),
('00000000-0000-7000-8000-000000000000', 7, '1970-01-01'),
('ffffffff-ffff-7fff-bfff-ffffffffffff', 7, '10889-08-02 05:31:50.655'),
('919108f7-52d1-4320-9bac-f847db4148a8', 4, NULL),
('1ec9414c-232a-6b00-b3c8-9f6bdeced846', 6, NULL),
('2489e9ad-2ee2-8e00-8ec9-32d5f69181c0', 8, NULL),
('00000000-0000-0000-8000-000000000000', 0, NULL),
('00000000-0000-f000-8000-000000000000', 15, NULL),
('c232ab00-9414-11ec-73c8-9f6bdeced846', NULL, NULL),
('017f22e2-79b0-7cc3-c8c4-dc0c0c07398f', NULL, NULL),
('00000000-0000-0000-0000-000000000000', NULL, NULL),
('ffffffff-ffff-ffff-ffff-ffffffffffff', NULL, NULL),
(NULL, NULL, NULL);
SELECT id, w.uuid_extract_version(id), w.uuid_extract_timestamp(id) FROM id
WHERE (w.uuid_extract_version(id), w.uuid_extract_timestamp(id)) IS DISTINCT FROM (version::smallint, time);

-- Random ids of each version, against core.
INSERT INTO id (id) SELECT encode(set_byte(uuid_send(gen_random_uuid()), 6, n & 255), 'hex')::uuid
FROM generate_series(0, 2559) AS n;
SELECT current_setting('server_version_num')::int >= 180000 AS has_core \gset
\set ECHO none
\if :has_core
SELECT count(*) AS differences FROM id
WHERE w.uuid_extract_version(id) IS DISTINCT FROM pg_catalog.uuid_extract_version(id)
	OR w.uuid_extract_timestamp(id) IS DISTINCT FROM pg_catalog.uuid_extract_timestamp(id);
\else
SELECT 0 AS differences;
\endif
\set ECHO all

-- Ids of version 7, in order, and with a shift.
SELECT w.uuid_extract_version(a), a < b AND b < c AS in_order, w.uuidv7(NULL) IS NULL AS no_shift,
	abs(extract(epoch FROM w.uuid_extract_timestamp(w.uuidv7('-1 day')) - clock_timestamp()) + 86400) < 60 AS a_day
FROM w.uuidv7() AS a, w.uuidv7() AS b, w.uuidv7() AS c;
-- The planner inlines all of them.
CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan text;
BEGIN
	EXECUTE 'EXPLAIN (VERBOSE, FORMAT JSON) ' || query INTO plan;
	RETURN plan;
END $$;
RESET search_path;
SELECT call, pg_temp.plan(format('SELECT w.%s FROM id', call)) !~ '\mw\.' AS inlined
FROM unnest(ARRAY['uuidv7()', 'uuidv7(''1 s'')', 'uuid_extract_version(id)', 'uuid_extract_timestamp(id)']) AS call;
SET client_min_messages = warning;
DROP SCHEMA w CASCADE;
