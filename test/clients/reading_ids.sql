-- What with_reading_ids.py compares: lines of a function, its arguments and, after a
-- bar, the parts that the database finds; "null" if the id is of no such kind. There
-- are :many lines for most functions: both ends of each range, random parts, new ids.
CREATE EXTENSION gid;
CREATE SEQUENCE no;
CREATE TABLE line (n int GENERATED ALWAYS AS IDENTITY, input text, parts text);
-- Ends of what can be an id.
CREATE TABLE edge AS SELECT unnest(ARRAY[-9223372036854775808, -4194303, -1, 0, 1, 2, 4095, 4096, 4194303, 4194304, 4194305,
  9999999999, 10000000000, 10000000001, 9223372029999999998, 9223372029999999999, 9223372030000000000,
  9223372036850581504, 9223372036854775806, 9223372036854775807]::bigint[]) AS id;
-- A random bigint from "first" to "last", often one of the ends, or a power of 2
-- or a neighbour of it.
CREATE FUNCTION pick(first numeric, last numeric) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT CASE (random() * 5)::int
    WHEN 0 THEN first
    WHEN 1 THEN last
    WHEN 2 THEN greatest(first, least(last, trunc(2::numeric ^ (random() * 64)::int) + (random() * 2)::int - 1))
    ELSE first + trunc((last - first + 1) * random()::numeric) END::bigint $$;
-- Random bytes; every fourth time all are the same, 00 or ff.
CREATE FUNCTION pick_bytes(count int) RETURNS bytea LANGUAGE sql VOLATILE AS $$
  SELECT decode(CASE (random() * 7)::int WHEN 0 THEN repeat('00', count) WHEN 1 THEN repeat('ff', count)
    ELSE left(encode(sha256(uuid_send(gen_random_uuid())), 'hex'), 2 * count) END, 'hex') $$;
CREATE FUNCTION pick_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(pick_bytes(8) || pick_bytes(8), 'hex')::uuid $$;
CREATE FUNCTION unix(at timestamptz, rate int DEFAULT 1) RETURNS numeric IMMUTABLE
  RETURN trim_scale(rate * extract(epoch FROM at));
CREATE FUNCTION at(unix_us numeric) RETURNS timestamptz IMMUTABLE
  RETURN timestamptz 'epoch' + div(unix_us, 3600000000) * interval '1 hour'
    + mod(unix_us, 3600000000) * interval '1 us';

-- The bytes as a number.
CREATE FUNCTION big(bytes bytea) RETURNS numeric IMMUTABLE
  RETURN (SELECT trim_scale(sum(get_byte(bytes, i) * 256::numeric ^ (length(bytes) - 1 - i)))
    FROM generate_series(0, length(bytes) - 1) AS i);

INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'uuid_v7', id), (SELECT concat(unix(t, 1000), ' ', (SELECT split_part(value, '/', 1)
    FROM gid_inspect(id) WHERE part LIKE '%fraction')) FROM gid_extract_v7_time(id) AS t WHERE t IS NOT NULL)
FROM generate_series(1, :many) AS i, LATERAL (SELECT CASE i % 5
    WHEN 0 THEN gid_uuid_v7()
    WHEN 1 THEN gid_uuid_v7_at(at(1000 * pick(0, 281474976710655)))
    WHEN 2 THEN gid_uuid_v7_min(at(1000 * pick(0, 281474976710655)))
    WHEN 3 THEN gid_uuid_v7_max(at(1000 * pick(0, 281474976710655)))
    ELSE pick_uuid() END AS id) AS x;

-- Each version and variant.
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'uuid_v7', id), unix(gid_extract_v7_time(id), 1000) || ' ' || 16 * 273 + (byte_8 & 3) * 4
FROM generate_series(0, 15) AS version, generate_series(0, 15) AS byte_8,
  CAST('018df4bc5600' || to_hex(version) || '111' || to_hex(byte_8) || '000000000000000' AS uuid) AS id;

INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'uuid_sequential' || mssql, CASE mssql WHEN '' THEN id ELSE gid_uuid_to_mssql(id) END),
  gid_extract_sequential_ticks(id) || ' ' || encode(gid_extract_sequential_process(id), 'hex')
