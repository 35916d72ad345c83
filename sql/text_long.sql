-- Texts of megabytes: a cancel ends a loop over one, and no message shows all of it.
\i sql/include/start.sql

-- A statement cancels itself, calls a function with a long text, and draws from a sequence.
-- The server looks for a cancel between rows, and not between the functions of a row. So a
-- value is drawn unless the function has looked. The planner would call a function of a
-- constant, therefore the text comes from a subquery.
CREATE SEQUENCE regress_gid_drawn;
CREATE FUNCTION pg_temp.ends(call text, long text, OUT drawn boolean) LANGUAGE plpgsql AS $$
DECLARE
	before text := (SELECT row(d.*)::text FROM regress_gid_drawn AS d);
BEGIN
	EXECUTE format('SELECT pg_cancel_backend(pg_backend_pid()), %s, nextval(''regress_gid_drawn'')'
		' FROM (SELECT %s AS long OFFSET 0) AS t', call, long);
EXCEPTION WHEN query_canceled THEN
	drawn := before <> (SELECT row(d.*)::text FROM regress_gid_drawn AS d);
END $$;
SELECT call, long, e.drawn
FROM (VALUES ('length(long)', $$repeat('9', 3000000)$$),	-- which does not look
	('gid_check_append(long, ''numeric'')', $$repeat('9', 3000000)$$),
	('gid_check_valid(long, ''numeric'')', $$repeat('9', 3000000)$$),
	('gid_lexical_add(long, 1)', $$repeat('9', 3000000)$$),
	('gid_lexical_add(long, 1, ''alpha'', true)', $$repeat('a', 3000000)$$),
	('gid_decode_bigint(long, ''crockford'')', $$repeat('0', 3000000)$$),
	('long::gdid', $$repeat('0', 3000000) || ':1:75'$$),
	('gid.inspect_text(long)', $$repeat('7', 3000000)$$),
	('gid.inspect_text(long)', $$'7' || repeat(' ', 3000000)$$)) AS v (call, long), pg_temp.ends(call, long) AS e;
DROP SEQUENCE regress_gid_drawn;

-- A message shows at most 100 bytes of what it was given.
SELECT left(statement, 32) AS statement, e.code, left(e.message, 40) AS message, length(e.message) <= 250 AS is_short,
	coalesce(length(e.detail), 0) <= 250 AND length(e.hint) <= 400 AS others_are
FROM pg_temp.expect(
	format('SELECT gid.inspect_family(%L)', repeat('x', 3000000)),
	format('SELECT * FROM gid_inspect(%L)', repeat('x', 3000000)),
	format('SELECT %L::gdid', repeat('x', 3000000)),
	format('SELECT gid_decode_uuid(%L, ''crockford'')', repeat('x', 3000000)),
	format('SELECT gid_encode(7, %L)', repeat('x', 3000000)),
	format('SELECT gid_encode(7, %L)', 'chars:' || repeat('x', 3000000)),
	format('SELECT gid_lexical_add(%L, 1)', repeat('x', 3000000)),
	format('SELECT gid_lexical_add(%L, -1)', repeat(' ', 3000000) || '0'),
	format('SELECT gid_typeid(%L, ''00000000-0000-0000-0000-000000000000'')', repeat('x', 3000000)),
	format('SELECT gid_typeid_uuid(%L, ''user'')', repeat('x', 3000000)),
	format('SELECT gid_next_gdid(%L, ''s'')', repeat('x', 3000000)),
	format('SELECT gid_next_gdid(''s'', %L)', repeat('x', 3000000)),
	format('SET gid.shard_key = %L', repeat('x', 3000000))) AS e;
