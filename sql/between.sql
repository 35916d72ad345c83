-- The betweens with open ends and at the ends of their ranges: which ids they find.
-- between_plan.sql has their plans.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET datestyle = 'ISO';

--
-- The two ends as ids: open ends, the ends of each family's range and past them, and
-- moments within a millisecond, a microsecond's ten ticks and a second.
--
SELECT family, at, CASE family WHEN 'v7' THEN gid_uuid_v7_low(at::timestamptz)
		WHEN 'sequential' THEN gid_uuid_sequential_low(at::timestamptz) ELSE gid_uuid_shard_low(at::timestamptz) END AS low,
	CASE family WHEN 'v7' THEN gid_uuid_v7_below(at::timestamptz)
		WHEN 'sequential' THEN gid_uuid_sequential_below(at::timestamptz) ELSE gid_uuid_shard_below(at::timestamptz) END AS below
FROM (VALUES
	('v7', 1, NULL), ('v7', 2, '-infinity'), ('v7', 3, 'infinity'), ('v7', 4, '4713-01-01 BC'),
	('v7', 5, '1969-12-31 23:59:59.999999'), ('v7', 6, '1970-01-01'), ('v7', 7, '1970-01-01 00:00:00.001'),
	('v7', 8, '2024-01-01'), ('v7', 9, '2024-01-01 00:00:00.000999'),
	('v7', 10, '10889-08-02 05:31:50.655999'), ('v7', 11, '10889-08-02 05:31:50.656'), ('v7', 12, '294276-12-31'),
	('sequential', 1, NULL), ('sequential', 2, '-infinity'), ('sequential', 3, 'infinity'),
	('sequential', 4, '4713-01-01 BC'), ('sequential', 5, '0001-12-31 23:59:59.999999 BC'),
	('sequential', 6, '0001-01-01'), ('sequential', 7, '0001-01-01 00:00:00.000001'), ('sequential', 8, '2024-01-01'),
	('sequential', 9, '9999-12-31 23:59:59.999999'), ('sequential', 10, '10000-01-01'),
	('shard', 1, NULL), ('shard', 2, '-infinity'), ('shard', 3, 'infinity'), ('shard', 4, '4713-01-01 BC'),
	('shard', 5, '1969-12-31 23:59:59.999999'), ('shard', 6, '1970-01-01'), ('shard', 7, '1970-01-01 00:00:01'),
	('shard', 8, '2024-01-01'), ('shard', 9, '2024-01-01 00:00:00.999999'),
	('shard', 10, '2106-02-07 06:28:15.999999'), ('shard', 11, '2106-02-07 06:28:16'), ('shard', 12, '2150-01-01'),
	('shard', 13, '294276-12-31')) AS v (family, n, at)
ORDER BY family DESC, n;

-- Each end is an id of its family, or NULL, whatever the moment is.
SELECT family, count(bound) > 2000 AS many, count(bound) < count(*) AS some_without, count(*) FILTER (WHERE bound IS NOT NULL AND NOT CASE family
		WHEN 'v7' THEN gid_extract_v7_time(bound) IS NOT NULL
		WHEN 'sequential' THEN gid_extract_sequential_time(bound) IS NOT NULL AND get_byte(uuid_send(bound), 8) & 192 <> 128
		ELSE get_byte(uuid_send(bound), 8) & 192 <> 128 END) AS of_others
FROM unnest(ARRAY['v7', 'sequential', 'shard']) AS family,
	(SELECT NULL::timestamptz UNION ALL SELECT '-infinity' UNION ALL SELECT 'infinity'
		UNION ALL SELECT '4713-01-01 BC'::timestamptz + random() * interval '298000 years' FROM generate_series(1, 1000)
		UNION ALL SELECT '1970-01-01'::timestamptz + random() * interval '135 years' FROM generate_series(1, 1000)
		UNION ALL SELECT '1970-01-01'::timestamptz + random() * interval '2 s' FROM generate_series(1, 1000)) AS m (at),
	LATERAL (VALUES (CASE family WHEN 'v7' THEN gid_uuid_v7_low(at) WHEN 'sequential' THEN gid_uuid_sequential_low(at)
			ELSE gid_uuid_shard_low(at) END),
		(CASE family WHEN 'v7' THEN gid_uuid_v7_below(at) WHEN 'sequential' THEN gid_uuid_sequential_below(at)
			ELSE gid_uuid_shard_below(at) END)) AS b (bound)
