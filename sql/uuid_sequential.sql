-- gid_uuid_sequential() and gid_uuid_sequential_mssql(): process id and ticks in
-- PostgreSQL's order and in SQL Server's. Both draw from one word.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

CREATE FUNCTION pg_temp.bytes(uuid) RETURNS bytea IMMUTABLE STRICT
RETURN decode(replace($1::text, '-', ''), 'hex');
-- A batch from both functions in turn: strictly increasing, because both draw from one
-- word. There is one process id. Byte 8 of the PostgreSQL form never looks like the
-- variant of an RFC 9562 UUID.
CREATE TEMP TABLE made AS
SELECT n, CASE n % 2 WHEN 0 THEN gid_uuid_sequential()
	ELSE gid_uuid_from_mssql(gid_uuid_sequential_mssql()) END AS id
FROM generate_series(1, 20000) AS n;
SELECT count(*) AS ids, count(DISTINCT id) AS distinct_ids,
	count(*) FILTER (WHERE id <= before) AS not_increasing,
	count(*) FILTER (WHERE gid_extract_sequential_ticks(id) <=
					 gid_extract_sequential_ticks(before)) AS ticks_not_increasing,
	count(DISTINCT gid_extract_sequential_process(id)) AS processes,
	min(length(gid_extract_sequential_process(id))) AS process_bytes,
	count(*) FILTER (WHERE get_byte(pg_temp.bytes(id), 8) & 192 = 128) AS rfc_variant,
	count(*) FILTER (WHERE (gid_extract_sequential_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;

-- Both forms of an id that is made of parts.
SELECT id, gid_uuid_to_mssql(id) AS mssql, gid_extract_sequential_ticks(id) AS ticks,
	gid_extract_sequential_process(id) AS process, gid_extract_sequential_time(id) AS time
FROM gid_make_uuid_sequential(637551864812736015, '\x0102030405060708') AS id;

-- Both ends of the ticks and one past each. The process id has eight bytes, no more
-- and no fewer.
SELECT ticks, gid_make_uuid_sequential(ticks, '\x0102030405060708') AS id
FROM (VALUES (0::bigint), (3155378975999999999)) AS v (ticks);
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_uuid_sequential(-1, '\x0102030405060708')$$,
	$$SELECT gid_make_uuid_sequential(3155378976000000000, '\x0102030405060708')$$,
	$$SELECT gid_make_uuid_sequential(0, '\x01020304050607')$$,
	$$SELECT gid_make_uuid_sequential(0, '\x010203040506070809')$$,
	$$SELECT gid_make_uuid_sequential(0, '')$$) AS e;

-- Both ends of the time and one past each. The largest id of a moment has the last of
-- the ten ticks of its microsecond.
SELECT t, gid_uuid_sequential_min(t), gid_uuid_sequential_max(t)
FROM (VALUES (timestamptz '0001-01-01'), ('1970-01-01'),
	  ('9999-12-31 23:59:59.999999')) AS v (t);
SELECT e.* FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT gid_uuid_sequential_%s(%L)', f, t)
	FROM unnest(ARRAY['min', 'max']) AS f,
		unnest(ARRAY['0001-12-31 23:59:59.999999 BC', '10000-01-01', '-infinity', 'infinity']) AS t)) AS e;

-- Ids that may be of another family: with the RFC's variant and a version of 1 to 8,
-- the extractors give time and process from 1970 to 2199 only. The version is a part of
-- the ticks.
SELECT which, to_hex(ticks >> 12 & 15) AS version,
	gid_extract_sequential_time(id) AS time, gid_extract_sequential_process(id) AS process
FROM (SELECT *, gid_make_uuid_sequential(ticks, '\x000000000000ab00') AS id FROM (VALUES
	(1, 'the last tick of 1969', 621355967999999999),
	(2, 'the first of 1970', 621355968000000000),
	(3, 'the last of 2199 with a version', 693937151999971327),
	(4, 'the first of 2200 with a version', 693937152000004096)) AS v (n, which, ticks)) AS m
ORDER BY n;
-- Ticks outside the years 1 to 9999 have no time. The extractor of ticks gives them as
-- they are.
SELECT id, gid_extract_sequential_ticks(id) AS ticks, gid_extract_sequential_time(id) AS time,
	gid_extract_sequential_process(id) AS process
FROM (VALUES ('00000000-0000-0000-0000-000000000000'::uuid),
	('2bca2875-f437-3fff-ffff-ffffffffffff'), ('2bca2875-f437-4000-0000-000000000000'),
	('7fffffff-ffff-ffff-0000-000000000000'), ('80000000-0000-0000-0000-000000000000'),
	('ffffffff-ffff-ffff-ffff-ffffffffffff'), ('919108f7-52d1-4320-9bac-f847db4148a8'),
	('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')) AS v (id);

-- Ticks before 1970 are rounded down, too.
SELECT ticks, gid_extract_sequential_time(gid_make_uuid_sequential(ticks, '\x0000000000000000'))
FROM (VALUES (0::bigint), (9), (10), (621355967999999999), (621355968000000000),
	  (621355968000000009)) AS v (ticks);

-- Between is half-open, to the tick. between.sql has open ends.
SELECT which, gid_uuid_sequential_between(id, '2024-01-01', '2024-01-02')
FROM (VALUES
	(1, 'the tick before', gid_make_uuid_sequential(638396639999999999, '\xffffffffffffffff')),
	(2, 'first of since', gid_make_uuid_sequential(638396640000000000, '\x0000000000000000')),
	(3, 'last before until', gid_make_uuid_sequential(638397503999999999, '\xffffffffffffffff')),
	(4, 'first of until', gid_make_uuid_sequential(638397504000000000, '\x0000000000000000')))
	AS v (n, which, id)
ORDER BY n;

-- NULL in, NULL out. A NULL end of a between is open.
SELECT gid_make_uuid_sequential(NULL, '\x0102030405060708') AS ticks,
	gid_make_uuid_sequential(0, NULL) AS process, gid_uuid_sequential_min(NULL) AS min,
	gid_uuid_sequential_max(NULL) AS max, gid_uuid_to_mssql(NULL) AS to_mssql,
	gid_uuid_from_mssql(NULL) AS from_mssql, gid_extract_sequential_ticks(NULL) AS ticks,
	gid_extract_sequential_time(NULL) AS time, gid_extract_sequential_process(NULL) AS process,
	gid_uuid_sequential_between(NULL, 'epoch', now()) AS between_id,
	gid_uuid_sequential_between(gid_uuid_sequential(), NULL, '9999-01-01') AS between_since,
	gid_uuid_sequential_between(gid_uuid_sequential(), 'epoch', NULL) AS between_until,
	gid_uuid_sequential_between(gid_uuid_sequential(), NULL, 'epoch') AS outside;
