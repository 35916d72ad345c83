-- The betweens with open ends and at the ends of their ranges: which ids they
-- find, index conditions, partition pruning at plan time and at run time.
-- (plans.sql has ranges with two ends.)
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
\getenv srcdir PG_ABS_SRCDIR
\set include :srcdir '/sql/include/plan.sql'
\i :include
SET TimeZone = 'UTC';
SET datestyle = 'ISO';

--
-- The two ends as ids: open, at the ends of each family's range and past them,
-- within a millisecond, a microsecond's ten ticks, a second.
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

-- Between two ends within the range the result is that of the smallest ids of
-- the two moments, for every uuid: random ones, ids of the range, its ends and
-- their neighbours.
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

-- Every id of a family is on one side of a moment outside its range, and the
-- nearest moments within it part them.
SELECT family, id, moment, gid_uuid_v7_between(id, moment, NULL) AS since, gid_uuid_v7_between(id, NULL, moment) AS until
FROM (VALUES (1, 'v7', gid_uuid_v7_min('1970-01-01')), (2, 'v7', gid_uuid_v7_max('10889-08-02 05:31:50.655'))) AS i (n, family, id),
	unnest(ARRAY[timestamptz '1969-12-31', '1970-01-01', '1970-01-01 00:00:00.001',
		'10889-08-02 05:31:50.655', '10889-08-02 05:31:50.656']) AS moment
ORDER BY n, moment;
SELECT family, id, moment, gid_uuid_sequential_between(id, moment, NULL) AS since,
	coalesce(gid_uuid_sequential_between(id, NULL, moment), false) AS until
FROM (VALUES (1, 'sequential', gid_uuid_sequential_min('0001-01-01')),
		(2, 'sequential', gid_uuid_sequential_max('9999-12-31 23:59:59.999999'))) AS i (n, family, id),
	unnest(ARRAY[timestamptz '0001-12-31 BC', '0001-01-01', '0001-01-01 00:00:00.000001',
		'9999-12-31 23:59:59.999999', '10000-01-01']) AS moment
ORDER BY n, moment;
SELECT family, id, moment, coalesce(gid_uuid_shard_between(id, moment, NULL), false) AS since,
	coalesce(gid_uuid_shard_between(id, NULL, moment), false) AS until
FROM (VALUES (1, 'shard', gid_uuid_shard_min('1970-01-01')), (2, 'shard', gid_uuid_shard_max('2106-02-07 06:28:15'))) AS i (n, family, id),
	unnest(ARRAY[timestamptz '1969-12-31', '1970-01-01', '1970-01-01 00:00:01',
		'2106-02-07 06:28:15', '2106-02-07 06:28:16', '2150-01-01']) AS moment
ORDER BY n, moment;

-- Open ends, and ends that nothing satisfies.
CREATE TABLE event (n int, v7 uuid UNIQUE, sequential uuid UNIQUE, shard uuid UNIQUE);
INSERT INTO event SELECT n, gid_uuid_v7_at(at), gid_uuid_sequential_max(at), gid_uuid_shard_max(at)
FROM generate_series(1, 1000) AS n, LATERAL (SELECT timestamptz '2024-01-01' + n * interval '1 hour' AS at) AS a;
ANALYZE event;
PREPARE found(timestamptz, timestamptz) AS
SELECT count(*) FILTER (WHERE gid_uuid_v7_between(v7, $1, $2)) AS v7,
	count(*) FILTER (WHERE gid_uuid_sequential_between(sequential, $1, $2)) AS sequential,
	count(*) FILTER (WHERE gid_uuid_shard_between(shard, $1, $2)) AS shard
FROM event;
EXECUTE found(NULL, NULL);
EXECUTE found('-infinity', 'infinity');
EXECUTE found('2024-01-02', NULL);
EXECUTE found('2024-01-02', 'infinity');
EXECUTE found('2024-01-02', '9999-12-31');
EXECUTE found('2024-01-02', '2150-01-01');
EXECUTE found(NULL, '2024-01-02');
EXECUTE found('-infinity', '2024-01-02');
EXECUTE found('0001-01-01', '2024-01-02');
EXECUTE found('infinity', NULL);
EXECUTE found(NULL, '-infinity');
EXECUTE found('2150-01-01', NULL);
EXECUTE found(NULL, '1950-01-01');
SELECT count(*) FROM event WHERE gid_uuid_v7_between(NULL, NULL, NULL) IS NULL;

