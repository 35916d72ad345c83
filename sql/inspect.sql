-- gid_inspect(): the parts of each kind of id, the families that an id may be of, and
-- what a pasted text is read as. The fuzzing harness of test/fuzz compares the reading of
-- texts with a second implementation.
\i sql/include/start.sql
LOAD 'gid';
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- The parts of an id in their order, as one row.
CREATE FUNCTION pg_temp.line(id uuid) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(part || ' ' || value, ', ' ORDER BY n) FROM gid_inspect(id) WITH ORDINALITY AS i (part, value, n)$$;
CREATE FUNCTION pg_temp.line(id bigint, family text DEFAULT NULL) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(part || ' ' || value, ', ' ORDER BY n) FROM gid_inspect(id, family) WITH ORDINALITY AS i (part, value, n)$$;

-- Version 7, the other versions, and variants that RFC 9562 does not define.
SELECT * FROM gid_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid);
SELECT pg_temp.line(id) FROM unnest(ARRAY[gid_uuid_v7_max('2024-02-29 12:00+00'), '018df4bc-5600-7000-8400-000000000001']) AS id;
SELECT version, pg_temp.line(overlay('01000000-0000-0000-a000-0000ffffffff' PLACING to_hex(version) FROM 15)::uuid)
FROM unnest(ARRAY[0, 1, 4, 6, 8, 9]) AS version;
SELECT variant, pg_temp.line(overlay('01000000-0000-4000-0000-0000ffffffff' PLACING variant FROM 20)::uuid)
FROM unnest(ARRAY['7', '8', 'b', 'c']) AS variant;
SELECT pg_temp.line(id) FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[]) AS id;

-- Sequential UUIDs in both byte orders, from 1970 to a day from now, and shard-key
-- UUIDs.
SELECT pg_temp.line(gid_make_uuid_sequential(621355968000000000, '\x0102030405060007'));
SELECT pg_temp.line(gid_make_uuid_sequential(621355967999999999, '\x0102030405060007'));
SELECT pg_temp.line(gid_make_uuid_sequential(638447256001234567, '\x0102030405060007'));
SELECT pg_temp.line(gid_uuid_to_mssql(gid_make_uuid_sequential(638447256001234567, '\xfffffffff5f60007')));
SELECT pg_temp.line(gid_make_uuid_shard('2024-02-29 12:00+00', '\x0102030405', 167772, gid_region_shard(276, 5)));
SELECT at, (SELECT value FROM gid_inspect(gid_uuid_sequential_min(now() + at)) WHERE part = 'family') AS sequential,
	(SELECT value FROM gid_inspect(gid_uuid_to_mssql(gid_uuid_sequential_max(now() + at))) WHERE part = 'family') AS mssql,
	(SELECT value FROM gid_inspect(gid_uuid_shard_min(now() + at)) WHERE part = 'family') AS shard
FROM unnest(ARRAY[interval '-1 hour', '23 hours', '25 hours']) AS at;

-- When several families are plausible, all are shown, with the family before the part;
-- when none is, the two that cannot be ruled out.
SELECT * FROM gid_inspect(gid_uuid_to_mssql(gid_make_uuid_sequential(638447256001234567, '\x0102030405060007')));
SELECT pg_temp.line('ffff0f80-a2a1-a4a3-050a-0b0c07000000'::uuid);
-- The family of an id that the server makes is recognized, and times are in the session's
-- time zone.
SELECT f.value, count(*) FROM (
	SELECT gid_uuid_v7() AS id FROM generate_series(1, 20)
	UNION ALL SELECT gid_uuid_sequential() FROM generate_series(1, 20)) AS made,
	gid_inspect(id) AS f WHERE part = 'family' GROUP BY 1 ORDER BY 1;
SET timezone = 'Asia/Kathmandu';
SELECT pg_temp.line(gid_make_uuid_shard('2024-02-29 12:00+00', '\x0102030405', 167772, 4294967295));
SET timezone = 'UTC';

