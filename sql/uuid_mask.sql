-- gid_uuid_mask() and gid_uuid_unmask(): other versions, keys of other lengths, and what
-- an index finds. vectors.sql has the published vectors, test/unit/test_uuid.c a second
-- implementation.
\i sql/include/start.sql
\i :plan
\set key '''\\x000102030405060708090a0b0c0d0e0f''::bytea'

SELECT gid_uuid_mask(id => '0188bac7-4afa-78aa-bc3b-bd1eef28d881', key => :key) AS masked,
	gid_uuid_unmask(id => gid_uuid_mask('0188bac7-4afa-78aa-bc3b-bd1eef28d881', :key), key => :key) AS back;
-- Each version and variant: version 7 is masked, version 4 unmasked, the others are NULL.
SELECT string_agg(DISTINCT CASE WHEN gid_uuid_mask(id, :key) IS NOT NULL THEN version || variant END, ' ') AS masked,
	string_agg(DISTINCT CASE WHEN gid_uuid_unmask(id, :key) IS NOT NULL THEN version || variant END, ' ') AS unmasked
FROM unnest(string_to_array('0123456789abcdef', NULL)) AS version, unnest(string_to_array('0123456789abcdef', NULL)) AS variant,
	CAST('018df4bc5600' || version || '111' || variant || '000000000000000' AS uuid) AS id;
-- A key has 16 bytes, whatever the version. No message shows more than its length.
SELECT length, count(*), e.code, e.message, e.detail, e.hint
FROM unnest(ARRAY[15, 16, 17, 100000]) AS length, unnest(ARRAY['gid_uuid_mask', 'gid_uuid_unmask']) AS f,
	unnest(ARRAY['018df4bc-5600-7000-8000-000000000000', '018df4bc-5600-1000-8000-000000000000']) AS id,
	LATERAL pg_temp.expect(format('SELECT %s(%L, %L::bytea)', f, id, decode(repeat('5a', length), 'hex'))) AS e
GROUP BY 1, 3, 4, 5, 6 ORDER BY length;

-- Keys that change from row to row, stored outside the row and not: the result is that of
-- a single call.
CREATE FUNCTION pg_temp.alone(id uuid, key bytea) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
	masked uuid;
BEGIN
	EXECUTE format('SELECT gid_uuid_mask(%L, %L)', id, key) INTO masked;
	RETURN masked;
END $$;
CREATE TEMP TABLE tenant AS SELECT substr(sha512((n / 2)::text::bytea), 1, 16) AS key FROM generate_series(1, 101) AS n;
SELECT count(DISTINCT gid_uuid_mask(id, key)) AS masked, count(*) FILTER (WHERE gid_uuid_mask(id, key) IS DISTINCT FROM pg_temp.alone(id, key)
	OR gid_uuid_unmask(gid_uuid_mask(id, key), key) IS DISTINCT FROM id) AS wrong
FROM (SELECT key FROM tenant UNION ALL SELECT key || '' FROM tenant) AS keys, CAST('018df4bc-5600-7000-8000-000000000001' AS uuid) AS id;

-- The primary key finds a masked id, as does an index on the expression.
CREATE TEMP TABLE account (id uuid PRIMARY KEY);
CREATE INDEX shown ON account (gid_uuid_mask(id, '\x000102030405060708090a0b0c0d0e0f'));
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE by_shown(uuid) AS SELECT FROM account WHERE id = gid_uuid_unmask($1, '\x000102030405060708090a0b0c0d0e0f');
SELECT pg_temp.plan('EXECUTE by_shown(NULL)') ~ 'account_pkey' AS by_id,
	pg_temp.plan('SELECT FROM account WHERE gid_uuid_mask(id, ''\x000102030405060708090a0b0c0d0e0f'') = ''018df4bc-5600-4000-8000-000000000000''') ~ 'shown' AS by_masked;