-- Ids that lead the clock, as for some seconds after a crash, are found by a
-- range without an upper end.
INSERT INTO event VALUES (0, gid_uuid_v7_max(now() + interval '5 s'),
	gid_uuid_sequential_max(now() + interval '5 s'), gid_uuid_shard_max(now() + interval '5 s'));
SELECT n FROM event WHERE gid_uuid_v7_between(v7, now() - interval '1 hour', NULL);
SELECT n FROM event WHERE gid_uuid_sequential_between(sequential, now() - interval '1 hour', NULL);
SELECT n FROM event WHERE gid_uuid_shard_between(shard, now() - interval '1 hour', 'infinity');
SELECT n FROM event WHERE gid_uuid_v7_between(v7, now() - interval '1 hour', now());

--
-- An index condition with one end open, with both, with costly arguments and
-- subqueries; a volatile end can only filter.
--
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE FUNCTION pg_temp.costly() RETURNS timestamptz LANGUAGE plpgsql STABLE COST 100000
AS 'BEGIN RETURN ''2024-01-02''; END';
SELECT family, bounds, s.index_cond, s.filter
FROM unnest(ARRAY['v7', 'sequential', 'shard']) AS family,
	(VALUES (1, 'since', '''2024-01-01'', NULL'), (2, 'until', 'NULL, ''2024-01-01'''), (3, 'none', 'NULL, NULL'),
		(4, 'infinite', '''-infinity'', ''infinity'''), (5, 'since now()', 'now() - interval ''1 hour'', NULL'),
		(6, 'until now()', 'NULL, now()'), (7, 'subquery', '(SELECT now() - interval ''1 hour''), NULL'),
		(8, 'costly', 'pg_temp.costly(), pg_temp.costly()'), (9, 'past the range', '''0001-12-31 BC'', ''20000-01-01'''),
		(10, 'volatile', 'clock_timestamp(), NULL')) AS b (n, bounds, arguments),
	pg_temp.shows(format('SELECT * FROM event WHERE gid_uuid_%s_between(%1$s, %s)', family, arguments)) AS s
ORDER BY family, n;
-- A generic plan takes NULL and infinity as parameters.
SET plan_cache_mode = force_generic_plan;
PREPARE v7(timestamptz, timestamptz) AS SELECT count(*) FROM event WHERE gid_uuid_v7_between(v7, $1, $2);
PREPARE sequential(timestamptz, timestamptz) AS SELECT count(*) FROM event WHERE gid_uuid_sequential_between(sequential, $1, $2);
PREPARE shard(timestamptz, timestamptz) AS SELECT count(*) FROM event WHERE gid_uuid_shard_between(shard, $1, $2);
SELECT statement, s.index_cond, s.filter
FROM unnest(ARRAY['v7', 'sequential', 'shard']) AS statement, pg_temp.shows(format('EXECUTE %s(NULL, NULL)', statement)) AS s;
EXECUTE v7('2024-02-01', NULL);
EXECUTE v7(NULL, '2024-02-01');
EXECUTE sequential(NULL, NULL);
EXECUTE sequential('infinity', NULL);
EXECUTE shard('2024-02-01', 'infinity');
EXECUTE shard(NULL, '-infinity');
RESET plan_cache_mode;
-- What runs before a security barrier and in front of row level security may
-- not fail: there, too, an end that the planner does not know is an index
-- condition.
CREATE VIEW recent WITH (security_barrier) AS SELECT * FROM event WHERE n % 2 = 0;
SELECT s.index_cond FROM pg_temp.shows($$SELECT * FROM recent WHERE gid_uuid_v7_between(v7, now() - interval '1 hour', NULL)$$) AS s;
DROP VIEW recent;
DROP TABLE event;

