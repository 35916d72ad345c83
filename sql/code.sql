-- gid_lexical_add(), which adds a number to a text, and check characters.
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
-- Check characters. crockford accepts either case, and letters for digits.
SELECT gid_check_append('7992739871', 'numeric') AS luhn, gid_check_valid(lower(gid_check_append('K701', 'crockford')), 'crockford') AS lower,
	gid_check_valid(translate(gid_check_append('K701', 'crockford'), '01', 'oL'), 'crockford') AS letters,
	gid_check_valid(lower(gid_check_append('ABC', 'alphanumeric_upper')), 'alphanumeric_upper') AS other_charset;
SELECT gid_check_valid(code, 'numeric') AS valid, string_agg(quote_literal(code), ' ') AS codes
FROM unnest(ARRAY['', '0', '00', '18', '1é8', '79927398731']) AS code GROUP BY 1 ORDER BY 1;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_check_append('', 'numeric')$$,
	$$SELECT gid_check_append('ñ€ 1', 'numeric')$$) AS e;
