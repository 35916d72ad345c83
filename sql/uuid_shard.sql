-- gid_uuid_shard(): seconds, generator, counter and a shard key in a UUID, and regions.
-- test/unit/test_uuid.c has the layout.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

\if :library
-- A batch over several keys: the ids increase, whatever the key. There is one generator,
-- whose last byte (byte 8) never looks like the variant of an RFC 9562 UUID. The counter
-- grows by one.
SELECT count(*) FILTER (WHERE id <= before) AS not_increasing,
	count(*) FILTER (WHERE gid_extract_shard(id) IS DISTINCT FROM shard) AS wrong_shard,
	count(DISTINCT gid_extract_shard_generator(id)) AS generators,
	min(length(gid_extract_shard_generator(id))) AS generator_bytes,
	count(*) FILTER (WHERE get_byte(uuid_send(id), 8) & 192 = 128) AS rfc_variant,
	count(*) FILTER (WHERE gid_extract_shard_counter(id) <>
					 (gid_extract_shard_counter(before) + 1) % 16777216) AS counter_jumps,
	count(*) FILTER (WHERE (gid_extract_shard_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, shard, lag(id) OVER (ORDER BY n) AS before
	FROM (SELECT n, n % 7 AS shard, gid_uuid_shard(n % 7) AS id FROM generate_series(1, 5000) AS n) AS made) AS m;

-- Both ends of the key. Without an argument it is gid.shard_key.
SELECT gid_extract_shard(gid_uuid_shard(0)) AS first, gid_extract_shard(gid_uuid_shard(4294967295)) AS last;
SELECT e.* FROM pg_temp.alike('SELECT gid_uuid_shard()') AS e;
SET gid.shard_key = 4294967295;
SELECT gid_extract_shard(gid_uuid_shard()) AS set, gid_extract_shard(gid_uuid_shard(7)) AS given;
RESET gid.shard_key;
SELECT e.* FROM pg_temp.expect('SELECT gid_uuid_shard(-1)', 'SELECT gid_uuid_shard(4294967296)') AS e;
\endif

-- The seconds are rounded down and wrap in 2106. The range ends where that of
-- timestamptz ends.
SELECT t, gid_extract_shard_time(gid_make_uuid_shard(t, '\x0000000000', 0, 0)) AS read_back,
	gid_uuid_shard_min(t), gid_uuid_shard_max(t)
FROM (VALUES (timestamptz '1970-01-01 00:00:00.999999'), ('2106-02-07 06:28:15.999999'),
	('2106-02-07 06:28:16'), ('294276-12-31 23:59:59.999999')) AS v (t);

-- Both ends of each part and one past each. A region of 10 bits (UN M.49) stands above a
-- shard of 22.
SELECT gid_make_uuid_shard('epoch', '\x0000000000', 0, 0) AS smallest,
	gid_make_uuid_shard('2106-02-07 06:28:15', '\xffffffffff', 16777215, 4294967295) AS largest;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_uuid_shard('epoch', '\x0000000000', 0, -1)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x0000000000', 0, 4294967296)$$,
	$$SELECT gid_make_uuid_shard('1969-12-31 23:59:59.999999', '\x0000000000', 0, 0)$$,
	$$SELECT gid_make_uuid_shard('infinity', '\x0000000000', 0, 0)$$,
	$$SELECT gid_uuid_shard_min('1969-12-31 23:59:59.999999')$$,
	$$SELECT gid_uuid_shard_max('infinity')$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x00000000', 0, 0)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x000000000000', 0, 0)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x0000000000', -1, 0)$$,
	$$SELECT gid_make_uuid_shard('epoch', '\x0000000000', 16777216, 0)$$,
	$$SELECT gid_region_shard(1024, 0)$$,
	$$SELECT gid_region_shard(0, 4194304)$$) AS e;
SELECT e.code, count(*) FROM pg_temp.expect('SELECT gid_region_shard(-1, 0)', 'SELECT gid_region_shard(0, -1)') AS e GROUP BY 1;
