-- gid_uuid_mask() and gid_uuid_unmask(): other versions, keys of other lengths, and
-- keys that change. vectors.sql has the published values.
\i sql/include/start.sql
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
