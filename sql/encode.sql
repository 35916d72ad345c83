-- gid_encode() and its way back, and the charsets. test/unit/test_radix.c compares every
-- base with a second implementation, test/unit/test_code.c the charsets. vectors_made.sql
-- has texts that must not change.
\i sql/include/start.sql
SET client_encoding = 'UTF8';

-- Texts that others calculated: the base58 draft of the IETF, the README of ULID.
SELECT gid_decode_uuid('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'crockford') AS ulid;
-- Texts of a fixed width sort as the ids do where the charset is in the order of ASCII.
SELECT charset, count(*) FILTER (WHERE (a < b) <> (gid_encode(a, charset) COLLATE "C" < gid_encode(b, charset))) AS not_in_order
FROM unnest(ARRAY['numeric', 'crockford', 'base62']) AS charset, generate_series(1, 100) AS n,
	LATERAL (SELECT md5(n::text)::uuid AS a, md5(charset || n)::uuid AS b) AS ids GROUP BY 1 ORDER BY 1;
-- Leading zeros, lower case, and I, L and O are read.
SELECT gid_decode_bigint(repeat('0', 1000) || '9223372036854775807', 'numeric') AS last, gid_decode_bigint('iLoOz', 'crockford') AS typed;

-- Texts that are refused: one past each end, another width, a foreign character.
SELECT e.code, e.message, e.detail FROM pg_temp.expect(
	$$SELECT gid_encode(-1, 'numeric')$$,
	$$SELECT gid_decode_bigint('', 'numeric')$$,
	$$SELECT gid_decode_bigint('9223372036854775808', 'numeric')$$,
	$$SELECT gid_decode_uuid('80000000000000000000000000', 'crockford')$$,
	$$SELECT gid_decode_uuid('1ARZ3NDEKTSV4RRFFQ69G5FAV', 'crockford')$$,
	$$SELECT gid_decode_bigint('1U', 'crockford')$$,
	$$SELECT gid_decode_bigint('é€1', 'numeric')$$) AS e;
-- An unknown name is refused, and never taken for a list of characters. Each function
-- refuses an invalid charset.
SELECT e.code, e.message, e.detail FROM pg_temp.expect($$SELECT gid_encode(1, '0123456789abcdef')$$, $$SELECT gid_encode(1, 'chars:0')$$,
	$$SELECT gid_encode(1, 'chars:011')$$, $$SELECT gid_encode(1, 'chars:01é')$$, $$SELECT gid_lexical_add('a', 1, 'chars:xX', true)$$) AS e;
SELECT e.* FROM pg_temp.alike($$SELECT gid_encode('00000000-0000-0000-0000-000000000000'::uuid, 'chars:11')$$,
	$$SELECT gid_decode_bigint('1', 'chars:11')$$, $$SELECT gid_decode_uuid('1', 'chars:11')$$,
	$$SELECT gid_lexical_add('1', 1, 'chars:11')$$, $$SELECT gid_check_append('1', 'chars:11')$$, $$SELECT gid_check_valid('1', 'chars:11')$$,
	$$SELECT gid_encode(-1, 'chars:11')$$) AS e;
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

\if :library
-- GDIDs.
SELECT gid_encode('Hello World!'::bytea::gdid, 'base58') AS base58, gid_decode_gdid('1zzzzzzzzzzzzzzzzzzz', 'crockford') AS last;
SELECT e.code, e.message, e.detail FROM pg_temp.expect(
	$$SELECT gid_decode_gdid('20000000000000000000', 'crockford')$$,
	$$SELECT gid_decode_gdid('000000000000000000000', 'crockford')$$,
	$$SELECT gid_encode('0:0:0'::gdid, 'chars:11')$$,
	$$SELECT gid_decode_gdid('1', 'chars:11')$$) AS e;

-- In a database without an encoding a message is cut between the characters that a
-- client sees. A byte outside ASCII is shown as its number.
SELECT current_database() AS here \gset
CREATE DATABASE regress_gid_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C';
\connect regress_gid_ascii
SET client_encoding = 'UTF8';
CREATE EXTENSION gid;
\i :expect
SELECT e.code, e.message, e.detail FROM pg_temp.expect(
	$$SELECT gid_decode_bigint('a' || repeat(E'\xC3\xA4', 80), 'numeric')$$,
	$$SELECT gid_lexical_add('1', 1, 'chars:a' || repeat(E'\xC3\xA4', 80))$$,
	$$SELECT gid_lexical_add(E'1\xC3\xA4', 1)$$,
	$$SELECT gid_typeid_uuid(E'user_01h2xcejqtf2nbrexx3vqjhp\xC3\xA4', 'user')$$) AS e;
\connect :here
DROP DATABASE regress_gid_ascii;
\endif
