-- gid_permute() and gid_unpermute(): ranges, errors, and keys from columns. The values
-- that must not change are in vectors_made.sql, the bijection in
-- test/unit/test_permute.c.
\i sql/include/start.sql
\set key '''\\x000102030405060708090a0b0c0d0e0f''::bytea'

-- Both ends of the id, of the bits and of the key, and one past each. No message shows
-- more of the key than its length.
SELECT bits, gid_unpermute(gid_permute(last, :key, bits), :key, bits) = last AS last, gid_unpermute(gid_permute(1, :key, bits), :key, bits) = 1 AS first
FROM unnest(ARRAY[8, 63], ARRAY[255, 9223372036854775807]) AS v (bits, last);
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_permute(0, '\x000102030405060708090a0b0c0d0e0f')$$,
	$$SELECT gid_unpermute(-1, '\x000102030405060708090a0b0c0d0e0f')$$,
	$$SELECT gid_permute(256, '\x000102030405060708090a0b0c0d0e0f', 8)$$,
	$$SELECT gid_unpermute(256, '\x000102030405060708090a0b0c0d0e0f', 8)$$,
	$$SELECT gid_permute(1, '\x00', 7)$$,
	$$SELECT gid_unpermute(1, '\x000102030405060708090a0b0c0d0e0f', 64)$$) AS e;
SELECT e.* FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT %s(1, %L::bytea)', f, decode(repeat('5a', length), 'hex'))
	FROM unnest(ARRAY[15, 16, 64, 65]) AS length, unnest(ARRAY['gid_permute', 'gid_unpermute']) AS f)) AS e;
-- A call does not use bits, key or id of the call before.
SELECT e.statements, e.code, e.message FROM pg_temp.alike(
	$$SELECT gid_permute(1, k) FROM (VALUES (1, '\x000102030405060708090a0b0c0d0e0f'::bytea), (2, '\x00')) AS v (n, k) ORDER BY n$$,
	$$SELECT gid_permute(1, '\x000102030405060708090a0b0c0d0e0f', b) FROM unnest(ARRAY[8, 7]) AS b$$,
	$$SELECT gid_permute(i, '\x000102030405060708090a0b0c0d0e0f', 8) FROM unnest(ARRAY[1, 256]) AS i$$) AS e;

-- Keys and bits that change from row to row, also keys that differ in the last bit alone
-- or in their length alone.
CREATE TEMP TABLE tenant (n int, bits int, key bytea);
INSERT INTO tenant SELECT n, 8 + n % 56, substr(sha512((n / 3)::text::bytea), 1, 16 + n / 3 % 49)
FROM generate_series(1, 300) AS n;
INSERT INTO tenant SELECT n, 63, CASE WHEN n % 2 = 0 THEN set_bit(k, 8 * length(k) - 1, n / 2 % 2) ELSE k || '\x00' END
FROM generate_series(0, 191) AS n, LATERAL (SELECT decode(repeat('a0', 16 + n / 4), 'hex')) AS d (k);
SELECT count(*) FILTER (WHERE gid_unpermute(gid_permute(1 + n % 255, key, bits), key, bits) IS DISTINCT FROM 1 + n % 255) AS wrong,
	count(DISTINCT gid_permute(1, key)) = count(DISTINCT key) AS by_key FROM tenant;
