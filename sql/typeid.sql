-- gid_typeid() and gid_typeid_uuid(): both ends of each range and one past, texts that
-- are no TypeIDs, prefixes and texts of any storage, and the places where people use
-- them. vectors.sql has the published vectors.
\i sql/include/start.sql
SET client_encoding = 'UTF8';

-- Without a prefix, with a short one and with the longest.
SELECT gid_typeid('', '0188bac7-4afa-78aa-bc3b-bd1eef28d881') AS bare,
	gid_typeid(prefix => 'user', id => '0188bac7-4afa-78aa-bc3b-bd1eef28d881') AS shown,
	gid_typeid_uuid(code => 'user_01h2xcejqtf2nbrexx3vqjhp41', prefix => 'user') AS id;
SELECT length(gid_typeid(repeat('a', 63), id)) AS longest,
	gid_typeid_uuid(gid_typeid(repeat('a', 63), id), repeat('a', 63)) = id AS back
FROM gen_random_uuid() AS id;
SELECT gid_typeid_uuid('a_00000000000000000000000000', 'a') AS first, gid_typeid_uuid('a_7zzzzzzzzzzzzzzzzzzzzzzzzz', 'a') AS last;

-- Round trips. A TypeID is the text of gid_encode() in lower case, and the order of the
-- texts is that of the ids.
CREATE TEMP TABLE pair AS
SELECT prefix, u, md5(u::text || prefix)::uuid AS v
FROM unnest(ARRAY['', 'a', 'a_b', 'line_item', 'a__z', repeat('x', 63)]) AS prefix,
	generate_series(1, 300) AS n, CAST(md5(n::text) AS uuid) AS u;
SELECT count(*) AS tried,
	count(*) FILTER (WHERE gid_typeid_uuid(gid_typeid(prefix, u), prefix) IS DISTINCT FROM u) AS not_back,
	count(*) FILTER (WHERE gid_typeid(prefix, u) IS DISTINCT FROM
		CASE prefix WHEN '' THEN '' ELSE prefix || '_' END || lower(gid_encode(u, 'crockford'))) AS not_encoded,
	count(*) FILTER (WHERE (u < v) <> (gid_typeid(prefix, u) COLLATE "C" < gid_typeid(prefix, v))) AS not_in_order,
	count(*) FILTER (WHERE gid.inspect_text(gid_typeid(prefix, u)) IS DISTINCT FROM
		(CASE prefix WHEN '' THEN 'ULID' ELSE 'TypeID' END, nullif(prefix, ''), u, NULL::gdid, NULL::bigint)) AS not_inspected
FROM pair;
DROP TABLE pair;

-- Prefixes that are none, for both functions.
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_typeid('_user', gid_uuid_v7())$$,
	$$SELECT gid_typeid_uuid('user_00000000000000000000000000', '_user')$$) AS e;
SELECT prefix, string_agg(DISTINCT e.code, ' ') AS codes, count(*) AS calls
FROM unnest(ARRAY['', 'a', 'a_a', repeat('a', 63), repeat('a', 64), '_', 'a_', '_a', 'A', 'aA', 'a1', '1', 'a-b', 'a.b', ' a', 'a ', E'a\n', 'ä', 'aä', 'a`', 'a{', repeat('a', 100000)])
	WITH ORDINALITY AS p (prefix, n),
	pg_temp.expect(format('SELECT gid_typeid(%L, gid_uuid_v7())', prefix),
		format('SELECT gid_typeid_uuid(gid_typeid(%L, gid_uuid_v7()), %1$L)', prefix)) AS e
WHERE length(prefix) < 100 OR e.code <> '22023'
GROUP BY n, prefix ORDER BY n;

