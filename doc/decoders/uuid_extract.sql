-- uuid_extract_version() and uuid_extract_timestamp() of PostgreSQL 18, for 15 and 16, by
-- gid's functions.  doc/migration.md says when.

CREATE FUNCTION uuid_extract_version(id uuid) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN get_byte(uuid_send(id), 8) >> 6 = 2 THEN get_byte(uuid_send(id), 6) >> 4 END;
CREATE FUNCTION uuid_v1_ticks(id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE     -- 100 ns each since 1582-10-15
  RETURN ('x0' || substr(id::text, 16, 3) || substr(id::text, 10, 4) || left(id::text, 8))::bit(64)::bigint;
CREATE FUNCTION uuid_extract_timestamp(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE uuid_extract_version(id) WHEN 7 THEN gid_extract_v7_time(id) WHEN 1 THEN
    (timestamp '1582-10-15' + uuid_v1_ticks(id) / 36000000000 * interval '1 hour'
      + uuid_v1_ticks(id) % 36000000000 / 10 * interval '1 us') AT TIME ZONE 'UTC' END;
