-- gid_inspect(text), for texts that people paste: what a text is read as.
-- inspect_uuid.sql and inspect_bigint.sql have the parts of each id.
\i sql/include/start.sql
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- A literal without a type, with all its rows.
SELECT * FROM gid_inspect('prefix_01h2xcejqtf2nbrexx3vqjhp41');
SELECT * FROM gid_inspect('0:1:75');
SELECT * FROM gid_inspect('14150009200065') WHERE part NOT LIKE 'trace.%';

-- What a text is read as: form, prefix and id, in the order of the input.
CREATE FUNCTION pg_temp.read(VARIADIC texts text[]) RETURNS TABLE (given text, form text, prefix text, id text) LANGUAGE sql AS $$
	SELECT t.given, max(i.value) FILTER (WHERE i.part = 'form'), max(i.value) FILTER (WHERE i.part = 'prefix'),
		max(i.value) FILTER (WHERE i.part = 'id')
	FROM unnest(texts) WITH ORDINALITY AS t (given, n), LATERAL gid_inspect(t.given) AS i
	GROUP BY t.n, t.given ORDER BY t.n
$$;
-- Published examples: RFC 9562, ULID (its README, and the largest), TypeID
-- (spec/valid.json, and a prefix of 63 characters).
SELECT * FROM pg_temp.read('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
	'00000000000000000000000000', '00000000000000000000000001', '0000000000000000000000000a', '0000000000000000000000000g',
	'00000000000000000000000010', '7zzzzzzzzzzzzzzzzzzzzzzzzz', 'prefix_0123456789abcdefghjkmnpqrs',
	'prefix_01h455vb4pex5vsknk084sn02q', 'pre_fix_00000000000000000000000000',
	repeat('a', 63) || '_01h455vb4pex5vsknk084sn02q');
-- A TypeID has no other spelling. What people type instead is read, with the form of a
-- Crockford text; gid_typeid_uuid() refuses it.
SELECT r.*, e.code FROM pg_temp.read('user_01h2xcejqtf2nbrexx3vqjhp41', 'user_01H2XCEJQTF2NBREXX3VQJHP41', 'user_olh2xcejqtf2nbrexx3vqjhp41',
	' user_01h2xcejqtf2nbrexx3vqjhp41', '01h2xcejqtf2nbrexx3vqjhp41') AS r,
	pg_temp.expect(format('SELECT gid_typeid_uuid(%L, %L)', r.given, coalesce(r.prefix, ''))) AS e;
-- Every spelling of a UUID that the type uuid accepts.
SELECT * FROM pg_temp.read('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}',
	'a0eebc999c0b4ef8bb6d6bb9bd380a11', 'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11', '{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}',
	'urn:uuid:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'URN:UUID:A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
	E' \t\na0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\r\n ', '01234567890123456789012345678901');
-- Texts of other families: colons, hexadecimal, Crockford as written and as typed.
SELECT * FROM pg_temp.read('0:1:75', ' 4294967295 : 15 : 1152921504606846975 ', '00000000100000000000004b', '0x00000000100000000000004B',
	'0X0000000010000000000000AB', '000000001000000000000075', gid_encode('0:1:75'::gdid, 'crockford'), '1ZZZZZZZZZZZZZZZZZZZ', '1zzzzzzzzzzzzzzzzzzz', 'OOOOOOOOIOOOOOOOOOZB',
	'order_' || gid_encode('0:1:75'::gdid, 'crockford'), 'o_' || gid_encode(14150009200065, 'crockford'), 'o_0', 'order_7ZZZZZZZZZZZZ',
	'line_item_2jg', 'order_42', '0', '42', '007', '-5', '9223372036854775807', '-9223372036854775808',
	'0000000000000000000000000000042');
-- The length decides about a text of digits alone.
SELECT length(given), form, id FROM pg_temp.read(VARIADIC ARRAY(SELECT repeat('1', n) FROM unnest(ARRAY[1, 13, 19, 20, 24, 26, 32]) AS n));

-- Texts that gid writes are read as the same id. (A random ULID may have a second reading;
-- inspect_base32hex.sql has them.)
SELECT count(*) > 4400 AS many, count(*) FILTER (WHERE shown.id IS DISTINCT FROM made.id OR shown.form <> made.form) AS mismatches
FROM (SELECT md5(random()::text)::uuid AS u, gid_make_gdid((random() * 4294967295)::bigint, (random() * 15)::int, (random() * 1e17)::bigint) AS g,
		(random() * 9e18)::bigint >> n % 63 AS b FROM generate_series(1, 500) AS n) AS r,
	LATERAL (VALUES (u::text, u::text, 'UUID'), (gid_encode(u, 'crockford'), u::text, 'ULID'),
		('user_' || lower(gid_encode(u, 'crockford')), u::text, 'TypeID'), (g::text, g::text, 'GDID'),
		(gid_gdid_hex(g), g::text, 'hexadecimal GDID'), (gid_encode(g, 'crockford'), g::text, 'Crockford text of a gdid'),
		('g_' || gid_encode(g, 'crockford'), g::text, 'Crockford text of a gdid'), (b::text, b::text, 'decimal number'),
		('b_' || gid_encode(b, 'crockford'), b::text, 'Crockford text of a bigint')) AS made (given, id, form),
	LATERAL pg_temp.read(made.given) AS shown
