-- gid_typeid() and gid_typeid_uuid(): texts that are no TypeIDs, other prefixes, and
-- what an index finds. vectors.sql has the published vectors, test/unit/test_typeid.c
-- a second implementation.
\i sql/include/start.sql
SET client_encoding = 'UTF8';

-- Both ends of a prefix and of an id. A TypeID is the text of gid_encode() in lower case.
SELECT length(prefix) AS length, count(*) FILTER (WHERE gid_typeid_uuid(gid_typeid(prefix, id), prefix) IS DISTINCT FROM id
	OR gid_typeid(prefix, id) <> CASE prefix WHEN '' THEN '' ELSE prefix || '_' END || lower(gid_encode(id, 'crockford'))) AS mismatches
FROM unnest(ARRAY['', 'a', 'a_b', repeat('x', 63)]) AS prefix,
	unnest(ARRAY['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', gid_uuid_v7()]) AS id
GROUP BY prefix ORDER BY 1;
SELECT gid_typeid(prefix => 'user', id => '0188bac7-4afa-78aa-bc3b-bd1eef28d881') AS shown,
	gid_typeid_uuid(code => 'user_01h2xcejqtf2nbrexx3vqjhp41', prefix => 'user') AS id;

-- Prefixes that are none, for both functions.
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_typeid('_user', gid_uuid_v7())$$,
	$$SELECT gid_typeid_uuid('user_00000000000000000000000000', '_user')$$) AS e;
SELECT e.statements, e.code FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT gid_typeid(%L, gid_uuid_v7())', prefix)
	FROM unnest(ARRAY[repeat('a', 64), 'a_', 'A', 'a1', 'a ', 'ä']) AS prefix)) AS e;
-- Texts that are no TypeID, and TypeIDs with another prefix: the message names both.
SELECT e.code, e.message, e.detail FROM pg_temp.expect(
	$$SELECT gid_typeid_uuid('order_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('user_00000000000000000000000000', '')$$,
	$$SELECT gid_typeid_uuid('users_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('', 'user')$$,
	$$SELECT gid_typeid_uuid('user_0000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('_00000000000000000000000000', '')$$,
	$$SELECT gid_typeid_uuid('user_8zzzzzzzzzzzzzzzzzzzzzzzzz', 'user')$$,
	$$SELECT gid_typeid_uuid('user_0000000000000000000000000A', 'user')$$,
	$$SELECT gid_typeid_uuid('user_000000000000000000000000ä', 'user')$$) AS e;
-- In another encoding.
SELECT current_database() AS here \gset
CREATE DATABASE regress_gid_latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C';
\connect regress_gid_latin
SET client_encoding = 'UTF8';
CREATE EXTENSION gid;
SELECT gid_typeid_uuid('user_01h2xcejqtf2nbrexx3vqjhp4ä', 'user');
\connect :here
DROP DATABASE regress_gid_latin;
\i :expect
\i :plan

-- Prefixes that change from row to row, stored outside the row or compressed. A text of
-- megabytes is refused.
CREATE TEMP TABLE kind (prefix text, fill text);
ALTER TABLE kind ALTER prefix SET STORAGE EXTERNAL, ALTER fill SET STORAGE PLAIN;
INSERT INTO kind SELECT repeat(chr(97 + n % 26), 1 + n % 63), repeat('x', 4000) FROM generate_series(1, 200) AS n;
SELECT pg_relation_size(reltoastrelid) > 0 AS outside FROM pg_class WHERE oid = 'kind'::regclass;
SELECT count(*) FILTER (WHERE gid_typeid_uuid(gid_typeid(prefix, id), prefix) IS DISTINCT FROM id) AS wrong
FROM kind, CAST(md5(prefix) AS uuid) AS id;
INSERT INTO kind SELECT repeat('user_', 1000000);
SELECT e.code, e.detail FROM pg_temp.expect('SELECT gid_typeid_uuid(prefix, ''user'') FROM kind WHERE length(prefix) > 100',
	'SELECT gid_typeid(prefix, gid_uuid_v7()) FROM kind WHERE length(prefix) > 100') AS e;

-- The table keeps 16 bytes. A generated column shows the TypeID, and its index finds it, as
-- does the primary key.
CREATE TEMP TABLE account (id uuid PRIMARY KEY, shown text GENERATED ALWAYS AS (gid_typeid('account', id)) STORED UNIQUE);
INSERT INTO account VALUES ('0188bac7-4afa-78aa-bc3b-bd1eef28d881') RETURNING shown;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT pg_temp.plan($$SELECT FROM account WHERE shown = 'account_01h2xcejqtf2nbrexx3vqjhp41'$$) ~ 'account_shown_key' AS by_text,
	pg_temp.plan($$SELECT FROM account WHERE id = gid_typeid_uuid('account_01h2xcejqtf2nbrexx3vqjhp41', 'account')$$) ~ 'account_pkey' AS by_id;
