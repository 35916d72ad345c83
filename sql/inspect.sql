-- gid_inspect(): the parts of each kind of id, the families that an id may be of, and
-- what a pasted text is read as. test/fuzz compares the reading of texts with a second
-- implementation.
\i sql/include/start.sql
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- The parts of an id in their order, as one row.
CREATE FUNCTION pg_temp.line(id uuid) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(part || ' ' || value, ', ' ORDER BY n) FROM gid_inspect(id) WITH ORDINALITY AS i (part, value, n)$$;
CREATE FUNCTION pg_temp.line(id bigint, family text DEFAULT NULL) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(part || ' ' || value, ', ' ORDER BY n) FROM gid_inspect(id, family) WITH ORDINALITY AS i (part, value, n) WHERE part NOT LIKE '%.time'$$;

-- Version 7, other versions, and variants that RFC 9562 does not define. Sequential UUIDs
-- in both byte orders and shard-key UUIDs. When several families are plausible, all are
-- shown, with the family before the part; when none is, the two that cannot be ruled out.
SELECT pg_temp.line(id) FROM unnest(ARRAY['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', gid_uuid_v7_max('2024-02-29 12:00+00'),
	'01000000-0000-1000-a000-0000ffffffff', '01000000-0000-4000-8000-0000ffffffff', '01000000-0000-4000-b000-0000ffffffff',
	'01000000-0000-6000-a000-0000ffffffff', '01000000-0000-8000-a000-0000ffffffff', '01000000-0000-9000-a000-0000ffffffff',
	'01000000-0000-4000-7000-0000ffffffff', '01000000-0000-4000-c000-0000ffffffff',
	'00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
	gid_make_uuid_sequential(621355968000000000, '\x0102030405060007'), gid_make_uuid_sequential(621355967999999999, '\x0102030405060007'),
	gid_uuid_to_mssql(gid_make_uuid_sequential(638447256001234567, '\xfffffffff5f60007')),
	gid_make_uuid_shard('2024-02-29 12:00+00', '\x0102030405', 167772, gid_region_shard(276, 5)),
	gid_uuid_to_mssql(gid_make_uuid_sequential(638447256001234567, '\x0102030405060007')),
	'471f819b-a91c-396b-fe20-08cf36a96855', 'ffff0f80-a2a1-a4a3-050a-0b0c07000000']) AS id;
-- Up to a day from now, an id is taken for what it looks like.
SELECT at, (SELECT value FROM gid_inspect(gid_uuid_sequential_min(now() + at)) WHERE part = 'family') AS sequential,
	(SELECT value FROM gid_inspect(gid_uuid_to_mssql(gid_uuid_sequential_max(now() + at))) WHERE part = 'family') AS mssql,
	(SELECT value FROM gid_inspect(gid_uuid_shard_min(now() + at)) WHERE part = 'family') AS shard
FROM unnest(ARRAY[interval '23 hours', '25 hours']) AS at;
-- Times are in the session's time zone.
SET timezone = 'Asia/Kathmandu';
SELECT value FROM gid_inspect(gid_uuid_shard_min('2024-02-29 12:00+00')) WHERE part = 'time';
SET timezone = 'UTC';

\if :library
-- GDIDs. In era 8 they are no values of a sequence.
SELECT id, string_agg(part || ' ' || value, ', ' ORDER BY n) AS parts
FROM unnest(ARRAY[gdid '0:1:75', '7:15:1152921504606846975', '8:0:1']) AS id,
	gid_inspect(id) WITH ORDINALITY AS i (part, value, n) GROUP BY id ORDER BY id;
\endif

-- 63-bit ids with a family: both ends, and ids that cannot be of that family.
SELECT id, regexp_replace(pg_temp.line(id, family), '(trace, time) [-0-9]* [:0-9]*\+00', '\1') AS parts
FROM (VALUES (1, 'decimal', ARRAY[9999999999, 10000000000, 9223372029999999999, 9223372030000000000]),
		(2, 'trace', ARRAY[0, 1, 4194304, 9223372036854775807]), (3, 'snowflake', ARRAY[0, 1, 9223372036854775807]),
		(4, 'next', ARRAY[-9223372036854775808])) AS f (n, family, ids), unnest(ids) AS id ORDER BY n, id;
-- Without a family: all families that are possible, unless the id has a number of this
-- server. The second id has both numbers, and is below 2^38.
\if :library
LOAD 'gid';
ALTER SYSTEM SET gid.node_no = 4711;
ALTER SYSTEM SET gid.launch_id = 65;
\set until 'current_setting(''gid.launch_id'') = ''65'' AND current_setting(''gid.node_no'') = ''4711'''
\i :reload
SELECT id, pg_temp.line(id) AS parts FROM unnest(ARRAY[14150009200065, (1::bigint << 38 | 4711::bigint << 22) / 100000 * 100000 + 100065,
	14150009200066, -1, 5, 4711::bigint << 22 | 1, 10000000066]) AS id;
