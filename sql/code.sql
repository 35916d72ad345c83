-- gid_lexical_add(), which adds a number to a text: compared with listings of all
-- codes. test/unit/test_lexical.c compares it with a second implementation.
\i sql/include/start.sql
SET client_encoding = 'UTF8';

-- Adding to codes of each charset.
SELECT value, count, charset, gid_lexical_add(value, count, charset) AS code
FROM (VALUES ('9', 1, 'numeric'), ('99', 1, 'numeric'), ('099', 1, 'numeric'), ('Z', 1, 'alpha_upper'),
	  ('zzz', 1, 'alphanumeric'), ('zzz', 1, 'alpha'), ('00028', 99, 'numeric'), ('000', -1, 'numeric'),
	  ('100', -1, 'numeric'), ('Z', 1, 'crockford'), ('H', 1, 'crockford'), ('10', 1, 'chars:01'),
	  ('', 1, 'numeric'), ('', 1, 'alpha'), ('', 12, 'numeric'), ('000', -105, 'numeric'))
	AS v (value, count, charset);
SELECT gid_lexical_add('00A000', 1, 'alphanumeric', true) AS next,
	gid_lexical_add(value => '7', count => 1) AS defaults;
-- The codes of one character are the alphabet of each charset.
SELECT charset, count(*) AS size, string_agg(gid_lexical_add('', n, charset), '' ORDER BY n) AS alphabet
FROM unnest(ARRAY['numeric', 'alpha_lower', 'alpha_upper', 'alpha', 'alphanumeric_lower',
	'alphanumeric_upper', 'alphanumeric', 'crockford', 'hex', 'base58', 'base62', 'chars:ba', 'chars:Numeric',
	'chars:!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~']) AS charset,
	generate_series(1, 94) AS n WHERE length(gid_lexical_add('', n, charset)) = 1
GROUP BY charset ORDER BY charset COLLATE "C";

-- Every length has all its codes, in the alphabet's order. The test lists all codes of
-- up to four characters; the n-th of them is '' + n.
CREATE TEMP TABLE listing AS
WITH RECURSIVE code (code, place, alphabet) AS (
	SELECT '', ARRAY[]::int[], alphabet FROM unnest(ARRAY['01', 'zya', '0123456', 'aBc']) AS alphabet
	UNION ALL
	SELECT code || substr(alphabet, p, 1), place || p, alphabet
	FROM code, generate_series(1, 7) AS p WHERE p <= length(alphabet) AND length(code) < 4)
SELECT alphabet, code, row_number() OVER (PARTITION BY alphabet ORDER BY length(code), place) - 1 AS n
FROM code;
SELECT alphabet, count(*) AS codes, count(*) FILTER (WHERE n > 0
	AND gid_lexical_add('', n, 'chars:' || alphabet) IS DISTINCT FROM code) AS mismatches
FROM listing GROUP BY alphabet ORDER BY alphabet COLLATE "C";

-- The largest counts, and a code that is longer than any number.
SELECT gid_lexical_add('', 9223372036854775807) AS up,
	gid_lexical_add(gid_lexical_add('', 9223372036854775807), -9223372036854775806) AS down,
	gid_lexical_add('', 9223372036854775807, 'chars:01') = repeat('0', 63) AS longest,
	gid_lexical_add('99999999999999999999', (-9223372036854775808)::bigint) AS lowest,
	gid_lexical_add('90000000000000000000', 9223372036854775807) AS highest;
SELECT gid_lexical_add(repeat('9', 100000), 1) = repeat('0', 100001) AS up,
	gid_lexical_add(repeat('0', 100001), -1) = repeat('9', 100000) AS down;

-- A blank counts as one below the first character. A carry replaces blanks. A
-- subtraction that reaches the left end removes them.
SELECT value, count, '"' || gid_lexical_add(value, count) || '"' AS code
FROM (VALUES (' 99', 1), ('  9', 1), ('9 9', 1), (' ', 1), ('   ', 1), ('5 ', -1), (' 5', -1), (' 5', 1),
	  ('1 0', -1), (' 00', -1), (' ', 0)) AS v (value, count);