FROM generate_series(1, :many) AS i, LATERAL (SELECT CASE i % 5
    WHEN 0 THEN gid_uuid_sequential()
    WHEN 1 THEN gid_uuid_from_mssql(gid_uuid_sequential_mssql())
    WHEN 2 THEN gid_make_uuid_sequential(pick(621355968000000000 - 5, 621355968000000000 + 5), pick_bytes(8))
    WHEN 3 THEN gid_make_uuid_sequential(pick(0, 3155378975999999999), pick_bytes(8))
    ELSE pick_uuid() END AS id) AS x, unnest(ARRAY['', '_mssql']) AS mssql;
-- The ticks that decide, with each byte 8, where an id of the RFC has its variant.
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'uuid_sequential', id),
  gid_extract_sequential_ticks(id) || ' ' || encode(gid_extract_sequential_process(id), 'hex')
FROM unnest(ARRAY[0, 621355968000000000, 693937152000000000, 3155378976000000000]) AS ticks,
  generate_series(-1, 1) AS near, generate_series(0, 15) AS byte_8,
  CAST(lpad(to_hex(ticks + near), 16, '0') || to_hex(byte_8) || '123456789abcdef' AS uuid) AS id;
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'uuid_sequential', id),
  gid_extract_sequential_ticks(id) || ' ' || encode(gid_extract_sequential_process(id), 'hex')
FROM generate_series(0, 15) AS version, generate_series(0, 15) AS byte_8,
  unnest(ARRAY['08dc391df494', '000123456789', '2bca283fffff']) AS ticks,
  CAST(ticks || to_hex(version) || '111' || to_hex(byte_8) || '123456789abcdef' AS uuid) AS id;
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'uuid_from_mssql', id), gid_uuid_from_mssql(id)
FROM generate_series(1, :many) AS i, LATERAL (SELECT pick_uuid() AS id WHERE i > 0) AS x;

INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'uuid_shard', id), concat_ws(' ', unix(gid_extract_shard_time(id)),
  encode(gid_extract_shard_generator(id), 'hex'), gid_extract_shard_counter(id), gid_extract_shard(id))
FROM generate_series(1, :many) AS i, LATERAL (SELECT CASE i % 3
    WHEN 0 THEN gid_uuid_shard(pick(0, 4294967295))
    WHEN 1 THEN gid_make_uuid_shard(at(1000000 * pick(0, 4294967295)), pick_bytes(5),
      pick(0, 16777215)::int, pick(0, 4294967295))
    ELSE pick_uuid() END AS id) AS x;

INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'trace_id', id, near, bits),
  unix(gid_extract_trace_time(id, at(1000000 * near))) || ' ' || gid_extract_trace_node(id) || ' ' ||
  gid_extract_trace_thread(id, bits) || ' ' || gid_extract_trace_counter(id, bits)
FROM generate_series(1, :many) AS i,
  LATERAL (SELECT CASE WHEN i % 2 = 0 THEN 12 ELSE pick(0, 22)::int END AS bits) AS b,
  LATERAL (SELECT pick(33554432, 8000000000) AS near WHERE i > 0) AS t, LATERAL (SELECT CASE i % 3
    WHEN 0 THEN gid_trace_id()
    WHEN 1 THEN gid_make_trace_id(at(1000000 * (near - pick(0, 33554431))), pick(0, 65535)::int,
      pick(0, (1 << bits) - 1)::int, greatest(pick(0, (1 << 22 - bits) - 1)::int, (bits < 22)::int), bits)
    ELSE pick(-9223372036854775808, 9223372036854775807) END AS id
    WHERE i % 3 <> 1 OR bits < 22) AS x;

INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'trace_id', id, near, 12), unix(gid_extract_trace_time(id, at(1000000 * near))) || ' ' ||
  gid_extract_trace_node(id) || ' ' || gid_extract_trace_thread(id) || ' ' || gid_extract_trace_counter(id)
FROM edge, unnest(ARRAY[33554432, 1795252723]::bigint[]) AS near;
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'snowflake_id', id, 1288834974657), unix(gid_extract_snowflake_time(id), 1000) || ' ' ||
  gid_extract_snowflake_node(id) || ' ' || gid_extract_snowflake_sequence(id)
FROM edge;
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'decimal_id', id), gid_extract_decimal_counter(id) || ' ' ||
  gid_extract_decimal_generator(id) || ' ' || gid_extract_decimal_launch(id)
FROM edge;

INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'snowflake_id', id, epoch), unix(gid_extract_snowflake_time(id, epoch), 1000) || ' ' ||
  gid_extract_snowflake_node(id) || ' ' || gid_extract_snowflake_sequence(id)
