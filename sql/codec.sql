-- gid_encode(), gid_decode_*(): short texts for ids; gid_check_append() and
-- gid_check_valid(): check characters; the domains gid_id and gid_js_id.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
SET client_encoding = 'UTF8';
\getenv srcdir PG_ABS_SRCDIR
\set include :srcdir '/sql/include/expect.sql'
\i :include
\set base62 '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
\set all94 '!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'

--
-- Texts for a bigint: the shortest
--

SELECT id, gid_encode(id, 'numeric') AS numeric, gid_encode(id, 'alpha_lower') AS alpha_lower,
	gid_encode(id, 'crockford') AS crockford, gid_encode(id, :'base62') AS base62, gid_encode(id, '01') AS binary
FROM unnest(ARRAY[0, 1, 9, 10, 31, 32, 61, 62, 63, 3843, 3844, 1000000]::bigint[]) AS id;
-- Both ends, in the smallest and the largest charset.
SELECT gid_encode(9223372036854775807, '01') = repeat('1', 63) AS base_2, gid_encode(9223372036854775807, :'base62') AS base_62,
	gid_encode(9223372036854775807, 'crockford') AS crockford, gid_encode(9223372036854775807, 'numeric') AS numeric,
	gid_decode_bigint(gid_encode(9223372036854775807, :'all94'), :'all94') AS base_94;
SELECT e.* FROM pg_temp.expect(
	$$SELECT gid_encode(-1, 'numeric')$$,
	$$SELECT gid_encode((-9223372036854775808)::bigint, 'crockford')$$) AS e;

-- Every charset by name, and round trips at both ends of each number of digits.
SELECT charset, count(*) AS tried, count(*) FILTER (WHERE gid_decode_bigint(gid_encode(id, charset), charset) <> id
	OR id > 0 AND left(gid_encode(id, charset), 1) = gid_encode(0, charset)) AS mismatches
FROM unnest(ARRAY['numeric', 'alpha_lower', 'alpha_upper', 'alpha', 'alphanumeric_lower', 'alphanumeric_upper',
		'alphanumeric', 'crockford', '10', 'zyx', :'base62', :'all94']) AS charset,
	(SELECT DISTINCT CAST(trunc(b ^ n) + d AS bigint) AS id
	 FROM generate_series(0, 63) AS n, unnest(ARRAY[2, 3, 10, 26, 32, 36, 52, 62, 94]::numeric[]) AS b, generate_series(-1, 1) AS d
	 WHERE trunc(b ^ n) + d <= 9223372036854775807) AS i
GROUP BY charset ORDER BY charset COLLATE "C";
-- The digits by another way.
SELECT count(*) AS tried, count(*) FILTER (WHERE gid_encode(id, '0123456789abcdef') <> to_hex(id)) AS hex,
	count(*) FILTER (WHERE gid_encode(id, 'numeric') <> id::text) AS decimal
FROM (SELECT (random() * 2 ^ n)::bigint AS id FROM generate_series(0, 62) AS n, generate_series(1, 50)) AS r;

-- Leading zeros are taken; a text that is none is not.
SELECT gid_decode_bigint('0', 'numeric') AS zero, gid_decode_bigint(repeat('0', 1000) || '7', 'numeric') AS seven,
	gid_decode_bigint('00L33T', :'base62') AS leet, gid_decode_bigint('9223372036854775807', 'numeric') AS last,
	gid_decode_bigint('aZl8N0y58M7', :'base62') AS base_62;
SELECT e.* FROM pg_temp.expect(
	$$SELECT gid_decode_bigint('', 'numeric')$$,
	$$SELECT gid_decode_bigint('9223372036854775808', 'numeric')$$,
	$$SELECT gid_decode_bigint('18446744073709551615', 'numeric')$$,
	$$SELECT gid_decode_bigint('18446744073709551616', 'numeric')$$,
	$$SELECT gid_decode_bigint(repeat('1', 64), '01')$$,
	$$SELECT gid_decode_bigint('8000000000000', 'crockford')$$,
	$$SELECT gid_decode_bigint('1 2', 'numeric')$$,
	$$SELECT gid_decode_bigint('-1', 'numeric')$$,
	$$SELECT gid_decode_bigint('12a', 'numeric')$$,
	$$SELECT gid_decode_bigint('é€1', 'numeric')$$,
	$$SELECT gid_decode_bigint('1€', 'numeric')$$,
	$$SELECT gid_decode_bigint(repeat('9', 200) || 'x', 'numeric')$$,
	$$SELECT gid_decode_bigint(repeat('9', 200), 'numeric')$$) AS e;

