-- gid_uuid_shard(): seconds, generator, counter and a shard key in a UUID. Also
-- regions, and the wrap of the seconds in 2106.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

CREATE FUNCTION pg_temp.bytes(uuid) RETURNS bytea IMMUTABLE STRICT
RETURN decode(replace($1::text, '-', ''), 'hex');

-- A batch over several keys: the ids are different and increasing, whatever the key.
-- There is one generator, whose last byte (byte 8) never looks like the variant of an
-- RFC 9562 UUID. The counter grows by one.
CREATE TEMP TABLE made AS
SELECT n, n % 7 AS shard, gid_uuid_shard(n % 7) AS id FROM generate_series(1, 20000) AS n;
SELECT count(*) AS ids, count(DISTINCT id) AS distinct_ids,
	count(*) FILTER (WHERE id <= before) AS not_increasing,
	count(*) FILTER (WHERE gid_extract_shard(id) IS DISTINCT FROM shard) AS wrong_shard,
	count(DISTINCT gid_extract_shard_generator(id)) AS generators,
	min(length(gid_extract_shard_generator(id))) AS generator_bytes,
	count(*) FILTER (WHERE get_byte(pg_temp.bytes(id), 8) & 192 = 128) AS rfc_variant,
	count(*) FILTER (WHERE gid_extract_shard_counter(id) <>
					 (gid_extract_shard_counter(before) + 1) % 16777216) AS counter_jumps,
	count(*) FILTER (WHERE (gid_extract_shard_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, shard, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;

-- Both ends of the key and one past each.
SELECT shard, gid_extract_shard(gid_uuid_shard(shard)), right(gid_uuid_shard(shard)::text, 8)
FROM (VALUES (0::bigint), (1), (208), (65535), (4294967295)) AS v (shard);
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_uuid_shard(-1)$$,
	$$SELECT gid_uuid_shard(4294967296)$$,
	$$SELECT gid_uuid_shard(9223372036854775807)$$) AS e;

-- Without an argument the key is gid.shard_key.
SET gid.shard_key = 4294967295;
SELECT gid_extract_shard(gid_uuid_shard());
SET gid.shard_key = 0;
SELECT gid_extract_shard(gid_uuid_shard()), gid_extract_shard(gid_uuid_shard(7)) AS given;
RESET gid.shard_key;

-- Each part has the place of the published layout.
SELECT id, gid_uuid_to_mssql(id) AS mssql, gid_extract_shard(id) AS shard,
	gid_extract_shard_time(id) AS time, gid_extract_shard_generator(id) AS generator,
	gid_extract_shard_counter(id) AS counter
FROM gid_make_uuid_shard('2022-02-06 00:00:00', '\xa1a2a3a4a5', 658188, 208) AS id;

-- The seconds are rounded down and wrap in 2106. The range ends where that of
-- timestamptz ends.
SELECT t, gid_make_uuid_shard(t, '\x0000000000', 0, 0) AS id,
	gid_extract_shard_time(gid_make_uuid_shard(t, '\x0000000000', 0, 0)) AS read_back
FROM (VALUES (timestamptz 'epoch'), ('1970-01-01 00:00:00.999999'), ('1970-01-01 00:00:01'),
	  ('2106-02-07 06:28:15.999999'), ('2106-02-07 06:28:16'), ('2106-02-07 06:28:17'),
	  ('9999-12-31 23:59:59'), ('294276-12-31 23:59:59.999999')) AS v (t);

-- Both ends of each part and one past each.
SELECT gid_make_uuid_shard('epoch', '\x0000000000', 0, 0) AS smallest,
	gid_make_uuid_shard('2106-02-07 06:28:15', '\xffffffffff', 16777215, 4294967295) AS largest;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_uuid_shard('1969-12-31 23:59:59.999999', '\x0000000000', 0, 0)$$,
	$$SELECT gid_make_uuid_shard('-infinity', '\x0000000000', 0, 0)$$,
	$$SELECT gid_make_uuid_shard('infinity', '\x0000000000', 0, 0)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x00000000', 0, 0)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x000000000000', 0, 0)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x0000000000', -1, 0)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x0000000000', 16777216, 0)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x0000000000', 0, -1)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x0000000000', 0, 4294967296)$$) AS e;

-- The extractors read any UUID, because other makers leave the variant to chance.
SELECT gid_extract_shard(id) AS shard, gid_extract_shard_time(id) AS time,
	gid_extract_shard_generator(id) AS generator, gid_extract_shard_counter(id) AS counter,
	gid_extract_region(id) AS region, gid_extract_region_shard(id) AS region_shard