-- Ignoring case: with an alphabet of both cases the result has the case of most
-- letters of the value, upper case on a tie. An alphabet of one case is used as it is.
SELECT value, count, charset, gid_lexical_add(value, count, charset, true) AS code
FROM (VALUES ('Mike', 26, 'alpha'), ('MIke', 1, 'alpha'), ('MIKe', 1, 'alpha'), ('zzZ', 1, 'alpha'),
	  ('99', 1, 'alphanumeric'), ('a9', 1, 'alphanumeric'), ('ABz', 2, 'alpha_lower'), ('abZ', 2, 'alpha_upper'),
	  ('abj', 1, 'crockford'), ('aBA', 1, 'chars:aBc'), ('AAc', 1, 'chars:aBc'), ('a-A', 1, 'chars:Aa-'), ('bbb', 2, 'chars:AbBa-'),
	  ('BBB', 2, 'chars:AbBa-'), ('99', 1, 'numeric')) AS v (value, count, charset);
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_lexical_add('abZ', 1, 'alpha_lower')$$,
	$$SELECT gid_lexical_add('Ab', 1, 'alpha_upper')$$,
	$$SELECT gid_lexical_add('0i', 1, 'crockford', true)$$,
	$$SELECT gid_lexical_add('a', 1, 'chars:xX', true)$$) AS e;

-- Characters that the addition does not reach may be anything.
SELECT gid_lexical_add('Größe-€-7', 2) AS code, gid_lexical_add('日本-08', 3) AS wide,
	gid_lexical_add('né', 0) AS unchanged, gid_lexical_add('', 0) AS empty;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_lexical_add('né', 1)$$,
	$$SELECT gid_lexical_add('日本9', 1)$$,
	$$SELECT gid_lexical_add('a-€99', 1, 'numeric', true)$$,
	$$SELECT gid_lexical_add('a-€99', 1)$$,
	$$SELECT gid_lexical_add('A-0', -1)$$,
	$$SELECT gid_lexical_add('A-1', -1)$$) AS e;

-- No code comes before the first one.
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_lexical_add('0', -1)$$,
	$$SELECT gid_lexical_add('9', -9)$$,
	$$SELECT gid_lexical_add('9', -10)$$,
	$$SELECT gid_lexical_add('', -1)$$,
	$$SELECT gid_lexical_add(' 0', -1)$$,
	$$SELECT gid_lexical_add('AA', -27, 'alpha_upper')$$,
	$$SELECT gid_lexical_add('999', (-9223372036854775808)::bigint)$$) AS e;

-- Charsets that are invalid, even when nothing is added.
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_lexical_add('0', 0, '')$$,
	$$SELECT gid_lexical_add('0', 0, 'chars:')$$,
	$$SELECT gid_lexical_add('0', 1, 'chars:0')$$,
	$$SELECT gid_lexical_add('0', 1, 'alphanumerc')$$,
	$$SELECT gid_lexical_add('0', 1, 'Crockford')$$,
	$$SELECT gid_lexical_add('0', 1, '01')$$,
	$$SELECT gid_lexical_add('0', 1, 'chars:0120')$$,
	$$SELECT gid_lexical_add('0', 1, 'chars:01 ')$$,
	$$SELECT gid_lexical_add('0', 1, E'chars:01\t')$$,
	$$SELECT gid_lexical_add('0', 1, E'chars:01\x7f')$$,
	$$SELECT gid_lexical_add('0', 1, 'chars:01é')$$,
	$$SELECT gid_lexical_add('0', 1, 'chars:' || repeat('é', 80))$$,
	$$SELECT gid_lexical_add('0', 1, repeat('é', 80))$$) AS e;

-- NULL in, NULL out.
SELECT num_nulls(gid_lexical_add(NULL, 1), gid_lexical_add('0', NULL),
	gid_lexical_add('0', 1, NULL), gid_lexical_add('0', 1, 'numeric', NULL)) AS nulls;

-- A generated column and an index require IMMUTABLE.
CREATE TEMP TABLE item (n int, code text GENERATED ALWAYS AS (gid_lexical_add('A-00', n)) STORED);
CREATE INDEX ON item (gid_lexical_add(code, 1));
INSERT INTO item SELECT generate_series(0, 3);
SELECT * FROM item ORDER BY n;