--
-- Partitions by range of the id.
--
SELECT format('CREATE TABLE %s (id uuid PRIMARY KEY) PARTITION BY RANGE (id)', 'by_' || family),
	format('CREATE TABLE part_%s_old PARTITION OF by_%1$s FOR VALUES FROM (MINVALUE) TO (gid_uuid_%1$s_min(''2020-01-01''))', family),
	format('CREATE TABLE part_%s_now PARTITION OF by_%1$s FOR VALUES FROM (gid_uuid_%1$s_min(''2020-01-01'')) TO (gid_uuid_%1$s_min(''2100-01-01''))', family),
	format('CREATE TABLE part_%s_new PARTITION OF by_%1$s FOR VALUES FROM (gid_uuid_%1$s_min(''2100-01-01'')) TO (MAXVALUE)', family)
FROM unnest(ARRAY['v7', 'sequential', 'shard']) AS family
\gexec
SELECT family, bounds, s.partitions, s.removed_at_run_time
FROM unnest(ARRAY['v7', 'sequential', 'shard']) AS family,
	(VALUES (1, 'since', '''2024-01-01'', NULL'), (2, 'until', 'NULL, ''2019-01-01'''),
		(3, 'up to the bound', 'NULL, ''2020-01-01'''), (4, 'past the bound', 'NULL, ''2020-01-01 00:00:01'''),
		(5, 'since infinity', '''infinity'', NULL'), (6, 'since now()', 'now() - interval ''1 hour'', NULL'),
		(7, 'until now()', 'NULL, now()')) AS b (n, bounds, arguments),
	pg_temp.shows(format('SELECT * FROM by_%s WHERE gid_uuid_%1$s_between(id, %s)', family, arguments)) AS s
ORDER BY family, n;
SET plan_cache_mode = force_generic_plan;
PREPARE part(timestamptz, timestamptz) AS SELECT * FROM by_v7 WHERE gid_uuid_v7_between(id, $1, $2);
SELECT arguments, s.partitions, s.removed_at_run_time
FROM (VALUES (1, '''2024-01-01'', NULL'), (2, 'NULL, ''2019-01-01'''), (3, 'NULL, NULL'), (4, 'now(), ''infinity'''),
	(5, '''infinity'', NULL')) AS b (n, arguments),
	pg_temp.shows(format('EXECUTE part(%s)', arguments)) AS s
ORDER BY n;
RESET plan_cache_mode;
DEALLOCATE ALL;
DROP TABLE by_v7, by_sequential, by_shard;
RESET enable_seqscan;
RESET enable_bitmapscan;

--
-- What was made with version 1.0 lives on when the function is replaced: a view,
-- and an index that the range of a query implies.
--
DROP EXTENSION gid;
CREATE EXTENSION gid VERSION '1.0';
CREATE TABLE kept (id uuid, n int);
INSERT INTO kept SELECT gid_uuid_v7_at(timestamptz '2024-01-01' + n * interval '1 hour'), n FROM generate_series(0, 999) AS n;
CREATE INDEX kept_january ON kept (n) WHERE gid_uuid_v7_between(id, '2024-01-01', '2024-02-01');
ANALYZE kept;
CREATE VIEW recent AS SELECT * FROM kept WHERE gid_uuid_v7_between(id, '2024-01-02', NULL);
SELECT count(*) AS in_1_0 FROM recent;
SELECT 'gid_uuid_v7_between'::regproc::oid AS before \gset
ALTER EXTENSION gid UPDATE;
SELECT 'gid_uuid_v7_between'::regproc::oid = :before AS same_function, count(*) AS updated FROM recent;
SET enable_seqscan = off;
SELECT p ~ 'kept_january' AS index_is_used FROM pg_temp.plan(
	$$SELECT n FROM kept WHERE gid_uuid_v7_between(id, '2024-01-01', '2024-02-01') AND n < 10$$) AS p;
SELECT p ~ 'kept_january' AS index_is_used FROM pg_temp.plan(
	$$SELECT n FROM kept WHERE gid_uuid_v7_between(id, '2024-01-01', NULL) AND n < 10$$) AS p;
SELECT count(*) FROM kept WHERE gid_uuid_v7_between(id, '2024-01-01', '2024-02-01') AND n < 10;
RESET enable_seqscan;
DROP VIEW recent;
DROP TABLE kept;