-- crockford takes lower case, I and L as 1 and O as 0, but no U; only that name.
SELECT gid_decode_bigint('ZO', 'crockford') AS o, gid_decode_bigint('zI', 'crockford') AS i, gid_decode_bigint('zl', 'crockford') AS l,
	gid_decode_bigint('iLoO', 'crockford') AS all_of_them, gid_encode(gid_decode_bigint('ab1o', 'crockford'), 'crockford') AS written;
SELECT e.code, e.detail FROM pg_temp.expect(
	$$SELECT gid_decode_bigint('1U', 'crockford')$$,
	$$SELECT gid_decode_bigint('1u', 'crockford')$$,
	$$SELECT gid_decode_bigint('1-0', 'crockford')$$,
	$$SELECT gid_decode_bigint('1a', '0123456789ABCDEFGHJKMNPQRSTVWXYZ')$$,
	$$SELECT gid_decode_bigint('aO', 'alphanumeric_lower')$$) AS e;

--
-- Texts for a uuid and a gdid: of fixed width
--

-- The ULIDs of the specification's examples, and the ends.
SELECT id, gid_encode(id, 'crockford') AS ulid, gid_decode_uuid(gid_encode(id, 'crockford'), 'crockford') = id AS back
FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001',
	'018df4bc-5600-7000-8000-000000000000', '01563e3a-b5d3-d676-4c61-efb99302bd5b',
	'ffffffff-ffff-ffff-ffff-fffffffffffe', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[]) AS id;
