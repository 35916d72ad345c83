-- gid_encode() and its way back: the shortest text for a number, texts of fixed width
-- for a uuid and a gdid, and the charsets. test/unit/test_radix.c compares every base with
-- a second implementation, vectors_made.sql has texts that must not change.
\i sql/include/start.sql
SET client_encoding = 'UTF8';
\set all94 'chars:!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'

-- Round trips in every charset by name, and in lists. The texts of a fixed width sort as
-- the ids do where the charset is in the order of ASCII. Only crockford reads other
-- characters than its own.
SELECT charset, length(list) AS size,
	count(*) FILTER (WHERE gid_decode_bigint(gid_encode(b, charset), charset) IS DISTINCT FROM b
		OR gid_encode(b, charset) <> gid_encode(b, 'chars:' || list)) AS bigints,
	count(*) FILTER (WHERE gid_decode_uuid(gid_encode(u, charset), charset) IS DISTINCT FROM u) AS uuids,
	count(*) FILTER (WHERE gid_decode_gdid(gid_encode(g, charset), charset) IS DISTINCT FROM g) AS gdids,
	count(*) FILTER (WHERE (u < '7fffffff-ffff-ffff-ffff-ffffffffffff'::uuid) <>
		(gid_encode(u, charset) COLLATE "C" < gid_encode('7fffffff-ffff-ffff-ffff-ffffffffffff'::uuid, charset))) AS not_in_order,
	(SELECT string_agg(chr(c), '' ORDER BY c) FROM generate_series(33, 126) AS c
	 WHERE strpos(list, chr(c)) = 0 AND EXISTS (SELECT FROM regexp_split_to_table(list, '') AS last
		WHERE gid_check_valid(chr(c) || last, charset))) AS reads_too