-- Texts that are no TypeID, and TypeIDs with another prefix: the message names both.
SELECT e.* FROM pg_temp.expect(
	$$SELECT gid_typeid_uuid('order_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('uses_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('user_00000000000000000000000000', '')$$,
	$$SELECT gid_typeid_uuid('users_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('use_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('user_item_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('', 'user')$$,
	$$SELECT gid_typeid_uuid('user_0000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('user_000000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('_00000000000000000000000000', '')$$,
	$$SELECT gid_typeid_uuid('USER_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid(' user_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('user_8zzzzzzzzzzzzzzzzzzzzzzzzz', 'user')$$,
	$$SELECT gid_typeid_uuid('user_0000000000000000000000000A', 'user')$$,
	$$SELECT gid_typeid_uuid('user_0000000000000o000000000000', 'user')$$,
	format('SELECT gid_typeid_uuid(%L, %L)', repeat('a', 64) || '_00000000000000000000000000', repeat('a', 63))) AS e;
-- Every character of ASCII and some others in the place of the last one: those of the
-- alphabet alone are read.
SELECT string_agg(CASE e.code WHEN '00000' THEN chr(c) END, '' ORDER BY c) AS read,
	count(*) FILTER (WHERE e.code = '22P02') AS refused
FROM (SELECT generate_series(1, 127) UNION ALL SELECT unnest(ARRAY[160, 228, 305, 383, 8490, 65296])) AS all_of (c),
	pg_temp.expect(format('SELECT gid_typeid_uuid(%L, ''a'')', 'a_0000000000000000000000000' || chr(c))) AS e;
SELECT e.code, e.detail FROM pg_temp.expect(
	$$SELECT gid_typeid_uuid('user_0000000000000000000000000ä', 'user')$$,
	$$SELECT gid_typeid_uuid('user_000000000000000000000000ä', 'user')$$,
	$$SELECT gid_typeid_uuid('äser_00000000000000000000000000', 'user')$$) AS e;
-- Other encodings, also one without a name.
SELECT current_database() AS here \gset
CREATE DATABASE regress_gid_latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C';
CREATE DATABASE regress_gid_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C';
\connect regress_gid_latin
SET client_encoding = 'UTF8';
CREATE EXTENSION gid;
SELECT gid_typeid('ä', '0188bac7-4afa-78aa-bc3b-bd1eef28d881');
SELECT gid_typeid_uuid('ä_01h2xcejqtf2nbrexx3vqjhp41', 'user');
SELECT gid_typeid_uuid('user_01h2xcejqtf2nbrexx3vqjhp4ä', 'user');
SELECT gid_typeid_uuid('user_01h2xcejqtf2nbrexx3vqjhp41', 'user');
\connect regress_gid_ascii
SET client_encoding = 'UTF8';
CREATE EXTENSION gid;
SELECT gid_typeid(E'\xC3\xA4', '0188bac7-4afa-78aa-bc3b-bd1eef28d881');
SELECT gid_typeid(repeat(E'\xC3\xA4', 80), '0188bac7-4afa-78aa-bc3b-bd1eef28d881');
SELECT gid_typeid_uuid(E'user_01h2xcejqtf2nbrexx3vqjhp\xC3\xA4', 'user');
\connect :here
DROP DATABASE regress_gid_latin;
DROP DATABASE regress_gid_ascii;
SET client_encoding = 'UTF8';
\i :expect

-- NULL in, NULL out, also where the other argument is wrong.
SELECT num_nulls(gid_typeid(NULL, gid_uuid_v7()), gid_typeid('user', NULL), gid_typeid('User', NULL),
	gid_typeid_uuid(NULL, 'user'), gid_typeid_uuid('user', NULL), gid_typeid_uuid(NULL, 'User')) AS nulls;

-- Prefixes and texts that change from row to row, with short and long headers,
-- compressed, and stored outside the row.
CREATE TEMP TABLE kind (n int, prefix text, fill text);
ALTER TABLE kind ALTER prefix SET STORAGE EXTERNAL, ALTER fill SET STORAGE PLAIN;
INSERT INTO kind SELECT n, repeat(chr(97 + n % 26), 1 + n % 63), repeat('x', 4000) FROM generate_series(1, 200) AS n;
CREATE TEMP TABLE packed (LIKE kind);
ALTER TABLE packed ALTER prefix SET STORAGE MAIN, ALTER fill SET STORAGE PLAIN;
INSERT INTO packed SELECT n, prefix, repeat('x', 4000 + n) FROM kind WHERE length(prefix) > 40;
SELECT (SELECT pg_relation_size(reltoastrelid) > 0 FROM pg_class WHERE oid = 'kind'::regclass) AS outside,
	(SELECT bool_or(pg_column_compression(prefix) IS NOT NULL) FROM packed) AS compressed;
SELECT count(*) AS rows, count(*) FILTER (WHERE gid_typeid(prefix, u) IS DISTINCT FROM prefix || '_' || lower(gid_encode(u, 'crockford'))
	OR gid_typeid_uuid(gid_typeid(prefix, u), prefix) IS DISTINCT FROM u) AS wrong
FROM (TABLE kind UNION ALL TABLE packed) AS k, CAST(md5(n::text) AS uuid) AS u;
DROP TABLE kind, packed;
-- A text of megabytes is refused, outside the row too.
CREATE TEMP TABLE pasted (code text);
ALTER TABLE pasted ALTER code SET STORAGE EXTERNAL;
INSERT INTO pasted SELECT repeat('user_', 1000000) || '01h2xcejqtf2nbrexx3vqjhp41';
SELECT e.code, e.detail FROM pg_temp.expect('SELECT gid_typeid_uuid(code, ''user'') FROM pasted',
	'SELECT gid_typeid(code, gid_uuid_v7()) FROM pasted') AS e;
DROP TABLE pasted;
-- varchar, char and name are read as text.
SELECT gid_typeid_uuid('user_01h2xcejqtf2nbrexx3vqjhp41'::varchar(31), 'user'::name) = gid_typeid_uuid('user_01h2xcejqtf2nbrexx3vqjhp41'::char(40), 'user'::varchar) AS equal;

-- The table keeps 16 bytes; a generated column shows the TypeID, and its index finds it.
CREATE TABLE account (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), name text,
	shown text GENERATED ALWAYS AS (gid_typeid('account', id)) STORED UNIQUE);
INSERT INTO account (id, name) VALUES ('0188bac7-4afa-78aa-bc3b-bd1eef28d881', 'a') RETURNING shown;
INSERT INTO account (name) SELECT 'b' FROM generate_series(1, 1000);
SELECT count(*) AS rows, count(*) FILTER (WHERE gid_typeid_uuid(shown, 'account') = id) AS readable FROM account;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT name FROM account WHERE shown = 'account_01h2xcejqtf2nbrexx3vqjhp41';
SELECT name FROM account WHERE shown = 'account_01h2xcejqtf2nbrexx3vqjhp41';
-- The primary key finds it as well, without a further index.
EXPLAIN (COSTS OFF) SELECT name FROM account WHERE id = gid_typeid_uuid('account_01h2xcejqtf2nbrexx3vqjhp41', 'account');
SELECT name FROM account WHERE id = gid_typeid_uuid('account_01h2xcejqtf2nbrexx3vqjhp41', 'account');
SET plan_cache_mode = force_generic_plan;
PREPARE by_shown(text) AS SELECT name FROM account WHERE id = gid_typeid_uuid($1, 'account');
EXPLAIN (COSTS OFF) EXECUTE by_shown('account_01h2xcejqtf2nbrexx3vqjhp41');
EXECUTE by_shown('account_01h2xcejqtf2nbrexx3vqjhp41');
EXECUTE by_shown('user_01h2xcejqtf2nbrexx3vqjhp41');
DEALLOCATE by_shown;
RESET plan_cache_mode;
-- An expression index, and a constraint on what a table keeps as text.
CREATE TABLE bill (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), payer text CHECK (gid_typeid_uuid(payer, 'account') IS NOT NULL));
CREATE UNIQUE INDEX ON bill (gid_typeid('bill', id));
INSERT INTO bill VALUES ('0188bac7-4afa-78aa-bc3b-bd1eef28d881', 'account_01h2xcejqtf2nbrexx3vqjhp41');
INSERT INTO bill (payer) VALUES ('user_01h2xcejqtf2nbrexx3vqjhp41');
EXPLAIN (COSTS OFF) SELECT payer FROM bill WHERE gid_typeid('bill', id) = 'bill_01h2xcejqtf2nbrexx3vqjhp41';
SELECT payer FROM bill WHERE gid_typeid('bill', id) = 'bill_01h2xcejqtf2nbrexx3vqjhp41';
DROP TABLE bill;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- Parallel workers.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE account SET (parallel_workers = 2);
ANALYZE account;
EXPLAIN (COSTS OFF) SELECT count(*) FROM account WHERE gid_typeid_uuid(gid_typeid('x', id), 'x') = id;
SELECT count(*) FROM account WHERE gid_typeid_uuid(gid_typeid('x', id), 'x') = id;
DROP TABLE account;
