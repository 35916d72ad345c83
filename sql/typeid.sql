-- gid_typeid() and gid_typeid_uuid(): texts that are no TypeIDs, and other prefixes.
-- vectors.sql has the published vectors, test/fuzz a second implementation.
\i sql/include/start.sql
SET client_encoding = 'UTF8';

-- Both ends of a prefix. A TypeID is the text of gid_encode() in lower case.
SELECT gid_typeid(prefix => 'user', id => '0188bac7-4afa-78aa-bc3b-bd1eef28d881') AS shown,
	gid_typeid_uuid(code => 'user_01h2xcejqtf2nbrexx3vqjhp41', prefix => 'user') AS id;
SELECT length(prefix) AS length, gid_typeid_uuid(gid_typeid(prefix, id), prefix) = id AS back,
	right(gid_typeid(prefix, id), 26) = lower(gid_encode(id, 'crockford')) AS encoded
FROM unnest(ARRAY['', 'a', repeat('x', 63)]) AS prefix, gid_uuid_v7() AS id;
-- Prefixes that are none, for both functions.
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_typeid('_user', gid_uuid_v7())$$,
	$$SELECT gid_typeid_uuid('user_00000000000000000000000000', '_user')$$) AS e;
SELECT e.code, count(*) FROM unnest(ARRAY[repeat('a', 64), repeat('user_', 1000000), 'a_', 'A', 'a1', 'ä']) AS prefix,
	pg_temp.expect(format('SELECT gid_typeid(%L, gid_uuid_v7())', prefix)) AS e GROUP BY 1;

-- Texts that are no TypeID, and TypeIDs with another prefix: the message names both.
SELECT e.code, e.message, e.detail FROM pg_temp.expect(
	$$SELECT gid_typeid_uuid('order_00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('00000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('user_00000000000000000000000000', '')$$,
	$$SELECT gid_typeid_uuid('', 'user')$$,
	$$SELECT gid_typeid_uuid('user_0000000000000000000000000', 'user')$$,
	$$SELECT gid_typeid_uuid('_00000000000000000000000000', '')$$,
	$$SELECT gid_typeid_uuid('user_8zzzzzzzzzzzzzzzzzzzzzzzzz', 'user')$$,
	$$SELECT gid_typeid_uuid('user_000000000000000000000000ä', 'user')$$) AS e;
