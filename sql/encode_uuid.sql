-- gid_encode(), gid_decode_uuid() and gid_decode_gdid(): texts of fixed width, such as
-- ULIDs, and their order.
\i sql/include/start.sql
SET client_encoding = 'UTF8';
\set own62 'chars:0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
\set all94 'chars:!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'

-- The ULIDs of the specification's examples, and both ends.
SELECT id, gid_encode(id, 'crockford') AS ulid, gid_decode_uuid(gid_encode(id, 'crockford'), 'crockford') = id AS back
FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001',
	'018df4bc-5600-7000-8000-000000000000', '01563e3a-b5d3-d676-4c61-efb99302bd5b',
	'ffffffff-ffff-ffff-ffff-fffffffffffe', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[]) AS id;
SELECT gid_decode_uuid('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'crockford') AS ulid, gid_decode_uuid('01arz3ndektsv4rrffq69g5fav', 'crockford') AS lower,
	gid_decode_uuid('OIarz3ndektsv4rrffq69g5fav', 'crockford') AS typed, gid_decode_uuid('7ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'crockford') AS last;
SELECT charset, gid_encode('018df4bc-5600-7000-8000-000000000000'::uuid, charset) AS uuid,
	gid_encode('0:1:75'::gdid, charset) AS gdid
FROM unnest(ARRAY['numeric', 'alpha_upper', 'crockford', :'own62', 'hex', 'base58', 'base62']) AS charset;
SELECT id, gid_encode(id, 'crockford') AS text, gid_decode_gdid(gid_encode(id, 'crockford'), 'crockford') = id AS back,
	gid_encode(id, 'hex') = gid_gdid_hex(id) AS hex
FROM unnest(ARRAY['0:0:0', '0:1:75', '1:0:0', '4294967295:15:1152921504606846974', '4294967295:15:1152921504606846975']::gdid[]) AS id;

-- Round trips. The texts sort as the ids do when the charset is in the order of ASCII.
CREATE TEMP TABLE pair AS
SELECT charset, u, md5(u::text || charset)::uuid AS v, substr(decode(replace(u::text, '-', ''), 'hex'), 1, 12)::gdid AS g
FROM unnest(ARRAY['chars:01', 'numeric', 'alpha_upper', 'crockford', 'hex', 'base58', 'base62', :'all94', 'chars:zyx']) AS charset,
	generate_series(1, 300) AS n, CAST(md5(n::text) AS uuid) AS u;
SELECT count(*) AS tried, count(*) FILTER (WHERE gid_decode_uuid(gid_encode(u, charset), charset) IS DISTINCT FROM u) AS uuids,
	count(*) FILTER (WHERE gid_decode_gdid(gid_encode(g, charset), charset) IS DISTINCT FROM g) AS gdids,
	count(*) FILTER (WHERE charset <> 'chars:zyx' AND (u < v) <> (gid_encode(u, charset) COLLATE "C" < gid_encode(v, charset))) AS not_in_order
FROM pair;

SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_decode_uuid('8ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'crockford')$$,
	$$SELECT gid_decode_uuid('80000000000000000000000000', 'crockford')$$,
	$$SELECT gid_decode_uuid('', 'crockford')$$,
	$$SELECT gid_decode_uuid('1ARZ3NDEKTSV4RRFFQ69G5FAV', 'crockford')$$,
	$$SELECT gid_decode_uuid('001ARZ3NDEKTSV4RRFFQ69G5FAV', 'crockford')$$,
	$$SELECT gid_decode_uuid('01ARZ3NDEKTSV4RRFFQ69G5FAU', 'crockford')$$,
	$$SELECT gid_decode_uuid('01arz3ndektsv4rrffq69g5fav', 'alphanumeric_upper')$$,
	$$SELECT gid_decode_gdid('80000000000000000000', 'crockford')$$,
	$$SELECT gid_decode_gdid('0000000000000000000', 'crockford')$$,
	$$SELECT gid_decode_gdid('000000000000000000000', 'crockford')$$,
	$$SELECT gid_decode_gdid(' 00000000000000000000', 'crockford')$$) AS e;
SELECT gid_decode_gdid('1ZZZZZZZZZZZZZZZZZZZ', 'crockford') AS last;
SELECT e.code, e.detail FROM pg_temp.expect($$SELECT gid_decode_gdid('20000000000000000000', 'crockford')$$) AS e;