FROM (VALUES ('00000000-0000-0000-0000-000000000000'::uuid),
	('ffffffff-ffff-ffff-ffff-ffffffffffff'), ('919108f7-52d1-4320-9bac-f847db4148a8'),
	('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')) AS v (id);
SELECT count(*) AS nulls FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 1000)) AS r
WHERE gid_extract_shard(id) IS NULL OR gid_extract_shard_time(id) IS NULL
	OR gid_extract_shard_generator(id) IS NULL OR gid_extract_shard_counter(id) IS NULL
	OR gid_extract_region(id) IS NULL OR gid_extract_region_shard(id) IS NULL;

-- Regions: a 10-bit region (UN M.49) above a 22-bit shard.
SELECT region, shard, gid_region_shard(region, shard) AS key
FROM (VALUES (0, 0), (0, 4194303), (1, 0), (756, 1), (840, 4194303), (1023, 4194303))
	AS v (region, shard);
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_region_shard(-1, 0)$$,
	$$SELECT gid_region_shard(1024, 0)$$,
	$$SELECT gid_region_shard(0, -1)$$,
	$$SELECT gid_region_shard(0, 4194304)$$) AS e;
SELECT count(*) AS tried, count(*) FILTER (WHERE gid_extract_region(id) IS DISTINCT FROM region
	OR gid_extract_region_shard(id) IS DISTINCT FROM shard
	OR gid_extract_shard(id) IS DISTINCT FROM region * 4194304::bigint + shard) AS mismatches
FROM (SELECT region, shard, gid_uuid_shard(gid_region_shard(region, shard)) AS id
	  FROM generate_series(0, 1023) AS region,
		  LATERAL (SELECT (region * 4096 + floor(random() * 4096))::int % 4194304) AS s (shard)) AS m;

-- The smallest and the largest id of a second.
SELECT t, gid_uuid_shard_min(t), gid_uuid_shard_max(t)
FROM (VALUES (timestamptz 'epoch'), ('1970-01-01 00:00:00.999999'), ('2022-02-06'),
	  ('2106-02-07 06:28:15.999999'), ('2106-02-07 06:28:16')) AS v (t);
SELECT e.* FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT gid_uuid_shard_%s(%L)', f, t)
	FROM unnest(ARRAY['min', 'max']) AS f,
		unnest(ARRAY['1969-12-31 23:59:59.999999', '-infinity', 'infinity']) AS t)) AS e;

-- Between is half-open, to the second. between.sql has open ends.
SELECT which, gid_uuid_shard_between(id, '2024-01-01 00:00:01', '2024-01-01 00:00:03')
FROM (VALUES
	(1, 'last of the second before', gid_uuid_shard_max('2024-01-01 00:00:00')),
	(2, 'first of since', gid_uuid_shard_min('2024-01-01 00:00:01')),
	(3, 'last before until', gid_uuid_shard_max('2024-01-01 00:00:02')),
	(4, 'first of until', gid_uuid_shard_min('2024-01-01 00:00:03'))) AS v (n, which, id)
ORDER BY n;

-- NULL in, NULL out. A NULL end of a between is open.
SELECT gid_uuid_shard(NULL) AS shard, gid_make_uuid_shard(NULL, '\x0000000000', 0, 0) AS at,
	gid_make_uuid_shard('epoch', NULL, 0, 0) AS generator,
	gid_make_uuid_shard('epoch', '\x0000000000', NULL, 0) AS counter,
	gid_make_uuid_shard('epoch', '\x0000000000', 0, NULL) AS shard,
	gid_region_shard(NULL, 0) AS region, gid_region_shard(0, NULL) AS region_shard,
	gid_extract_shard(NULL) AS shard, gid_extract_shard_time(NULL) AS time,
	gid_extract_shard_generator(NULL) AS generator, gid_extract_shard_counter(NULL) AS counter,
	gid_extract_region(NULL) AS region, gid_extract_region_shard(NULL) AS region_shard,
	gid_uuid_shard_min(NULL) AS min, gid_uuid_shard_max(NULL) AS max,
	gid_uuid_shard_between(NULL, 'epoch', now()) AS between_id,
	gid_uuid_shard_between(gid_uuid_shard_min('2024-01-01'), NULL, '2025-01-01') AS between_since,
	gid_uuid_shard_between(gid_uuid_shard_min('2024-01-01'), '2023-01-01', NULL) AS between_until,
	gid_uuid_shard_between(gid_uuid_shard_min('2024-01-01'), NULL, '2023-01-01') AS outside;