\endif
SELECT e.* FROM pg_temp.alike('SELECT gid_inspect(5, ''Trace'')') AS e;
SELECT count(*) AS rows FROM (SELECT gid_inspect(NULL::bigint) UNION ALL SELECT gid_inspect(NULL::uuid)
	UNION ALL SELECT gid_inspect(NULL::text)) AS n;

-- What a text is read as, in the order of the input: every form once. A TypeID has no other
-- spelling. A ULID that may also be base32hex, which PostgreSQL 19 writes, has a remark.
CREATE FUNCTION pg_temp.read(VARIADIC texts text[]) RETURNS TABLE (given text, form text, prefix text, id text, remark text) LANGUAGE sql AS $$
	SELECT t.given, max(i.value) FILTER (WHERE i.part = 'form'), max(i.value) FILTER (WHERE i.part = 'prefix'),
		max(i.value) FILTER (WHERE i.part = 'id'), max(i.value) FILTER (WHERE i.part = 'remark')
	FROM unnest(texts) WITH ORDINALITY AS t (given, n), LATERAL gid_inspect(t.given) AS i
	GROUP BY t.n, t.given ORDER BY t.n
$$;
SELECT * FROM pg_temp.read('{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}', 'urn:uuid:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'prefix_01h455vb4pex5vsknk084sn02q',
	'user_01H2XCEJQTF2NBREXX3VQJHP41', 'line_item_2jg', '-42',
	'06H073JVFDQJ37CTP7S1G67824', '06h073jvfdqj37ctp7s1g67824======', '05VI5OJPM1UC7664RG60O1PPHS');
\if :library
-- What people send along: brackets, quotes, the end of a sentence, a URL, wrapped lines.
SELECT * FROM pg_temp.read('<01890a5d-ac96-774b-bcce-b302099a8057>', '01890a5d-ac96-774b-bcce-b302099a8057.', '"0:1:75",', '(''01ARZ3NDEKTSV4RRFFQ69G5FAV'').',
	E'01890a5d-ac96-\n  774b-bcce-b302099a8057', E'> 42\n', E'prefix_01h455vb4pex5\nvsknk084sn02q', '9 223 372',
	'https://shop.example:8080/orders/01890a5d-ac96-774b-bcce-b302099a8057/edit?page=2#top', 'https://shop.example/o?id=order_0000000020000000002B&n=7',
	'<https://shop.example/v2/orders/53297>', U&'\202A0:1:75\202C', U&'\FEFF42');
-- Digits alone after a prefix are a decimal number. 20 digits are one of a GDID only with
-- a 0 before them, and 26 digits above the range of a ULID are nothing.
SELECT * FROM pg_temp.read('order_53297', 'order_053297', 'order_5', 'order_7999999999999', 'order_8000000000000', '00000000002000000000');
\endif
-- A ULID has its own time, before the families whose bits it fits, also with a prefix; but
-- not as version 7, and not where the time is not plausible.
CREATE FUNCTION pg_temp.line(id text) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(part || ' ' || value, ', ' ORDER BY n) FROM gid_inspect(id) WITH ORDINALITY AS i (part, value, n)$$;
SELECT id, pg_temp.line(gid_encode(id, 'crockford')) AS parts
FROM unnest(ARRAY['0187ef2c-1a2b-0c3d-8e4f-5a6b7c8d9eaf', '0187ef2c-1a2b-4c3d-8e4f-5a6b7c8d9eaf', '0187ef2c-1a2b-7c3d-8e4f-5a6b7c8d9eaf',
	'00000000-0001-0c3d-8e4f-5a6bf0ffffff', '00000000-0000-0c3d-8e4f-5a6bf0ffffff', 'ffffffff-ffff-0c3d-8e4f-5a6bf0ffffff',
	'00000000-0000-0000-0000-000000000000']::uuid[]) AS id;
SELECT pg_temp.line('user_01GZQJR6HB1GYRWKTTDDY8V7NF');
SELECT count(*) AS ulids, count(*) FILTER (WHERE family !~ '^(ulid($| or )|v7$)') AS otherwise, count(*) FILTER (WHERE time <> '2023-05-01 12:00:00+00') AS wrong
FROM generate_series(1, 1000) AS n,
	LATERAL (SELECT max(value) FILTER (WHERE part = 'family') AS family, max(value) FILTER (WHERE part IN ('time', 'ulid.time')) AS time
		FROM gid_inspect(gid_encode(('0187d72f1600' || substr(md5(n::text), 1, 20))::uuid, 'crockford'))) AS i;
