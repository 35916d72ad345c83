-- The reference values of doc/vectors through SQL, read from their JSON: how many
-- there are of each system and operation, how many come out otherwise, and how many SQL
-- does not reach.
\i sql/include/start.sql
SET TimeZone = 'UTC';
\set sequential_guid `cat doc/vectors/sequential_guid.json`
\set hotguid `cat doc/vectors/hotguid.json`
\set traceid `cat doc/vectors/traceid.json`
\set snowflake `cat doc/vectors/snowflake.json`
\set decimalid `cat doc/vectors/decimalid.json`
\set gdid `cat doc/vectors/gdid.json`
\set candor `cat doc/vectors/candor.json`
\set node_snowmaker `cat doc/vectors/node_snowmaker.json`
\set typeid `cat doc/vectors/typeid.json`
\set uuidv47 `cat doc/vectors/uuidv47.json`

CREATE TEMP TABLE vector AS
SELECT ordinality AS n, v->>'system' AS system, v->>'op' AS op, v->'input' AS input,
	v->'expected' AS expected
FROM unnest(ARRAY[:'sequential_guid', :'hotguid', :'traceid', :'snowflake', :'decimalid',
		:'gdid', :'candor', :'node_snowmaker', :'typeid', :'uuidv47']::jsonb[]) AS file,
	jsonb_array_elements(file) WITH ORDINALITY AS e (v, ordinality);

-- The bytes of a uuid in the order of a .NET array, Guid(byte[16]), and back. .NET has
-- the first three groups in little-endian order.
\set ECHO none
CREATE FUNCTION pg_temp.dotnet(text) RETURNS text IMMUTABLE STRICT
RETURN regexp_replace($1, '^(..)(..)(..)(..)(..)(..)(..)(..)', '\4\3\2\1\6\5\8\7');
-- Whether the list has the order of PostgreSQL's uuid.
CREATE FUNCTION pg_temp.ascending(ids uuid[]) RETURNS boolean IMMUTABLE STRICT
RETURN (SELECT ids = array_agg(id ORDER BY id) FROM unnest(ids) AS id);
-- A value, or the error of the vectors when it is out of range.
CREATE FUNCTION pg_temp.decimal_id(counter int, generator int, launch int) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
	RETURN to_jsonb(gid_make_decimal_id(counter, generator, launch));
EXCEPTION WHEN numeric_value_out_of_range THEN
	RETURN '{"error": "out of range"}';
END $$;
\if :library
-- The parts of a GDID as the vectors write them, and the GDID of such parts. "id" is
-- authority << 60 | counter and may be too large for a bigint.
CREATE FUNCTION pg_temp.gdid_parts(id gdid) RETURNS jsonb IMMUTABLE STRICT
RETURN jsonb_build_object('era', gid_extract_gdid_era(id),
	'authority', gid_extract_gdid_authority(id), 'counter', gid_extract_gdid_counter(id));
CREATE FUNCTION pg_temp.gdid(parts jsonb) RETURNS gdid IMMUTABLE STRICT
RETURN gid_make_gdid((parts->>'era')::bigint,
	coalesce((parts->>'authority')::int, div((parts->>'id')::numeric, 2::numeric ^ 60)::int),
	coalesce((parts->>'counter')::bigint, mod((parts->>'id')::numeric, 2::numeric ^ 60)::bigint));