GROUP BY family ORDER BY family;

-- Within the range the ends are the smallest ids of both moments. That holds for ids of
-- the range, its ends and their neighbours, and for random UUIDs.
CREATE TEMP TABLE range AS
SELECT family, moment + random() * length AS since, moment + random() * length AS until
FROM (VALUES ('v7', timestamptz '1970-01-01', interval '8900 years'), ('v7', '2024-01-01', '10 ms'),
		('sequential', '0001-01-01 00:00:00.000001', '9990 years'), ('sequential', '2024-01-01', '10 us'),
		('shard', '1970-01-01 00:00:01', '135 years'), ('shard', '2024-01-01', '10 s')) AS f (family, moment, length),
	generate_series(1, 1000);
CREATE TEMP VIEW tried AS
SELECT family, since, until, id, id >= first AND id < last AS wanted,
	CASE family WHEN 'v7' THEN gid_uuid_v7_between(id, since, until)
		WHEN 'sequential' THEN gid_uuid_sequential_between(id, since, until)
		ELSE gid_uuid_shard_between(id, since, until) END AS found
FROM range, LATERAL (SELECT
		CASE family WHEN 'v7' THEN gid_uuid_v7_min(since) WHEN 'sequential' THEN gid_uuid_sequential_min(since)
			ELSE gid_uuid_shard_min(since) END AS first,
		CASE family WHEN 'v7' THEN gid_uuid_v7_min(until) WHEN 'sequential' THEN gid_uuid_sequential_min(until)
			ELSE gid_uuid_shard_min(until) END AS last,
		since + random() * (until - since) AS within) AS ends,
	LATERAL unnest(ARRAY[first, last, md5(random()::text)::uuid,
		CASE family WHEN 'v7' THEN gid_uuid_v7_at(within) WHEN 'sequential' THEN gid_uuid_sequential_max(within)
			ELSE gid_uuid_shard_max(within) END,
		CASE family WHEN 'v7' THEN gid_uuid_v7_max(until) WHEN 'sequential' THEN gid_uuid_sequential_max(until)
			ELSE gid_uuid_shard_max(until) END,
		CASE family WHEN 'v7' THEN gid_uuid_v7_below(since) WHEN 'sequential' THEN gid_uuid_sequential_below(since)
			ELSE gid_uuid_shard_below(since) END,
		CASE family WHEN 'v7' THEN gid_uuid_v7_below(until) WHEN 'sequential' THEN gid_uuid_sequential_below(until)
			ELSE gid_uuid_shard_below(until) END,
		'00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) AS id;
SELECT family, count(*), count(*) FILTER (WHERE wanted) > 1000 AS many_within,
	count(*) FILTER (WHERE NOT wanted) > 1000 AS many_outside,
	count(*) FILTER (WHERE wanted IS DISTINCT FROM found) AS mismatches
FROM tried GROUP BY family ORDER BY family;
DROP VIEW tried;
DROP TABLE range;

-- A moment outside the range has every id of the family on one side, or gives NULL where
-- no id can match. The nearest moments within the range separate them.
SELECT family, id, moment, gid_uuid_v7_between(id, moment, NULL) AS since, gid_uuid_v7_between(id, NULL, moment) AS until
FROM (VALUES (1, 'v7', gid_uuid_v7_min('1970-01-01')), (2, 'v7', gid_uuid_v7_max('10889-08-02 05:31:50.655'))) AS i (n, family, id),
	unnest(ARRAY[timestamptz '1969-12-31', '1970-01-01', '1970-01-01 00:00:00.001',
		'10889-08-02 05:31:50.655', '10889-08-02 05:31:50.656']) AS moment
ORDER BY n, moment;
-- Ids that are not of version 7 are compared like the others: they are outside the open
-- range if they are below or above every id of version 7, and may lie in any other.
SELECT id, gid_uuid_v7_between(id, NULL, NULL) AS open,
	gid_uuid_v7_between(id, '2024-01-01', '2024-01-01 00:00:00.001') AS of_a_millisecond
FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', '00000000-0000-4000-8000-000000000000', '00000000-0000-7000-8000-000000000000',
	'018cc251-f400-4000-8000-000000000000', '018cc251-f400-7000-0000-000000000000', '018cc251-f400-7000-8000-000000000000',
	'018cc251-f400-7000-c000-000000000000', '018cc251-f400-7fff-bfff-ffffffffffff', '018cc251-f400-8000-8000-000000000000',
	'f2951b05-6cf2-4d43-b0a6-3a8b0a3d3a5e', 'ffffffff-ffff-7fff-bfff-ffffffffffff', 'ffffffff-ffff-8000-8000-000000000000',
	'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[]) AS id ORDER BY id;

-- Open ends, and ends that no id satisfies.
CREATE TABLE event (n int, v7 uuid UNIQUE, sequential uuid UNIQUE, shard uuid UNIQUE);
INSERT INTO event SELECT n, gid_uuid_v7_at(at), gid_uuid_sequential_max(at), gid_uuid_shard_max(at)
FROM generate_series(1, 1000) AS n, LATERAL (SELECT timestamptz '2024-01-01' + n * interval '1 hour' AS at) AS a;
ANALYZE event;
SELECT s.since, u.until, count(*) FILTER (WHERE gid_uuid_v7_between(v7, s.since, u.until)) AS v7,
	count(*) FILTER (WHERE gid_uuid_sequential_between(sequential, s.since, u.until)) AS sequential,
	count(*) FILTER (WHERE gid_uuid_shard_between(shard, s.since, u.until)) AS shard
FROM event, (VALUES (1, NULL, NULL), (2, '-infinity', 'infinity'), (3, '2024-01-02', NULL), (4, '2024-01-02',
	'infinity'), (5, '2024-01-02', '9999-12-31'), (6, '2024-01-02', '2150-01-01'), (7, NULL,
	'2024-01-02'), (8, '-infinity', '2024-01-02'), (9, '0001-01-01', '2024-01-02'), (10, 'infinity',
	NULL), (11, NULL, '-infinity'), (12, '2150-01-01', NULL), (13, NULL, '1950-01-01'))
	AS m (m, since, until), CAST(m.since AS timestamptz) AS s (since), CAST(m.until AS timestamptz) AS u (until) GROUP BY m.m, 1, 2 ORDER BY m.m;
SELECT count(*) FROM event WHERE gid_uuid_v7_between(NULL, NULL, NULL) IS NULL;

-- Ids may lead the clock, for example for some seconds after a crash. A range without
-- an upper end finds them.
INSERT INTO event VALUES (0, gid_uuid_v7_max(now() + interval '5 s'),
	gid_uuid_sequential_max(now() + interval '5 s'), gid_uuid_shard_max(now() + interval '5 s'));
SELECT n FROM event WHERE gid_uuid_v7_between(v7, now() - interval '1 hour', NULL);
SELECT n FROM event WHERE gid_uuid_sequential_between(sequential, now() - interval '1 hour', NULL);
SELECT n FROM event WHERE gid_uuid_shard_between(shard, now() - interval '1 hour', 'infinity');
SELECT n FROM event WHERE gid_uuid_v7_between(v7, now() - interval '1 hour', now());
DROP TABLE event;
