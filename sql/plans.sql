-- The betweens and the shard key in plans: index conditions, partition pruning
-- at plan time and at run time. between.sql has which ids a between finds.
\i sql/include/start.sql
\i :plan
\set ECHO none
SET TimeZone = 'UTC';
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE TEMP TABLE family AS SELECT * FROM (VALUES ('uuid_v7', 'uuid'), ('uuid_sequential', 'uuid'), ('uuid_shard', 'uuid'), ('snowflake_id', 'bigint')) AS f (family, type);
CREATE PROCEDURE pg_temp.for_each(VARIADIC statements text[]) LANGUAGE plpgsql AS $$
DECLARE
	statement text;
BEGIN
	FOR statement IN SELECT format(s, family, type) FROM family, unnest(statements) AS s LOOP
		EXECUTE statement;
	END LOOP;
END $$;

-- Index conditions with constants, with open ends, with now(), with
-- sub-selects, with costly arguments, and with parameters of a generic plan. A
-- volatile end can only filter.
CALL pg_temp.for_each('CREATE TABLE by_%s (id %s PRIMARY KEY)',
	'INSERT INTO by_%s SELECT gid_%1$s_max(''2024-01-01''::timestamptz + n * interval ''1 hour'') FROM generate_series(1, 1000) AS n',
	'ANALYZE by_%s',
	'PREPARE %s(timestamptz, timestamptz) AS SELECT count(*) FROM by_%1$s WHERE gid_%1$s_between(id, $1, $2)');