-- GDIDs.
SELECT * FROM gid_inspect('0:1:75'::gdid);
SELECT id, part, value FROM unnest(ARRAY[gdid '7:15:1152921504606846975', '8:0:1']) AS id,
	gid_inspect(id) WHERE part IN ('value', 'era', 'counter');

-- 63-bit ids with a family: both ends, and ids that cannot be of that family.
SELECT id, pg_temp.line(id, 'decimal') FROM unnest(ARRAY[9999999999, 10000000000, 9223372029999999999, 9223372030000000000]) AS id;
SELECT id, regexp_replace(pg_temp.line(id, 'trace'), 'time [-0-9]* [:0-9]*\+00', 'time') AS parts
FROM unnest(ARRAY[1, 4194304, 9223372036854775807, 0]) AS id;
SELECT id, pg_temp.line(id, 'snowflake') FROM unnest(ARRAY[1, 9223372036854775807, 0]) AS id;
SELECT id, pg_temp.line(id, 'next') FROM unnest(ARRAY[-9223372036854775808, 0]) AS id;
-- Without a family: all families that are possible, unless the id has a number of this
-- server.
ALTER SYSTEM SET gid.node_no = 4711;
ALTER SYSTEM SET gid.launch_id = 65;
\set until 'current_setting(''gid.launch_id'') = ''65'' AND current_setting(''gid.node_no'') = ''4711'''
\i :reload
SELECT pg_temp.line(14150009200065);
SELECT part, value FROM gid_inspect(14150009200066) WHERE part NOT LIKE '%.time';
-- with node 4711 and launch 65, and below 2^38
SELECT part, value FROM gid_inspect((1::bigint << 38 | 4711::bigint << 22) / 100000 * 100000 + 100065) WHERE part NOT LIKE '%.time';
SELECT id, pg_temp.line(id) FROM unnest(ARRAY[-1, 5, 4711::bigint << 22 | 1, 10000000066]) AS id;
SELECT e.* FROM pg_temp.alike('SELECT gid_inspect(5, ''Trace'')') AS e;
SELECT count(*) AS rows FROM (SELECT gid_inspect(NULL::bigint) UNION ALL SELECT gid_inspect(NULL::uuid) UNION ALL SELECT gid_inspect(NULL::gdid)
	UNION ALL SELECT gid_inspect(NULL::text)) AS n;

-- What a text is read as, in the order of the input.
CREATE FUNCTION pg_temp.read(VARIADIC texts text[]) RETURNS TABLE (given text, form text, prefix text, id text, remark text) LANGUAGE sql AS $$
	SELECT t.given, max(i.value) FILTER (WHERE i.part = 'form'), max(i.value) FILTER (WHERE i.part = 'prefix'),
		max(i.value) FILTER (WHERE i.part = 'id'), max(i.value) FILTER (WHERE i.part = 'remark')
	FROM unnest(texts) WITH ORDINALITY AS t (given, n), LATERAL gid_inspect(t.given) AS i
	GROUP BY t.n, t.given ORDER BY t.n
$$;
-- Every form once; a TypeID has no other spelling; and a ULID that may also be base32hex,
-- which PostgreSQL 19 writes, has a remark.
SELECT * FROM pg_temp.read('{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}', 'urn:uuid:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc999c0b4ef8bb6d6bb9bd380a11',
	'01ARZ3NDEKTSV4RRFFQ69G5FAV', 'prefix_01h455vb4pex5vsknk084sn02q', 'user_01H2XCEJQTF2NBREXX3VQJHP41', ' 0:1:75 ', '0x00000000100000000000004B',
	'order_0000000020000000002B', '1zzzzzzzzzzzzzzzzzzz', 'line_item_2jg', '-42', '9223372036854775807',
	'06H073JVFDQJ37CTP7S1G67824', '06h073jvfdqj37ctp7s1g67824======', '05VI5OJPM1UC7664RG60O1PPHS');