WHERE gid.inspect_base32hex(made.given) IS NULL;
-- The parts are those of the id's own type, in their order.
SELECT bool_and(pasted = own) AS same FROM (VALUES ('018df4bc-5600-7abc-b412-3456789abcde'::uuid), (gen_random_uuid()),
		(gid_uuid_sequential_mssql()), (gid_uuid_shard(7))) AS u (id),
	LATERAL (SELECT gid_encode(u.id, 'crockford') AS given) AS t,
	LATERAL (SELECT array_agg(i ORDER BY n) FROM gid_inspect(u.id) WITH ORDINALITY AS i (part, value, n)) AS o (own),
	LATERAL (SELECT array_agg(i ORDER BY n) FROM gid_inspect(t.given) WITH ORDINALITY AS i (part, value, n)
		WHERE n <= cardinality(own)) AS p (pasted)
WHERE gid.inspect_base32hex(t.given) IS NULL;

-- A parameter without a type, one of each type of text, and NULL. The other functions
-- of the name are chosen as before.
PREPARE pasted AS SELECT value FROM gid_inspect($1) WHERE part = 'id';
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'pasted';
EXECUTE pasted('01ARZ3NDEKTSV4RRFFQ69G5FAV');
DEALLOCATE pasted;
SELECT i.value FROM (VALUES ('0:1:75'::varchar, '0:1:75'::char(40), '0:1:75'::name)) AS v (a, b, c),
	LATERAL (SELECT * FROM gid_inspect(a) UNION ALL SELECT * FROM gid_inspect(b) UNION ALL SELECT * FROM gid_inspect(c)) AS i
WHERE i.part = 'id';
SELECT * FROM gid_inspect(NULL);
SELECT * FROM gid_inspect(NULL::text);
SELECT part, value FROM gid_inspect('42', 'next');
SELECT part, value FROM gid_inspect(42, 'next');
SELECT count(*) FILTER (WHERE part = 'form') AS form FROM gid_inspect(42);
SELECT count(*) FILTER (WHERE part = 'form') AS form FROM gid_inspect('0:1:75'::gdid);

-- Texts that are no id: without a form, or with a fault; also TypeID's
-- spec/invalid.json.
SELECT string_agg(quote_literal(given), ' ' ORDER BY n) AS given, e.code, e.message = format('cannot read "%s" as an id', given) AS message, e.detail
FROM unnest(ARRAY['', '   ', 'hello', '12.5', '--5', '-', '5-', '1e5', 'https://example.org/42',
	'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11f', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1g',
	'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}', '-a0eebc999c0b4ef8bb6d6bb9bd380a11',
	'a0e-ebc999c0b4ef8bb6d6bb9bd380a11', '{}', '{', 'urn:uuid:', 'urn:uuid:42', '0:1', '0:1:2:3', '0:16:1', '4294967296:0:0', '0::1', '0:a:1',
	'8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '2ZZZZZZZZZZZZZZZZZZZ', '81111111111111111111111111', '22222222222222222222', '9223372036854775808', '-9223372036854775809',
	'111111111111111111111', 'order_8000000000000', 'order_', '_', 'order_00000000000000', 'order_hellU', 'Order_2JG', '2_2JG', '_2JG', '__2JG',
	'order__2JG', repeat('a', 64) || '_2JG', 'PREFIX_00000000000000000000000000', '12345_00000000000000000000000000', 'pre.fix_00000000000000000000000000',
	'_00000000000000000000000000', '_', 'prefix_1234567890123456789012345', 'prefix_123456789012345678901234567', 'prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz',
	'prefix_123456789-123456789-123456', '_prefix_00000000000000000000000000', 'prefix__00000000000000000000000000', 'empty_']) WITH ORDINALITY AS g (given, n),
	LATERAL pg_temp.expect(format('SELECT * FROM gid_inspect(%L)', given)) AS e
GROUP BY 2, 3, 4 ORDER BY min(n);
-- The whole message. A long text is cut short.
SELECT e.* FROM pg_temp.alike('SELECT * FROM gid_inspect(''hello'')') AS e;
SELECT e.code, length(e.message) FROM pg_temp.expect(format('SELECT * FROM gid_inspect(%L)', repeat('order_', 10000))) AS e;

-- Every role may inspect, with any search path.
CREATE ROLE regress_gid_reader;
SELECT extnamespace::regnamespace AS schema FROM pg_extension WHERE extname = 'gid' \gset
CREATE SCHEMA regress_gid_trap;
CREATE FUNCTION regress_gid_trap.inspect_text(id text, OUT form text, OUT as_uuid uuid) LANGUAGE sql AS 'SELECT ''trap'', NULL::uuid';
GRANT USAGE ON SCHEMA regress_gid_trap TO regress_gid_reader;
SET search_path = regress_gid_trap, pg_catalog;
SET ROLE regress_gid_reader;
SELECT part, value FROM :schema.gid_inspect('0:1:75') WHERE part IN ('form', 'id');
RESET ROLE;
RESET search_path;
DROP FUNCTION regress_gid_trap.inspect_text(text);
DROP SCHEMA regress_gid_trap;
DROP ROLE regress_gid_reader;
