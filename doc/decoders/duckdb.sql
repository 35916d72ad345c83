-- Macros of DuckDB 1.5 that read version 7 UUIDs, Snowflake ids, ULIDs and TypeIDs.
-- doc/without-gid.md says how they are used.

CREATE MACRO unix_ms(t) AS CASE WHEN t >= TIMESTAMPTZ '1970-01-01 00:00:00+00'
  AND t < TIMESTAMPTZ '10000-01-01 00:00:00+00' THEN epoch_ms(t) END;
CREATE MACRO uuid_hex(id) AS CASE WHEN regexp_matches(id::VARCHAR,
    '^(([0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}|\{([0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}\})$')
  THEN lower(regexp_replace(id::VARCHAR, '[{}-]', '', 'g')) END;
CREATE MACRO uuid_ms(id) AS ('0x' || left(uuid_hex(id), 12))::BIGINT;
CREATE MACRO v7_time(id) AS CASE WHEN regexp_matches(uuid_hex(id), '^.{12}7.{3}[89ab]')
  THEN make_timestamptz(uuid_ms(id) * 1000) END;
CREATE MACRO v7_min(t) AS (lpad(to_hex(unix_ms(t)), 12, '0') || '70008000000000000000')::UUID;
CREATE MACRO v7_max(t) AS (lpad(to_hex(unix_ms(t)), 12, '0') || '7fffbfffffffffffffff')::UUID;

CREATE MACRO snowflake_is(id) AS id BETWEEN 1 AND 9223372036854775807;
CREATE MACRO snowflake_epoch(epoch) AS
  CASE WHEN epoch BETWEEN 0 AND 253402300799999 AND epoch % 1 = 0 THEN epoch::BIGINT END;
CREATE MACRO snowflake_time(id, epoch := 1288834974657) AS CASE WHEN snowflake_is(id)
  THEN make_timestamptz(((id::BIGINT >> 22) + snowflake_epoch(epoch)) * 1000) END;
CREATE MACRO snowflake_node(id) AS CASE WHEN snowflake_is(id) THEN (id >> 12) & 1023 END;
CREATE MACRO snowflake_sequence(id) AS CASE WHEN snowflake_is(id) THEN id & 4095 END;
CREATE MACRO snowflake_min(t, epoch := 1288834974657) AS
  CASE WHEN unix_ms(t) - snowflake_epoch(epoch) BETWEEN 0 AND 2199023255551
  THEN (unix_ms(t) - snowflake_epoch(epoch)) << 22 END;
CREATE MACRO snowflake_max(t, epoch := 1288834974657) AS snowflake_min(t, epoch := epoch) | 4194303;

CREATE MACRO uuid_to_ulid(id) AS array_to_string([substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
  ('0b' || substr('00' || unhex(uuid_hex(id))::BIT::VARCHAR, n, 5))::INT + 1, 1)
  FOR n IN range(1, 131, 5)], '');
CREATE MACRO ulid_read(ulid) AS
  translate(ulid, 'abcdefghijklmnopqrstuvwxyzILO', 'ABCDEFGH1JK1MN0PQRSTUVWXYZ110');
CREATE MACRO ulid_to_uuid(ulid) AS
  CASE WHEN regexp_matches(ulid_read(ulid), '^[0-7][0-9A-HJKMNP-TV-Z]{25}$')
  THEN hex(substr(array_to_string([lpad(bin(strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
    substr(ulid_read(ulid), n, 1)) - 1), 5, '0') FOR n IN range(1, 27)], ''), 3)::BIT::BLOB)::UUID END;
CREATE MACRO typeid_to_uuid(typeid) AS
  CASE WHEN regexp_matches(typeid, '^([a-z]([a-z_]{0,61}[a-z])?_)?[0-7][0-9a-hjkmnp-tv-z]{25}$')
  THEN ulid_to_uuid(right(typeid, 26)) END;
