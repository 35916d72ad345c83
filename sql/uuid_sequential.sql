-- gid_uuid_sequential() and gid_uuid_sequential_mssql(): process id and ticks in
-- PostgreSQL's order and in SQL Server's. Both draw from one word.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- A batch from both functions in turn: strictly increasing, with one process id. Byte 8
-- of the PostgreSQL form never looks like the variant of an RFC 9562 UUID.
CREATE TEMP TABLE made AS
SELECT n, CASE n % 2 WHEN 0 THEN gid_uuid_sequential()
	ELSE gid_uuid_from_mssql(gid_uuid_sequential_mssql()) END AS id
FROM generate_series(1, 5000) AS n;
SELECT count(*) FILTER (WHERE id <= before OR gid_extract_sequential_ticks(id) <= gid_extract_sequential_ticks(before)) AS not_increasing,
	count(DISTINCT gid_extract_sequential_process(id)) AS processes,
	min(length(gid_extract_sequential_process(id))) AS process_bytes,
	count(*) FILTER (WHERE get_byte(uuid_send(id), 8) & 192 = 128) AS rfc_variant,
	count(*) FILTER (WHERE (gid_extract_sequential_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;

-- Both ends of the ticks and one past each. The process id has eight bytes.
SELECT ticks, gid_make_uuid_sequential(ticks, '\x0102030405060708') AS id
FROM (VALUES (0::bigint), (3155378975999999999)) AS v (ticks);
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_uuid_sequential(-1, '\x0102030405060708')$$,
	$$SELECT gid_make_uuid_sequential(3155378976000000000, '\x0102030405060708')$$,
	$$SELECT gid_make_uuid_sequential(0, '\x01020304050607')$$,
	$$SELECT gid_make_uuid_sequential(0, '\x010203040506070809')$$) AS e;
-- Both ends of the time and one past each. The largest id of a moment has the last of
-- the ten ticks of its microsecond.
SELECT t, gid_uuid_sequential_min(t), gid_uuid_sequential_max(t)
FROM (VALUES (timestamptz '0001-01-01'), ('1970-01-01'), ('9999-12-31 23:59:59.999999')) AS v (t);
SELECT e.* FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT gid_uuid_sequential_%s(%L)', f, t)
	FROM unnest(ARRAY['min', 'max']) AS f,
		unnest(ARRAY['0001-12-31 23:59:59.999999 BC', '10000-01-01', '-infinity', 'infinity']) AS t)) AS e;

-- Ids that may be of another family: with the RFC's variant and a version of 1 to 8,
-- time and process are given from 1970 to 2199 only. The version is a part of the ticks.
-- Ticks outside the years 1 to 9999 have no time, and are given as they are.
SELECT id, gid_extract_sequential_ticks(id) AS ticks, gid_extract_sequential_time(id) AS time,
	gid_extract_sequential_process(id) AS process
FROM unnest(ARRAY[gid_make_uuid_sequential(621355967999999999, '\x000000000000ab00'),
	gid_make_uuid_sequential(621355968000000000, '\x000000000000ab00'),
	gid_make_uuid_sequential(693937151999971327, '\x000000000000ab00'),
	gid_make_uuid_sequential(693937152000004096, '\x000000000000ab00'),
	'00000000-0000-0000-0000-000000000000', '2bca2875-f437-3fff-ffff-ffffffffffff', '2bca2875-f437-4000-0000-000000000000',
	'ffffffff-ffff-ffff-ffff-ffffffffffff']) AS id;
-- A time is rounded down to its microsecond, before 1970, too.
SELECT ticks, gid_extract_sequential_time(gid_make_uuid_sequential(ticks, '\x0000000000000000'))
FROM (VALUES (9::bigint), (10), (621355967999999999), (621355968000000009)) AS v (ticks);
