-- gid_snowflake_id_between(): its two ends as ids, which ids it finds, and its plans:
-- index conditions, partition pruning at plan time and at run time.
\i sql/include/start.sql
\i :plan
SET TimeZone = 'UTC';
SET datestyle = 'ISO';

-- The two ends as ids: open ends, the ends of the 41 bits and past them, and moments
-- within a millisecond.
SELECT at, gid_snowflake_id_low(at::timestamptz) AS low, gid_snowflake_id_below(at::timestamptz) AS below
FROM (VALUES (1, NULL), (2, '-infinity'), (3, 'infinity'), (4, '4713-01-01 BC'),
	(5, '2010-11-04 01:42:54.656999'), (6, '2010-11-04 01:42:54.657'), (7, '2010-11-04 01:42:54.658'),
	(8, '2024-01-01'), (9, '2024-01-01 00:00:00.000999'),
	(10, '2080-07-10 17:30:30.208999'), (11, '2080-07-10 17:30:30.209'), (12, '294276-12-31')) AS v (n, at)
ORDER BY n;
SELECT gid_snowflake_id_low('2024-01-01', NULL) AS low, gid_snowflake_id_below('2024-01-01', NULL) AS below,
	gid_snowflake_id_low('2015-01-01', 1420070400000) AS low_discord,
	gid_snowflake_id_below('2015-01-01 00:00:00.001', 1420070400000) AS below_discord;

-- Each end is a Snowflake id, or NULL, whatever the moment is.
SELECT count(bound) > 1000 AS many, count(bound) < count(*) AS some_without,
	count(*) FILTER (WHERE bound IS NOT NULL AND gid_extract_snowflake_node(bound) IS NULL) AS no_ids
FROM (SELECT NULL::timestamptz UNION ALL SELECT '-infinity' UNION ALL SELECT 'infinity'
		UNION ALL SELECT '4713-01-01 BC'::timestamptz + random() * interval '298000 years' FROM generate_series(1, 1000)
		UNION ALL SELECT '2010-11-04 01:42:54'::timestamptz + random() * interval '2 s' FROM generate_series(1, 1000)) AS m (at),
	LATERAL (VALUES (gid_snowflake_id_low(at)), (gid_snowflake_id_below(at))) AS b (bound);

-- Within the range the ends are the smallest ids of both moments. That holds for every
-- bigint: random ones, ids of the range, its ends and their neighbours.
SELECT count(*), count(*) FILTER (WHERE wanted) > 1000 AS many_within,
	count(*) FILTER (WHERE NOT wanted) > 1000 AS many_outside,
	count(*) FILTER (WHERE wanted IS DISTINCT FROM gid_snowflake_id_between(id, since, until, epoch_ms)) AS mismatches
FROM (SELECT epoch_ms, moment + random() * length AS since, moment + random() * length AS until
		FROM (VALUES (1288834974657, timestamptz '2010-11-05', interval '69 years'), (1420070400000, '2024-01-01', '10 ms'),
			(0, '1970-01-01', '1 year')) AS f (epoch_ms, moment, length), generate_series(1, 1000)) AS range,
	LATERAL (SELECT gid_snowflake_id_min(since, epoch_ms) AS first, gid_snowflake_id_min(until, epoch_ms) AS last) AS ends,
	LATERAL unnest(ARRAY[first, last, first - 1, last - 1, (random() * 9e18)::bigint,
		first + (random() * (last - first))::bigint, 0, -9223372036854775808, 9223372036854775807]) AS id,
	LATERAL (SELECT id >= first AND id < last AS wanted) AS w;

-- Open ends, ends that no id satisfies, another epoch, and no epoch.
CREATE TABLE event (n int, id bigint UNIQUE, discord bigint UNIQUE);
INSERT INTO event SELECT n, gid_snowflake_id_max(at), gid_snowflake_id_max(at, 1420070400000)
FROM generate_series(1, 1000) AS n, LATERAL (SELECT timestamptz '2024-01-01' + n * interval '1 hour' AS at) AS a;
ANALYZE event;
SELECT s.since, u.until, count(*) FILTER (WHERE gid_snowflake_id_between(id, s.since, u.until)) AS twitter,
	count(*) FILTER (WHERE gid_snowflake_id_between(discord, s.since, u.until, 1420070400000)) AS discord,
	count(*) FILTER (WHERE gid_snowflake_id_between(id, s.since, u.until, NULL)) AS no_epoch