CREATE FUNCTION pg_temp.costly() RETURNS timestamptz LANGUAGE plpgsql STABLE COST 100000
AS 'BEGIN RETURN ''2024-01-02''; END';
\set ECHO all
SELECT bounds, s.index_cond, s.filter, string_agg(family, ' ' ORDER BY family) AS families
FROM family,
	(VALUES (1, '''2024-01-01'', NULL'), (2, '''-infinity'', ''20000-01-01'''), (3, 'now() - interval ''1 hour'', now()'),
		(4, '(SELECT now() - interval ''1 hour''), (SELECT now())'), (5, 'pg_temp.costly(), pg_temp.costly()'), (6, 'clock_timestamp(), NULL')) AS b (n, bounds),
	pg_temp.shows(format('SELECT * FROM by_%s WHERE gid_%1$s_between(id, %s)', family, bounds)) AS s
GROUP BY n, 1, 2, 3 ORDER BY n;
SET plan_cache_mode = force_generic_plan;
SELECT s.index_cond, s.filter, count(*) FROM family, pg_temp.shows(format('EXECUTE %s(NULL, now())', family)) AS s GROUP BY 1, 2;
EXECUTE uuid_v7('2024-01-10', '2024-01-11');
RESET plan_cache_mode;
-- Only conditions that cannot fail run before a security barrier. An end that
-- the planner does not know is an index condition there, too.
CALL pg_temp.for_each('CREATE VIEW seen_%s WITH (security_barrier) AS SELECT * FROM by_%1$s WHERE id IS NOT NULL');
SELECT s.index_cond, count(*) FROM family,
	pg_temp.shows(format('SELECT * FROM seen_%s WHERE gid_%1$s_between(id, now() - interval ''1 hour'', NULL)', family)) AS s GROUP BY 1;
-- The epoch stands twice in the body: a sub-select there prevents the index.
SELECT epoch, s.index_cond FROM unnest(ARRAY['1420070400000', '(SELECT 0::bigint)']) AS epoch,
	pg_temp.shows(format('SELECT * FROM by_snowflake_id WHERE gid_snowflake_id_between(id, now(), NULL, %s)', epoch)) AS s;
DEALLOCATE ALL;
CALL pg_temp.for_each('DROP VIEW seen_%s', 'DROP TABLE by_%s');

-- Partitions by range of the id, the primary key, with moments as bounds.
CALL pg_temp.for_each('CREATE TABLE by_%s (id %s PRIMARY KEY) PARTITION BY RANGE (id)',
	'CREATE TABLE part_%s_old PARTITION OF by_%1$s FOR VALUES FROM (MINVALUE) TO (gid_%1$s_min(''2020-01-01''))',
	'CREATE TABLE part_%s_now PARTITION OF by_%1$s FOR VALUES FROM (gid_%1$s_min(''2020-01-01'')) TO (gid_%1$s_min(''2070-01-01''))',
	'CREATE TABLE part_%s_new PARTITION OF by_%1$s FOR VALUES FROM (gid_%1$s_min(''2070-01-01'')) TO (MAXVALUE)');
SELECT bounds, replace(s.partitions, family, '*') AS partitions, s.removed_at_run_time, string_agg(family, ' ' ORDER BY family) AS families
FROM family,
	(VALUES (1, '''2024-01-01'', NULL'), (2, 'NULL, ''2020-01-01'''), (3, 'NULL, ''2020-01-01 00:00:01'''), (4, '''infinity'', NULL'),
		(5, 'now() - interval ''1 hour'', now()')) AS b (n, bounds),
	pg_temp.shows(format('SELECT * FROM by_%s WHERE gid_%1$s_between(id, %s)', family, bounds)) AS s
GROUP BY n, 1, 2, 3 ORDER BY n;
\set ECHO none
CALL pg_temp.for_each('DROP TABLE by_%s');

-- Partitions by shard key. gid_uuid_shard_is() is "=", and its plan reads one
-- partition: with a constant, a parameter of a generic plan, and a column of
-- another table. test/t/013_shards.pl has foreign partitions.
CREATE TABLE by_key (id uuid NOT NULL, n int) PARTITION BY LIST (gid_extract_shard(id));
CREATE TABLE part_0 PARTITION OF by_key (PRIMARY KEY (id)) FOR VALUES IN (0);
CREATE TABLE part_1 PARTITION OF by_key (PRIMARY KEY (id)) FOR VALUES IN (1, 4294967295);
CREATE TABLE part_else PARTITION OF by_key (PRIMARY KEY (id)) DEFAULT;
INSERT INTO by_key SELECT gid_make_uuid_shard('2024-02-29', '\x0102030405', n, n % 4), n FROM generate_series(0, 999) AS n;
ANALYZE by_key;
SELECT gid_make_uuid_shard('2024-02-29', '\x0102030405', 4, 0) AS zero, gid_make_uuid_shard('2024-02-29', '\x0102030405', 5, 1) AS one \gset
SET gid.shard_key = 1;
\set ECHO all
SELECT count(*) FILTER (WHERE a = b) AS equal, count(*) FILTER (WHERE gid_uuid_shard_is(a, b) IS DISTINCT FROM (a = b)) AS mismatches
FROM (SELECT id FROM by_key WHERE n < 40 UNION ALL SELECT NULL
	-- the same but for the key, and for what is not the key
	UNION ALL SELECT overlay(id::text PLACING '7' FROM 30)::uuid FROM by_key WHERE n < 40
	UNION ALL SELECT overlay(id::text PLACING '7' FROM 8)::uuid FROM by_key WHERE n < 40) AS x (a),
	(SELECT id FROM by_key WHERE n < 40) AS y (b);
SELECT condition, s.partitions, s.removed_at_run_time, CASE WHEN condition !~ ' OR ' THEN p ~ 'Index Cond: \(id = ' END AS by_index
FROM (VALUES (1, format('gid_uuid_shard_is(id, %L)', :'one')), (2, format('gid_uuid_shard_is(id, %L) OR gid_uuid_shard_is(id, %L)', :'one', :'zero')),
		(3, format('gid_uuid_shard_is(%L, id)', :'one')), (4, 'gid_extract_shard(id) IN (0, 4294967295)'),
		(5, format('id = %L AND gid_extract_shard(id) = current_setting(''gid.shard_key'')::bigint', :'one'))) AS c (n, condition),
	LATERAL (SELECT 'SELECT * FROM by_key WHERE ' || condition) AS q (query),
	pg_temp.shows(query) AS s, pg_temp.plan(query) AS p
ORDER BY n;
PREPARE get(uuid) AS SELECT n FROM by_key WHERE gid_uuid_shard_is(id, $1);
SET plan_cache_mode = force_generic_plan;
SELECT s.partitions, s.removed_at_run_time FROM pg_temp.shows(format('EXECUTE get(%L)', :'one')) AS s;
EXECUTE get(:'one');
CREATE TABLE wanted AS SELECT :'one'::uuid AS id;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT count(*) AS never_executed FROM regexp_matches(pg_temp.plan('SELECT n FROM wanted, LATERAL
	(SELECT * FROM by_key WHERE gid_uuid_shard_is(by_key.id, wanted.id) OFFSET 0) AS k', 'ANALYZE, TIMING OFF, SUMMARY OFF'), 'never executed', 'g');
-- A subquery makes the plan read all partitions. It still finds the row.
SELECT n FROM by_key WHERE gid_uuid_shard_is(id, (SELECT id FROM wanted));
RESET ALL;
DEALLOCATE ALL;
DROP TABLE by_key, wanted, family;