FROM unnest(ARRAY['numeric', 'alpha_lower', 'alpha_upper', 'alphanumeric_lower', 'alphanumeric_upper',
		'crockford', 'hex', 'base58', 'base62', 'chars:01', :'all94']) WITH ORDINALITY AS c (charset, place),
	LATERAL (SELECT string_agg(gid_lexical_add('', n, charset), '' ORDER BY n) AS list
		FROM generate_series(1, 94) AS n WHERE length(gid_lexical_add('', n, charset)) = 1) AS l,
	generate_series(0, 30) AS n,
	LATERAL (SELECT CASE n WHEN 0 THEN '00000000-0000-0000-0000-000000000000'
		WHEN 1 THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff' ELSE md5(n || charset)::uuid END AS u) AS made,
	LATERAL (SELECT substr(uuid_send(u), 1, 12)::gdid AS g,
		('x' || left(replace(u::text, '-', ''), 16))::bit(64)::bigint & 9223372036854775807 AS b) AS cut
GROUP BY charset, place, list ORDER BY place;
-- Texts that others calculated: the base58 draft of the IETF, the README of ULID, and the
-- server's own functions.
SELECT gid_encode('Hello World!'::bytea::gdid, 'base58') AS base58, gid_decode_uuid('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'crockford') AS ulid;
SELECT count(*) FILTER (WHERE gid_encode(id, 'hex') IS DISTINCT FROM to_hex(id)) AS hex,
	count(*) FILTER (WHERE gid_encode(id, 'numeric') IS DISTINCT FROM id::text) AS decimal
FROM (SELECT (random() * 2 ^ n)::bigint AS id FROM generate_series(0, 62) AS n, generate_series(1, 10)) AS r;

-- Texts that are refused: one past each end, another width, a foreign character.
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_encode(-1, 'numeric')$$,
	$$SELECT gid_decode_bigint('', 'numeric')$$,
	$$SELECT gid_decode_bigint('9223372036854775808', 'numeric')$$,
	$$SELECT gid_decode_bigint('8000000000000', 'crockford')$$,
	$$SELECT gid_decode_bigint(repeat('9', 200), 'numeric')$$,
	$$SELECT gid_decode_uuid('80000000000000000000000000', 'crockford')$$,
	$$SELECT gid_decode_uuid('1ARZ3NDEKTSV4RRFFQ69G5FAV', 'crockford')$$,
	$$SELECT gid_decode_uuid('001ARZ3NDEKTSV4RRFFQ69G5FAV', 'crockford')$$,
	$$SELECT gid_decode_gdid('20000000000000000000', 'crockford')$$,
	$$SELECT gid_decode_gdid('000000000000000000000', 'crockford')$$,
	$$SELECT gid_decode_bigint('1-0', 'crockford')$$,
	$$SELECT gid_decode_bigint('1U', 'crockford')$$,
	$$SELECT gid_decode_bigint('é€1', 'numeric')$$) AS e;
-- Leading zeros, lower case, and I, L and O are read.
SELECT gid_decode_bigint(repeat('0', 1000) || '9223372036854775807', 'numeric') AS last, gid_decode_bigint('iLoOz', 'crockford') AS typed,
	gid_decode_gdid('1zzzzzzzzzzzzzzzzzzz', 'crockford') AS last_gdid;

-- An unknown name is refused, and never taken for a list of characters. Each function
-- refuses an invalid charset.
SELECT e.* FROM pg_temp.alike($$SELECT gid_encode(1, '0123456789abcdef')$$, $$SELECT gid_encode(1, 'chars:0')$$, $$SELECT gid_encode(1, 'chars:011')$$,
	$$SELECT gid_encode(1, 'chars:01 ')$$, $$SELECT gid_encode(1, 'chars:01é')$$, $$SELECT gid_lexical_add('a', 1, 'chars:xX', true)$$) AS e;
SELECT e.statements, e.code FROM pg_temp.alike(format('SELECT gid_encode(1, %L)', :'all94' || '!'), $$SELECT gid_encode(1, 'Hex')$$, $$SELECT gid_encode(1, '')$$,
	$$SELECT gid_encode('00000000-0000-0000-0000-000000000000'::uuid, 'chars:11')$$, $$SELECT gid_encode('0:0:0'::gdid, 'chars:11')$$,
	$$SELECT gid_decode_bigint('1', 'chars:11')$$, $$SELECT gid_decode_uuid('1', 'chars:11')$$, $$SELECT gid_decode_gdid('1', 'chars:11')$$,
	$$SELECT gid_lexical_add('1', 1, 'chars:11')$$, $$SELECT gid_check_append('1', 'chars:11')$$, $$SELECT gid_check_valid('1', 'chars:11')$$) AS e;
-- The charset changes from call to call, also by way of an error. PL/pgSQL keeps the
-- call site.
CREATE FUNCTION pg_temp.try_encode(n bigint, charset text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN gid_encode(n, charset);
EXCEPTION WHEN invalid_parameter_value THEN
	RETURN SQLSTATE;
END $$;
SELECT string_agg(pg_temp.try_encode(5, charset), ' ' ORDER BY n) AS texts
FROM unnest(ARRAY['chars:01', 'chars:00', 'chars:01', '01', 'numeric', 'chars:01', 'chars:10']) WITH ORDINALITY AS c (charset, n);
SELECT string_agg(gid_lexical_add('Zz', n, 'alpha', n % 2 = 0), ' ' ORDER BY n) AS case_alone FROM generate_series(4, 7) AS n;

-- The domains: both ends of each and one past.
SELECT 1::gid_id AS first, 9223372036854775807::gid_id AS last, 1::gid_js_id AS js_first, 9007199254740991::gid_js_id AS js_last;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT 0::gid_id$$, $$SELECT 0::gid_js_id$$, $$SELECT 9007199254740992::gid_js_id$$) AS e;

-- In a database without an encoding a message is cut between the characters that a
-- client sees. A byte outside ASCII is shown as its number.
SELECT current_database() AS here \gset
CREATE DATABASE regress_gid_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C';
\connect regress_gid_ascii
SET client_encoding = 'UTF8';
CREATE EXTENSION gid;
SELECT gid_decode_bigint('a' || repeat(E'\xC3\xA4', 80), 'numeric');
SELECT gid_lexical_add('1', 1, 'chars:a' || repeat(E'\xC3\xA4', 80));
SELECT gid_lexical_add(E'1\xC3\xA4', 1);
SELECT gid_typeid(repeat(E'\xC3\xA4', 80), '0188bac7-4afa-78aa-bc3b-bd1eef28d881');
SELECT gid_typeid_uuid(E'user_01h2xcejqtf2nbrexx3vqjhp\xC3\xA4', 'user');
\connect :here
DROP DATABASE regress_gid_ascii;
