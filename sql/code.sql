-- gid_lexical_add(), which adds a number to a text, codes as people type them, and check
-- characters.
-- test/unit/test_code.c compares with second implementations, and vectors.sql with
-- published values.
\i sql/include/start.sql
SET client_encoding = 'UTF8';

-- A code of any length can grow. A blank counts as one below the first character. Ignoring
-- case, the result has the case of most letters of the value. Characters that the addition
-- does not reach may be anything.
SELECT gid_lexical_add(repeat('9', 100000), 1) = repeat('0', 100001) AS up,
	gid_lexical_add(repeat('0', 100001), -1) = repeat('9', 100000) AS down;
SELECT value, count, charset, '"' || gid_lexical_add(value, count, charset, true) || '"' AS code
FROM (VALUES ('9 9', 1, 'numeric'), ('MIke', 1, 'alpha'), ('MIKe', 1, 'alpha'), ('Größe-€-7', 2, 'numeric')) AS v (value, count, charset);
SELECT gid_lexical_add(value => '7', count => 1) AS defaults;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_lexical_add('a-€99', 1)$$,
	$$SELECT gid_lexical_add('abZ', 1, 'alpha_lower')$$,
	$$SELECT gid_lexical_add(' 0', -1)$$,
	$$SELECT gid_lexical_add('999', (-9223372036854775808)::bigint)$$) AS e;
-- What a person typed becomes what gid writes, or NULL: blanks of every kind, hyphens if the
-- charset has none, letters for digits in crockford, and letters of the other case if the
-- charset has one case only. In base58 an l is no L.
SELECT charset, code, gid_code_normalize(code, charset) AS normal
FROM (VALUES (1, 'crockford', E' iooo-il\tw '), (1, 'crockford', '10001U'), (1, 'crockford', '1000é'), (1, 'crockford', '-'), (1, 'crockford', ''),
	(2, 'numeric', '7992 7398-71 3'), (2, 'numeric', 'O'), (3, 'hex', 'DE-ad'), (4, 'alphanumeric_upper', 'iİ'), (4, 'alphanumeric_upper', 'iı'), (4, 'alphanumeric_upper', 'i'),
	(5, 'base58', 'a-L'), (5, 'base58', 'a-l'), (6, 'alphanumeric', 'aB'), (7, 'chars:xy-', 'X-Y'), (8, 'chars:xY-', 'x-y')) AS v (n, charset, code) ORDER BY n;
SELECT count(*) AS codes, count(*) FILTER (WHERE gid_code_normalize(code, charset) IS DISTINCT FROM code) AS changed
FROM unnest(ARRAY['numeric', 'alpha_lower', 'alpha_upper', 'alpha', 'alphanumeric_lower', 'alphanumeric_upper', 'alphanumeric', 'crockford', 'hex', 'base58', 'base62',
	'chars:-_aZ']) AS charset, generate_series(0, 99) AS n, LATERAL gid_lexical_add('', n * n + 1, charset) AS code;
-- As the CHECK of a column it admits one spelling.
CREATE TEMP TABLE typed (no text NOT NULL CHECK (no IS NOT DISTINCT FROM gid_code_normalize(no, 'crockford')));
INSERT INTO typed VALUES ('10001W');
SELECT e.* FROM pg_temp.alike($$INSERT INTO typed VALUES ('loooiw')$$, $$INSERT INTO typed VALUES ('10001w')$$, $$INSERT INTO typed VALUES ('10001-W')$$,
	$$INSERT INTO typed VALUES ('')$$, $$INSERT INTO typed VALUES ('U')$$) AS e;
SELECT e.* FROM pg_temp.alike($$SELECT gid_code_normalize('1', 'nothing')$$, $$SELECT gid_code_normalize('1', 'chars:1')$$) AS e;
-- Check characters. crockford accepts either case, and letters for digits.
SELECT gid_check_append('7992739871', 'numeric') AS luhn, gid_check_valid(lower(gid_check_append('K701', 'crockford')), 'crockford') AS lower,
	gid_check_valid(translate(gid_check_append('K701', 'crockford'), '01', 'oL'), 'crockford') AS letters,
	gid_check_valid(lower(gid_check_append('ABC', 'alphanumeric_upper')), 'alphanumeric_upper') AS other_charset;
SELECT gid_check_valid(code, 'numeric') AS valid, string_agg(quote_literal(code), ' ') AS codes
FROM unnest(ARRAY['', '0', '00', '18', '1é8', '79927398731']) AS code GROUP BY 1 ORDER BY 1;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_check_append('', 'numeric')$$,
	$$SELECT gid_check_append('ñ€ 1', 'numeric')$$) AS e;
