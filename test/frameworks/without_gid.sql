-- What with_duckdb.js compares the macros of doc/decoders/duckdb.sql with: calls, and
-- what gid answers.  A time is in microseconds
-- of Unix; NULL where the manual says so.  The database has gid.
CREATE TABLE answer (fn text, type text, arg text, epoch_ms bigint, want text);
CREATE FUNCTION us(at timestamptz) RETURNS text IMMUTABLE RETURN trim_scale(extract(epoch FROM at) * 1000000)::text;
CREATE FUNCTION iso(at timestamptz) RETURNS text IMMUTABLE
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"');

-- Moments: both ends, each with its neighbours, and random ones to the microsecond.
CREATE TABLE moment AS
SELECT at::timestamptz FROM unnest(ARRAY['1970-01-01 00:00:00+00', '1970-01-01 00:00:00.000999+00', '1970-01-01 00:00:00.001+00',
  '2024-02-29 12:00:00+00', '2199-12-31 23:59:59.999999+00', '9999-12-31 23:59:59.999999+00']) AS at
UNION ALL SELECT timestamptz '1970-01-01 00:00+00' + random() * interval '230 years' FROM generate_series(1, 100);

-- Version 7: new ids, others' at any time, each version and variant, random ones.
CREATE TABLE id AS
SELECT gid_uuid_v7() AS id FROM generate_series(1, 50)
UNION ALL SELECT gid_uuid_v7_at(at) FROM moment WHERE at < '2200-01-01 00:00+00'
UNION ALL SELECT gid_uuid_v7_min(at) FROM moment WHERE at < '2200-01-01 00:00+00'
UNION ALL SELECT gid_uuid_v7_max(at) FROM moment WHERE at < '2200-01-01 00:00+00'
UNION ALL SELECT ('018df4bc5600' || to_hex(version) || '111' || to_hex(byte_8) || '23456789abcdef0')::uuid
  FROM generate_series(0, 15) AS version, generate_series(0, 15) AS byte_8
UNION ALL SELECT gen_random_uuid() FROM generate_series(1, 50)
UNION ALL VALUES (uuid '00000000-0000-0000-0000-000000000000'), (uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff');
INSERT INTO answer
SELECT 'v7_time', 'uuid', id::text, NULL::bigint, us(gid_extract_v7_time(id)) FROM id
UNION ALL SELECT fn, 'timestamptz', iso(at), NULL, id::text
  FROM moment, LATERAL (VALUES ('v7_min', gid_uuid_v7_min(at)), ('v7_max', gid_uuid_v7_max(at))) AS f(fn, id)
UNION ALL SELECT fn, 'timestamptz', at, NULL, NULL
  FROM unnest(ARRAY['v7_min', 'v7_max', 'snowflake_min', 'snowflake_max']) AS fn,
    unnest(ARRAY['1969-12-31 23:59:59.999999+00', '10000-01-01 00:00:00+00', 'infinity', '-infinity']) AS at;

-- Snowflake ids, with three epochs.
CREATE TABLE snowflake AS
SELECT epoch_ms, id FROM unnest(ARRAY[1288834974657, 1420070400000, 1672531200000]) AS epoch_ms,
  LATERAL (SELECT gid_snowflake_id(epoch_ms) AS id FROM generate_series(1, 20)
    UNION ALL SELECT gid_make_snowflake_id(to_timestamp((epoch_ms + trunc(random() * 2199023255551)::bigint) / 1000.0),
      (random() * 1023)::int, 1 + (random() * 4094)::int, epoch_ms) FROM generate_series(1, 100)
    UNION ALL SELECT unnest(ARRAY[-9223372036854775808, -1, 0, 1, 4095, 4096, 4194303, 4194304, 9223372036854775807])) AS x;
INSERT INTO answer
SELECT 'snowflake_time', 'bigint', id::text, epoch_ms, us(gid_extract_snowflake_time(id, epoch_ms)) FROM snowflake
UNION ALL SELECT 'snowflake_node', 'bigint', id::text, NULL, gid_extract_snowflake_node(id)::text FROM snowflake
UNION ALL SELECT 'snowflake_sequence', 'bigint', id::text, NULL, gid_extract_snowflake_sequence(id)::text FROM snowflake
UNION ALL SELECT fn, 'timestamptz', iso(at), epoch_ms, answer::text
  FROM (SELECT DISTINCT epoch_ms FROM snowflake) AS e, moment,
    LATERAL (VALUES ('snowflake_min', gid_snowflake_id_min(at, epoch_ms)),
      ('snowflake_max', gid_snowflake_id_max(at, epoch_ms))) AS f(fn, answer)
  WHERE at > to_timestamp(epoch_ms / 1000.0) + interval '1 ms' AND at < '2079-01-01 00:00+00'
UNION ALL SELECT fn, 'timestamptz', at, 1420070400000, NULL
  FROM unnest(ARRAY['snowflake_min', 'snowflake_max']) AS fn,
    unnest(ARRAY['2014-12-31 23:59:59.999+00', '2084-09-06 15:47:35.552+00']) AS at;

-- ULIDs: as they are, as people type them, and what is none.
INSERT INTO answer
SELECT 'uuid_to_ulid', 'uuid', id::text, NULL::bigint, gid_encode(id, 'crockford') FROM id
UNION ALL SELECT 'ulid_to_uuid', 'text', text, NULL, gid_decode_uuid(text, 'crockford')::text
  FROM id, gid_encode(id, 'crockford') AS ulid, unnest(ARRAY[ulid, lower(ulid), translate(ulid, '01', 'oI')]) AS text
UNION ALL SELECT 'ulid_to_uuid', 'text', text, NULL, NULL
  FROM unnest(ARRAY['', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '01HQTBRNG0E00800000000000', '01HQTBRNG0E0080000000000000',
    '01HQTBRNG0E00800000000000U', '01HQTBRNG0E0080000000000-0', ' 1HQTBRNG0E008000000000000', '01HQTBRNG0E00800000000000ſ']) AS text;

-- TypeIDs: gid_inspect() reads them.
CREATE TABLE typeid AS SELECT concat(prefix, '_', lower(gid_encode(id, 'crockford'))) AS typeid
FROM (SELECT id FROM id ORDER BY random() LIMIT 50) AS i, unnest(ARRAY['user', 'a', 'a_b', 'some_long_name', repeat('x', 63)]) AS prefix;
INSERT INTO answer
SELECT 'typeid_to_uuid', 'text', typeid, NULL::bigint, value FROM typeid, gid_inspect(typeid) WHERE part = 'id'
UNION ALL SELECT 'typeid_to_uuid', 'text', typeid, NULL, NULL
  FROM unnest(ARRAY['', 'user_', '_01h2xcejqtf2nbrexx3vqjhp41', 'User_01h2xcejqtf2nbrexx3vqjhp41', 'user_01H2XCEJQTF2NBREXX3VQJHP41',
    'user__01h2xcejqtf2nbrexx3vqjhp41', '1user_01h2xcejqtf2nbrexx3vqjhp41', 'user_81h2xcejqtf2nbrexx3vqjhp41', 'user-01h2xcejqtf2nbrexx3vqjhp41',
    repeat('x', 64) || '_01h2xcejqtf2nbrexx3vqjhp41']) AS typeid;