-- A text as a GDID, or the null of the vectors if it is none.
CREATE FUNCTION pg_temp.gdid_parse(text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
	RETURN pg_temp.gdid_parts($1::gdid);
EXCEPTION WHEN invalid_text_representation THEN
	RETURN 'null';
END $$;
\endif
-- A code, or the error of the vectors. Their function has an option to take characters
-- outside the charset as blanks. With gid the caller replaces them.
CREATE FUNCTION pg_temp.code(input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	value text := input->>'value';
	charset text := CASE input->>'charset' WHEN 'Numeric' THEN 'numeric'
		WHEN 'AsciiAlpha' THEN 'alpha' WHEN 'AsciiAlphaNumeric' THEN 'alphanumeric' END;
BEGIN
	IF (input->>'treat_nonchars_as_space')::boolean THEN
		value := regexp_replace(value, '[^0-9A-Za-z]', ' ', 'g');
	END IF;
	RETURN to_jsonb(gid_lexical_add(value, (input->>'count')::bigint, charset,
		(input->>'ignore_case')::boolean));
EXCEPTION WHEN invalid_parameter_value THEN
	RETURN '{"error": "ArgumentException"}';
END $$;

-- The error of a text that is no TypeID, which has to be the same whatever the prefix.
CREATE FUNCTION pg_temp.typeid_error(code text) RETURNS jsonb LANGUAGE sql AS $$
	SELECT CASE WHEN count(DISTINCT e.code) = 1 THEN jsonb_build_object('error', min(e.code)) END
	FROM unnest(ARRAY['', 'prefix', 'pre_fix']) AS prefix,
		pg_temp.expect(format('SELECT gid_typeid_uuid(%L, %L)', typeid_error.code, prefix)) AS e
$$;

-- What SQL gives for each vector, with one WHEN for each operation.
CREATE TEMP VIEW got AS
SELECT n, system, op, input, expected, CASE system || '.' || op
WHEN 'sequential_guid.extract_ticks_legacy' THEN
	to_jsonb(gid_extract_sequential_ticks((input #>> '{}')::uuid))
WHEN 'sequential_guid.extract_ticks_sqlorder' THEN
	to_jsonb(gid_extract_sequential_ticks(gid_uuid_from_mssql((input #>> '{}')::uuid)))
WHEN 'sequential_guid.extract_ticks' THEN
	-- the reference gives NULL for ids of another kind, where gid gives no time
	coalesce(to_jsonb(CASE WHEN gid_extract_sequential_time((input #>> '{}')::uuid) IS NOT NULL
		THEN gid_extract_sequential_ticks((input #>> '{}')::uuid) END), 'null')
WHEN 'sequential_guid.to_sql_guid' THEN
	to_jsonb(gid_uuid_to_mssql((input #>> '{}')::uuid))
WHEN 'sequential_guid.from_sql_guid' THEN
	to_jsonb(gid_uuid_from_mssql((input #>> '{}')::uuid))
WHEN 'sequential_guid.standard_sort_ascending' THEN
	CASE WHEN pg_temp.ascending(ARRAY(SELECT jsonb_array_elements_text(expected))::uuid[])
	THEN expected END
WHEN 'sequential_guid.mssql_sort_ascending' THEN
	CASE WHEN pg_temp.ascending(ARRAY(SELECT gid_uuid_from_mssql(id::uuid) FROM jsonb_array_elements_text(expected) AS id))
	THEN expected END
WHEN 'sequential_guid.morris_layout' THEN
	(SELECT CASE WHEN encode(gid_extract_sequential_process(id), 'hex') = input->>'process_id_hex'
			AND gid_extract_sequential_ticks(id) = (input->>'ticks')::bigint
		THEN jsonb_build_object('from_sql_guid', id, 'uuid_text', gid_uuid_to_mssql(id),
			'dotnet_bytes_hex', pg_temp.dotnet(replace(gid_uuid_to_mssql(id)::text, '-', ''))) END
	 FROM gid_make_uuid_sequential((input->>'ticks')::bigint,
		decode(input->>'process_id_hex', 'hex')) AS id)
WHEN 'hotguid.layout' THEN
	(SELECT CASE WHEN encode(gid_extract_shard_generator(id), 'hex') = input->>'machine_pid_hex'
			AND gid_extract_shard_counter(id) = (input->>'counter')::int
		THEN jsonb_build_object('uuid_text', id, 'to_sql_guid', gid_uuid_to_mssql(id),
			'dotnet_bytes_hex', pg_temp.dotnet(replace(id::text, '-', '')),
			'extract_shard', gid_extract_shard(id),
			'extract_ts', extract(epoch FROM gid_extract_shard_time(id))::bigint) END
	 FROM gid_make_uuid_shard(to_timestamp((input->>'unix_ts')::float8),
		decode(input->>'machine_pid_hex', 'hex'), (input->>'counter')::int,
		(input->>'shard')::bigint) AS id)
WHEN 'hotguid.timestamp_of' THEN
	to_jsonb(extract(epoch FROM gid_extract_shard_time(
		gid_make_uuid_shard((input #>> '{}')::timestamptz, '\x0102030405', 1, 1)))::bigint)
WHEN 'traceid.compose' THEN
	to_jsonb(gid_make_trace_id(to_timestamp((input->>'timestamp')::float8),
		(input->>'node_no')::int, (input->>'chunk_no')::int, (input->>'counter')::int))
WHEN 'traceid.decompose' THEN
	jsonb_build_object('timestamp', mod(extract(epoch FROM
			gid_extract_trace_time(input::bigint, '2024-01-01'))::bigint, 33554432),
		'node_no', gid_extract_trace_node(input::bigint),
		'bottom', gid_extract_trace_counter(input::bigint, 0),
		'chunk_no', gid_extract_trace_thread(input::bigint),
		'counter', gid_extract_trace_counter(input::bigint))
WHEN 'snowflake.decompose' THEN
	-- and put together again
	(SELECT jsonb_build_object('time', to_char(time, 'YYYY-MM-DD HH24:MI:SS.MS+00'), 'node', node, 'sequence', sequence)
	 FROM CAST(input->>'id' AS bigint) AS id, CAST(input->>'epoch_ms' AS bigint) AS epoch_ms,
		gid_extract_snowflake_time(id, epoch_ms) AS time, gid_extract_snowflake_node(id) AS node,
		gid_extract_snowflake_sequence(id) AS sequence
	 WHERE gid_make_snowflake_id(time, node, sequence, epoch_ms) = id)
WHEN 'decimalid.compose' THEN
	pg_temp.decimal_id((input->>'counter')::int, (input->>'generator_id')::int,
		(input->>'launch_id')::int)
\if :library
WHEN 'hotguid.shard_roundtrip' THEN
	to_jsonb(gid_extract_shard(gid_uuid_shard(input::bigint)))
WHEN 'gdid.parse' THEN
	pg_temp.gdid_parse(input #>> '{}')
WHEN 'gdid.to_string' THEN
	to_jsonb(pg_temp.gdid(input)::text)
WHEN 'gdid.bytes' THEN
	to_jsonb(encode(pg_temp.gdid(input)::bytea, 'hex'))
WHEN 'gdid.compare' THEN
	to_jsonb(gdid_cmp(pg_temp.gdid(input->0), pg_temp.gdid(input->1)))
WHEN 'gdid.is_zero' THEN
	to_jsonb(pg_temp.gdid(input) = '0:0:0')
WHEN 'gdid.roundtrip' THEN
	(SELECT CASE WHEN (expected->>'text')::gdid = id AND (expected->>'hex_azos')::gdid = id
			AND (expected->>'hex_nfx')::gdid = id
			AND expected->>'text' = id::text AND expected->>'hex_azos' = gid_gdid_hex(id) THEN expected END
	 FROM pg_temp.gdid(input) AS id)
WHEN 'gdid.slim_leb128' THEN
	(SELECT CASE WHEN gid_gdid_unpack(packed) = pg_temp.gdid(input)
		THEN jsonb_build_object('hex', encode(packed, 'hex'), 'len', length(packed)) END
	 FROM gid_gdid_pack(pg_temp.gdid(input)) AS packed)
\endif
WHEN 'candor.lexical_add' THEN
	pg_temp.code(input)
WHEN 'node_snowmaker.base62' THEN
	(SELECT CASE WHEN gid_decode_bigint(expected #>> '{}', charset) = input::bigint
		THEN to_jsonb(gid_encode(input::bigint, charset)) END
	 FROM CAST('chars:0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ' AS text) AS charset)
WHEN 'TypeID 0.3.typeid' THEN
	-- and read again
	(SELECT CASE WHEN gid_typeid_uuid(expected #>> '{}', input->>'prefix') = id
		THEN to_jsonb(gid_typeid(input->>'prefix', id)) END
	 FROM CAST(input->>'uuid' AS uuid) AS id)
WHEN 'TypeID 0.3.typeid_uuid' THEN
	pg_temp.typeid_error(input #>> '{}')
WHEN 'uuidv47.mask' THEN
	-- and back
	(SELECT CASE WHEN gid_uuid_unmask((expected #>> '{}')::uuid, key) = id
		THEN to_jsonb(gid_uuid_mask(id, key)) END
	 FROM CAST(input->>'id' AS uuid) AS id, decode(input->>'key_hex', 'hex') AS key)
END AS got
FROM vector;
\set ECHO all

-- Not reached are operations that gid does not have, or not as one call.
SELECT system, op, count(*) AS vectors, count(*) FILTER (WHERE got <> expected) AS mismatches,
	nullif(count(*) - count(got), 0) AS not_reached
FROM got WHERE system <> 'gdid' AND op <> 'shard_roundtrip' GROUP BY system, op ORDER BY system COLLATE "C", op COLLATE "C";
\if :library
SELECT system, op, count(*) AS vectors, count(*) FILTER (WHERE got <> expected) AS mismatches,
	nullif(count(*) - count(got), 0) AS not_reached
FROM got WHERE system = 'gdid' OR op = 'shard_roundtrip' GROUP BY system, op ORDER BY system COLLATE "C", op COLLATE "C";
\endif
-- Vectors that come out otherwise: ids of other kinds, whose ticks gid gives as they are.
SELECT system, op, n, input, expected, got FROM got WHERE got <> expected ORDER BY system COLLATE "C", op COLLATE "C", n;
