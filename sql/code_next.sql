-- gid_next_code(), which draws codes from a sequence: each code is
-- gid_lexical_add() of the seed and a value. code.sql and unit/test_code
-- have the addition.
\i sql/include/start.sql
CREATE SEQUENCE code;

SELECT gid_next_code('code', '0') AS numeric, gid_next_code(seq => 'code', seed => 'a', charset => 'alpha_lower') AS named,
	gid_next_code('code', 'Mike', 'alpha', ignore_case => true) AS ignoring_case;
-- Also where codes grow longer, or get smaller.
SELECT seed, charset, count(*) AS tried, max(length(code)) AS longest,
	bool_and(code = gid_lexical_add(seed, value - 1, charset, true)) AS seed_plus_value
FROM (SELECT seed, charset, gid_next_code('code', seed, charset, true) AS code, gid_next('code') AS value
	FROM (VALUES ('00A000', 'alphanumeric'), ('zz', 'alpha'), ('', 'numeric'), ('  8', 'numeric')) AS s (seed, charset),
		generate_series(1, 2000)) AS c
GROUP BY seed, charset ORDER BY seed COLLATE "C";
ALTER SEQUENCE code INCREMENT -1 MINVALUE -10 START -1 RESTART;
SELECT gid_next_code('code', '99') AS a, gid_next_code('code', '99') AS b;

-- A column's DEFAULT defines its codes.
ALTER SEQUENCE code INCREMENT 1 START 1 RESTART;
CREATE TABLE item (code text PRIMARY KEY DEFAULT gid_next_code('code', '00A000', 'alphanumeric', true), n int);
INSERT INTO item (n) VALUES (1), (2);
COPY item (n) FROM stdin;
3
\.
BEGIN;
INSERT INTO item (n) VALUES (4), (5);
ROLLBACK;
INSERT INTO item (n) VALUES (6);
SELECT * FROM item ORDER BY n;

\if :library
-- Errors of gid_lexical_add() and of gid_next(). A charset that is invalid
-- costs no value.
CREATE SEQUENCE untouched;
CREATE TEMP SEQUENCE temporary;
CREATE ROLE regress_gid_user;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_next_code('untouched', '1', 'chars:11')$$,
	$$SELECT gid_next_code('untouched', '1', 'numerc')$$, $$SELECT gid_next_code('temporary', '1')$$,
	$$SELECT gid_next_code('item', '1')$$, $$SELECT gid_next_code(0, '1')$$) AS e;
SELECT is_called FROM untouched;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_code('code', 'A', 'numeric')$$) AS e;
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_code('code', '1')$$) AS e;
RESET ROLE;
BEGIN READ ONLY;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_code('code', '1')$$) AS e;
COMMIT;
DROP SEQUENCE untouched, temporary;
DROP ROLE regress_gid_user;
\endif
-- The last value, and one that is too low for a code.
SELECT setval('code', 9223372036854775807, false);
SELECT gid_next_code('code', '') AS last;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_code('code', '')$$) AS e;
SELECT setval('code', -3, false);
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_code('code', '2')$$) AS e;
-- NULL in, NULL out, without drawing a value.
SELECT num_nulls(gid_next_code(NULL, '1'), gid_next_code('code', NULL), gid_next_code('code', '1', NULL),
	gid_next_code('code', '1', 'numeric', NULL)) AS nulls, gid_next_code('code', '2') AS next;
\if :library
-- Each code counts as an id.
SELECT issued AS before FROM gid.stat_backends WHERE pid = pg_backend_pid() AND family = 'code' \gset
SELECT gid_next_code('code', '2') AS next;
SELECT issued - :before AS issued FROM gid.stat_backends WHERE pid = pg_backend_pid() AND family = 'code';
\endif
DROP TABLE item;
DROP SEQUENCE code;