SELECT gid_decode_uuid('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'crockford') AS ulid, gid_decode_uuid('01arz3ndektsv4rrffq69g5fav', 'crockford') AS lower,
	gid_decode_uuid('OIarz3ndektsv4rrffq69g5fav', 'crockford') AS typed, gid_decode_uuid('7ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'crockford') AS last;
SELECT charset, gid_encode('018df4bc-5600-7000-8000-000000000000'::uuid, charset) AS uuid,
	gid_encode('0:1:75'::gdid, charset) AS gdid
FROM unnest(ARRAY['numeric', 'alpha_upper', 'crockford', :'base62', '0123456789abcdef']) AS charset;
SELECT id, gid_encode(id, 'crockford') AS text, gid_decode_gdid(gid_encode(id, 'crockford'), 'crockford') = id AS back,
	gid_encode(id, '0123456789abcdef') = gid_gdid_hex(id) AS hex
FROM unnest(ARRAY['0:0:0', '0:1:75', '1:0:0', '4294967295:15:1152921504606846974', '4294967295:15:1152921504606846975']::gdid[]) AS id;

-- The width is what the largest needs, in every base.
SELECT count(*) AS bases, count(*) FILTER (WHERE length(gid_encode('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, c)) <> w128
	OR length(gid_encode('00000000-0000-0000-0000-000000000000'::uuid, c)) <> w128
	OR length(gid_encode('4294967295:15:1152921504606846975'::gdid, c)) <> w96
	OR length(gid_encode('0:0:0'::gdid, c)) <> w96
	OR left(gid_encode('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, c), 1) = left(c, 1)) AS mismatches
FROM generate_series(2, 94) AS n, CAST(left(:'all94', n) AS text) AS c,
	LATERAL (SELECT min(w) FILTER (WHERE n::numeric ^ w > 2::numeric ^ 128 - 1) AS w128,
		min(w) FILTER (WHERE n::numeric ^ w > 2::numeric ^ 96 - 1) AS w96 FROM generate_series(1, 128) AS w) AS width;

-- Round trips, and the order of the texts, in the order of ASCII.
CREATE TEMP TABLE pair AS
SELECT charset, u, md5(u::text || charset)::uuid AS v, substr(decode(replace(u::text, '-', ''), 'hex'), 1, 12)::gdid AS g
FROM unnest(ARRAY['01', 'numeric', 'alpha_upper', 'crockford', '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', :'all94', 'zyx']) AS charset,
	generate_series(1, 300) AS n, CAST(md5(n::text) AS uuid) AS u;
SELECT count(*) AS tried, count(*) FILTER (WHERE gid_decode_uuid(gid_encode(u, charset), charset) <> u) AS uuids,
	count(*) FILTER (WHERE gid_decode_gdid(gid_encode(g, charset), charset) <> g) AS gdids,
	count(*) FILTER (WHERE charset <> 'zyx' AND (u < v) <> (gid_encode(u, charset) COLLATE "C" < gid_encode(v, charset))) AS not_in_order
FROM pair;

SELECT e.* FROM pg_temp.expect(
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

-- What is no charset, for each function.
SELECT e.* FROM pg_temp.expect(
	$$SELECT gid_encode(1, '')$$, $$SELECT gid_encode(1, '0')$$, $$SELECT gid_encode(1, 'Crockford')$$,
	$$SELECT gid_encode('00000000-0000-0000-0000-000000000000'::uuid, '01 ')$$,
	$$SELECT gid_encode('0:0:0'::gdid, '01é')$$) AS e;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_decode_bigint('1', '11')$$, $$SELECT gid_decode_uuid('1', '11')$$,
	$$SELECT gid_decode_gdid('1', '11')$$, $$SELECT gid_check_append('1', '11')$$, $$SELECT gid_check_valid('1', '11')$$) AS e;

-- A charset that changes from call to call, one in an error among them; and a
-- function that keeps the place of its call.
SELECT n, gid_encode(n, CASE n % 3 WHEN 0 THEN '01' WHEN 1 THEN 'numeric' ELSE 'xyz' END) AS text,
	gid_lexical_add('zz', n, CASE n % 2 WHEN 0 THEN 'alpha' ELSE 'alphanumeric' END, n % 4 < 2) AS code,
	gid_lexical_add('Zz', n, 'alpha', n % 2 = 0) AS case_alone
FROM generate_series(4, 11) AS n;
CREATE FUNCTION pg_temp.try_encode(n bigint, charset text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN gid_encode(n, charset);
EXCEPTION WHEN invalid_parameter_value THEN
	RETURN SQLSTATE;
END $$;
SELECT string_agg(pg_temp.try_encode(5, charset), ' ' ORDER BY n) AS texts
FROM unnest(ARRAY['01', '00', '01', '0', '00', 'numeric', '01', '10']) WITH ORDINALITY AS c (charset, n);

-- In an index and a generated column, which ask for IMMUTABLE.
CREATE TEMP TABLE link (id bigint PRIMARY KEY, slug text COLLATE "C" GENERATED ALWAYS AS (gid_encode(id, 'crockford')) STORED UNIQUE);
CREATE INDEX ON link (gid_check_append(slug, 'crockford'));
INSERT INTO link SELECT n * 1000003 FROM generate_series(1, 3) AS n;
SELECT *, gid_check_append(slug, 'crockford') AS checked FROM link ORDER BY id;

--
-- Check characters
--

-- Luhn's own example, numbers of cards for tests, an IMEI, and the published
-- example of another alphabet.
SELECT code, charset, gid_check_append(code, charset) AS checked,
	gid_check_valid(gid_check_append(code, charset), charset) AS valid, gid_check_valid(code, charset) AS code_alone
FROM (VALUES ('7992739871', 'numeric'), ('411111111111111', 'numeric'), ('37828224631000', 'numeric'), ('555555555555444', 'numeric'),
	('49015420323751', 'numeric'), ('0', 'numeric'), ('abcdef', 'abcdef'), ('00A001', 'alphanumeric_upper'),
	('K7', 'crockford'), ('k7', 'crockford'), ('ILO', 'crockford'), ('Mike', 'alpha'), ('x', 'xyz')) AS v (code, charset);
SELECT n, gid_check_valid('7992739871' || n, 'numeric') AS valid FROM generate_series(0, 9) AS n;

-- As typed: crockford in either case and with letters for digits, as in decoding.
SELECT gid_check_append('K7O1', 'crockford') AS appended,
	gid_check_valid(gid_check_append('K701', 'crockford'), 'crockford') AS as_written,
	gid_check_valid(lower(gid_check_append('K701', 'crockford')), 'crockford') AS lower,
	gid_check_valid(translate(gid_check_append('K701', 'crockford'), '01', 'oL'), 'crockford') AS letters,
	gid_check_valid(lower(gid_check_append('ABC', 'alphanumeric_upper')), 'alphanumeric_upper') AS other_charset;
SELECT code, gid_check_valid(code, 'numeric') AS valid
FROM unnest(ARRAY['', '0', '00', '5', '18', '1', ' 18', '18 ', '1-8', '1é8', '79927398713', '79927398731', '079927398713', '0079927398713']) AS code;
SELECT e.* FROM pg_temp.expect(
	$$SELECT gid_check_append('', 'numeric')$$,
	$$SELECT gid_check_append('12-34', 'numeric')$$,
	$$SELECT gid_check_append('ñ€ 1', 'numeric')$$,
	$$SELECT gid_check_append('abc', 'alphanumeric_upper')$$,
	$$SELECT gid_check_append('1U', 'crockford')$$) AS e;

-- Which mistakes are told: for an even number of characters every wrong one; for
-- an odd number, where it counts twice, all but one for each but the first.
CREATE FUNCTION pg_temp.mistakes(charset text, code text, OUT size int, OUT wrong int, OUT unnoticed int, OUT swapped int, OUT unnoticed_swaps text)
LANGUAGE plpgsql AS $$
DECLARE
	good text := gid_check_append(code, charset);
BEGIN
	size := length(charset);
	SELECT count(*), count(*) FILTER (WHERE gid_check_valid(overlay(good PLACING c FROM p FOR 1), charset)) INTO wrong, unnoticed
	FROM generate_series(1, length(good)) AS p, regexp_split_to_table(charset, '') AS c WHERE substr(good, p, 1) <> c;
	SELECT count(*), string_agg(a || b, ' ' ORDER BY a COLLATE "C") FILTER (WHERE gid_check_valid(b || a || last, charset)) INTO swapped, unnoticed_swaps
	FROM regexp_split_to_table(charset, '') AS a, regexp_split_to_table(charset, '') AS b,
		CAST(right(gid_check_append(a || b, charset), 1) AS text) AS last WHERE a <> b;
END $$;
SELECT charset, code, m.* FROM (VALUES ('0123456789', '12345678'), ('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 'Z0Q7'),
	('ABCDEFG', 'ABCDEFG'), ('abc', 'abcabc'), ('01', '0110')) AS v (charset, code), pg_temp.mistakes(charset, code) AS m;

-- A code of a sequence, with its check character, as a column's DEFAULT.
CREATE SEQUENCE ticket_no;
CREATE TABLE ticket (
	no text PRIMARY KEY DEFAULT gid_check_append(gid_next_code('ticket_no', '00A000', 'alphanumeric_upper'), 'alphanumeric_upper')
		CHECK (gid_check_valid(no, 'alphanumeric_upper')),
	subject text);
INSERT INTO ticket (subject) VALUES ('printer'), ('door') RETURNING no;
SELECT e.code, e.message FROM pg_temp.expect($$INSERT INTO ticket VALUES ('00A0010', 'typed wrong')$$) AS e;
INSERT INTO ticket (subject) SELECT n FROM generate_series(1, 5000) AS n;
SELECT count(*) AS tickets, count(*) FILTER (WHERE gid_check_valid(no, 'alphanumeric_upper')) AS valid, max(length(no)) AS longest FROM ticket;
DROP TABLE ticket;
DROP SEQUENCE ticket_no;

--
-- Domains
--

SELECT 1::gid_id AS first, 9223372036854775807::gid_id AS last, NULL::gid_id AS nothing,
	1::gid_js_id AS js_first, 9007199254740991::gid_js_id AS js_last, NULL::gid_js_id AS js_nothing;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT 0::gid_id$$, $$SELECT (-1)::gid_id$$, $$SELECT (-9223372036854775808)::gid_id$$,
	$$SELECT 0::gid_js_id$$, $$SELECT (-1)::gid_js_id$$, $$SELECT 9007199254740992::gid_js_id$$, $$SELECT 9223372036854775807::gid_js_id$$) AS e;
CREATE SEQUENCE member_no;
CREATE TABLE member (id gid_id PRIMARY KEY DEFAULT gid_next('member_no'), js gid_js_id DEFAULT gid_next('member_no'), name text);
INSERT INTO member (name) VALUES ('a'), ('b') RETURNING id, js;
INSERT INTO member VALUES (7, NULL, 'c');
SELECT id, js, gid_encode(id, :'base62') AS text FROM member ORDER BY id;
ALTER SEQUENCE member_no RESTART 9007199254740991;
INSERT INTO member (id, name) VALUES (8, 'd') RETURNING js;
SELECT e.code, e.message FROM pg_temp.expect($$INSERT INTO member (id, name) VALUES (9, 'e')$$, $$INSERT INTO member (id) VALUES (0)$$) AS e;
DROP TABLE member;
DROP SEQUENCE member_no;

-- Strict, and the labels.
SELECT num_nulls(gid_encode(NULL::bigint, '01'), gid_encode(1, NULL), gid_encode(NULL::uuid, '01'), gid_encode(NULL::gdid, '01'),
	gid_decode_bigint(NULL, '01'), gid_decode_bigint('1', NULL), gid_decode_uuid(NULL, '01'), gid_decode_gdid(NULL, '01'),
	gid_check_append(NULL, '01'), gid_check_append('1', NULL), gid_check_valid(NULL, '01'), gid_check_valid('1', NULL)) AS nulls;
SELECT gid_encode(id => 35, charset => 'crockford') AS encode, gid_decode_bigint(code => '13', charset => 'crockford') AS decode,
	gid_check_append(code => '7', charset => 'numeric') AS append, gid_check_valid(code => '75', charset => 'numeric') AS valid;

-- An id without a type, or as text: the error says which casts there are, also
-- of a driver's parameter.  Whatever has a type is encoded as before.
SELECT e.* FROM pg_temp.expect($$SELECT gid_encode('018df4bc-5600-7000-8000-000000000000', 'crockford')$$) AS e;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_encode(NULL, 'crockford')$$, $$SELECT gid_encode('7'::varchar, NULL)$$,
	$$SELECT gid_encode(id, 'crockford') FROM unnest(ARRAY['7', '8']) AS id$$) AS e;
PREPARE encode AS SELECT gid_encode($1, $2);
EXECUTE encode('7', 'crockford');
DEALLOCATE encode;
PREPARE encode AS SELECT gid_encode($1::bigint, $2);
EXECUTE encode('7', 'crockford');
DEALLOCATE encode;
SELECT gid_encode(7::smallint, '01'), gid_encode(7, '01'), gid_encode(7::gid_id, '01');

-- In a database without an encoding a message is cut between what clients take
-- for characters, and a byte that is none of ASCII is shown as its number.
SELECT current_database() AS here \gset
CREATE DATABASE regress_gid_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C';
\connect regress_gid_ascii
SET client_encoding = 'UTF8';
CREATE EXTENSION gid;
SELECT gid_decode_bigint('a' || repeat(E'\xC3\xA4', 80), 'numeric');
SELECT gid_lexical_add('1', 1, 'a' || repeat(E'\xC3\xA4', 80));
SELECT gid_lexical_add(E'1\xC3\xA4', 1);
\connect :here
DROP DATABASE regress_gid_ascii;
