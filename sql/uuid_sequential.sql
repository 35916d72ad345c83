-- gid_uuid_sequential() and gid_uuid_sequential_mssql(): process id and ticks in
-- PostgreSQL's order and in SQL Server's. test/unit/test_uuid.c has the layouts.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

\if :library
-- A batch from both functions in turn: they draw from one word, with one process id. Byte
-- 8 of the PostgreSQL form never looks like the variant of an RFC 9562 UUID.
SELECT count(*) FILTER (WHERE gid_extract_sequential_ticks(id) <= gid_extract_sequential_ticks(before)) AS not_increasing,
	count(DISTINCT gid_extract_sequential_process(id)) AS processes,
	min(length(gid_extract_sequential_process(id))) AS process_bytes,
	count(*) FILTER (WHERE get_byte(uuid_send(id), 8) & 192 = 128) AS rfc_variant,
	count(*) FILTER (WHERE (gid_extract_sequential_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before
	FROM (SELECT n, CASE n % 2 WHEN 0 THEN gid_uuid_sequential()
			ELSE gid_uuid_from_mssql(gid_uuid_sequential_mssql()) END AS id
		FROM generate_series(1, 5000) AS n) AS made) AS m;
\endif

-- Both ends and one past each, of the parts and of the time. The largest id of a moment
-- has the last of the ten ticks of its microsecond.
SELECT gid_make_uuid_sequential(0, '\x0102030405060708') AS first,
	gid_make_uuid_sequential(3155378975999999999, '\x0102030405060708') AS last;
SELECT t, gid_uuid_sequential_min(t), gid_uuid_sequential_max(t)
FROM (VALUES (timestamptz '0001-01-01'), ('1970-01-01'), ('9999-12-31 23:59:59.999999')) AS v (t);
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_uuid_sequential(-1, '\x0102030405060708')$$,
	$$SELECT gid_make_uuid_sequential(3155378976000000000, '\x0102030405060708')$$,
	$$SELECT gid_make_uuid_sequential(0, '\x01020304050607')$$,
	$$SELECT gid_make_uuid_sequential(0, '\x010203040506070809')$$,
	$$SELECT gid_uuid_sequential_min('0001-12-31 23:59:59.999999 BC')$$,
	$$SELECT gid_uuid_sequential_max('10000-01-01')$$,
	$$SELECT gid_uuid_sequential_min('-infinity')$$,
	$$SELECT gid_uuid_sequential_max('infinity')$$) AS e;

-- Time and process are given where the id may well be sequential, the ticks always. A time
-- is rounded down to its microsecond.
SELECT id, gid_extract_sequential_ticks(id) AS ticks, gid_extract_sequential_time(id) AS time,
	gid_extract_sequential_process(id) AS process
FROM unnest(ARRAY[gid_make_uuid_sequential(621355967999999999, '\x000000000000ab00'),
	gid_make_uuid_sequential(621355967999999999, '\x000000000000cd00'),
	gid_make_uuid_sequential(621355968000000009, '\x000000000000ab00'),
	'ffffffff-ffff-ffff-ffff-ffffffffffff']) AS id;
