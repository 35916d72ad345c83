-- gid_permute() and gid_unpermute(): ranges, errors, every id of small ranges, keys
-- from columns, toasted and not, and the places where people use them.
\i sql/include/start.sql
\set key '''\\x000102030405060708090a0b0c0d0e0f''::bytea'

-- The format: these values must not change.
SELECT bits, gid_permute(1, :key, bits) AS one, gid_permute(2, :key, bits) AS two,
	gid_permute((2::numeric ^ bits)::bigint - 1, :key, bits) AS last
FROM unnest(ARRAY[8, 9, 16, 32, 53, 62]) AS bits;
SELECT gid_permute(1, :key) AS one, gid_permute(2, :key) AS two,
	gid_permute(9223372036854775807, :key, 63) AS last;
SELECT gid_permute(1, :key || '\x10') AS key_17, gid_permute(1, :key || sha256('')) AS key_48,
	gid_permute(id => 1, key => :key || :key || :key || :key, bits => 63) AS key_64;
-- Ids and bits outside their ranges.
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_permute(0, '\x000102030405060708090a0b0c0d0e0f')$$,
	$$SELECT gid_permute(-1, '\x000102030405060708090a0b0c0d0e0f')$$,
	$$SELECT gid_permute((-9223372036854775808)::bigint, '\x000102030405060708090a0b0c0d0e0f')$$,
	$$SELECT gid_permute(0, '\x000102030405060708090a0b0c0d0e0f', 8)$$,
	$$SELECT gid_permute(256, '\x000102030405060708090a0b0c0d0e0f', 8)$$,
	$$SELECT gid_permute(9007199254740992, '\x000102030405060708090a0b0c0d0e0f', 53)$$,
	$$SELECT gid_permute(4611686018427387904, '\x000102030405060708090a0b0c0d0e0f', 62)$$,
	$$SELECT gid_unpermute(0, '\x000102030405060708090a0b0c0d0e0f')$$,
	$$SELECT gid_unpermute(256, '\x000102030405060708090a0b0c0d0e0f', 8)$$) AS e;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_permute(1, '\x000102030405060708090a0b0c0d0e0f', 7)$$,
	$$SELECT gid_permute(1, '\x000102030405060708090a0b0c0d0e0f', 8)$$,
	$$SELECT gid_permute(1, '\x000102030405060708090a0b0c0d0e0f', 63)$$,
	$$SELECT gid_permute(1, '\x000102030405060708090a0b0c0d0e0f', 64)$$,
	$$SELECT gid_permute(1, '\x000102030405060708090a0b0c0d0e0f', -1)$$,
	$$SELECT gid_unpermute(1, '\x000102030405060708090a0b0c0d0e0f', 0)$$) AS e;
-- No message shows more of the key than its length.
SELECT length, count(*), e.code, e.message, e.detail, e.hint
FROM unnest(ARRAY[0, 15, 16, 17, 64, 65, 100000]) AS length,
	unnest(ARRAY['gid_permute', 'gid_unpermute']) AS f,
	LATERAL pg_temp.expect(format('SELECT %s(1, %L::bytea)', f, decode(repeat('5a', length), 'hex'))) AS e
GROUP BY 1, 3, 4, 5, 6 ORDER BY length;
-- A call does not use bits, key or id of the call before.
SELECT e.statements, e.code, e.message FROM pg_temp.alike(
	$$SELECT gid_permute(1, k) FROM (VALUES (1, '\x000102030405060708090a0b0c0d0e0f'::bytea), (2, '\x00')) AS v (n, k) ORDER BY n$$,
	$$SELECT gid_permute(1, '\x000102030405060708090a0b0c0d0e0f', b) FROM unnest(ARRAY[8, 7]) AS b$$,
	$$SELECT gid_permute(i, '\x000102030405060708090a0b0c0d0e0f', 8) FROM unnest(ARRAY[1, 256]) AS i$$) AS e;

-- NULL in, NULL out.
SELECT num_nulls(gid_permute(NULL, :key), gid_permute(1, NULL), gid_permute(1, :key, NULL),
	gid_unpermute(NULL, :key), gid_unpermute(1, NULL), gid_unpermute(1, :key, NULL)) AS nulls;

-- Keys and bits that change from row to row: the result is that of a single call. A
-- key may be short, have a long header, be compressed or be stored outside the row.
CREATE TEMP TABLE tenant (n int, bits int, key bytea);
ALTER TABLE tenant ALTER key SET STORAGE EXTERNAL;
INSERT INTO tenant SELECT n, 8 + n % 56, substr(sha512((n / 3)::text::bytea), 1, 16 + n / 3 % 49)
FROM generate_series(1, 600) AS n;
-- Also keys that differ in the last bit alone, or in their length alone.
INSERT INTO tenant SELECT 601 + n, 63, CASE WHEN n % 2 = 0 THEN set_bit(k, 8 * length(k) - 1, n / 2 % 2) ELSE k || '\x00' END
FROM generate_series(0, 191) AS n, LATERAL (SELECT decode(repeat('a0', 16 + n / 4), 'hex')) AS d (k);
CREATE FUNCTION pg_temp.alone(id bigint, key bytea, bits int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	permuted bigint;
BEGIN
	EXECUTE format('SELECT gid_permute(%s, %L, %s)', id, key, bits) INTO permuted;
	RETURN permuted;
END $$;
SELECT count(*) AS rows, count(DISTINCT key) AS keys,
	count(*) FILTER (WHERE gid_permute(1 + n % 255, key, bits) IS DISTINCT FROM pg_temp.alone(1 + n % 255, key, bits)) AS wrong,
	count(*) FILTER (WHERE gid_unpermute(gid_permute(1 + n % 255, key, bits), key, bits) IS DISTINCT FROM 1 + n % 255) AS wrong_back
FROM tenant;
SELECT count(DISTINCT key) AS keys, count(DISTINCT gid_permute(1, key)) AS places FROM tenant;
CREATE TEMP TABLE wide (n int, key bytea, fill text);
ALTER TABLE wide ALTER key SET STORAGE EXTERNAL, ALTER fill SET STORAGE PLAIN;
INSERT INTO wide SELECT n, substr(sha512((n / 2)::text::bytea), 1, 64), repeat('x', 4000)
FROM generate_series(1, 20) AS n;
CREATE TEMP TABLE packed (n int, key bytea, fill text);
ALTER TABLE packed ALTER key SET STORAGE MAIN, ALTER fill SET STORAGE PLAIN;
INSERT INTO packed SELECT n, decode(repeat(to_char(n / 2, 'FM00'), 64), 'hex'), repeat('x', 4000)
FROM generate_series(1, 20) AS n;
SELECT (SELECT pg_relation_size(reltoastrelid) > 0 FROM pg_class WHERE oid = 'wide'::regclass) AS outside,
	(SELECT bool_and(pg_column_compression(key) IS NOT NULL) FROM packed) AS compressed;
SELECT count(*) AS rows, count(*) FILTER (WHERE gid_permute(n, key) IS DISTINCT FROM pg_temp.alone(n, key, 63)
	OR gid_unpermute(gid_permute(n, key), key) IS DISTINCT FROM n) AS wrong
FROM (TABLE wide UNION ALL TABLE packed) AS keys;

-- PL/pgSQL keeps the call sites of its expressions.
CREATE FUNCTION pg_temp.changing() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	wrong int := 0;
	k bytea;
BEGIN
	FOR i IN 1..300 LOOP
		k := substr(sha512((i / 2)::text::bytea), 1, 16 + i % 49);
		IF gid_unpermute(gid_permute(i, k, 20 + i % 40), k, 20 + i % 40) IS DISTINCT FROM i
			OR gid_permute(i, k, 20 + i % 40) IS DISTINCT FROM pg_temp.alone(i, k, 20 + i % 40) THEN
			wrong := wrong + 1;
		END IF;
	END LOOP;
	RETURN wrong;
END $$;
SELECT pg_temp.changing() AS wrong;
-- A partition key.
CREATE TABLE bucket (id bigint) PARTITION BY LIST (gid_permute(id, '\x000102030405060708090a0b0c0d0e0f', 8));
CREATE TABLE bucket_137 PARTITION OF bucket FOR VALUES IN (137);
CREATE TABLE bucket_rest PARTITION OF bucket DEFAULT;
INSERT INTO bucket VALUES (1), (2), (255);
SELECT tableoid::regclass AS bucket, id FROM bucket ORDER BY id;
DROP TABLE bucket;

-- A DEFAULT over a sequence, and a look-up by the shown id.
CREATE SEQUENCE customer_no;
CREATE TABLE customer (id bigint PRIMARY KEY
	DEFAULT gid_permute(gid_next('customer_no'), '\x000102030405060708090a0b0c0d0e0f', 53), name text);
INSERT INTO customer (name) VALUES ('a'), ('b') RETURNING *;
INSERT INTO customer (name) SELECT 'c' FROM generate_series(1, 1000);
SELECT count(*) AS rows, min(gid_unpermute(id, :key, 53)) AS first, max(gid_unpermute(id, :key, 53)) AS last,
	max(id) < 2::numeric ^ 53 AS safe FROM customer;
DROP TABLE customer;
DROP SEQUENCE customer_no;

CREATE TABLE invoice (id bigint PRIMARY KEY, name text);
INSERT INTO invoice SELECT n, 'no ' || n FROM generate_series(1, 1000) AS n;
ANALYZE invoice;
CREATE VIEW shown AS SELECT gid_permute(id, '\x000102030405060708090a0b0c0d0e0f') AS id, name FROM invoice;
SELECT id, name FROM shown ORDER BY name LIMIT 2;
EXPLAIN (COSTS OFF)
SELECT name FROM invoice WHERE id = gid_unpermute(1325819157524453574, :key);
SELECT name FROM invoice WHERE id = gid_unpermute(1325819157524453574, :key);
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
PREPARE by_shown(bigint) AS SELECT name FROM invoice
WHERE id = gid_unpermute($1, '\x000102030405060708090a0b0c0d0e0f');
EXPLAIN (COSTS OFF) EXECUTE by_shown(1325819157524453574);
EXECUTE by_shown(1325819157524453574);
RESET enable_seqscan;
RESET plan_cache_mode;
-- An index on the shown id serves a condition on it.
CREATE UNIQUE INDEX ON invoice (gid_permute(id, '\x000102030405060708090a0b0c0d0e0f'));
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT name FROM shown WHERE id = 1325819157524453574;
SELECT name FROM shown WHERE id = 1325819157524453574;
RESET enable_seqscan;

-- Parallel workers.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE invoice SET (parallel_workers = 2);
EXPLAIN (COSTS OFF)
SELECT count(*) FROM invoice WHERE gid_unpermute(gid_permute(id, :key), :key) = id;
SELECT count(*) FROM invoice WHERE gid_unpermute(gid_permute(id, :key), :key) = id;
DROP VIEW shown;
DROP TABLE invoice;
DROP TABLE tenant, wide, packed;