FROM generate_series(1, :many) AS i, LATERAL (SELECT CASE i % 4 WHEN 0 THEN 1288834974657 WHEN 1 THEN 1420070400000
    ELSE pick(0, 253402300799999) END AS epoch) AS e, LATERAL (SELECT CASE i % 4
    WHEN 0 THEN gid_snowflake_id()
    WHEN 1 THEN gid_snowflake_id(1420070400000)
    WHEN 2 THEN gid_make_snowflake_id(at(1000 * (epoch + pick(0, 2199023255551))), pick(0, 1023)::int,
      pick(1, 4095)::int, epoch)
    ELSE pick(-9223372036854775808, 9223372036854775807) END AS id) AS x;

INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'decimal_id', id), gid_extract_decimal_counter(id) || ' ' ||
  gid_extract_decimal_generator(id) || ' ' || gid_extract_decimal_launch(id)
FROM generate_series(1, :many) AS i, LATERAL (SELECT CASE i % 4
    WHEN 0 THEN gid_decimal_id()
    WHEN 1 THEN pick(9999999998, 10000000001)
    WHEN 2 THEN gid_make_decimal_id(pick(1, 922337202)::int, pick(0, 99999)::int, pick(0, 99999)::int)
    ELSE pick(-9223372036854775808, 9223372036854775807) END AS id) AS x;

INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'gdid', gid_gdid_hex(id)), replace(id::text, ':', ' ')
FROM generate_series(1, :many) AS i, LATERAL (SELECT CASE i % 3
    WHEN 0 THEN gid_next_gdid('no')
    ELSE gid_make_gdid(pick(0, 4294967295), pick(0, 15)::int, pick(0, 1152921504606846975)) END AS id) AS x;

CREATE TABLE alphabet (name text, chars text);
INSERT INTO alphabet VALUES ('numeric', '0123456789'), ('crockford', '0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
  ('alphanumeric', '0123456789AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz'),
  ('hex', '0123456789abcdef'), ('base58', '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
  ('base62', '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'), ('chars:ZYX', 'ZYX'), ('chars:~!', '~!');
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'number', text, chars), number FROM alphabet, generate_series(1, :many) AS i,
  LATERAL (SELECT pick(0, 9223372036854775807) AS id, pick_uuid() AS uuid, gid_make_gdid(pick(0, 4294967295),
    pick(0, 15)::int, pick(0, 1152921504606846975)) AS gdid WHERE i > 0) AS x,
  LATERAL (VALUES (0, gid_encode(id, name), id::numeric), (1, gid_encode(uuid, name), big(uuid_send(uuid))),
    (2, gid_encode(gdid, name), big(gdid::bytea))) AS v (kind, text, number)
WHERE i % 3 = kind;
-- What people type. The database reads the first four.
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'number', text, chars), coalesce(gid_decode_bigint(text, 'crockford')::text, 'error')
FROM alphabet, unnest(ARRAY['ygj3', 'OIL', 'oil', '00zZ']) AS text WHERE name = 'crockford';
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'number', text, chars), 'error'
FROM alphabet, unnest(ARRAY['U', 'u', '1-2', ' 1', 'ſ', 'ı', 'Å', '١']) AS text WHERE name = 'crockford';

-- A code's position is that of the seed, plus the value.
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'position', gid_lexical_add('0', n, name), chars), n + 1
FROM alphabet, generate_series(1, :many) AS i, LATERAL (SELECT pick(0, 1e15) AS n WHERE i > 0) AS x
WHERE chars LIKE '0%';
-- Ignoring case, an alphabet has each letter once.
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'position', upper(code), chars),
  n + 10 * 36 * 36 * 36 + (36::bigint * 36 * 36 * 36 * 36 * 36 - 1) / 35 -- the position of 00A000
FROM (SELECT '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ' AS chars) AS a,
  generate_series(1, :many) AS i, LATERAL (SELECT pick(0, 1e15) AS n WHERE i > 0) AS x,
  gid_lexical_add('00A000', n, 'alphanumeric', true) AS code;
INSERT INTO line (input, parts) VALUES
(concat_ws(E'\t', 'position', 'A-1', '0123456789'), 'error'),
(concat_ws(E'\t', 'position', 'i0o', '0123456789ABCDEFGHJKMNPQRSTVWXYZ'), 2 * 32 * 32 + 32 + 1);

INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'check_valid', code, chars), gid_check_valid(code, name)
FROM alphabet, generate_series(1, :many) AS i, LATERAL (SELECT CASE i % 3
    WHEN 0 THEN gid_check_append(gid_encode(pick(0, 9223372036854775807), name), name)
    WHEN 1 THEN lower(gid_check_append(gid_encode(pick(0, 1e6), name), name))
    ELSE gid_encode(pick(0, 1e6), name) END AS code) AS x;
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'check_valid', code, chars), gid_check_valid(code, name)
FROM alphabet, unnest(ARRAY['', '0', '1', '00', 'ygj39', 'YGJ93', 'oo', 'ſ0', 'ı1', '- 0', '79927398713']) AS code;
-- TypeIDs, and texts that are nearly one: a character is another, missing or too many.
CREATE FUNCTION typeid_parts(code text) RETURNS text IMMUTABLE STRICT
  RETURN (SELECT concat_ws(' ', coalesce(t.prefix, ''), t.as_uuid) FROM gid.inspect_text(code) AS t
    WHERE gid_typeid(coalesce(t.prefix, ''), t.as_uuid) = code);
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'typeid', gid_typeid(prefix, id)), prefix || ' ' || id
FROM unnest(ARRAY['', 'a', 'ab', 'a_b', 'line_item', 'a__z', repeat('x', 63)]) AS prefix,
  generate_series(1, :many / 5) AS i, LATERAL (SELECT pick_uuid() AS id WHERE i > 0) AS x;
CREATE FUNCTION try_typeid(code text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN typeid_parts(code);
EXCEPTION WHEN invalid_text_representation THEN
  RETURN NULL;
END $$;
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'typeid', text), try_typeid(text)
FROM unnest(ARRAY['_', '_00000000000000000000000000', 'A_00000000000000000000000000', 'a__00000000000000000000000000',
  '_a_00000000000000000000000000', 'a_80000000000000000000000000', 'a_0000000000000000000000000A', 'a_0000000000000000000000000u',
  'a_0000000000000000000000000i', 'a_0000000000000000000000000', 'a_000000000000000000000000000', 'a1_00000000000000000000000000',
  ' a_00000000000000000000000000', 'a_00000000000000000000000000 ', 'ä_00000000000000000000000000', 'a_0000000000000000000000000ä',
  'a00000000000000000000000000', repeat('x', 64) || '_00000000000000000000000000']) AS text
UNION ALL
SELECT concat_ws(E'\t', 'typeid', text), try_typeid(text)
FROM generate_series(1, :many) AS i, LATERAL (SELECT overlay(gid_typeid('a_b', pick_uuid())
  PLACING substr('0_zZuil8 -', 1 + (random() * 9)::int, 1) FROM 1 + (random() * 29)::int FOR 1) AS text WHERE i > 0) AS x;
-- Masked UUIDs, and ids of other versions and variants.
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'uuid_mask', id, encode(key, 'hex')), gid_uuid_mask(id, key)
FROM generate_series(1, :many) AS i, LATERAL (SELECT pick_bytes(8) || pick_bytes(8) AS key,
  CASE i % 4 WHEN 0 THEN gid_uuid_v7() WHEN 1 THEN gid_uuid_v7_max(at(1000 * pick(0, 281474976710655)))
    WHEN 2 THEN gid_uuid_v7_at(at(1000 * pick(0, 281474976710655))) ELSE pick_uuid() END AS id) AS x;
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', 'uuid_unmask', id, encode(key, 'hex')), gid_uuid_unmask(id, key)
FROM generate_series(1, :many) AS i, LATERAL (SELECT pick_bytes(8) || pick_bytes(8) AS key,
  CASE i % 3 WHEN 0 THEN gen_random_uuid() WHEN 1 THEN gid_uuid_mask(gid_uuid_v7(), '\x000102030405060708090a0b0c0d0e0f')
    ELSE pick_uuid() END AS id) AS x;
INSERT INTO line (input, parts)
SELECT concat_ws(E'\t', name, id, key), CASE name WHEN 'uuid_mask' THEN gid_uuid_mask(id, decode(key, 'hex'))
  ELSE gid_uuid_unmask(id, decode(key, 'hex')) END
FROM unnest(ARRAY['uuid_mask', 'uuid_unmask']) AS name, generate_series(0, 15) AS version, generate_series(0, 15) AS byte_8,
  CAST('018df4bc5600' || to_hex(version) || '111' || to_hex(byte_8) || '000000000000000' AS uuid) AS id,
  CAST('000102030405060708090a0b0c0d0e0f' AS text) AS key;
SELECT input || E'\t|' || coalesce(parts, 'null') FROM line ORDER BY n;
