-- Texts of megabytes: a message shows at most 100 bytes of one.
\i sql/include/start.sql

SELECT left(statement, 32) AS statement, e.code, left(e.message, 40) AS message, length(e.message) <= 250 AS is_short,
	coalesce(length(e.detail), 0) <= 250 AND length(e.hint) <= 400 AS others_are
FROM pg_temp.expect(
	format('SELECT * FROM gid_inspect(%L)', repeat('x', 3000000)),
	format('SELECT gid_decode_uuid(%L, ''crockford'')', repeat('x', 3000000)),
	format('SELECT gid_encode(7, %L)', 'chars:' || repeat('x', 3000000)),
	format('SELECT gid_lexical_add(%L, 1)', repeat('x', 3000000)),
	format('SELECT gid_typeid(%L, ''00000000-0000-0000-0000-000000000000'')', repeat('x', 3000000)),
	format('SELECT gid_typeid_uuid(%L, ''user'')', repeat('x', 3000000))) AS e;
\if :library
SELECT left(statement, 32) AS statement, e.code, left(e.message, 40) AS message, length(e.message) <= 250 AS is_short,
	coalesce(length(e.detail), 0) <= 250 AND length(e.hint) <= 400 AS others_are
FROM pg_temp.expect(
	format('SELECT %L::gdid', repeat('x', 3000000)),
	format('SELECT gid_next_gdid(''s'', %L)', repeat('x', 3000000)),
	format('SET gid.shard_key = %L', repeat('x', 3000000))) AS e;
\endif
