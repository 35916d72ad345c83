-- gid_uuid_shard_is(), the look-up by a shard-key id alone: it reads one partition.
-- test/t/013_shards.pl has foreign partitions.
\i sql/include/start.sql
\i :plan
SET TimeZone = 'UTC';

CREATE TABLE by_key (id uuid NOT NULL, n int) PARTITION BY LIST (gid_extract_shard(id));
CREATE TABLE part_0 PARTITION OF by_key (PRIMARY KEY (id)) FOR VALUES IN (0);
CREATE TABLE part_1 PARTITION OF by_key (PRIMARY KEY (id)) FOR VALUES IN (1);
CREATE TABLE part_else PARTITION OF by_key (PRIMARY KEY (id)) DEFAULT;
INSERT INTO by_key SELECT gid_make_uuid_shard('2024-02-29', '\x0102030405', n, n % 4), n FROM generate_series(0, 999) AS n;
ANALYZE by_key;
SELECT gid_make_uuid_shard('2024-02-29', '\x0102030405', 4, 0) AS zero, gid_make_uuid_shard('2024-02-29', '\x0102030405', 5, 1) AS one \gset
SELECT n, gid_extract_shard(id) AS shard FROM by_key WHERE gid_uuid_shard_is(id, :'one');
SELECT count(*) FROM by_key WHERE gid_uuid_shard_is(id, :'zero');

-- It gives what "=" gives, for every pair: also for ids that differ in the key alone,
-- or have only the key in common, and for NULL.
SELECT count(*), count(*) FILTER (WHERE a = b) AS equal,
	count(*) FILTER (WHERE gid_uuid_shard_is(a, b) IS DISTINCT FROM (a = b)) AS mismatches
FROM (SELECT id FROM by_key WHERE n < 40 UNION ALL SELECT gid_uuid_shard(1) UNION ALL SELECT gen_random_uuid()
	UNION ALL SELECT overlay(id::text PLACING '7' FROM 30)::uuid FROM by_key WHERE n < 40) AS x (a),
	(SELECT id FROM by_key WHERE n < 40) AS y (b);
SELECT gid_uuid_shard_is(NULL, :'one') AS id, gid_uuid_shard_is(:'one', NULL) AS wanted, gid_uuid_shard_is(NULL, NULL) AS both;

-- The partitions of a plan: with a constant, with "=" alone and with an OR. The index
-- of the partition does the rest.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT condition, s.partitions, s.removed_at_run_time, p ~ 'Index Cond: \(id = ' AS by_index
FROM (VALUES (1, format('gid_uuid_shard_is(id, %L)', :'one')), (2, format('id = %L', :'one')),
		(3, format('gid_uuid_shard_is(id, %L) OR gid_uuid_shard_is(id, %L)', :'one', :'zero')),
		(4, 'gid_uuid_shard_is(id, NULL)'), (5, format('gid_uuid_shard_is(%L, id)', :'one')),
		(6, format('gid_uuid_shard_is(wanted => %L, id => id)', :'one'))) AS c (n, condition),
	LATERAL (SELECT 'SELECT * FROM by_key WHERE ' || condition) AS q (query),
	pg_temp.shows(query) AS s, pg_temp.plan(query) AS p
ORDER BY n;
SELECT statement, s.partitions FROM unnest(ARRAY['UPDATE by_key SET n = 0', 'DELETE FROM by_key']) AS statement,
	pg_temp.shows(format('%s WHERE gid_uuid_shard_is(id, %L)', statement, :'one')) AS s;

-- A parameter in a custom and in a generic plan, a setting of the session, a column of
-- another table.
PREPARE get(uuid) AS SELECT n FROM by_key WHERE gid_uuid_shard_is(id, $1);
SELECT s.partitions, s.removed_at_run_time FROM pg_temp.shows(format('EXECUTE get(%L)', :'one')) AS s;
SET plan_cache_mode = force_generic_plan;
SELECT s.partitions, s.removed_at_run_time FROM pg_temp.shows(format('EXECUTE get(%L)', :'one')) AS s;
EXECUTE get(:'one');
EXECUTE get(NULL);
RESET plan_cache_mode;
SET regress.wanted = :'one';
SELECT s.partitions, s.removed_at_run_time
FROM pg_temp.shows('SELECT n FROM by_key WHERE gid_uuid_shard_is(id, current_setting(''regress.wanted'')::uuid)') AS s;
CREATE TABLE wanted (id uuid);
INSERT INTO wanted VALUES (:'one');
ANALYZE wanted;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
CREATE FUNCTION pg_temp.touched(query text) RETURNS TABLE (partition text, loops text) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		partition := substring(line FROM ' on (part_[a-z0-9]+)');
		loops := CASE WHEN line ~ 'never executed' THEN 'never' ELSE 'yes' END;
		IF partition IS NOT NULL THEN
			RETURN NEXT;
		END IF;
	END LOOP;
END $$;
SELECT * FROM pg_temp.touched('SELECT n FROM wanted, LATERAL (SELECT * FROM by_key WHERE gid_uuid_shard_is(by_key.id, wanted.id) OFFSET 0) AS k');
-- A subquery makes the plan read all partitions. It still finds the row.
SELECT n FROM by_key WHERE gid_uuid_shard_is(id, (SELECT id FROM wanted));
-- Tables with the same partitions are joined partition by partition.
CREATE TABLE line (id uuid NOT NULL, article text) PARTITION BY LIST (gid_extract_shard(id));
CREATE TABLE line_0 PARTITION OF line FOR VALUES IN (0);
CREATE TABLE line_1 PARTITION OF line FOR VALUES IN (1);
CREATE TABLE line_else PARTITION OF line DEFAULT;
INSERT INTO line SELECT id, 'article' FROM by_key WHERE n % 2 = 0;
SET enable_partitionwise_join = on;
SELECT count(*) AS joins FROM regexp_matches(pg_temp.plan(
	'SELECT * FROM by_key JOIN line ON gid_uuid_shard_is(line.id, by_key.id)'), 'Nested Loop', 'g');
SELECT count(*) FROM by_key JOIN line ON gid_uuid_shard_is(line.id, by_key.id);
RESET ALL;
DEALLOCATE ALL;
DROP TABLE by_key, line, wanted;

-- The search path and the operators in it do not matter.
SELECT extnamespace::regnamespace AS home FROM pg_extension WHERE extname = 'gid' \gset
CREATE SCHEMA other;
CREATE FUNCTION other.never(uuid, uuid) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR other.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = other.never);
SET search_path = other, pg_catalog;
SELECT :"home".gid_uuid_shard_is(:'one', :'one');
RESET search_path;
DROP OPERATOR other.= (uuid, uuid);
DROP FUNCTION other.never(uuid, uuid);
DROP SCHEMA other;
