-- Charsets: invalid ones, ones that change from call to call, and messages with
-- characters of any encoding.
\i sql/include/start.sql
SET client_encoding = 'UTF8';
\set base62 '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
\set all94 '!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'

-- Each function refuses an invalid charset. code.sql has all kinds of them.
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_encode(1, '')$$, $$SELECT gid_encode(1, '0')$$, $$SELECT gid_encode(1, 'Crockford')$$,
	$$SELECT gid_encode('00000000-0000-0000-0000-000000000000'::uuid, '01 ')$$,
	$$SELECT gid_encode('0:0:0'::gdid, '01é')$$) AS e;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_decode_bigint('1', '11')$$, $$SELECT gid_decode_uuid('1', '11')$$,
	$$SELECT gid_decode_gdid('1', '11')$$, $$SELECT gid_check_append('1', '11')$$, $$SELECT gid_check_valid('1', '11')$$) AS e;

-- The charset changes from call to call, also by way of an error. PL/pgSQL keeps the
-- call site.
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

-- In a database without an encoding a message is cut between the characters that a
-- client sees. A byte outside ASCII is shown as its number.
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