\if :library
SELECT * FROM pg_temp.read(' 0:1:75 ', '0x00000000100000000000004B', 'order_0000000020000000002B', '1zzzzzzzzzzzzzzzzzzz');
SELECT e.* FROM pg_temp.alike('SELECT gid_inspect(NULL::gdid)', 'SELECT * FROM gid_inspect(''0:16:1'')') AS e;
\endif
\set ECHO none
DO $$
DECLARE
	missed bigint := 0;
BEGIN
	IF current_setting('server_version_num')::int >= 190000 THEN
		EXECUTE 'SELECT count(*) FROM (SELECT gid_uuid_v7() AS id FROM generate_series(1, 60)) AS made,
			pg_temp.read(encode(made.id::bytea, ''base32hex'')) AS r WHERE made.id::text <> r.id' INTO missed;
	END IF;
	ASSERT missed = 0, 'encode() writes base32hex differently';
END $$;
-- A parameter without a type, and one of each type of text.
PREPARE pasted AS SELECT value FROM gid_inspect($1) WHERE part = 'id';
\set ECHO all
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'pasted';
SELECT (SELECT count(*) FROM gid_inspect('user_2jg'::varchar)) AS varchar, (SELECT count(*) FROM gid_inspect('user_2jg'::char(40))) AS char,
	(SELECT count(*) FROM gid_inspect('user_2jg'::name)) AS name;
\if :library
-- Texts that are no id: one of each fault, with the hint once.
SELECT e.* FROM pg_temp.alike('SELECT * FROM gid_inspect('''')') AS e;
\set ECHO none
CREATE FUNCTION pg_temp.wrong(VARIADIC texts text[]) RETURNS TABLE (given text, wrong text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH given IN ARRAY texts LOOP
		BEGIN
			PERFORM gid_inspect(given);
			wrong := 'none';
		EXCEPTION WHEN invalid_text_representation THEN
			GET STACKED DIAGNOSTICS wrong = PG_EXCEPTION_DETAIL;
		END;
		RETURN NEXT;
	END LOOP;
END $$;
\set ECHO all
SELECT * FROM pg_temp.wrong('hello', '0:16:1', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '99999999999999999999999999', '18446744073709551615', 'order_18446744073709551615', '9223372036854775808',
	'Order_2JG', 'see order_2JG', 'http://shop.example/about', 'INV-2024-007');
-- What nearly is an id: what is wrong with it. Positions count from the beginning of what
-- was given.
SELECT * FROM pg_temp.wrong('01890a5d-ac96-774b-bcce-b302099a805', '01890a5d-ac96-774b-bcce-b302099a80577', '01890a5dac96774bbcceb302099a805', ' <01890a5d-ac96-774b-bcce-b3O2099a8057>',
	'0189-0a5da-c96-774b-bcce-b302099a8057', 'urn:uuid:01890a5d-ac96-774b-bcce-b302099a80', '{01890a5d-ac96-774b-bcce-b302099a805g}',
	'0x0000000010000000000000', '0000000010000000000004b', '01ARZ3NDEKTSV4RRFFQ69G5FA', '01ARZ3NDEKTSV4RRFFQ69G5FAU', 'prefix_01h455vb4pex5vsknk084sn02', 'prefix_01h455vb4pex5u sknk084sn02q',
	'order_000000002000000002B', '0:1', '0:1:', '0:1:75x', '4294967296:0:1', 'https://shop.example/orders/01890a5d-ac96-774b-bcce-b302099a805?page=2',
	'https://shop.example/orders/99999999999999999999?page=2');
-- Characters that are not ASCII count as one each. All digits may be there, with what is none.
SELECT * FROM pg_temp.wrong('01890a5d-ac96-774b-bcce-b302099a80é7', '01ARZ3NDEKTSV4RRFFQ69G5F–V', 'user_０1h455vb4pex5vsknk084sn02q', '01890a5d–ac96–774b–bcce–b302099a8057',
	U&'01890a5d-ac96-774b-b\00ADcce-b302099a8057', '#01890a5d-ac96-774b-bcce-b302099a8057', '01890a5d-ac96-774b-bcce-b302099a8057.xml');
\endif

-- Every role may inspect.
CREATE ROLE regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT u.value AS uuid, b.value AS bigint, t.value AS text FROM gid_inspect(gid_make_uuid_shard('2024-01-01', '\x0102030405', 0, 7)) AS u,
	gid_inspect(5, 'next') AS b, gid_inspect('user_2jg') AS t
WHERE u.part = 'key' AND b.part = 'value' AND t.part = 'id';
RESET ROLE;
DROP ROLE regress_gid_reader;
\if :library
ALTER SYSTEM RESET gid.node_no;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''' AND current_setting(''gid.node_no'') = ''-1'''
\i :reload
\endif
