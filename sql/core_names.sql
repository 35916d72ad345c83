-- doc/decoders/uuid_extract.sql: the functions with core's names that read
-- ids. On 18 and later they agree with core's.
\i sql/include/start.sql
SET TimeZone = 'UTC';
\set file :srcdir '/doc/decoders/uuid_extract.sql'
\set functions `sed -n '/^CREATE FUNCTION/,/;$/p' ":file"`
\set ECHO none
CREATE SCHEMA w;
SET search_path = w, public;
:functions
SET search_path = public, w;

-- Ids, their version and their time. Those of version 1: the RFC's, both ends,
-- and the digits of each place.
CREATE TEMP TABLE id (id uuid, version int, time timestamptz);
INSERT INTO id VALUES
('c232ab00-9414-11ec-b3c8-9f6bdeced846', 1, '2022-02-22 19:22:22'),
('00000000-0000-1000-8000-000000000000', 1, '1582-10-15'),
('00000009-0000-1000-8000-000000000000', 1, '1582-10-15'),
('0000000a-0000-1000-bfff-ffffffffffff', 1, '1582-10-15 00:00:00.000001'),
('ffffffff-ffff-1fff-bfff-ffffffffffff', 1, '5236-03-31 21:21:00.684697'),
('13814009-1dd2-11b2-9000-000000000000', 1, '1970-01-01'),
('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 7, '2022-02-22 19:22:22'),
('919108f7-52d1-4320-9bac-f847db4148a8', 4, NULL),
('00000000-0000-0000-8000-000000000000', 0, NULL),
('00000000-0000-f000-8000-000000000000', 15, NULL),
('c232ab00-9414-11ec-73c8-9f6bdeced846', NULL, NULL),
('017f22e2-79b0-7cc3-c8c4-dc0c0c07398f', NULL, NULL),
(NULL, NULL, NULL);
SELECT id, w.uuid_extract_version(id), w.uuid_extract_timestamp(id) FROM id
WHERE (w.uuid_extract_version(id), w.uuid_extract_timestamp(id)) IS DISTINCT FROM (version::smallint, time);
-- Random ids of each version, against core.
INSERT INTO id (id) SELECT encode(set_byte(uuid_send(gen_random_uuid()), 6, n & 255), 'hex')::uuid
FROM generate_series(0, 2559) AS n;
\set ECHO all
SELECT CASE WHEN current_setting('server_version_num')::int >= 180000 THEN 'pg_catalog' ELSE 'w' END AS core \gset
SELECT count(*) FILTER (WHERE w.uuid_extract_version(id) IS DISTINCT FROM :"core".uuid_extract_version(id)
	OR w.uuid_extract_timestamp(id) IS DISTINCT FROM :"core".uuid_extract_timestamp(id)) AS differences, count(*) AS ids FROM id;
SET client_min_messages = warning;
DROP SCHEMA w CASCADE;
