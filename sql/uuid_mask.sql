-- gid_uuid_mask() and gid_uuid_unmask(): other versions, keys of other lengths, keys that
-- change, and what an index finds. vectors.sql has the published values.
\i sql/include/start.sql
\i :plan
\set key '''\\x000102030405060708090a0b0c0d0e0f''::bytea'

-- Version 7 is masked, version 4 unmasked, and any other is NULL.
SELECT string_agg(version, '') FILTER (WHERE gid_uuid_mask(id, :key) IS NOT NULL) AS masked,
	string_agg(version, '') FILTER (WHERE gid_uuid_unmask(id, :key) IS NOT NULL) AS unmasked
FROM unnest(string_to_array('0123456789abcdef', NULL)) AS version,
	CAST('018df4bc5600' || version || '1118000000000000000' AS uuid) AS id;

-- A key has 16 bytes, whatever the version. No message shows more than its length.
SELECT e.* FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT %s(%L, %L::bytea)', f, id, decode(repeat('5a', length), 'hex'))
	FROM unnest(ARRAY[15, 16, 17]) AS length, unnest(ARRAY['gid_uuid_mask', 'gid_uuid_unmask']) AS f,
		unnest(ARRAY['018df4bc-5600-7000-8000-000000000000', '018df4bc-5600-1000-8000-000000000000']) AS id)) AS e;

-- Keys that change from row to row: two rows each, in turn with a key that is computed.
CREATE TEMP TABLE tenant AS SELECT substr(sha512((n / 2)::text::bytea), 1, 16) AS key FROM generate_series(1, 101) AS n;
SELECT count(DISTINCT gid_uuid_mask(id, key)) AS masked,
	count(*) FILTER (WHERE gid_uuid_unmask(gid_uuid_mask(id, key), key) IS DISTINCT FROM id) AS wrong
FROM (TABLE tenant UNION ALL SELECT key || '' FROM tenant) AS keys, CAST('018df4bc-5600-7000-8000-000000000001' AS uuid) AS id;

-- The primary key finds a masked id, as does an index on the expression.
CREATE TEMP TABLE account (id uuid PRIMARY KEY);
CREATE INDEX shown ON account (gid_uuid_mask(id, '\x000102030405060708090a0b0c0d0e0f'));
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE by_shown(uuid) AS SELECT FROM account WHERE id = gid_uuid_unmask($1, :key);
SELECT pg_temp.plan('EXECUTE by_shown(NULL)') ~ 'account_pkey' AS by_id,
	pg_temp.plan('SELECT FROM account WHERE gid_uuid_mask(id, ''\x000102030405060708090a0b0c0d0e0f'') = ''018df4bc-5600-4000-8000-000000000000''') ~ 'shown' AS by_masked;