SELECT part, value FROM gid_inspect('prefix_01h2xcejqtf2nbrexx3vqjhp41') WHERE part <> 'random';
-- A UUID in base32hex is the reading of its text, or in the remark. The server's own
-- function, where it has one, writes the same.
CREATE FUNCTION pg_temp.base32hex(id uuid) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUV', 1 + substring(bits FROM 1 + 5 * n FOR 5)::int, 1), '' ORDER BY n)
	FROM (SELECT ('x' || replace(id::text, '-', '') || '0')::bit(130) AS bits) AS b, generate_series(0, 25) AS n
$$;
SELECT count(r.remark) > 2 AS ambiguous, count(*) FILTER (WHERE made.id::text NOT IN (r.id, coalesce(right(r.remark, 36), ''))) AS missed
FROM (SELECT gid_uuid_v7_at(now() - random() * interval '10 years') AS id FROM generate_series(1, 60)) AS made, pg_temp.read(pg_temp.base32hex(id)) AS r;
DO $$
DECLARE
	same boolean := true;
BEGIN
	IF current_setting('server_version_num')::int >= 190000 THEN
		EXECUTE 'SELECT bool_and(encode(id::bytea, ''base32hex'') = pg_temp.base32hex(id) || ''======'')
			FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 100)) AS r' INTO same;
	END IF;
	ASSERT same, 'encode() writes base32hex differently';
END $$;

-- A parameter without a type, and one of each type of text.
PREPARE pasted AS SELECT value FROM gid_inspect($1) WHERE part = 'id';
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'pasted';
EXECUTE pasted('01ARZ3NDEKTSV4RRFFQ69G5FAV');
DEALLOCATE pasted;
SELECT i.value FROM (VALUES ('0:1:75'::varchar, '0:1:75'::char(40), '0:1:75'::name)) AS v (a, b, c),
	LATERAL (SELECT * FROM gid_inspect(a) UNION ALL SELECT * FROM gid_inspect(b) UNION ALL SELECT * FROM gid_inspect(c)) AS i
WHERE i.part = 'id';
-- Texts that are no id: one of each fault.
SELECT given, e.code, e.message, e.detail
FROM unnest(ARRAY['', 'hello', '0:16:1', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '2ZZZZZZZZZZZZZZZZZZZ', '9223372036854775808', 'order_8000000000000', 'Order_2JG']) AS given,
	LATERAL pg_temp.expect(format('SELECT * FROM gid_inspect(%L)', given)) AS e;
SELECT e.hint FROM pg_temp.expect('SELECT * FROM gid_inspect(''hello'')') AS e;

-- Every role may inspect, with any search path.
CREATE ROLE regress_gid_reader;
SELECT extnamespace::regnamespace AS schema FROM pg_extension WHERE extname = 'gid' \gset
CREATE SCHEMA regress_gid_trap;
CREATE FUNCTION regress_gid_trap.encode(bytea, text) RETURNS text LANGUAGE sql AS 'SELECT ''trap''';
CREATE FUNCTION regress_gid_trap.gid_extract_shard(uuid) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
CREATE FUNCTION regress_gid_trap.inspect_text(id text, OUT form text, OUT as_uuid uuid) LANGUAGE sql AS 'SELECT ''trap'', NULL::uuid';
GRANT USAGE ON SCHEMA regress_gid_trap TO regress_gid_reader;
SET search_path = regress_gid_trap, pg_catalog;
SET ROLE regress_gid_reader;
SELECT part, value FROM :schema.gid_inspect(:schema.gid_make_uuid_shard('2024-02-29 12:00+00', '\x0102030405', 1, 7)) WHERE part IN ('key', 'generator');
SELECT part, value FROM :schema.gid_inspect('0:1:75') WHERE part IN ('form', 'id');
RESET ROLE;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_trap CASCADE;
DROP ROLE regress_gid_reader;
ALTER SYSTEM RESET gid.node_no;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''' AND current_setting(''gid.node_no'') = ''-1'''
\i :reload
