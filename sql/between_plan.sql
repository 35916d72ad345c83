-- The betweens with open ends in plans: index conditions, partition pruning at plan
-- time and at run time. plans.sql has ranges with two ends.
\i sql/include/start.sql
\i :plan
SET TimeZone = 'UTC';

CREATE TABLE event (n int, v7 uuid UNIQUE, sequential uuid UNIQUE, shard uuid UNIQUE);
INSERT INTO event SELECT n, gid_uuid_v7_at(at), gid_uuid_sequential_max(at), gid_uuid_shard_max(at)
FROM generate_series(1, 1000) AS n, LATERAL (SELECT timestamptz '2024-01-01' + n * interval '1 hour' AS at) AS a;
ANALYZE event;

--
-- Index conditions with one open end, with both, with costly arguments and with
-- subqueries. A volatile end can only filter.
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
-- Only conditions that cannot fail run before a security barrier and row level
-- security. An end that the planner does not know is an index condition there, too.
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