FROM event, (VALUES (1, NULL, NULL), (2, '-infinity', 'infinity'), (3, '2024-01-02', NULL), (4, '2024-01-02',
	'2300-01-01'), (5, '1950-01-01', '2024-01-02'), (6, '2024-01-02', '2024-01-03'), (7, 'infinity',
	NULL), (8, NULL, '-infinity'), (9, '2300-01-01', NULL), (10, NULL, '1950-01-01'))
	AS m (m, since, until), CAST(m.since AS timestamptz) AS s (since), CAST(m.until AS timestamptz) AS u (until)
GROUP BY m.m, 1, 2 ORDER BY m.m;

-- Index conditions: with two ends, one and none, with costly ends and sub-selects, and
-- with an epoch. A volatile end can only filter. epoch_ms stands twice in the body, so
-- that a sub-select in its place prevents the index.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE FUNCTION pg_temp.costly() RETURNS timestamptz LANGUAGE plpgsql STABLE COST 100000
AS 'BEGIN RETURN ''2024-01-02''; END';
SELECT bounds, s.index_cond, s.filter
FROM (VALUES (1, 'constants', '''2024-01-01'', ''2024-01-02'''), (2, 'since', '''2024-01-01'', NULL'),
		(3, 'none', 'NULL, NULL'), (4, 'now()', 'now() - interval ''1 hour'', now()'),
		(5, 'subquery', '(SELECT now() - interval ''1 hour''), NULL'),
		(6, 'costly', 'pg_temp.costly(), pg_temp.costly()'), (7, 'epoch', 'now(), NULL, 1420070400000'),
		(8, 'volatile', 'clock_timestamp(), NULL'), (9, 'epoch of a subquery', 'now(), NULL, (SELECT 0::bigint)'))
	AS b (n, bounds, arguments),
	pg_temp.shows(format('SELECT * FROM event WHERE gid_snowflake_id_between(id, %s)', arguments)) AS s
ORDER BY n;
SET plan_cache_mode = force_generic_plan;
PREPARE since(timestamptz, bigint) AS SELECT count(*) FROM event WHERE gid_snowflake_id_between(discord, $1, NULL, $2);
SELECT s.index_cond, s.filter FROM pg_temp.shows('EXECUTE since(now(), 1420070400000)') AS s;
EXECUTE since('2024-02-01', 1420070400000);
RESET plan_cache_mode;
-- Before a security barrier, too.
CREATE VIEW recent WITH (security_barrier) AS SELECT * FROM event WHERE n % 2 = 0;
SELECT s.index_cond FROM pg_temp.shows($$SELECT * FROM recent WHERE gid_snowflake_id_between(id, now() - interval '1 hour', NULL)$$) AS s;
DROP VIEW recent;
DROP TABLE event;

-- Partitions by range of the id, with moments as bounds. The primary key is the id.
CREATE TABLE by_time (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE part_old PARTITION OF by_time FOR VALUES FROM (MINVALUE) TO (gid_snowflake_id_min('2020-01-01'));
CREATE TABLE part_now PARTITION OF by_time FOR VALUES FROM (gid_snowflake_id_min('2020-01-01')) TO (gid_snowflake_id_min('2070-01-01'));
CREATE TABLE part_new PARTITION OF by_time FOR VALUES FROM (gid_snowflake_id_min('2070-01-01')) TO (MAXVALUE);
INSERT INTO by_time VALUES (gid_snowflake_id_max('2019-12-31 23:59:59.999')), (gid_snowflake_id_min('2020-01-01')),
	(gid_snowflake_id_max('2069-12-31 23:59:59.999')), (gid_snowflake_id_min('2070-01-01'));
SELECT tableoid::regclass AS partition, count(*) FROM by_time GROUP BY 1 ORDER BY min(id);
SELECT bounds, s.partitions, s.removed_at_run_time
FROM (VALUES (1, 'constants', '''2024-01-01'', ''2024-01-02'''), (2, 'since', '''2024-01-01'', NULL'),
		(3, 'up to the bound', 'NULL, ''2020-01-01'''), (4, 'past the bound', 'NULL, ''2020-01-01 00:00:00.001'''),
		(5, 'since infinity', '''infinity'', NULL'), (6, 'now()', 'now() - interval ''1 hour'', now()'))
	AS b (n, bounds, arguments),
	pg_temp.shows(format('SELECT * FROM by_time WHERE gid_snowflake_id_between(id, %s)', arguments)) AS s
ORDER BY n;
DEALLOCATE ALL;
DROP TABLE by_time;
RESET enable_seqscan;
RESET enable_bitmapscan;
