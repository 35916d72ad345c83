-- Charsets: their names, invalid ones, ones that change from call to call, and messages
-- with characters of any encoding.
\i sql/include/start.sql
SET client_encoding = 'UTF8';
\set all94 'chars:!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'

-- hex, base58 and base62, beside values that others calculated: those of the base58
-- draft of the IETF are "Hello World!" and 0x287fb4cd.
SELECT n, gid_encode(n, 'hex') AS hex, gid_encode(n, 'base58') AS base58, gid_encode(n, 'base62') AS base62
FROM unnest(ARRAY[0, 255, 679457997, 9223372036854775807]) AS n;
SELECT gid_encode(id, 'hex') AS hex, gid_encode(id, 'base58') AS base58, gid_encode(id, 'base62') AS base62
FROM convert_to('Hello World!', 'UTF8') AS bytes, CAST(bytes AS gdid) AS id;
SELECT gid_encode(id, 'hex') = replace(id::text, '-', '') AS hex, gid_encode(id, 'base58') AS base58, gid_encode(id, 'base62') AS base62
FROM CAST('018df4bc-5600-7000-8000-000000000000' AS uuid) AS id;

-- Round trips of each name, and of the list with the same characters. Only crockford
-- reads other characters than its own.
SELECT charset, length(list) AS size,
	count(*) FILTER (WHERE gid_decode_bigint(gid_encode(b, charset), charset) IS DISTINCT FROM b
		OR gid_encode(b, charset) <> gid_encode(b, 'chars:' || list)) AS bigints,
	count(*) FILTER (WHERE gid_decode_uuid(gid_encode(u, charset), charset) IS DISTINCT FROM u
		OR gid_encode(u, charset) <> gid_encode(u, 'chars:' || list)) AS uuids,
	count(*) FILTER (WHERE gid_decode_gdid(gid_encode(g, charset), charset) IS DISTINCT FROM g
		OR gid_encode(g, charset) <> gid_encode(g, 'chars:' || list)) AS gdids,
	(SELECT string_agg(chr(c), '' ORDER BY c) FROM generate_series(33, 126) AS c
	 WHERE strpos(list, chr(c)) = 0 AND EXISTS (SELECT FROM regexp_split_to_table(list, '') AS last
		WHERE gid_check_valid(chr(c) || last, charset))) AS reads_too
FROM unnest(ARRAY['numeric', 'alpha_lower', 'alpha_upper', 'alpha', 'alphanumeric_lower', 'alphanumeric_upper',
		'alphanumeric', 'crockford', 'hex', 'base58', 'base62']) WITH ORDINALITY AS c (charset, place),
	LATERAL (SELECT string_agg(gid_lexical_add('', n, charset), '' ORDER BY n) AS list
		FROM generate_series(1, 94) AS n WHERE length(gid_lexical_add('', n, charset)) = 1) AS l,
	generate_series(0, 200) AS n,
	LATERAL (SELECT CASE n WHEN 0 THEN '00000000-0000-0000-0000-000000000000'
		WHEN 1 THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff' ELSE md5(n || charset)::uuid END AS u) AS made,
	LATERAL (SELECT substr(uuid_send(u), 1, 12)::gdid AS g,
		('x' || left(replace(u::text, '-', ''), 16))::bit(64)::bigint & 9223372036854775807 AS b) AS cut
GROUP BY charset, place, list ORDER BY place;

-- What is no name is not taken for a list of characters.
SELECT e.* FROM pg_temp.alike($$SELECT gid_encode(1, 'hexadecimal')$$) AS e;
SELECT e.statements, e.code, e.detail FROM pg_temp.alike($$SELECT gid_encode(1, 'hexadecimal')$$, $$SELECT gid_encode(1, 'Hex')$$,
	$$SELECT gid_encode(1, 'base64')$$, $$SELECT gid_encode(1, 'base32')$$, $$SELECT gid_encode(1, 'Numeric')$$, $$SELECT gid_encode(1, '')$$,
	$$SELECT gid_encode(1, 'x')$$, $$SELECT gid_encode(1, 'chars')$$, $$SELECT gid_encode(1, '0123456789abcdef')$$, $$SELECT gid_encode(1, ' hex')$$,
	$$SELECT gid_encode(1, 'hex ')$$, $$SELECT gid_encode(1, 'Chars:01')$$, $$SELECT gid_encode(1, 'é')$$) AS e;

-- Each function refuses an invalid charset. code.sql has all kinds of them.
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_encode(1, 'chars:')$$, $$SELECT gid_encode(1, 'chars:0')$$, $$SELECT gid_encode(1, 'Crockford')$$,
	$$SELECT gid_encode('00000000-0000-0000-0000-000000000000'::uuid, 'chars:01 ')$$,
	$$SELECT gid_encode('0:0:0'::gdid, 'chars:01é')$$) AS e;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_decode_bigint('1', 'chars:11')$$, $$SELECT gid_decode_uuid('1', 'chars:11')$$,
	$$SELECT gid_decode_gdid('1', 'chars:11')$$, $$SELECT gid_check_append('1', 'chars:11')$$, $$SELECT gid_check_valid('1', 'chars:11')$$) AS e;
-- All 94 characters, and one more.
SELECT gid_encode(9223372036854775807, :'all94') AS largest;
SELECT gid_encode(1, :'all94' || '!');

-- The charset changes from call to call, also by way of an error. PL/pgSQL keeps the
-- call site.
SELECT n, gid_encode(n, CASE n % 3 WHEN 0 THEN 'chars:01' WHEN 1 THEN 'numeric' ELSE 'chars:xyz' END) AS text,
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
FROM unnest(ARRAY['chars:01', 'chars:00', 'chars:01', '01', 'chars:00', 'numeric', 'chars:01', 'chars:10', 'base58', 'base62', 'base64', 'hex']) WITH ORDINALITY AS c (charset, n);

-- In a database without an encoding a message is cut between the characters that a
-- client sees. A byte outside ASCII is shown as its number.
SELECT current_database() AS here \gset
CREATE DATABASE regress_gid_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C';
\connect regress_gid_ascii
SET client_encoding = 'UTF8';
CREATE EXTENSION gid;
SELECT gid_decode_bigint('a' || repeat(E'\xC3\xA4', 80), 'numeric');
SELECT gid_lexical_add('1', 1, 'a' || repeat(E'\xC3\xA4', 80));
SELECT gid_lexical_add('1', 1, 'chars:a' || repeat(E'\xC3\xA4', 80));
SELECT gid_lexical_add(E'1\xC3\xA4', 1);
\connect :here
DROP DATABASE regress_gid_ascii;
