-- The domains gid_id and gid_js_id: both ends of each range, NULLs, columns.
\i sql/include/start.sql

SELECT 1::gid_id AS first, 9223372036854775807::gid_id AS last, NULL::gid_id AS nothing,
	1::gid_js_id AS js_first, 9007199254740991::gid_js_id AS js_last, NULL::gid_js_id AS js_nothing;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT 0::gid_id$$, $$SELECT (-1)::gid_id$$, $$SELECT (-9223372036854775808)::gid_id$$,
	$$SELECT 0::gid_js_id$$, $$SELECT (-1)::gid_js_id$$, $$SELECT 9007199254740992::gid_js_id$$, $$SELECT 9223372036854775807::gid_js_id$$) AS e;
CREATE SEQUENCE member_no;
CREATE TABLE member (id gid_id PRIMARY KEY DEFAULT gid_next('member_no'), js gid_js_id DEFAULT gid_next('member_no'), name text);
INSERT INTO member (name) VALUES ('a'), ('b') RETURNING id, js;
INSERT INTO member VALUES (7, NULL, 'c');
SELECT id, js, gid_encode(id, 'base62') AS text FROM member ORDER BY id;
ALTER SEQUENCE member_no RESTART 9007199254740991;
INSERT INTO member (id, name) VALUES (8, 'd') RETURNING js;
SELECT e.code, e.message FROM pg_temp.expect($$INSERT INTO member (id, name) VALUES (9, 'e')$$, $$INSERT INTO member (id) VALUES (0)$$) AS e;
DROP TABLE member;
DROP SEQUENCE member_no;
