-- The vectors of doc/vectors that gid makes of its own functions: those of the
-- families and texts that no other project publishes. "make vectors" writes the
-- files, sql/vectors_made.sql compares them. Leaves the table pg_temp.made (file, n,
-- line), where a line is a vector without the comma behind it.

CREATE TEMP TABLE vector (n int GENERATED ALWAYS AS IDENTITY, file text, op text, input jsonb,
	expected jsonb, source text DEFAULT 'gid', kind text DEFAULT 'made');

-- What a statement gives, or the SQLSTATE of its error.
CREATE FUNCTION pg_temp.outcome(statement text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	got jsonb;
BEGIN
	EXECUTE 'SELECT to_jsonb((' || statement || ')::text)' INTO got;
	RETURN coalesce(got, 'null');
EXCEPTION WHEN OTHERS THEN
	RETURN jsonb_build_object('error', SQLSTATE);
END $$;
CREATE FUNCTION pg_temp.at(unix_ms bigint) RETURNS timestamptz IMMUTABLE STRICT
RETURN timestamptz 'epoch' + unix_ms / 3600000 * interval '1 hour' + unix_ms % 3600000 * interval '1 ms';
CREATE FUNCTION pg_temp.unix_ms(at timestamptz) RETURNS bigint IMMUTABLE STRICT
RETURN (extract(epoch FROM at) * 1000)::bigint;

-- Version 7: the example of the RFC, both ends, and ids that are of another kind.
CREATE FUNCTION pg_temp.v7_parts(id uuid) RETURNS jsonb STABLE STRICT
RETURN (SELECT jsonb_build_object('unix_ms', pg_temp.unix_ms(time), 'fraction',
		(SELECT split_part(value, '/', 1)::int FROM gid_inspect(id) WHERE part LIKE '%fraction'))
	FROM gid_extract_v7_time(id) AS time WHERE time IS NOT NULL);
INSERT INTO vector (file, op, input, expected, source, kind)
SELECT 'uuid_v7', 'read', to_jsonb(id), coalesce(pg_temp.v7_parts(id), 'null'),
	'RFC 9562, appendix A.6', 'published'
FROM CAST('017f22e2-79b0-7cc3-98c4-dc0c0c07398f' AS uuid) AS id;
INSERT INTO vector (file, op, input, expected)
SELECT 'uuid_v7', 'read', to_jsonb(id), coalesce(pg_temp.v7_parts(id), 'null')
FROM unnest(ARRAY['018df4bc-5600-7000-8000-000000000000', '018df4bc-5600-7fff-bfff-ffffffffffff',
	'018df4bc-5600-7001-8000-000000000000', '018df4bc-5600-7000-8400-000000000000',
	'018df4bc-5600-7000-83ff-ffffffffffff', '018df4bc-5600-4000-8000-000000000000',
	'018df4bc-5600-8000-8000-000000000000', '018df4bc-5600-7000-0000-000000000000',
	'018df4bc-5600-7000-7fff-ffffffffffff', '018df4bc-5600-7000-c000-000000000000',
	'00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
	'00000000-0000-7000-8000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff']::uuid[])
	WITH ORDINALITY AS u (id, n) ORDER BY n;
INSERT INTO vector (file, op, input, expected)
SELECT 'uuid_v7', op, jsonb_build_object('unix_ms', ms),
	to_jsonb(CASE op WHEN 'min' THEN gid_uuid_v7_min(pg_temp.at(ms)) ELSE gid_uuid_v7_max(pg_temp.at(ms)) END)
FROM unnest(ARRAY[0, 1, 1709208000000, 4294967295, 4294967296, 281474976710655]) AS ms,
	unnest(ARRAY['min', 'max']) AS op ORDER BY op, ms;

-- Shard keys of a region and a shard, and the three parts of an id.
INSERT INTO vector (file, op, input, expected)
SELECT 'shard_region', 'region_shard', jsonb_build_object('region', region, 'shard', shard),
	to_jsonb(gid_region_shard(region, shard))
FROM unnest(ARRAY[0, 1, 276, 1023]) AS region, unnest(ARRAY[0, 1, 5, 4194303]) AS shard
ORDER BY region, shard;
INSERT INTO vector (file, op, input, expected)
SELECT 'shard_region', 'read', to_jsonb(id), jsonb_build_object('shard', gid_extract_shard(id),
	'region', gid_extract_region(id), 'region_shard', gid_extract_region_shard(id))
FROM unnest(ARRAY['61ff0f80-a2a1-a4a3-a50a-0b0c00000000', '61ff0f80-a2a1-a4a3-a50a-0b0cffffffff',
	'61ff0f80-a2a1-a4a3-a50a-0b0c05000045', '61ff0f80-a2a1-a4a3-a50a-0b0cffff3f00',
	'61ff0f80-a2a1-a4a3-a50a-0b0c000040ff', '61ff0f80-a2a1-a4a3-a50a-0b0c01020304']::uuid[])
	WITH ORDINALITY AS u (id, n) ORDER BY n;

-- TraceIds whose low 22 bits are split elsewhere, and the moment that tells the time.
INSERT INTO vector (file, op, input, expected)
SELECT 'trace_thread_bits', 'compose', jsonb_build_object('unix_s', s, 'node', node, 'thread', thread,
		'counter', counter, 'thread_bits', bits),
	to_jsonb(gid_make_trace_id(pg_temp.at(1000 * s), node, thread, counter, bits)::text)
FROM (VALUES (0, 0::bigint, 0, 0, 1), (0, 33554431, 65535, 0, 4194303), (1, 33554432, 1, 1, 2097151),
		(8, 1709208000, 7, 255, 16383), (10, 1709208000, 7, 1023, 1), (12, 1709208000, 7, 4095, 1023),
		(16, 1709208000, 7, 65535, 63), (21, 1709208000, 7, 2097151, 1), (22, 1709208000, 7, 4194303, 0),
		(22, 4294967296, 65535, 1, 0)) AS v (bits, s, node, thread, counter)
ORDER BY bits, s;
INSERT INTO vector (file, op, input, expected)
SELECT 'trace_thread_bits', 'read', jsonb_build_object('id', id::text, 'near_s', near, 'thread_bits', bits),
	coalesce(jsonb_build_object('unix_s', extract(epoch FROM time)::bigint, 'node', gid_extract_trace_node(id),
		'thread', gid_extract_trace_thread(id, bits), 'counter', gid_extract_trace_counter(id, bits)), 'null')
FROM unnest(ARRAY[4636592980457693161, 1, 4194303, 9223372036854775807]) WITH ORDINALITY AS i (id, n),
	unnest(ARRAY[0, 1, 12, 22]) AS bits,
	unnest(ARRAY[33554432, 33554433, 1795252723, 1795252724]) AS near,
	LATERAL (SELECT gid_extract_trace_time(id, pg_temp.at(1000 * near::bigint)) AS time) AS t
ORDER BY n, bits, near;
INSERT INTO vector (file, op, input, expected)
SELECT 'trace_thread_bits', 'read', jsonb_build_object('id', id::text, 'near_s', 1795252723, 'thread_bits', 12),
	coalesce(to_jsonb(gid_extract_trace_time(id, pg_temp.at(1795252723000))), 'null')
FROM unnest(ARRAY[0, -1, 4194304, -9223372036854775808]) AS id ORDER BY id;

-- Codes.
INSERT INTO vector (file, op, input, expected)
SELECT 'codes', 'lexical_add', jsonb_build_object('value', value, 'count', count::text, 'charset', charset,
		'ignore_case', ignore),
	pg_temp.outcome(format('gid_lexical_add(%L, %s, %L, %L)', value, count, charset, ignore))
FROM (VALUES ('099', 1::bigint, 'numeric', false), ('A-0099', 1, 'numeric', false), ('999', 1, 'numeric', false),
		('0000', -1, 'numeric', false), ('', 1, 'numeric', false), ('', 10, 'numeric', false),
		('', 11, 'numeric', false), ('0', -1, 'numeric', false), ('', 9223372036854775807, 'numeric', false),
		('9', -9223372036854775808, 'numeric', false), (' 99', 1, 'numeric', false), ('a9', 1, 'numeric', false),
		('9a', 1, 'numeric', false), ('AZ', 1, 'alpha_upper', false), ('az', 1, 'alpha_upper', true),
		('zz', 1, 'alpha_lower', false), ('AAZ', 1, 'alpha_lower', true), ('z', 1, 'alpha', false),
		('Z', 1, 'alpha', false), ('Z', 1, 'alpha', true), ('zz', 1, 'alphanumeric', false),
		('00A00Z', 5000, 'alphanumeric', true), ('9Gu8z', 100, 'alphanumeric', true), ('zZ', 1, 'alphanumeric_lower', true),
		('ZZ', -1, 'alphanumeric_upper', false), ('', 1, 'crockford', false), ('ZZ', 1, 'crockford', false),
		('1000', 1048576, 'crockford', false), ('10000', 32, 'crockford', false), ('I', 1, 'crockford', false),
		('~', 1, 'chars:~!', false), ('!', 1, 'chars:~!', false), ('ZYX', 1, 'chars:ZYX', false), ('X', -1, 'chars:ZYX', false),
		('0', 1, 'chars:0', false), ('0', 1, 'chars:00', false), ('0', 1, 'Numeric', false),
		('0', 1, '01', false), ('ff', 1, 'hex', false), ('zz', 1, 'base58', false), ('Zz', 1, 'base62', false)) AS v (value, count, charset, ignore);

-- Short texts.
CREATE TEMP TABLE charset (n int GENERATED ALWAYS AS IDENTITY, charset text);
INSERT INTO charset (charset) VALUES ('numeric'), ('crockford'), ('alphanumeric'),
	('base62'), ('alpha_lower'), ('chars:~!'), ('hex'), ('base58');
INSERT INTO vector (file, op, input, expected)
SELECT 'short_texts', 'encode', jsonb_build_object('type', type, 'id', id, 'charset', charset),
	pg_temp.outcome(format('gid_encode(%L::%s, %L)', id, type, charset))
FROM charset AS c, unnest(ARRAY['bigint 0', 'bigint 1', 'bigint 31', 'bigint 32', 'bigint 9007199254740991',
	'bigint 9223372036854775807', 'uuid 00000000-0000-0000-0000-000000000000',
	'uuid 018df4bc-5600-7000-8000-000000000000', 'uuid ffffffff-ffff-ffff-ffff-ffffffffffff',
	'gdid 0:0:0', 'gdid 0:1:75', 'gdid 4294967295:15:1152921504606846975']) WITH ORDINALITY AS u (typed, n),
	split_part(typed, ' ', 1) AS type, split_part(typed, ' ', 2) AS id
ORDER BY c.n, u.n;
INSERT INTO vector (file, op, input, expected)
SELECT 'short_texts', 'encode', jsonb_build_object('type', 'bigint', 'id', id, 'charset', 'crockford'),
	pg_temp.outcome(format('gid_encode(%L::bigint, %L)', id, 'crockford'))
FROM unnest(ARRAY['-1', '-9223372036854775808']) AS id;
INSERT INTO vector (file, op, input, expected)
SELECT 'short_texts', 'decode', jsonb_build_object('type', type, 'text', text, 'charset', charset),
	pg_temp.outcome(format('gid_decode_%s(%L, %L)', type, text, charset))
FROM (VALUES ('bigint', '0', 'crockford'), ('bigint', '00000000000000000000000YGJ3', 'crockford'),
	('bigint', 'ygj3', 'crockford'), ('bigint', 'oIl', 'crockford'), ('bigint', 'U', 'crockford'),
	('bigint', 'YG-J3', 'crockford'), ('bigint', ' YGJ3', 'crockford'), ('bigint', '', 'crockford'),
	('bigint', '7ZZZZZZZZZZZZ', 'crockford'), ('bigint', '8000000000000', 'crockford'),
	('bigint', '9223372036854775807', 'numeric'), ('bigint', '9223372036854775808', 'numeric'),
	('bigint', 'a', 'alphanumeric_upper'), ('bigint', 'A', 'alphanumeric_upper'),
	('uuid', '01HQTBRNG0E008000000000000', 'crockford'), ('uuid', '01hqtbrng0e008000000000000', 'crockford'),
	('uuid', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'crockford'), ('uuid', '80000000000000000000000000', 'crockford'),
	('uuid', '01HQTBRNG0E00800000000000', 'crockford'), ('uuid', '001HQTBRNG0E008000000000000', 'crockford'),
	('gdid', '0000000100000000002B', 'crockford'), ('gdid', '1ZZZZZZZZZZZZZZZZZZZ', 'crockford'),
	('gdid', '20000000000000000000', 'crockford'), ('gdid', '000000100000000002B', 'crockford'),
	('bigint', 'ff', 'hex'), ('bigint', 'FF', 'hex'), ('bigint', '5Q', 'base58'), ('bigint', '0', 'base58'),
	('bigint', '47', 'base62'), ('bigint', '47', 'chars:0123456789')) AS v (type, text, charset);

-- Check characters.
INSERT INTO vector (file, op, input, expected)
SELECT 'check_characters', 'append', jsonb_build_object('code', code, 'charset', charset),
	pg_temp.outcome(format('gid_check_append(%L, %L)', code, charset))
FROM (VALUES ('7992739871', 'numeric'), ('0', 'numeric'), ('9', 'numeric'), ('00', 'numeric'),
	('YGJ3', 'crockford'), ('ygj3', 'crockford'), ('10000', 'crockford'), ('10001', 'crockford'),
	('0', 'crockford'), ('ZZZZZZZZZZZZZ', 'crockford'), ('OIL', 'crockford'), ('U', 'crockford'),
	('abc', 'alpha_lower'), ('ABC', 'alpha_lower'), ('Zz', 'alpha'), ('aZ9', 'alphanumeric'),
	('ZYX', 'chars:ZYX'), ('X', 'chars:ZYX'), ('~!', 'chars:~!'), ('', 'numeric'), ('1 2', 'numeric'),
	('ff', 'hex'), ('FF', 'hex'), ('5Q', 'base58'), ('47', 'base62')) AS v (code, charset);
INSERT INTO vector (file, op, input, expected)
SELECT 'check_characters', 'valid', jsonb_build_object('code', code, 'charset', charset),
	to_jsonb(gid_check_valid(code, charset))
FROM (VALUES ('79927398713', 'numeric'), ('79927398731', 'numeric'), ('79927398710', 'numeric'),
	('90', 'numeric'), ('09', 'numeric'), ('00', 'numeric'), ('0', 'numeric'), ('', 'numeric'),
	('YGJ39', 'crockford'), ('ygj39', 'crockford'), ('YGJ93', 'crockford'), ('YGJ3U', 'crockford'),
	('00YGJ39', 'crockford'), ('YGJ-39', 'crockford'), ('abc', 'alpha_lower')) AS v (code, charset);

-- The permutation, with keys of 00 01 02 ... and of ff.
INSERT INTO vector (file, op, input, expected)
SELECT 'permutation', 'permute', jsonb_build_object('id', id::text, 'key_hex', encode(key, 'hex'), 'bits', bits),
	to_jsonb(gid_permute(id, key, bits)::text)
FROM unnest(ARRAY[8, 9, 16, 31, 32, 33, 53, 62, 63]) AS bits, unnest(ARRAY[16, 17, 64]) AS length,
	LATERAL (SELECT decode(string_agg(lpad(to_hex(b), 2, '0'), '' ORDER BY b), 'hex') AS key
		FROM generate_series(0, length - 1) AS b
		UNION ALL SELECT decode(repeat('ff', length), 'hex') WHERE length = 16) AS k,
	unnest(ARRAY[1, 2, 100, (2::numeric ^ bits - 1)::bigint]) AS id
ORDER BY bits, length, key, id;

-- What is refused and how texts are read: the edition in SQL has no type gdid, and reads
-- fewer texts.
SELECT gid_edition() = 'c' AS library \gset
\if :library
-- What a reader of ids in any language refuses, and how it returns what it reads. An
-- operation is a function of doc/decoders, in Python's words. Numbers are strings, as some
-- are no bigint.
CREATE FUNCTION pg_temp.read(op text, i jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	key bytea := decode(i->>'key_hex', 'hex');
	near timestamptz;
BEGIN
	near := to_timestamp((i->>'near_s')::float8);
	RETURN coalesce(CASE op
		WHEN 'uuid_v7' THEN pg_temp.v7_parts((i->>'id')::uuid)
		WHEN 'uuid_from_mssql' THEN to_jsonb(gid_uuid_from_mssql((i->>'id')::uuid))
		WHEN 'uuid_sequential' THEN (SELECT jsonb_build_object('ticks', gid_extract_sequential_ticks(id)::text,
				'process', encode(gid_extract_sequential_process(id), 'hex'))
			FROM CAST(i->>'id' AS uuid) AS id WHERE gid_extract_sequential_time(id) IS NOT NULL)
		WHEN 'uuid_shard' THEN (SELECT jsonb_build_object('unix_s', extract(epoch FROM gid_extract_shard_time(id))::bigint,
				'generator', encode(gid_extract_shard_generator(id), 'hex'), 'counter', gid_extract_shard_counter(id),
				'shard', gid_extract_shard(id))
			FROM CAST(i->>'id' AS uuid) AS id)
		WHEN 'trace_id' THEN (SELECT jsonb_build_object('unix_s', extract(epoch FROM time)::bigint,
				'node', gid_extract_trace_node(id), 'thread', gid_extract_trace_thread(id, bits),
				'counter', gid_extract_trace_counter(id, bits))
			FROM CAST(i->>'id' AS bigint) AS id, CAST(i->>'thread_bits' AS int) AS bits,
				gid_extract_trace_time(id, near) AS time
			WHERE gid_extract_trace_thread(id, bits) IS NOT NULL)
		WHEN 'snowflake_id' THEN (SELECT jsonb_build_object('unix_ms', pg_temp.unix_ms(time),
				'node', gid_extract_snowflake_node(id), 'sequence', gid_extract_snowflake_sequence(id))
			FROM CAST(i->>'id' AS bigint) AS id, gid_extract_snowflake_time(id, (i->>'epoch_ms')::bigint) AS time
			WHERE time IS NOT NULL)
		WHEN 'decimal_id' THEN (SELECT jsonb_build_object('counter', gid_extract_decimal_counter(id),
				'generator', gid_extract_decimal_generator(id), 'launch', gid_extract_decimal_launch(id))
			FROM CAST(i->>'id' AS bigint) AS id WHERE gid_extract_decimal_launch(id) IS NOT NULL)
		WHEN 'gdid' THEN to_jsonb(decode(i->>'hex', 'hex')::gdid)
		WHEN 'decode_bigint' THEN to_jsonb(gid_decode_bigint(i->>'text', i->>'charset')::text)
		WHEN 'decode_uuid' THEN to_jsonb(gid_decode_uuid(i->>'text', i->>'charset'))
		WHEN 'decode_gdid' THEN to_jsonb(gid_decode_gdid(i->>'text', i->>'charset'))
		-- SQL has no position; what it refuses to add to has none
		WHEN 'position' THEN to_jsonb(gid_lexical_add(i->>'code', 1, i->>'charset'))
		WHEN 'check_valid' THEN to_jsonb(gid_check_valid(i->>'code', i->>'charset'))
		WHEN 'typeid' THEN (SELECT jsonb_build_object('prefix', prefix, 'uuid', gid_typeid_uuid(i->>'text', prefix))
			FROM coalesce(substring(i->>'text' FROM '^(.*)_'), '') AS prefix)
		WHEN 'inspect' THEN (SELECT jsonb_object_agg(part, value) FROM gid_inspect(i->>'text')
			WHERE part IN ('form', 'prefix', 'id', 'remark'))
		-- of a uuid; test/clients/with_changed_ids.py asks for them
		WHEN 'families' THEN (SELECT to_jsonb(f.value) FROM gid_inspect(i->>'text') AS f, gid_inspect(i->>'text') AS id
			WHERE f.part = 'family' AND id.part = 'id' AND id.value LIKE '%-%-%')
		WHEN 'uuid_mask' THEN to_jsonb(gid_uuid_mask((i->>'id')::uuid, key))
		WHEN 'uuid_unmask' THEN to_jsonb(gid_uuid_unmask((i->>'id')::uuid, key))
		END, 'null');
EXCEPTION WHEN data_exception THEN
	RETURN jsonb_build_object('error', SQLSTATE);
END $$;
-- Texts of a uuid: the forms that PostgreSQL reads, then others, some of which the libraries
-- of some languages read.
INSERT INTO vector (file, op, input, expected)
SELECT 'refusals', op, input, pg_temp.read(op, input)
FROM unnest(ARRAY['uuid_v7', 'uuid_from_mssql', 'uuid_sequential', 'uuid_shard', 'uuid_mask', 'uuid_unmask'])
		WITH ORDINALITY AS o (op, o),
	unnest(ARRAY['017F22E2-79B0-7CC3-98C4-DC0C0C07398F', '017f22e279b07cc398c4dc0c0c07398f',
		'{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}', '017f-22e279b0-7cc398c4-dc0c0c07398f',
		'08DE7BF5-381D-4C8B-B24C-56B51005EEE1', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
		'', 'hello', '017f22e2-79b0-7cc3-98c4-dc0c0c07398', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f0',
		'17f22e2-79b0-7cc3-98c4-dc0c0c07398f', '17f22e2-79b0-7cc3-98c4-dc0c0c07398f0', '1-7f-22-e2-79b0',
		'017f22e2-79b0-7cc3-98c4-dc0c0c07398g', '017f22e2-79b0-7cc3-98c4-dc0c0c0739_8', '0x7f22e2-79b0-7cc3-98c4-dc0c0c07398f',
		'+17f22e2-79b0-7cc3-98c4-dc0c0c07398f', '０17f22e2-79b0-7cc3-98c4-dc0c0c07398f', ' 017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
		'017f22e2-79b0-7cc3-98c4-dc0c0c07398f ', '01-7f22e279b07cc398c4dc0c0c07398f', '017f22e2--79b0-7cc3-98c4-dc0c0c07398f',
		'017f22e2-79b0-7cc3-98c4-dc0c0c07398f-', '{017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f}',
		'(017f22e2-79b0-7cc3-98c4-dc0c0c07398f)', 'urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f'])
		WITH ORDINALITY AS t (id, n),
	LATERAL (SELECT jsonb_build_object('id', id) || CASE WHEN op LIKE 'uuid%mask'
		THEN jsonb_build_object('key_hex', repeat('5a', 16)) ELSE '{}' END AS input) AS i
ORDER BY o, n;
-- Arguments out of range or of another length, for ids of the kind and of another kind.
INSERT INTO vector (file, op, input, expected)
SELECT 'refusals', op, input, pg_temp.read(op, input)
FROM (
	SELECT 1 AS o, op, jsonb_build_object('id', id, 'key_hex', repeat('5a', bytes)) AS input
	FROM unnest(ARRAY['uuid_mask', 'uuid_unmask']) AS op, unnest(ARRAY[0, 8, 15, 16, 17, 24, 32]) AS bytes,
		unnest(ARRAY['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '017f22e2-79b0-4cc3-98c4-dc0c0c07398f']) AS id
	UNION ALL
	SELECT 2, 'trace_id', jsonb_build_object('id', id, 'near_s', '1795252723', 'thread_bits', bits)
	FROM unnest(ARRAY['4636592980457693161', '-1', '9223372036854775808', '9223372036854775809', '-9223372036854775809']) AS id,
		unnest(ARRAY['-1', '0', '12', '22', '23']) AS bits
	UNION ALL
	SELECT 3, 'trace_id', jsonb_build_object('id', '4636592980457693161', 'near_s', near, 'thread_bits', '12')
	FROM unnest(ARRAY['1795252722.999', '1795252723.0', '1795252723.001', '-0.5', 'Infinity', '-Infinity', 'NaN']) AS near
	UNION ALL
	SELECT 4, 'snowflake_id', jsonb_build_object('id', id, 'epoch_ms', epoch)
	FROM unnest(ARRAY['9223372036854775807', '0', '-1', '9223372036854775808', '9223372036854775809', '-9223372036854775809']) AS id,
		unnest(ARRAY['-1', '0', '1.5', '253402300799999', '253402300800000']) AS epoch
	UNION ALL
	SELECT 5, 'decimal_id', jsonb_build_object('id', id)
	FROM unnest(ARRAY['9999999999', '10000000000', '9223372029999999999', '9223372030000000000', '-1',
		'9223372036854775808', '-9223372036854775809']) AS id
	UNION ALL
	SELECT 6, 'gdid', jsonb_build_object('hex', repeat('0a', bytes)) FROM unnest(ARRAY[0, 4, 8, 11, 12, 13, 16, 24]) AS bytes
	) AS i
ORDER BY o, op COLLATE "C", input::text COLLATE "C";
-- Names and lists of characters that are no charset; case; characters of another charset.
INSERT INTO vector (file, op, input, expected)
SELECT 'refusals', op, input, expected
FROM (
	SELECT 1 AS o, op, jsonb_build_object(CASE WHEN op LIKE 'decode%' THEN 'text' ELSE 'code' END, text, 'charset', charset) AS input
	FROM (VALUES ('decode_bigint', '00'), ('decode_uuid', repeat('0', 26)), ('decode_gdid', repeat('0', 20)),
			('position', '00'), ('check_valid', '00')) AS v (op, text),
		unnest(ARRAY['crockford', 'numeric', 'Crockford', 'base32', '', '01', 'chars', 'chars:', 'chars:0', 'chars:01',
			'chars:001', 'chars:0 1', 'chars:0é']) AS charset
	UNION ALL
	SELECT 2, op, jsonb_build_object(CASE op WHEN 'decode_bigint' THEN 'text' ELSE 'code' END, text, 'charset', charset)
	FROM unnest(ARRAY['decode_bigint', 'position', 'check_valid']) AS op,
		(VALUES ('2jg', 'crockford'), ('2JG', 'crockford'), ('1I', 'crockford'), ('1l', 'crockford'), ('1O', 'crockford'), ('1o', 'crockford'), ('1U', 'crockford'),
			('1u', 'crockford'), ('FF', 'hex'), ('ff', 'hex'), ('1-', 'crockford'), ('1_', 'numeric'), ('1１', 'numeric'), ('1é', 'numeric')) AS v (text, charset)
	UNION ALL
	SELECT 3, 'typeid', jsonb_build_object('text', text)
	FROM unnest(ARRAY['user_01h2xcejqtf2nbrexx3vqjhp41', 'user_01H2XCEJQTF2NBREXX3VQJHP41', 'user_81h2xcejqtf2nbrexx3vqjhp41',
		'user_01h2xcejqtf2nbrexx3vqjhp4', 'user_01h2xcejqtf2nbrexx3vqjhp4l', 'user_01h2xcejqtf2nbrexx3vqjhp41 ',
		'01h2xcejqtf2nbrexx3vqjhp41', '_01h2xcejqtf2nbrexx3vqjhp41', 'User_01h2xcejqtf2nbrexx3vqjhp41', '']) AS text
	) AS i, pg_temp.read(op, input) AS expected
WHERE op <> 'position' OR expected->'error' IS NOT NULL
ORDER BY o, op COLLATE "C", input::text COLLATE "C";
-- Texts of ids, which doc/read-an-id.html reads as gid_inspect() does.
INSERT INTO vector (file, op, input, expected)
SELECT 'texts', 'inspect', input, pg_temp.read('inspect', input)
FROM unnest(ARRAY['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '017F22E279B07CC398C4DC0C0C07398F',
	'{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}', 'urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 'URN:UUID:017f22e279b07cc398c4dc0c0c07398f',
	'  017f22e2-79b0-7cc3-98c4-dc0c0c07398f ', '017f22e2-79b0-7cc3-98c4-dc0c0c07398', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f0',
	'017f22e2-79b0-7cc3-98c4-dc0c0c07398g', '01-7f22e279b07cc398c4dc0c0c07398f', '{017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 'urn:uuid:',
	'017f22e2+79b0+7cc3+98c4+dc0c0c07398f', '00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
	'01HQTBRNG0E008000000000000', '01hqtbrng0e008000000000000', 'oihqtbrngoeoo8000000000000', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
	'01HQTBRNG0E00800000000000', '01HQTBRNG0E0080000000000000', '01HQTBRNG0E00800000000000U', '06H073JVFDQJ37CTP7S1G67824',
	'05VI5OJPM1UC7664RG60E1PJHS', '05VI5OJPM1UC7664RG60E1PJHS======', '05VI5OJPM1UC7664RG60E1PJHT', '12345678901234567890123456',
	'0:0:0', '0:1:75', '4294967295:15:1152921504606846975', '4294967296:0:0', '0:16:0', '0:0:1152921504606846976', '0:1', '0:1:2:3', ':1:2', '0:-1:2', '0:1:x',
	'00000000100000000000004b', '0x00000000100000000000004B', '0X00000000100000000000004b', '0000000010000000000004b', '0x00000000100000000000004',
	'0000000080000000002B', '0000000080000000002b', '20000000000000000000', 'ZZZZZZZZZZZZZZZZZZZZ',
	'0', '-1', '42', '007', '9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809', '+1', '1.5', '1e5', '--1', '-',
	'99999999999999999999', '14150009200065',
	'user_01h2xcejqtf2nbrexx3vqjhp41', 'user_01H2XCEJQTF2NBREXX3VQJHP41', 'a_b_01h2xcejqtf2nbrexx3vqjhp41', 'User_01h2xcejqtf2nbrexx3vqjhp41',
	'_01h2xcejqtf2nbrexx3vqjhp41', 'user__01h2xcejqtf2nbrexx3vqjhp41', 'user_81h2xcejqtf2nbrexx3vqjhp41', 'user_01h2xcejqtf2nbrexx3vqjhp4', 'user_',
	'user-01h2xcejqtf2nbrexx3vqjhp41', repeat('x', 63) || '_01h2xcejqtf2nbrexx3vqjhp41', repeat('x', 64) || '_01h2xcejqtf2nbrexx3vqjhp41',
	'order_YGJ3', 'order_7ZZZZZZZZZZZZ', 'order_8000000000000z', 'order_00000000100000000001', 'order_U', 'hello', '', ' ',
	-- as people send them
	'order_53297', 'order_7', 'order_00000000000000000001', 'order_99999999999999999999', 'order_12345678901234567890123456',
	'"017f22e2-79b0-7cc3-98c4-dc0c0c07398f",', '<017f22e2-79b0-7cc3-98c4-dc0c0c07398f>.', '(017f22e2-79b0-7cc3-98c4-dc0c0c07398f)',
	'https://shop.example/orders/017f22e2-79b0-7cc3-98c4-dc0c0c07398f/items?page=2&sort=name#top',
	'https://shop.example/show?order=01HQTBRNG0E008000000000000&x=1', 'https://shop.example:8080/7/8?n=9', 'https://shop.example/',
	'https://shop.example?n=42', 'https://shop.example/order_12?n=42', 'see https://shop.example/orders/42 please', 'http://42/',
	'https://shop.example/a;b=01HQTBRNG0E008000000000000/9', 'https://shop.example/017f22e2-79b0-7cc3-98c4-dc0c0c07398?n=42',
	'017F22E2 79B0 7CC3 98C4 DC0C 0C07 398F', '1 234 567', 'user _01h2xcejqtf2nbrexx3vqjhp41', 'user_01h2xcejqtf2 nbrexx3vqjhp41',
	'id: 42', '0 : 1 : 75', '[42]', '{42}', '''42''', '`42`', '42;', '42!', '“42”', '«42»', '‚42‘'])
		WITH ORDINALITY AS t (text, n),
	jsonb_build_object('text', text) AS input
ORDER BY n;
\endif

CREATE TEMP TABLE made AS
SELECT file, row_number() OVER (PARTITION BY file ORDER BY n) AS n,
	format('{"system": "gid", "op": %s, "input": %s, "expected": %s, "source": %s, "kind": %s}',
		to_jsonb(op), input, expected, to_jsonb(source), to_jsonb(kind)) AS line
FROM vector;
