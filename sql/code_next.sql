-- gid_next_code(), which draws codes from a sequence: each code is gid_lexical_add()
-- of the seed and a value.
\i sql/include/start.sql
CREATE SEQUENCE code;
-- The first n codes of a new sequence.
CREATE FUNCTION pg_temp.codes(options text, seed text, charset text, ignore_case boolean, n int) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
	codes text[];
BEGIN
	EXECUTE 'CREATE SEQUENCE own ' || options;
	codes := ARRAY(SELECT gid_next_code('own', seed, charset, ignore_case) FROM generate_series(1, n));
	DROP SEQUENCE own;
	RETURN codes;
END $$;

-- The first codes of a seed.
SELECT gid_next_code('code', '00A000', 'alphanumeric', true) AS a,
	gid_next_code('code', '00A000', 'alphanumeric', true) AS b,
	gid_next_code('code', '00A000', 'alphanumeric', true) AS c;
SELECT seed, charset, ignore_case, pg_temp.codes('', seed, charset, ignore_case, 3) AS codes
FROM (VALUES ('00A000', 'alphanumeric', true), ('', 'numeric', false), ('7', 'numeric', false), ('99', 'numeric', false),
	('INV-2024-0998', 'numeric', false), ('zzz', 'alphanumeric', false), ('ZY', 'alpha_upper', false), ('Az', 'alpha', true),
	('10', 'chars:01', false), ('00Y', 'crockford', false), ('  8', 'numeric', false)) AS s (seed, charset, ignore_case);
SELECT gid_next_code('code', '0') AS numeric, gid_next_code(seq => 'code', seed => 'a', charset => 'alpha_lower') AS named,
	gid_next_code('code', 'Mike', 'alpha', ignore_case => true) AS ignoring_case;

-- The n-th code is the seed plus the n-th value, also where codes grow longer.
SELECT seed, charset, count(*) AS tried,
	count(*) FILTER (WHERE code IS DISTINCT FROM gid_lexical_add(seed, n, charset, ignore_case)) AS mismatches,
	count(DISTINCT code) AS different, min(length(code)) AS shortest, max(length(code)) AS longest
FROM (VALUES ('00A000', 'alphanumeric', true), ('', 'numeric', false), ('9', 'numeric', false),
	('x', 'chars:01xy', false), ('zz', 'alpha', false)) AS v (seed, charset, ignore_case),
	unnest(pg_temp.codes('', seed, charset, ignore_case, 3000)) WITH ORDINALITY AS c (code, n)
GROUP BY seed, charset ORDER BY seed COLLATE "C";
SELECT pg_temp.codes('INCREMENT 10 START 5', '', 'numeric', false, 4) AS increment, pg_temp.codes('MAXVALUE 3 CYCLE', '', 'numeric', false, 5) AS cycle,
	pg_temp.codes('MINVALUE -1', '5', 'numeric', false, 4) AS from_below;

-- A descending sequence gives codes that sort newest first.
CREATE TABLE newest (n int, code text COLLATE "C" PRIMARY KEY DEFAULT gid_next_code('code', '999999'));
ALTER SEQUENCE code INCREMENT -1 MINVALUE -9223372036854775808 START -1 RESTART;
INSERT INTO newest SELECT n FROM generate_series(1, 1000) AS n;
SELECT * FROM newest ORDER BY code LIMIT 3;
SELECT count(*), max(code), count(*) FILTER (WHERE code >= before) AS not_in_order
FROM (SELECT *, lag(code) OVER (ORDER BY n) AS before FROM newest) AS m;
DROP TABLE newest;
-- An error comes when no code is left below.
ALTER SEQUENCE code RESTART;
SELECT gid_next_code('code', '2') AS a, gid_next_code('code', '2') AS b;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_code('code', '2')$$) AS e;
SELECT gid_next_code('code', '14') AS next;

-- A column's DEFAULT defines its codes.
ALTER SEQUENCE code INCREMENT 1 NO MINVALUE START 1 RESTART;
CREATE TABLE item (code text PRIMARY KEY DEFAULT gid_next_code('code', '00A000', 'alphanumeric', true), n int);
INSERT INTO item (n) VALUES (1), (2);
COPY item (n) FROM stdin;
3
4
\.
INSERT INTO item VALUES (DEFAULT, 5), ('by hand', 6);
BEGIN;
INSERT INTO item (n) SELECT n FROM generate_series(7, 10) AS n;
ROLLBACK;
INSERT INTO item (n) VALUES (7);
SELECT * FROM item ORDER BY n;
SELECT pg_get_expr(adbin, adrelid) AS definition FROM pg_attrdef WHERE adrelid = 'item'::regclass;
SELECT e.code, e.detail FROM pg_temp.expect('DROP SEQUENCE code') AS e;
INSERT INTO item (n) SELECT n FROM generate_series(101, 20100) AS n;
SELECT count(DISTINCT code), max(length(code)) AS longest, count(*) FILTER (WHERE code !~ '^[0-9A-Z]{6}$') AS strange
FROM item WHERE n > 100;
DROP TABLE item;

--
-- Errors of gid_lexical_add() and of gid_next()
--

SELECT e.* FROM pg_temp.alike($$SELECT gid_next_code('code', '1', 'alphanumerc')$$, $$SELECT gid_next_code('code', '1', 'chars:')$$,
	$$SELECT gid_next_code('code', '1', 'chars:11')$$, $$SELECT gid_next_code('code', 'A', 'numeric')$$,
	$$SELECT gid_next_code('code', '2-', 'numeric')$$) AS e;
-- A charset that is invalid costs no value.
CREATE SEQUENCE untouched;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_code('untouched', '1', 'chars:11')$$) AS e;
SELECT is_called FROM untouched;
DROP SEQUENCE untouched;
SELECT setval('code', 9223372036854775807, false), gid_forget('code');
SELECT gid_next_code('code', '') AS last;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_code('code', '')$$) AS e;
ALTER SEQUENCE code RESTART;
CREATE TEMP SEQUENCE temporary;
CREATE TABLE a_table (a int);
CREATE ROLE regress_gid_user;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_code('temporary', '1')$$,
	$$SELECT gid_next_code('a_table', '1')$$, $$SELECT gid_next_code(0, '1')$$) AS e;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_code('code', '1')$$) AS e;
RESET ROLE;
BEGIN READ ONLY;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_code('code', '1')$$) AS e;
COMMIT;
DROP ROLE regress_gid_user;
DROP TABLE a_table;
DROP SEQUENCE temporary;

-- NULL in, NULL out, without drawing a value.
SELECT num_nulls(gid_next_code(NULL, '1'), gid_next_code('code', NULL), gid_next_code('code', '1', NULL),
	gid_next_code('code', '1', 'numeric', NULL)) AS nulls;
SELECT gid_next_code('code', '') AS first;

-- The count in gid.stat_backends.
\c -
SELECT count(*) FROM (SELECT gid_next_code('code', '') FROM generate_series(1, 30)) AS d;
SELECT family, issued FROM gid.stat_backends WHERE pid = pg_backend_pid();
DROP SEQUENCE code;
