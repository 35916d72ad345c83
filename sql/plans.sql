-- The betweens and the shard key in plans: index conditions, partition pruning at plan
-- time and at run time, routing of rows by shard key.
\i sql/include/start.sql
\i :plan
SET TimeZone = 'UTC';
SET enable_seqscan = off;
SET enable_bitmapscan = off;

--
-- An index with constants, with now(), and with parameters. A volatile bound can only
-- filter.
--
CREATE TABLE event (v7 uuid PRIMARY KEY DEFAULT gid_uuid_v7(),
	sequential uuid UNIQUE DEFAULT gid_uuid_sequential(),
	shard uuid UNIQUE DEFAULT gid_uuid_shard(1));
INSERT INTO event SELECT FROM generate_series(1, 1000);
ANALYZE event;
SELECT family, bounds, s.index_cond, s.filter
FROM unnest(ARRAY['v7', 'sequential', 'shard']) AS family,
	(VALUES (1, 'constants', '''2024-01-01'', ''2024-01-02'''),
		(2, 'now()', 'now() - interval ''1 hour'', now()'),
		(4, 'subquery', '(SELECT now() - interval ''1 hour''), (SELECT now())'),
		(5, 'volatile', '''2024-01-01'', clock_timestamp()')) AS b (n, bounds, text),
	pg_temp.shows(format('SELECT * FROM event WHERE gid_uuid_%s_between(%1$s, %s)',
		family, text)) AS s
ORDER BY family, n;
SET plan_cache_mode = force_generic_plan;
PREPARE since(timestamptz, timestamptz) AS
SELECT count(*) FROM event WHERE gid_uuid_v7_between(v7, $1, $2);
SELECT s.index_cond, s.filter FROM pg_temp.shows('EXECUTE since(''2024-01-01'', now())') AS s;
EXECUTE since('2024-01-01', now() + interval '1 hour');
EXECUTE since('2024-01-01', '2024-01-02');
RESET plan_cache_mode;
-- Index and filter find the same rows.
SELECT count(*) FILTER (WHERE gid_uuid_v7_between(v7, now() - interval '1 hour', now() + interval '1 hour')) AS v7,
	count(*) FILTER (WHERE gid_uuid_sequential_between(sequential, now() - interval '1 hour', now() + interval '1 hour')) AS sequential,
	count(*) FILTER (WHERE gid_uuid_shard_between(shard, now() - interval '1 hour', now() + interval '1 hour')) AS shard
FROM event;
SELECT count(*) FROM event
WHERE gid_uuid_sequential_between(sequential, now() - interval '1 hour', now() + interval '1 hour');
SELECT count(*) FROM event
WHERE gid_uuid_shard_between(shard, now() - interval '1 hour', now() + interval '1 hour');
DROP TABLE event;

-- The search path and the operators in it do not matter.
CREATE SCHEMA other;
CREATE FUNCTION other.never(uuid, uuid) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR other.>= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = other.never);
SELECT current_schema() AS home \gset
SET search_path = other, pg_catalog;
SELECT :"home".gid_uuid_v7_between(:"home".gid_uuid_v7_min('2024-01-01'), '2024-01-01', '2024-01-02');
RESET search_path;
DROP OPERATOR other.>= (uuid, uuid);
DROP FUNCTION other.never(uuid, uuid);
DROP SCHEMA other;

--
-- Partitions by range of the id, with moments as bounds. The primary key is the id.
--
SELECT format('CREATE TABLE %s (id uuid PRIMARY KEY) PARTITION BY RANGE (id)', 'by_' || family),
	format('CREATE TABLE part_%s_old PARTITION OF by_%1$s FOR VALUES FROM (MINVALUE) TO (gid_uuid_%1$s_min(''2020-01-01''))', family),
	format('CREATE TABLE part_%s_now PARTITION OF by_%1$s FOR VALUES FROM (gid_uuid_%1$s_min(''2020-01-01'')) TO (gid_uuid_%1$s_min(''2100-01-01''))', family),
	format('CREATE TABLE part_%s_new PARTITION OF by_%1$s FOR VALUES FROM (gid_uuid_%1$s_min(''2100-01-01'')) TO (MAXVALUE)', family)
FROM unnest(ARRAY['v7', 'sequential', 'shard']) AS family
\gexec
INSERT INTO by_v7 VALUES (gid_uuid_v7()), (gid_uuid_v7_at('2019-12-31 23:59:59.999')),
	(gid_uuid_v7_at('2020-01-01')), (gid_uuid_v7_at('2100-01-01'));
INSERT INTO by_sequential VALUES (gid_uuid_sequential()), (gid_uuid_sequential_max('2019-12-31 23:59:59.999999')),
	(gid_uuid_sequential_min('2020-01-01')), (gid_uuid_sequential_max('2100-01-01'));
INSERT INTO by_shard VALUES (gid_uuid_shard(1)), (gid_uuid_shard_max('2019-12-31 23:59:59')),
	(gid_uuid_shard_min('2020-01-01')), (gid_uuid_shard_max('2100-01-01'));
SELECT tableoid::regclass AS partition, count(*) FROM
	(SELECT tableoid FROM by_v7 UNION ALL SELECT tableoid FROM by_sequential
	 UNION ALL SELECT tableoid FROM by_shard) AS p
GROUP BY tableoid ORDER BY tableoid::regclass::text;
SELECT family, bounds, s.partitions, s.removed_at_run_time
FROM unnest(ARRAY['v7', 'sequential', 'shard']) AS family,
	(VALUES (1, 'constants', '''2024-01-01'', ''2024-01-02'''),
		(2, 'up to the bound', '''2019-01-01'', ''2020-01-01'''),
		(3, 'past the bound', '''2019-01-01'', ''2020-01-01 00:00:01'''),
		(4, 'now()', 'now() - interval ''1 hour'', now()')) AS b (n, bounds, text),
	pg_temp.shows(format('SELECT * FROM by_%s WHERE gid_uuid_%1$s_between(id, %s)',
		family, text)) AS s
ORDER BY family, n;
SELECT count(*) FROM by_v7 WHERE gid_uuid_v7_between(id, now() - interval '1 hour', now() + interval '1 hour');
DROP TABLE by_v7, by_sequential, by_shard;

--
-- Partitions by shard key: rows go to theirs, and a key in the query prunes.
--
CREATE TABLE by_key (id uuid NOT NULL) PARTITION BY LIST (gid_extract_shard(id));
CREATE TABLE part_key_0 PARTITION OF by_key FOR VALUES IN (0);
CREATE TABLE part_key_1 PARTITION OF by_key FOR VALUES IN (1, 4294967295);
CREATE TABLE part_key_else PARTITION OF by_key DEFAULT;
INSERT INTO by_key SELECT gid_uuid_shard(n % 4) FROM generate_series(0, 99) AS n;
INSERT INTO by_key VALUES (gid_uuid_shard(4294967295));
SELECT tableoid::regclass AS partition, gid_extract_shard(id) AS shard, count(*)
FROM by_key GROUP BY 1, 2 ORDER BY 1::text, 2;
SET gid.shard_key = 1;
SELECT condition, s.partitions, s.removed_at_run_time
FROM (VALUES (1, 'gid_extract_shard(id) = 1'), (2, 'gid_extract_shard(id) IN (0, 4294967295)'),
		(3, 'gid_extract_shard(id) = current_setting(''gid.shard_key'')::bigint'),
		(4, 'id = ''00000000-0000-0000-0000-000000000000'' AND gid_extract_shard(id) = 0'))
	AS c (n, condition),
	pg_temp.shows('SELECT * FROM by_key WHERE ' || condition) AS s
ORDER BY n;
DROP TABLE by_key;
