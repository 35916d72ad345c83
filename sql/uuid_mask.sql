-- gid_uuid_mask() and gid_uuid_unmask(): what changes and what stays, other versions,
-- keys of other lengths, and the places where people use them. vectors.sql
-- has the published vectors.
\i sql/include/start.sql
\i :plan
\set key '''\\x000102030405060708090a0b0c0d0e0f''::bytea'

-- The example of the manual.
SELECT gid_uuid_mask(id => '0188bac7-4afa-78aa-bc3b-bd1eef28d881', key => :key) AS masked,
	gid_uuid_unmask(id => gid_uuid_mask('0188bac7-4afa-78aa-bc3b-bd1eef28d881', :key), key => :key) AS back;

-- Round trips over ids of gid, of core's form, and both ends, with several keys.
CREATE TEMP TABLE tried AS
SELECT id, key, gid_uuid_mask(id, key) AS masked
FROM (SELECT gid_uuid_v7() AS id FROM generate_series(1, 500)
	UNION ALL SELECT overlay(overlay(md5(n::text) PLACING '7' FROM 13 FOR 1) PLACING '9' FROM 17 FOR 1)::uuid FROM generate_series(1, 500) AS n
	UNION ALL SELECT gid_uuid_v7_min('1970-01-01 00:00:00+00') UNION ALL SELECT gid_uuid_v7_max('10889-08-02 05:31:50.655999+00')) AS ids,
	(VALUES (:key), ('\x00000000000000000000000000000000'::bytea), ('\xffffffffffffffffffffffffffffffff')) AS keys (key);
SELECT count(*) AS tried, count(DISTINCT id) AS ids, count(DISTINCT masked) AS masked,
	count(*) FILTER (WHERE gid_uuid_unmask(masked, key) IS DISTINCT FROM id) AS not_back,
	count(*) FILTER (WHERE substr(masked::text, 15, 1) <> '4') AS other_versions,
	count(*) FILTER (WHERE substr(masked::text, 16) <> substr(id::text, 16)) AS rest_changed,
	count(*) FILTER (WHERE gid_extract_v7_time(masked) IS NOT NULL) AS with_time
FROM tried;
-- The ids of a moment do not show that they are of one moment: their masked beginnings
-- differ, about half of the 48 bits of them.
SELECT count(DISTINCT left(masked::text, 13)) AS beginnings,
	avg(bit_count(('x' || left(replace(masked::text, '-', ''), 12))::bit(48) # ('x' || left(replace(id::text, '-', ''), 12))::bit(48))) BETWEEN 22 AND 26 AS half
FROM (SELECT gid_uuid_v7_at('2024-02-29') AS id FROM generate_series(1, 1000) OFFSET 0) AS i, gid_uuid_mask(id, :key) AS masked;
-- Another key gives another id, and does not unmask.
SELECT count(*) FILTER (WHERE gid_uuid_mask(id, set_bit(:key, bit, 1 - get_bit(:key, bit))) = gid_uuid_mask(id, :key)) AS equal,
	count(*) FILTER (WHERE gid_uuid_unmask(gid_uuid_mask(id, :key), set_bit(:key, bit, 1 - get_bit(:key, bit))) = id) AS unmasked
FROM (SELECT id FROM tried LIMIT 20) AS i, generate_series(0, 127) AS bit;
DROP TABLE tried;

-- Each version and variant: version 7 is masked, version 4 unmasked, the others are NULL,
-- as are the nil and the max UUID.
SELECT string_agg(DISTINCT CASE WHEN gid_uuid_mask(id, :key) IS NOT NULL THEN version || variant END, ' ') AS masked,
	string_agg(DISTINCT CASE WHEN gid_uuid_unmask(id, :key) IS NOT NULL THEN version || variant END, ' ') AS unmasked,
	count(*) AS ids
FROM unnest(string_to_array('0123456789abcdef', NULL)) AS version, unnest(string_to_array('0123456789abcdef', NULL)) AS variant,
	CAST('018df4bc5600' || version || '111' || variant || '000000000000000' AS uuid) AS id;
SELECT num_nulls(gid_uuid_mask(id, :key), gid_uuid_unmask(id, :key)) AS nulls
FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[]) AS id;
-- Every version 4 UUID has a version 7 one, also one that was never masked.
SELECT count(*) AS ids, count(*) FILTER (WHERE gid_uuid_mask(gid_uuid_unmask(id, :key), :key) = id) AS back
FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 1000) OFFSET 0) AS i;

-- A key has 16 bytes, whatever the version. No message shows more than its length.
SELECT length, count(*), e.code, e.message, e.detail, e.hint
FROM unnest(ARRAY[0, 1, 15, 16, 17, 32, 100000]) AS length, unnest(ARRAY['gid_uuid_mask', 'gid_uuid_unmask']) AS f,
	unnest(ARRAY['018df4bc-5600-7000-8000-000000000000', '018df4bc-5600-1000-8000-000000000000']) AS id,
	LATERAL pg_temp.expect(format('SELECT %s(%L, %L::bytea)', f, id, decode(repeat('5a', length), 'hex'))) AS e
GROUP BY 1, 3, 4, 5, 6 ORDER BY length;
-- NULL in, NULL out.
SELECT num_nulls(gid_uuid_mask(NULL, :key), gid_uuid_mask('018df4bc-5600-7000-8000-000000000000', NULL), gid_uuid_mask(NULL, '\x00'),
	gid_uuid_unmask(NULL, :key), gid_uuid_unmask('018df4bc-5600-4000-8000-000000000000', NULL)) AS nulls;

-- Keys that change from row to row, with short and with long headers: the result is that
-- of a single call.
CREATE FUNCTION pg_temp.alone(id uuid, key bytea) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
	masked uuid;
BEGIN
	EXECUTE format('SELECT gid_uuid_mask(%L, %L)', id, key) INTO masked;
	RETURN masked;
END $$;
CREATE TEMP TABLE tenant AS SELECT substr(sha512((n / 2)::text::bytea), 1, 16) AS key FROM generate_series(1, 101) AS n;
SELECT count(*) AS rows, count(DISTINCT key) AS keys, count(DISTINCT gid_uuid_mask(id, key)) AS masked,
	count(*) FILTER (WHERE gid_uuid_mask(id, key) IS DISTINCT FROM pg_temp.alone(id, key)
		OR gid_uuid_unmask(gid_uuid_mask(id, key), key) IS DISTINCT FROM id) AS wrong
FROM (SELECT key FROM tenant UNION ALL SELECT key || '' FROM tenant) AS keys, CAST('018df4bc-5600-7000-8000-000000000001' AS uuid) AS id;
-- A key of megabytes, outside the row.
ALTER TABLE tenant ALTER key SET STORAGE EXTERNAL;
INSERT INTO tenant SELECT decode(repeat('5a', 3000000), 'hex');
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_uuid_mask(gid_uuid_v7(), key) FROM tenant WHERE length(key) > 16') AS e;
DROP TABLE tenant;

-- The table keeps version 7. A view shows the masked id, and the primary key finds it.
CREATE TABLE account (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), name text);
CREATE VIEW shown AS SELECT gid_uuid_mask(id, '\x000102030405060708090a0b0c0d0e0f') AS id, name FROM account;
INSERT INTO account VALUES ('0188bac7-4afa-78aa-bc3b-bd1eef28d881', 'a');
INSERT INTO account (name) SELECT 'b' FROM generate_series(1, 1000);
SELECT id AS masked FROM shown WHERE name = 'a' \gset
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE by_shown(uuid) AS SELECT name FROM account WHERE id = gid_uuid_unmask($1, '\x000102030405060708090a0b0c0d0e0f');
EXPLAIN (COSTS OFF) EXECUTE by_shown(:'masked');
EXECUTE by_shown(:'masked');
DEALLOCATE by_shown;
RESET plan_cache_mode;
-- A condition on the view's id needs an index on the expression.
CREATE UNIQUE INDEX ON account (gid_uuid_mask(id, '\x000102030405060708090a0b0c0d0e0f'));
SELECT pg_temp.plan(format('SELECT name FROM shown WHERE id = %L', :'masked')) LIKE '%Index Scan using account_gid_uuid_mask_idx%' AS by_index;
SELECT name FROM shown WHERE id = :'masked';
RESET enable_seqscan;
RESET enable_bitmapscan;
-- To gid_inspect() a masked id is a random one.
SELECT * FROM gid_inspect(:'masked'::uuid);

-- Parallel workers.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE account SET (parallel_workers = 2);
ANALYZE account;
EXPLAIN (COSTS OFF) SELECT count(*) FROM account WHERE gid_uuid_unmask(gid_uuid_mask(id, :key), :key) = id;
SELECT count(*) FROM account WHERE gid_uuid_unmask(gid_uuid_mask(id, :key), :key) = id;
DROP VIEW shown;
DROP TABLE account;
