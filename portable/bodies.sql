-- What tools/portable.pl needs beside gid--2.1.sql to make gid in SQL and PL/pgSQL alone:
-- bodies for the library's functions.  "make portable" writes the edition.
--
-- Statements of this file:
--
--	CREATE FUNCTION gid._name(...)	a helper, made before everything else
--	BODY OF name(types) IN sql		the body of a function of the library's script.  Labels in
--									between replace the script's: BODY OF name(), STABLE IN sql
--	COMMENT ON ... IS				a COMMENT in the place of the script's, for what is weaker
--	LOUD							functions that are there, so that defaults, views and dumps
--									can name them, and raise 0A000
--	ABSENT							objects that are left out
--
-- When the script runs, the search path is pg_catalog alone.  An SQL body is bound to its
-- functions and operators then.  A function in PL/pgSQL keeps this search path (the generator
-- adds the SET), so that no object of another schema is ever taken for PostgreSQL's.  It calls
-- functions of the schema gid only, because the other functions' schema can be renamed.
--
-- A body returns NULL for NULL where it says CALLED ON NULL INPUT: the planner inlines no
-- STRICT function whose body has a CASE.  Texts are compared with the collation "C": the
-- caller's may be that of another language, or nondeterministic.

--
-- Errors
--

-- Raises an error.  The planner calls a function whose arguments are all constants, even in
-- a branch of CASE that is not taken.  So the arguments of a call have every parameter
-- that the condition of its branch has.
CREATE FUNCTION gid._raise(state text, message text, detail text, hint text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
	IF hint IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message, DETAIL = detail;
	END IF;
	RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message, DETAIL = detail, HINT = hint;
END
$$;

CREATE FUNCTION gid._needs_library(call text)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL SAFE
AS $$
BEGIN
	RAISE EXCEPTION USING ERRCODE = '0A000',
		MESSAGE = call || ' needs gid''s library',
		DETAIL = 'This server has gid in SQL. Without shared memory, gid cannot promise here what the function promises.',
		HINT = 'See the table of the manual''s chapter "On a managed server" for what to use instead.';
END
$$;

-- A text in a message: at most 100 bytes of it.
CREATE FUNCTION gid._shown(value text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	shown text := left(value, 100);
BEGIN
	WHILE octet_length(shown) > 100 LOOP
		shown := left(shown, -1);
	END LOOP;
	RETURN shown;
END
$$;

CREATE FUNCTION gid._range(name text, value bigint, first bigint, last bigint, hint text)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN value < first OR value > last
	THEN gid._raise('22003', name || ' ' || value::text || ' is out of range',
		'The range is ' || first::text || ' to ' || last::text || '.', hint)::bigint
	ELSE value END;

CREATE FUNCTION gid._length(name text, value bytea, wanted int)
RETURNS bytea
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN length(value) <> wanted
	THEN gid._raise('22003', name || ' of ' || length(value)::text || ' bytes is out of range',
		'The length must be ' || wanted::text || ' bytes.',
		'Use a bytea of that length, for example decode(''' || repeat('0', 2 * wanted) || ''', ''hex'').')::bytea
	ELSE value END;

--
-- Moments and bits
--

-- The microseconds since 2000 of a moment, as PostgreSQL keeps it.  Those since 1970 are
-- 946684800000000 more, and too many for a bigint at the end of the type's range.  Infinity
-- is the greatest bigint.
CREATE FUNCTION gid._microseconds(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ('x' || encode(timestamptz_send(at), 'hex'))::bit(64)::bigint;

-- The moment so many microseconds after another one, exactly.
CREATE FUNCTION gid._moment(microseconds bigint, after timestamp DEFAULT '1970-01-01 00:00:00')
RETURNS timestamptz
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN timezone('UTC', after + (microseconds / 3600000000)::float8 * interval '1 hour'
	+ (microseconds % 3600000000)::float8 * interval '1 microsecond');

-- A quotient, rounded down.
CREATE FUNCTION gid._floor(dividend bigint, divisor bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN dividend / divisor - CASE WHEN dividend % divisor < 0 THEN 1 ELSE 0 END;

-- The microseconds since 2000 of a moment, which has to be in a range of them.
CREATE FUNCTION gid._time(kind text, at timestamptz, first bigint, last bigint, range text)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._microseconds(at) < first OR gid._microseconds(at) > last
	-- the moment is an argument, so that the call is no constant where the condition is none
	THEN gid._raise('22008', 'timestamp is out of range for ' || kind || left(gid._microseconds(at)::text, 0),
		'The range is ' || range || '.', 'Give a finite moment within the range.')::bigint
	ELSE gid._microseconds(at) END;

CREATE FUNCTION gid._hex(value bigint, digits int)
RETURNS text
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN lpad(to_hex(value), digits, '0');

-- The 64 bits of a UUID from a hexadecimal digit on, of which the first is 1.
CREATE FUNCTION gid._word(id uuid, first int)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ('x' || substr(encode(uuid_send(id), 'hex'), first, 16))::bit(64)::bigint;

-- Eight bytes in reverse order, in hexadecimal digits.
CREATE FUNCTION gid._reversed(bytes bytea)
RETURNS text
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(encode(bytes, 'hex') COLLATE "C", '^(..)(..)(..)(..)(..)(..)(..)(..)$', '\8\7\6\5\4\3\2\1');

CREATE FUNCTION gid._is_rfc(id uuid)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN get_byte(uuid_send(id), 8) & 192 = 128;

--
-- UUID version 7 (RFC 9562)
--

-- 48 bits of milliseconds and 16 of their fraction, then 58 of 64 random bits.
CREATE FUNCTION gid._pack_v7(word bigint, random uuid)
RETURNS uuid
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._hex(word >> 16 & 281474976710655, 12) || '7' || gid._hex(word >> 4 & 4095, 3)
	|| to_hex(8 | (word >> 2 & 3)) || to_hex((word & 3) << 2 | (get_byte(uuid_send(random), 0) & 3))
	|| substr(encode(uuid_send(random), 'hex'), 19))::uuid;

-- The word of an id: that of the clock, or the one after the session's last.  The setting
-- that keeps it goes back with a rollback, and so do the ids that were stored meanwhile.
CREATE FUNCTION gid._uuid_v7()
RETURNS uuid
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	now CONSTANT bigint := gid._microseconds(clock_timestamp()) + 946684800000000;
	word bigint := ((now / 1000) << 16) | ((now % 1000) << 16) / 1000;
BEGIN
	word := greatest(word, nullif(current_setting('gid_sql.uuid_v7', true), '')::bigint + 1);
	PERFORM set_config('gid_sql.uuid_v7', word::text, false);
	RETURN gid._pack_v7(word, gen_random_uuid());
END
$$;

BODY OF gid_uuid_v7(), PARALLEL UNSAFE IN sql
RETURN gid._uuid_v7();

COMMENT ON FUNCTION gid_uuid_v7() IS
'Generates a version 7 UUID (RFC 9562). 48 bits are Unix milliseconds, 16 are a fraction of the millisecond, and 58 are random. Without the library, each id is greater than all previous ones of the session; ids of different sessions have the order of the clock, to the microsecond. RESET ALL and DISCARD ALL begin another session in this sense.';

CREATE FUNCTION gid._v7_time(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._time('a version 7 UUID', at, -946684800000000, 280528291910655999, '1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC');

BODY OF gid_uuid_v7_at(timestamptz) IN sql
RETURN gid._pack_v7((((gid._v7_time(at) + 946684800000000) / 1000) << 16) | (gid._word(gen_random_uuid(), 1) >> 48 & 65535), gen_random_uuid());

BODY OF gid_uuid_v7_min(timestamptz), CALLED ON NULL INPUT IN sql
RETURN (gid._hex((gid._v7_time(at) + 946684800000000) / 1000, 12) || '70008000000000000000')::uuid;

BODY OF gid_uuid_v7_max(timestamptz), CALLED ON NULL INPUT IN sql
RETURN (gid._hex((gid._v7_time(at) + 946684800000000) / 1000, 12) || '7fffbfffffffffffffff')::uuid;

-- The ends of ranges of time: NULL and infinity are open ends.
CREATE FUNCTION gid._low(since timestamptz, first bigint, last bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._microseconds(since) <= last OR since IS NULL
	THEN greatest(gid._microseconds(since), first) END;

CREATE FUNCTION gid._below(until timestamptz, first bigint, last bigint, unit bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._microseconds(until) >= first + unit OR until IS NULL
	THEN least(gid._microseconds(until) - unit, last) END;

BODY OF gid_uuid_v7_low(timestamptz) IN sql
RETURN (gid._hex((gid._low(since, -946684800000000, 280528291910655999) + 946684800000000) / 1000, 12) || '70008000000000000000')::uuid;

BODY OF gid_uuid_v7_below(timestamptz) IN sql
RETURN (gid._hex((gid._below(until, -946684800000000, 280528291910655999, 1000) + 946684800000000) / 1000, 12) || '7fffbfffffffffffffff')::uuid;

BODY OF gid_extract_v7_time(uuid), CALLED ON NULL INPUT IN sql
RETURN CASE WHEN gid._is_rfc(id) AND get_byte(uuid_send(id), 6) >> 4 = 7
	THEN gid._moment((gid._word(id, 1) >> 16 & 281474976710655) * 1000) END;

--
-- Sequential UUIDs (process id and ticks)
--

BODY OF gid_uuid_to_mssql(uuid), CALLED ON NULL INPUT IN sql
RETURN (gid._reversed(substr(uuid_send(id), 9)) || encode(substr(uuid_send(id), 7, 2) || substr(uuid_send(id), 1, 6), 'hex'))::uuid;

BODY OF gid_uuid_from_mssql(uuid), CALLED ON NULL INPUT IN sql
RETURN (encode(substr(uuid_send(id), 11) || substr(uuid_send(id), 9, 2), 'hex') || gid._reversed(substr(uuid_send(id), 1, 8)))::uuid;

BODY OF gid_make_uuid_sequential(bigint, bytea) IN sql
RETURN (gid._hex(gid._range('ticks', ticks, 0, 3155378975999999999, 'A tick is 100 ns since 0001-01-01 00:00:00 UTC.'), 16)
	|| regexp_replace(encode(gid._length('process id', process, 8), 'hex') COLLATE "C", '^(.{8})(....)(....)$', '\3\2\1'))::uuid;

CREATE FUNCTION gid._sequential_time(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._time('a sequential UUID', at, -63082281600000000, 252455615999999999, '0001-01-01 00:00:00 to 9999-12-31 23:59:59.999999 UTC');

BODY OF gid_uuid_sequential_min(timestamptz), CALLED ON NULL INPUT IN sql
RETURN (gid._hex((gid._sequential_time(at) + 63082281600000000) * 10, 16) || '0000000000000000')::uuid;

BODY OF gid_uuid_sequential_max(timestamptz), CALLED ON NULL INPUT IN sql
RETURN (gid._hex((gid._sequential_time(at) + 63082281600000000) * 10 + 9, 16) || 'ffffffffffffffff')::uuid;

BODY OF gid_uuid_sequential_low(timestamptz) IN sql
RETURN (gid._hex((gid._low(since, -63082281600000000, 252455615999999999) + 63082281600000000) * 10, 16)
	|| '0000000000000000')::uuid;

BODY OF gid_uuid_sequential_below(timestamptz) IN sql
RETURN (gid._hex((gid._below(until, -63082281600000000, 252455615999999999, 1) + 63082281600000000) * 10 + 9, 16)
	|| 'ffffffffffffffff')::uuid;

BODY OF gid_extract_sequential_ticks(uuid), CALLED ON NULL INPUT IN sql
RETURN gid._word(id, 1);

-- Are the first 64 bits ticks?  Other makers' ids may look like one of the RFC.
CREATE FUNCTION gid._has_ticks(id uuid)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._is_rfc(id) AND get_byte(uuid_send(id), 6) >> 4 BETWEEN 1 AND 8
	THEN gid._word(id, 1) BETWEEN 621355968000000000 AND 693937151999999999
	ELSE gid._word(id, 1) BETWEEN 0 AND 3155378975999999999 END;

BODY OF gid_extract_sequential_time(uuid), CALLED ON NULL INPUT IN sql
RETURN CASE WHEN gid._has_ticks(id) THEN gid._moment(gid._floor(gid._word(id, 1) - 621355968000000000, 10)) END;

BODY OF gid_extract_sequential_process(uuid), CALLED ON NULL INPUT IN sql
RETURN CASE WHEN gid._has_ticks(id)
	THEN substr(uuid_send(id), 13, 4) || substr(uuid_send(id), 11, 2) || substr(uuid_send(id), 9, 2) END;

--
-- Shard-key UUIDs
--

-- The generator and the shard key have .NET's order of bytes.
CREATE FUNCTION gid._pack_shard(seconds bigint, generator bytea, counter bigint, shard bigint)
RETURNS uuid
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._hex(seconds & 4294967295, 8)
	|| regexp_replace(encode(generator, 'hex') COLLATE "C", '^(..)(..)(..)(..)(..)$', '\2\1\4\3\5') || gid._hex(counter, 6)
	|| regexp_replace(gid._hex(shard, 8) COLLATE "C", '^(..)(..)(..)(..)$', '\4\3\2\1'))::uuid;

CREATE FUNCTION gid._shard_seconds(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._floor(gid._time('a shard-key UUID', at, -946684800000000, 9223372036854775806,
	'1970-01-01 00:00:00 UTC on; the seconds in an id begin at 0 again every 2^32 seconds'), 1000000) + 946684800;

BODY OF gid_make_uuid_shard(timestamptz, bytea, int, bigint) IN sql
RETURN gid._pack_shard(gid._shard_seconds(at), gid._length('generator', generator, 5),
	gid._range('counter', counter, 0, 16777215, 'The counter of a shard-key UUID has 24 bits.'),
	gid._range('shard key', shard, 0, 4294967295,
		'A shard key is an unsigned number of 32 bits; gid_region_shard() makes one of a region and a shard.'));

BODY OF gid_uuid_shard_min(timestamptz), CALLED ON NULL INPUT IN sql
RETURN gid._pack_shard(gid._shard_seconds(at), '\x0000000000', 0, 0);

BODY OF gid_uuid_shard_max(timestamptz), CALLED ON NULL INPUT IN sql
RETURN gid._pack_shard(gid._shard_seconds(at), '\xffffffffff', 16777215, 4294967295);

BODY OF gid_uuid_shard_low(timestamptz) IN sql
RETURN (gid._hex((gid._low(since, -946684800000000, 3348282495999999) + 946684800000000) / 1000000, 8) || '000000000000000000000000')::uuid;

BODY OF gid_uuid_shard_below(timestamptz) IN sql
RETURN (gid._hex((gid._below(until, -946684800000000, 3348282495999999, 1000000) + 946684800000000) / 1000000, 8) || 'ffffffffffffffffffffffff')::uuid;

BODY OF gid_extract_shard(uuid), CALLED ON NULL INPUT IN sql
RETURN get_byte(uuid_send(id), 12) + get_byte(uuid_send(id), 13) * 256 + get_byte(uuid_send(id), 14) * 65536
	+ get_byte(uuid_send(id), 15) * 16777216::bigint;

BODY OF gid_extract_shard_time(uuid), CALLED ON NULL INPUT IN sql
RETURN gid._moment((gid._word(id, 1) >> 32 & 4294967295) * 1000000);

BODY OF gid_extract_shard_generator(uuid), CALLED ON NULL INPUT IN sql
RETURN substr(uuid_send(id), 6, 1) || substr(uuid_send(id), 5, 1) || substr(uuid_send(id), 8, 1)
	|| substr(uuid_send(id), 7, 1) || substr(uuid_send(id), 9, 1);

BODY OF gid_extract_shard_counter(uuid), CALLED ON NULL INPUT IN sql
RETURN (gid._word(id, 17) >> 32 & 16777215)::int;

BODY OF gid_region_shard(int, int) IN sql
RETURN gid._range('region', region, 0, 1023, 'A region has 10 bits, enough for the numeric country and area codes of UN M.49.') * 4194304
	+ gid._range('shard', shard, 0, 4194303, 'Within a region a shard has 22 bits.');

BODY OF gid_extract_region(uuid), CALLED ON NULL INPUT IN sql
RETURN (gid_extract_shard(id) >> 22)::int;

BODY OF gid_extract_region_shard(uuid), CALLED ON NULL INPUT IN sql
RETURN (gid_extract_shard(id) & 4194303)::int;

--
-- TraceIds
--

CREATE FUNCTION gid._trace_seconds(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._floor(gid._time('a TraceId', at, -946684800000000, 9223372036854775806,
	'1970-01-01 00:00:00 UTC on; the seconds in an id begin at 0 again every 2^25 seconds'), 1000000) + 946684800;

CREATE FUNCTION gid._trace_bits(thread_bits int)
RETURNS int
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._range('thread_bits', thread_bits, 0, 22,
	'The low 22 bits of a TraceId are split into thread_bits for the thread and the rest for the counter.')::int;

BODY OF gid_make_trace_id(timestamptz, int, int, int, int) IN plpgsql
AS $$
DECLARE
	hint CONSTANT text := 'With thread_bits the thread has that many bits and the counter the rest of 22.';
	seconds CONSTANT bigint := gid._trace_seconds(at);
	counter_bits CONSTANT int := 22 - gid._trace_bits(thread_bits);
BEGIN
	PERFORM gid._range('node', node, 0, 65535, 'Give the gid.node_no of the server that the id belongs to.');
	PERFORM gid._range('thread', thread, CASE WHEN counter_bits = 0 THEN 1 ELSE 0 END, (1 << thread_bits) - 1, hint);
	PERFORM gid._range('counter', counter, CASE WHEN thread = 0 THEN 1 ELSE 0 END, (1 << counter_bits) - 1, hint);
	RETURN ((seconds & 33554431) << 38) | (node::bigint << 22) | (thread << counter_bits) | counter;
END
$$;

BODY OF gid_trace_id_min(timestamptz), CALLED ON NULL INPUT IN sql
RETURN (gid._trace_seconds(at) & 33554431) << 38;

BODY OF gid_trace_id_max(timestamptz), CALLED ON NULL INPUT IN sql
RETURN ((gid._trace_seconds(at) & 33554431) << 38) | 274877906943;

CREATE FUNCTION gid._is_trace_id(id bigint)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id > 0 AND id & 4194303 > 0;

-- The latest second, at most "near", with the 25 bits of an id.  "near" counts from 2000, because
-- the last microseconds of timestamptz since 1970 are no bigint.
CREATE FUNCTION gid._trace_moment(id bigint, near bigint)
RETURNS timestamptz
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._moment((near - ((near + 946684800 - (id >> 38)) & 33554431)) * 1000000, '2000-01-01 00:00:00');

BODY OF gid_extract_trace_time(bigint, timestamptz) IN sql
RETURN CASE WHEN gid._is_trace_id(id) THEN gid._trace_moment(id, gid._floor(
	gid._time('the moment near a TraceId', near, -211813488000000000 + 33554432000000, 9223371331199999999,
		'that of timestamptz, less the 388.36 days after which the seconds in an id repeat'), 1000000)) END;

BODY OF gid_extract_trace_time(bigint) IN sql
RETURN gid_extract_trace_time(id, now() + interval '1 day');

BODY OF gid_extract_trace_node(bigint), CALLED ON NULL INPUT IN sql
RETURN CASE WHEN gid._is_trace_id(id) THEN (id >> 22 & 65535)::int END;

BODY OF gid_extract_trace_thread(bigint, int) IN sql
RETURN CASE WHEN gid._trace_bits(thread_bits) >= 0 AND gid._is_trace_id(id)
	THEN ((id & 4194303) >> (22 - thread_bits))::int END;

BODY OF gid_extract_trace_counter(bigint, int) IN sql
RETURN CASE WHEN gid._trace_bits(thread_bits) >= 0 AND gid._is_trace_id(id)
	THEN (id & ((1 << (22 - thread_bits)) - 1))::int END;

--
-- DecimalIds
--

BODY OF gid_make_decimal_id(int, int, int) IN sql
RETURN gid._range('counter', counter, 1, 922337202, 'The counter of a DecimalId begins at 1 and ends where 63 bits are full.') * 10000000000
	+ gid._range('generator', generator, 0, 99999, 'The generator of a DecimalId has five decimal places.') * 100000
	+ gid._range('launch', launch, 0, 99999, 'The launch of a DecimalId has five decimal places.');

BODY OF gid_extract_decimal_counter(bigint), CALLED ON NULL INPUT IN sql
RETURN CASE WHEN id BETWEEN 10000000000 AND 9223372029999999999 THEN (id / 10000000000)::int END;

BODY OF gid_extract_decimal_generator(bigint), CALLED ON NULL INPUT IN sql
RETURN CASE WHEN id BETWEEN 10000000000 AND 9223372029999999999 THEN (id / 100000 % 100000)::int END;

BODY OF gid_extract_decimal_launch(bigint), CALLED ON NULL INPUT IN sql
RETURN CASE WHEN id BETWEEN 10000000000 AND 9223372029999999999 THEN (id % 100000)::int END;

--
-- Snowflake ids
--

CREATE FUNCTION gid._epoch(epoch_ms bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._range('epoch_ms', epoch_ms, 0, 253402300799999,
	'Give the epoch in milliseconds since 1970-01-01 UTC: 1288834974657 is Twitter''s, 1420070400000 Discord''s.');

-- The milliseconds from the epoch on, of 41 bits.
CREATE FUNCTION gid._snowflake_ms(at timestamptz, epoch_ms bigint)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET datestyle = 'ISO'
AS $$
DECLARE
	first CONSTANT bigint := gid._epoch(epoch_ms) * 1000 - 946684800000000;
	last CONSTANT bigint := first + 2199023255551999;
	microseconds CONSTANT bigint := gid._microseconds(at);
BEGIN
	IF microseconds < first OR microseconds > last THEN
		PERFORM gid._raise('22008', 'timestamp is out of range for a Snowflake id',
			format('The range of epoch_ms %s is %s to %s UTC.', epoch_ms, timezone('UTC', gid._moment(first + 946684800000000)),
				timezone('UTC', gid._moment(last + 946684800000000))),
			'Give a moment within the range, or the epoch_ms of the ids.');
	END IF;
	RETURN (microseconds - first) / 1000;
END
$$;

BODY OF gid_make_snowflake_id(timestamptz, int, int, bigint) IN plpgsql
AS $$
DECLARE
	ms CONSTANT bigint := gid._snowflake_ms(at, epoch_ms);
BEGIN
	PERFORM gid._range('node', node, 0, 1023, 'Give the number of the server that the id belongs to, as in its gid.node_no.');
	PERFORM gid._range('sequence', sequence, CASE WHEN ms = 0 AND node = 0 THEN 1 ELSE 0 END, 4095,
		'The sequence numbers the ids of a node within a millisecond. An id must not be 0, so sequence 0 of node 0 is not used in the first millisecond of the epoch.');
	RETURN (ms << 22) | (node << 12) | sequence;
END
$$;

BODY OF gid_snowflake_id_min(timestamptz, bigint), CALLED ON NULL INPUT IN sql
RETURN gid._snowflake_ms(at, epoch_ms) << 22;

BODY OF gid_snowflake_id_max(timestamptz, bigint), CALLED ON NULL INPUT IN sql
RETURN (gid._snowflake_ms(at, epoch_ms) << 22) | 4194303;

CREATE FUNCTION gid._snowflake_low(since timestamptz, epoch_ms bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._low(since, epoch_ms * 1000 - 946684800000000, gid._epoch(epoch_ms) * 1000 + 1252338455551999) + 946684800000000) / 1000
	- epoch_ms;

BODY OF gid_snowflake_id_low(timestamptz, bigint) IN sql
RETURN CASE WHEN gid._snowflake_low(since, epoch_ms) = 0 THEN 1 ELSE gid._snowflake_low(since, epoch_ms) << 22 END;

BODY OF gid_snowflake_id_below(timestamptz, bigint) IN sql
RETURN (((gid._below(until, gid._epoch(epoch_ms) * 1000 - 946684800000000, epoch_ms * 1000 + 1252338455551999, 1000)
	+ 946684800000000) / 1000 - epoch_ms) << 22) | 4194303;

BODY OF gid_extract_snowflake_time(bigint, bigint) IN sql
RETURN CASE WHEN gid._epoch(epoch_ms) >= 0 AND id > 0 THEN gid._moment(((id >> 22) + epoch_ms) * 1000) END;

BODY OF gid_extract_snowflake_node(bigint), CALLED ON NULL INPUT IN sql
RETURN CASE WHEN id > 0 THEN (id >> 12 & 1023)::int END;

BODY OF gid_extract_snowflake_sequence(bigint), CALLED ON NULL INPUT IN sql
RETURN CASE WHEN id > 0 THEN (id & 4095)::int END;

--
-- Alphabets, numbers in a base, codes
--

-- The characters of a charset.
CREATE FUNCTION gid._characters(charset text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	named CONSTANT text COLLATE "C" := charset;
	found text COLLATE "C" := CASE named
		WHEN 'numeric' THEN '0123456789'
		WHEN 'alpha_lower' THEN 'abcdefghijklmnopqrstuvwxyz'
		WHEN 'alpha_upper' THEN 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
		WHEN 'alpha' THEN 'AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz'
		WHEN 'alphanumeric_lower' THEN '0123456789abcdefghijklmnopqrstuvwxyz'
		WHEN 'alphanumeric_upper' THEN '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
		WHEN 'alphanumeric' THEN '0123456789AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz'
		WHEN 'crockford' THEN '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
		WHEN 'hex' THEN '0123456789abcdef'
		WHEN 'base58' THEN '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
		WHEN 'base62' THEN '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz' END;
	problem text := 'No charset has this name.';
	c text COLLATE "C";
BEGIN
	IF found IS NULL AND starts_with(named, 'chars:') THEN
		found := substr(named, 7);
		problem := CASE WHEN length(found) < 2 THEN 'The list has fewer than two characters.' END;
		FOR i IN 1 .. length(found) LOOP
			c := substr(found, i, 1);
			IF c !~ '^[!-~]$' THEN
				problem := format('Character %s of the list is a blank or not printable ASCII.', i);
			ELSIF strpos(found, c) < i THEN
				problem := format('The list has "%s" twice.', c);
			ELSE
				CONTINUE;
			END IF;
			found := NULL;
			EXIT;
		END LOOP;
	ELSIF found IS NOT NULL THEN
		problem := NULL;
	END IF;
	IF problem IS NOT NULL THEN
		PERFORM gid._raise_charset(named, problem);
	END IF;
	RETURN found;
END
$$;

CREATE FUNCTION gid._raise_charset(charset text, problem text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	PERFORM gid._raise('22023', format('invalid charset "%s"', gid._shown(charset)), problem,
		'Use numeric, alpha_lower, alpha_upper, alpha, alphanumeric_lower, alphanumeric_upper, alphanumeric, crockford, hex, base58, base62, or chars: and 2 to 94 distinct printable ASCII characters without blank.');
END
$$;

-- What a person typed, in the characters of the charset: Crockford's alphabet is read in
-- either case, I and L as 1 and O as 0.
CREATE FUNCTION gid._typed(code text, charset text)
RETURNS text
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN charset COLLATE "C" = 'crockford'
	THEN translate(code COLLATE "C", 'abcdefghijklmnopqrstuvwxyzILO', 'ABCDEFGH1JK1MN0PQRSTUVWXYZ110') ELSE code END;

-- The position of the first character of a text that is none of these, or 0.
CREATE FUNCTION gid._foreign(code text, characters text)
RETURNS int
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ltrim(code COLLATE "C", characters COLLATE "C") = '' COLLATE "C" THEN 0
	ELSE length(code) - length(ltrim(code COLLATE "C", characters COLLATE "C")) + 1 END;

-- How many characters the largest number of so many bits has.
CREATE FUNCTION gid._width(characters text, bits int)
RETURNS int
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ceil(bits * ln(2::numeric) / ln(length(characters)::numeric) - 0.000000001)::int;

-- A number of at most 128 bits, with "width" characters or, with 0, with as few as possible.
-- As many digits as a bigint holds are made at a time.
CREATE FUNCTION gid._radix(characters text, number numeric, width int)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	base CONSTANT bigint := length(characters);
	digits CONSTANT int := floor(18 / log(base::numeric));
	step CONSTANT numeric := trunc(base::numeric ^ digits);
	word bigint;
	made text COLLATE "C" := '';
BEGIN
	LOOP
		word := number % step;
		number := div(number, step);
		FOR i IN 1 .. digits LOOP
			EXIT WHEN CASE WHEN width = 0 THEN word = 0 AND number = 0 AND made <> '' ELSE length(made) = width END;
			made := substr(characters, (word % base)::int + 1, 1) || made;
			word := word / base;
		END LOOP;
		EXIT WHEN CASE WHEN width = 0 THEN number = 0 ELSE length(made) = width END;
	END LOOP;
	RETURN made;
END
$$;

-- The number of a text in these characters.  It ends beyond 130 bits, which no caller wants.
CREATE FUNCTION gid._number(code text, characters text)
RETURNS numeric
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	digits CONSTANT text COLLATE "C" := characters;
	base CONSTANT bigint := length(digits);
	chunk CONSTANT int := floor(18 / log(base::numeric));
	number numeric := 0;
	word bigint := 0;
	n int := 0;
	c text COLLATE "C";
BEGIN
	FOREACH c IN ARRAY string_to_array(ltrim(code COLLATE "C", left(digits, 1)), NULL) LOOP
		word := word * base + strpos(digits, c) - 1;
		n := n + 1;
		IF n = chunk THEN
			number := number * trunc(base::numeric ^ n) + word;
			word := 0;
			n := 0;
			EXIT WHEN number > 1361129467683753853853498429727072845824;
		END IF;
	END LOOP;
	RETURN number * trunc(base::numeric ^ n) + word;
END
$$;

-- The number of a text of gid_encode().
CREATE FUNCTION gid._decode(code text, charset text, type text, width int, bits int)
RETURNS numeric
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	characters CONSTANT text COLLATE "C" := gid._characters(charset);
	typed CONSTANT text COLLATE "C" := gid._typed(code, charset);
	at CONSTANT int := gid._foreign(typed, characters);
	number numeric;
	problem text;
BEGIN
	IF at > 0 THEN
		problem := format('Character "%s" at position %s is not in the charset "%s".', substr(code, at, 1), at, characters);
	ELSIF width <> 0 AND length(code) <> width THEN
		problem := format('In this charset a %s has %s characters, not %s.', type, width, length(code));
	ELSIF code = '' COLLATE "C" THEN
		problem := 'The text is empty.';
	ELSE
		number := gid._number(typed, characters);
		IF number < trunc(2::numeric ^ bits) THEN
			RETURN number;
		END IF;
		problem := format('The number has more than %s bits.', bits);
	END IF;
	PERFORM gid._raise('22P02', format('cannot decode "%s" as %s', gid._shown(code), type), problem,
		'Give a text of gid_encode() and the charset that the text was made with.');
END
$$;

-- A UUID as a number, and back.
CREATE FUNCTION gid._number_of(id uuid)
RETURNS numeric
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._word(id, 1) >> 4 & 1152921504606846975)::numeric * 295147905179352825856
	+ (gid._word(id, 16) >> 4 & 1152921504606846975)::numeric * 256
	+ get_byte(uuid_send(id), 15);

CREATE FUNCTION gid._uuid_of(number numeric)
RETURNS uuid
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._hex(div(number, 295147905179352825856)::bigint, 15)
	|| gid._hex(mod(div(number, 256), 1152921504606846976)::bigint, 15) || gid._hex(mod(number, 256)::bigint, 2))::uuid;

BODY OF gid_encode(bigint, text) IN sql
RETURN gid._radix(gid._characters(charset),
	gid._range('id', id, 0, 9223372036854775807, 'A text stands for an id that is not negative.'), 0);

BODY OF gid_encode(uuid, text) IN sql
RETURN gid._radix(gid._characters(charset), gid._number_of(id), gid._width(gid._characters(charset), 128));

BODY OF gid_decode_bigint(text, text) IN sql
RETURN gid._decode(code, charset, 'bigint', 0, 63)::bigint;

BODY OF gid_decode_uuid(text, text) IN sql
RETURN gid._uuid_of(gid._decode(code, charset, 'uuid', gid._width(gid._characters(charset), 128), 128));

-- The alphabet of a code of which the case does not matter: the letters have the case that
-- most letters of the value have, upper case if there are as many of each.
CREATE FUNCTION gid._characters_of_case(charset text, value text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	given CONSTANT text COLLATE "C" := value;
	characters CONSTANT text COLLATE "C" := gid._characters(charset);
	letters_upper CONSTANT int := length(regexp_replace(given, '[^A-Z]', '', 'g'));
	letters_lower CONSTANT int := length(regexp_replace(given, '[^a-z]', '', 'g'));
	found text COLLATE "C" := '';
	c text COLLATE "C";
	other text COLLATE "C";
BEGIN
	FOREACH c IN ARRAY string_to_array(characters, NULL) LOOP
		other := CASE WHEN c = lower(c) THEN upper(c) ELSE lower(c) END;
		-- one of two cases stands where the first of them stands
		IF strpos(characters, other) > 0 AND other <> c THEN
			CONTINUE WHEN strpos(found, other) > 0 OR strpos(found, c) > 0;
			c := CASE WHEN letters_lower > letters_upper THEN lower(c) ELSE upper(c) END;
		END IF;
		found := found || c;
	END LOOP;
	IF length(found) < 2 THEN
		PERFORM gid._raise_charset(charset, 'Ignoring case, it has only one character.');
	END IF;
	RETURN found;
END
$$;

CREATE FUNCTION gid._lexical_add(value text, count bigint, charset text, ignore_case boolean)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	characters CONSTANT text COLLATE "C" :=
		CASE WHEN ignore_case THEN gid._characters_of_case(charset, value) ELSE gid._characters(charset) END;
	base CONSTANT int := length(characters);
	code text[] := string_to_array(value COLLATE "C", NULL);
	i int := coalesce(cardinality(code), 0);
	carry bigint := count;
	c text COLLATE "C";
	place int;
	head text COLLATE "C" := '';
	first int := 1;
BEGIN
	WHILE i > 0 AND carry <> 0 LOOP
		c := code[i];
		place := strpos(characters, c) - 1;
		IF place < 0 AND ignore_case THEN
			place := greatest(strpos(characters, upper(c)), strpos(characters, lower(c))) - 1;
		END IF;
		IF place < 0 AND c <> ' ' THEN
			PERFORM gid._raise('22023', format('character "%s" at position %s of the code is not in the charset', c, i),
				format('The addition reaches this position. %s charset is "%s".',
					CASE WHEN ignore_case THEN 'Ignoring case, the' ELSE 'The' END, characters),
				'Use a charset that has the character. Only the characters that the addition reaches must be in the charset.');
		END IF;
		-- a blank counts as one below the first character
		place := place + (carry % base)::int;
		carry := carry / base;
		IF place < 0 THEN
			place := place + base;
			carry := carry - 1;
		ELSIF place >= base THEN
			place := place - base;
			carry := carry + 1;
		END IF;
		code[i] := substr(characters, place + 1, 1);
		i := i - 1;
	END LOOP;
	WHILE carry > 0 LOOP
		head := substr(characters, ((carry - 1) % base)::int + 1, 1) || head;
		carry := (carry - 1) / base;
	END LOOP;
	IF carry < 0 THEN
		-- the code loses its first character, which has to be the last of the charset
		-- after the borrow, behind others of which each borrowed
		WHILE first <= coalesce(cardinality(code), 0) AND code[first] = substr(characters, base - 1, 1) LOOP
			first := first + 1;
		END LOOP;
		IF carry < -1 OR first >= coalesce(cardinality(code), 0) OR code[first] <> right(characters, 1) THEN
			PERFORM gid._raise('2200H', format('cannot subtract %s from code "%s"', -count::numeric, gid._shown(value)),
				'The result would be shorter than one character.', format('The first code is "%s".', left(characters, 1)));
		END IF;
		RETURN array_to_string(code[first + 1:], '');
	END IF;
	RETURN head || array_to_string(code, '');
END
$$;

BODY OF gid_lexical_add(text, bigint, text, boolean) IN sql
RETURN gid._lexical_add(value, count, charset, ignore_case);

-- The check character of Luhn mod N for a code in these characters.
CREATE FUNCTION gid._luhn(code text, characters text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	digits CONSTANT text COLLATE "C" := characters;
	base CONSTANT int := length(digits);
	n int := length(code);
	sum bigint := 0;
	digit int;
	c text COLLATE "C";
BEGIN
	FOREACH c IN ARRAY string_to_array(code COLLATE "C", NULL) LOOP
		digit := strpos(digits, c) - 1;
		-- every other digit counts twice, from the last one on
		IF n % 2 = 1 THEN
			digit := 2 * digit - CASE WHEN 2 * digit < base THEN 0 ELSE base - 1 END;
		END IF;
		sum := sum + digit;
		n := n - 1;
	END LOOP;
	RETURN substr(digits, ((base - sum % base) % base)::int + 1, 1);
END
$$;

CREATE FUNCTION gid._check_append(code text, charset text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	characters CONSTANT text COLLATE "C" := gid._characters(charset);
	typed CONSTANT text COLLATE "C" := gid._typed(code, charset);
	at CONSTANT int := gid._foreign(typed, characters);
BEGIN
	IF typed = '' THEN
		PERFORM gid._raise('22023', 'code is empty', 'A code with a check character has at least one other character.', NULL);
	ELSIF at > 0 THEN
		PERFORM gid._raise('22023', format('character "%s" at position %s of the code is not in the charset', substr(code, at, 1), at),
			format('The charset is "%s".', characters),
			'Use a charset that has all characters of the code, or give only the part of the code that is to be checked.');
	END IF;
	RETURN code || gid._luhn(typed, characters);
END
$$;

BODY OF gid_check_append(text, text) IN sql
RETURN gid._check_append(code, charset);

BODY OF gid_check_valid(text, text) IN sql
RETURN gid._foreign(gid._typed(code, charset), gid._characters(charset)) = 0 AND length(code) >= 2
	AND gid._luhn(gid._typed(left(code, -1), charset), gid._characters(charset)) = gid._typed(right(code, 1), charset) COLLATE "C";

BODY OF gid_code_normalize(text, text) IN plpgsql
AS $$
DECLARE
	characters CONSTANT text COLLATE "C" := gid._characters(charset);
	lower CONSTANT text := 'abcdefghijklmnopqrstuvwxyz';
	upper CONSTANT text := 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
	typed text COLLATE "C" := translate(code, E' \t\n\x0B\f\r' || CASE WHEN strpos(characters, '-') = 0 THEN '-' ELSE '' END, '');
BEGIN
	IF characters !~ '[a-z]' THEN
		typed := translate(typed, lower, upper);
	ELSIF characters !~ '[A-Z]' THEN
		typed := translate(typed, upper, lower);
	END IF;
	typed := gid._typed(typed, charset);
	RETURN CASE WHEN typed <> '' AND gid._foreign(typed, characters) = 0 THEN typed END;
END
$$;

BODY OF gid_next_code(regclass, text, text, boolean) IN sql
RETURN gid._lexical_add(seed, nextval(seq), charset, ignore_case);

COMMENT ON FUNCTION gid_next_code(regclass, text, text, boolean) IS
'Generates a code, gid_lexical_add(seed, nextval(seq), charset, ignore_case). Without the library, a code that left the database before its transaction was committed can come again after a crash, and an invalid charset uses up a value. Errors: those of both functions.';

--
-- TypeIDs
--

CREATE FUNCTION gid._prefix(prefix text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF octet_length(prefix) > 63 OR prefix !~ '^([a-z]([a-z_]*[a-z])?)?$' COLLATE "C" THEN
		PERFORM gid._raise('22023', format('invalid prefix of a TypeID: "%s"', gid._shown(prefix)),
			'A prefix has at most 63 lower-case letters and underscores, and a letter at both ends.',
			'Name the kind of the row, for example user or line_item, or give '''' for no prefix.');
	END IF;
	RETURN prefix;
END
$$;

BODY OF gid_typeid(text, uuid) IN sql
RETURN CASE WHEN gid._prefix(prefix) = '' COLLATE "C" THEN '' ELSE prefix || '_' END
	|| gid._radix('0123456789abcdefghjkmnpqrstvwxyz', gid._number_of(id), 26);

CREATE FUNCTION gid._typeid_uuid(code text, prefix text)
RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	given CONSTANT text COLLATE "C" := code;
	wanted CONSTANT text COLLATE "C" := gid._prefix(prefix);
	characters CONSTANT text COLLATE "C" := '0123456789abcdefghjkmnpqrstvwxyz';
	-- by bytes, as the library reads it: characters outside ASCII have more than one
	start CONSTANT int := octet_length(given) - 26;
	before int;
	suffix text COLLATE "C";
	at int;
	problem text;
BEGIN
	IF start < 0 OR octet_length(given) > 90 THEN
		problem := format('A TypeID has 26 to 90 characters, but the text has %s bytes.', octet_length(given));
	ELSE
		before := length(given);
		WHILE octet_length(left(given, before)) > start LOOP
			before := before - 1;
		END LOOP;
		suffix := substr(given, before + 1);
		at := gid._foreign(suffix, characters);
		IF start > 0 AND right(left(given, before), 1) <> '_' THEN
			problem := 'No underscore stands before the last 26 characters of the text.';
		ELSIF start > 0 AND left(given, before - 1) !~ '^[a-z]([a-z_]*[a-z])?$' THEN
			problem := 'The text before the last underscore is not a prefix. A prefix has 1 to 63 lower-case letters and underscores, and a letter at both ends.';
		ELSIF at > 0 THEN
			problem := format('Character "%s" at position %s is not in the alphabet "%s".', substr(suffix, at, 1), before + at, characters);
		ELSIF suffix >= '8' THEN
			problem := 'The last 26 characters are a number of more than 128 bits.';
		ELSIF start = 0 AND wanted <> '' THEN
			problem := 'The text has no prefix.';
		ELSIF start > 0 AND left(given, before - 1) <> wanted THEN
			problem := format('The prefix of the text is "%s".', left(given, before - 1));
		ELSE
			RETURN gid._uuid_of(gid._number(suffix, characters));
		END IF;
	END IF;
	PERFORM gid._raise('22P02', format('cannot read "%s" as a TypeID with the prefix "%s"', gid._shown(code), prefix), problem,
		'Give a text of gid_typeid() with this prefix. gid_inspect() shows what another text is.');
END
$$;

BODY OF gid_typeid_uuid(text, text) IN sql
RETURN gid._typeid_uuid(code, prefix);

--
-- Ids that do not show their order or their time
--

-- Arithmetic of unsigned words of 64 bits.
CREATE FUNCTION gid._add(a bigint, b bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (((a >> 32 & 4294967295) + (b >> 32 & 4294967295) + (((a & 4294967295) + (b & 4294967295)) >> 32)) << 32)
	| (((a & 4294967295) + (b & 4294967295)) & 4294967295);

CREATE FUNCTION gid._rotate(a bigint, bits int)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (a << bits) | ((a >> (64 - bits)) & ((1::bigint << bits) - 1));

CREATE FUNCTION gid._multiply(a bigint, b bigint)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	-- the signs do not matter for the low 64 bits
	product CONSTANT numeric := mod(a::numeric * b, 18446744073709551616);
BEGIN
	RETURN CASE WHEN product >= 9223372036854775808 THEN product - 18446744073709551616
		WHEN product < -9223372036854775808 THEN product + 18446744073709551616 ELSE product END;
END
$$;

CREATE FUNCTION gid._little_endian(bytes bytea, first int)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ('x' || gid._reversed(substr(bytes, first, 8)))::bit(64)::bigint;

-- SipHash-2-4.
CREATE FUNCTION gid._siphash(key bytea, message bytea)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	padded CONSTANT bytea := message || substr('\x00000000000000'::bytea, 1, 7 - length(message) % 8)
		|| set_byte('\x00', 0, length(message) % 256);
	words CONSTANT int := length(padded) / 8;
	k0 CONSTANT bigint := gid._little_endian(key, 1);
	k1 CONSTANT bigint := gid._little_endian(key, 9);
	v0 bigint := k0 # x'736f6d6570736575'::bigint;
	v1 bigint := k1 # x'646f72616e646f6d'::bigint;
	v2 bigint := k0 # x'6c7967656e657261'::bigint;
	v3 bigint := k1 # x'7465646279746573'::bigint;
	m bigint;
BEGIN
	FOR w IN 1 .. words + 1 LOOP
		m := CASE WHEN w <= words THEN gid._little_endian(padded, 8 * w - 7) ELSE 0 END;
		IF w > words THEN
			v2 := v2 # 255;
		END IF;
		v3 := v3 # m;
		FOR r IN 1 .. CASE WHEN w > words THEN 4 ELSE 2 END LOOP
			v0 := gid._add(v0, v1);
			v1 := gid._rotate(v1, 13) # v0;
			v0 := gid._rotate(v0, 32);
			v2 := gid._add(v2, v3);
			v3 := gid._rotate(v3, 16) # v2;
			v0 := gid._add(v0, v3);
			v3 := gid._rotate(v3, 21) # v0;
			v2 := gid._add(v2, v1);
			v1 := gid._rotate(v1, 17) # v2;
			v2 := gid._rotate(v2, 32);
		END LOOP;
		v0 := v0 # m;
	END LOOP;
	RETURN v0 # v1 # v2 # v3;
END
$$;

-- The permutation of src/layout/permutation.c: ten rounds, each with two keys that are
-- hashes.
CREATE FUNCTION gid._permute(id bigint, key bytea, bits int, back boolean)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	factors bigint[];
	left_bits int;
	right_bits int;
	x bigint := id;
	l bigint;
	r bigint;
	h bigint;
	k int;
BEGIN
	PERFORM gid._range('bits', bits, 8, 63, 'Use 63 for every bigint from 1 on, 53 for ids that JavaScript reads as numbers.');
	IF length(key) NOT BETWEEN 16 AND 64 THEN
		PERFORM gid._raise('22023', format('invalid length of a permutation key: %s bytes', length(key)), 'A key has 16 to 64 bytes.',
			'Make a key once with SELECT uuid_send(gen_random_uuid()), which has 122 random bits, and keep it.');
	END IF;
	PERFORM gid._range('id', id, 1, 9223372036854775807 >> (63 - bits), 'Bits, the third argument, say how large an id can be.');
	left_bits := bits / 2;
	right_bits := bits - left_bits;
	FOR n IN 0 .. 19 LOOP
		factors[n] := gid._siphash(substr(key, 1, 16), 'gidp'::bytea || decode('01' || gid._hex(bits, 2) || gid._hex(length(key), 2)
			|| gid._hex(n, 2), 'hex') || substr(key, 17));
	END LOOP;
	LOOP
		l := x >> right_bits;
		r := x & ((1::bigint << right_bits) - 1);
		FOR i IN 0 .. 9 LOOP
			k := 2 * CASE WHEN back THEN 9 - i ELSE i END;
			h := gid._add(gid._multiply(CASE WHEN (i % 2 = 0) <> back THEN r ELSE l END, factors[k]), factors[k + 1]);
			h := gid._multiply(h # ((h >> 32) & 4294967295), x'9e3779b97f4a7c15'::bigint);
			IF (i % 2 = 0) <> back THEN
				l := l # ((h >> (64 - left_bits)) & ((1::bigint << left_bits) - 1));
			ELSE
				r := r # ((h >> (64 - right_bits)) & ((1::bigint << right_bits) - 1));
			END IF;
		END LOOP;
		x := (l << right_bits) | r;
		-- 0 is no id: go on from it
		EXIT WHEN x <> 0;
	END LOOP;
	RETURN x;
END
$$;

BODY OF gid_permute(bigint, bytea, int) IN sql
RETURN gid._permute(id, key, bits, false);

BODY OF gid_unpermute(bigint, bytea, int) IN sql
RETURN gid._permute(id, key, bits, true);

-- uuidv47: the 48 bits of the time, and a hash of the other bits.
CREATE FUNCTION gid._mask(id uuid, key bytea, was int, becomes int)
RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	bytes CONSTANT bytea := uuid_send(id);
	message bytea := substr(bytes, 7);
BEGIN
	IF length(key) <> 16 THEN
		PERFORM gid._raise('22023', format('invalid length of a masking key: %s bytes', length(key)), 'A key has 16 bytes.',
			'Make a key once with SELECT uuid_send(gen_random_uuid()), which has 122 random bits, and keep it.');
	ELSIF NOT gid._is_rfc(id) OR get_byte(bytes, 6) >> 4 <> was THEN
		RETURN NULL;
	END IF;
	message := set_byte(set_byte(message, 0, get_byte(message, 0) & 15), 2, get_byte(message, 2) & 63);
	RETURN gid._hex(((gid._word(id, 1) >> 16) # gid._siphash(key, message)) & 281474976710655, 12)
		|| to_hex(becomes) || substr(encode(bytes, 'hex'), 14);
END
$$;

BODY OF gid_uuid_mask(uuid, bytea) IN sql
RETURN gid._mask(id, key, 7, 4);

BODY OF gid_uuid_unmask(uuid, bytea) IN sql
RETURN gid._mask(id, key, 4, 7);

--
-- Sequences
--

BODY OF gid_next(regclass) IN sql
RETURN nextval(seq);

COMMENT ON FUNCTION gid_next(regclass) IS
'Returns the next value of a sequence, by nextval(). Without the library, a value that left the database before its transaction was committed can come again after a crash. Errors: those of nextval().';

CREATE FUNCTION gid._next_many(seq regclass, count int)
RETURNS SETOF bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF count NOT BETWEEN 1 AND 65536 THEN
		PERFORM gid._raise('22023', format('count must be from 1 to 65536, not %s', count),
			'gid_next_many() reserves all its values in one step.', 'For more, call the function several times.');
	END IF;
	FOR i IN 1 .. count LOOP
		RETURN NEXT nextval(seq);
	END LOOP;
END
$$;

BODY OF gid_next_many(regclass, int) IN sql
BEGIN ATOMIC
	SELECT n FROM gid._next_many(seq, count) AS n;
END;

COMMENT ON FUNCTION gid_next_many(regclass, int) IS
'Returns values of a sequence, each by nextval(). count is 1 to 65536. Without the library, the values are not consecutive if other sessions draw at the same time, the last values of a sequence are used up if there are too few, and a value can come again as with gid_next(). Errors: 22023 if count is out of range, and those of nextval().';

BODY OF gid_forget(regclass) IN plpgsql
AS $$
BEGIN
	PERFORM gid._check_sequence(seq, 'UPDATE', 'Only a sequence has blocks.');
END
$$;

COMMENT ON FUNCTION gid_forget(regclass) IS
'Does nothing: without the library, a sequence has no blocks. Errors: 42809 if seq is not a sequence; 42501 without UPDATE on it.';

-- Raises an error unless there is such a sequence and the role has one of the privileges.
CREATE FUNCTION gid._check_sequence(seq regclass, privileges text, use text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relation pg_class;
BEGIN
	SELECT * INTO relation FROM pg_class AS c WHERE c.oid = seq;
	IF NOT FOUND THEN
		PERFORM gid._raise('42P01', format('sequence with OID %s does not exist', seq::oid), 'It was dropped, or there never was one.',
			'Name a sequence that exists.');
	ELSIF relation.relkind <> 'S' THEN
		PERFORM gid._raise('42809', format('"%s" is not a sequence', relation.relname), use,
			'Name a sequence: for a column, the one that pg_get_serial_sequence() gives.');
	ELSIF NOT has_sequence_privilege(seq, privileges) THEN
		PERFORM gid._raise('42501', format('permission denied for sequence %s', relation.relname),
			format('The current role is "%s".', current_user),
			format('Grant %s on the sequence to the role.', replace(privileges, ',', ' or')));
	END IF;
END
$$;

CREATE FUNCTION gid._check_writes(call text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF pg_is_in_recovery() THEN
		RAISE read_only_sql_transaction USING MESSAGE = format('cannot execute %s during recovery', call);
	ELSIF current_setting('transaction_read_only')::boolean THEN
		RAISE read_only_sql_transaction USING MESSAGE = format('cannot execute %s in a read-only transaction', call);
	END IF;
END
$$;

-- May a query name a relation that the caller has not named?  Whoever owns its schema could
-- rename the schema meanwhile, and no lock prevents it.  The owner of gid could as well replace
-- gid's functions.
CREATE FUNCTION gid._schema_stays(relation oid)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	owner name := (SELECT pg_get_userbyid(n.nspowner) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.oid = relation);
BEGIN
	IF owner = 'pg_database_owner' THEN
		owner := (SELECT pg_get_userbyid(d.datdba) FROM pg_database AS d WHERE d.datname = current_database());
	END IF;
	RETURN owner = current_user
		OR owner = (SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace AS n WHERE n.nspname = 'gid')
		OR (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = owner);
END
$$;

-- The name of a relation, for a query.  While a name is looked up, its owner could put a view
-- there, whose functions the query would run.  To prepare a statement locks what has the name,
-- and runs nothing; this relation keeps its name then until the (sub)transaction ends.  NULL if
-- its schema may be renamed, and the caller has not named the relation.
CREATE FUNCTION gid._held(relation oid, is_named boolean)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	name CONSTANT text := relation::regclass;
	found oid;
BEGIN
	-- a call that was canceled has left it
	IF EXISTS (SELECT FROM pg_prepared_statements AS p WHERE p.name = 'gid_held') THEN
		DEALLOCATE gid_held;
	END IF;
	-- what was dropped has no name but its number
	IF name <> relation::text THEN
		EXECUTE 'PREPARE gid_held AS SELECT FROM ' || name;
		DEALLOCATE gid_held;
		-- now that it cannot come into another schema
		IF NOT (is_named OR gid._schema_stays(relation)) THEN
			RETURN NULL;
		END IF;
		found := to_regclass(name);
	END IF;
	IF found IS DISTINCT FROM relation THEN
		PERFORM gid._raise('42P01', format('relation "%s" was replaced', name), 'Another session has changed or dropped it meanwhile.',
			'Call the function again.');
	END IF;
	RETURN name;
END
$$;

-- Where a sequence stands.  "last" is NULL if no value was drawn.  "next" may lie beyond the
-- range.  Without SELECT, or a name to read it by, the next value of a sequence of which none
-- was drawn is unknown.
CREATE FUNCTION gid._stand(seq regclass, is_named boolean, OUT last bigint, OUT next numeric)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	is_called boolean := true;
	name text;
BEGIN
	IF has_sequence_privilege(seq, 'SELECT') THEN
		-- the exception ends the lock, with which two of gid._advance() would wait for each other
		BEGIN
			name := gid._held(seq, is_named);
			IF name IS NOT NULL THEN
				EXECUTE 'SELECT last_value, is_called FROM ' || name INTO last, is_called;
			END IF;
			RAISE SQLSTATE 'GID00';
		EXCEPTION WHEN SQLSTATE 'GID00' THEN
			NULL;
		END;
	END IF;
	IF name IS NULL THEN
		last := pg_sequence_last_value(seq);
	END IF;
	IF is_called THEN
		next := last + (SELECT s.seqincrement FROM pg_sequence AS s WHERE s.seqrelid = seq)::numeric;
	ELSE
		next := last;
		last := NULL;
	END IF;
END
$$;

-- Near values are drawn with nextval(), beside which nothing is given twice.  For a far one
-- the sequence is set, while nobody can draw.
CREATE FUNCTION gid._advance(seq regclass, value bigint)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	limit_of_draws CONSTANT numeric := 10000;
	s pg_sequence;
	name name;
	owner oid;
	persistence "char";
	stand record;
	draws numeric;
	goal numeric;
	last bigint;
BEGIN
	PERFORM gid._check_sequence(seq, 'UPDATE', 'Only a sequence can be advanced.');
	PERFORM gid._check_sequence(seq, 'SELECT', 'Only a sequence can be advanced.');
	SELECT * INTO s FROM pg_sequence AS q WHERE q.seqrelid = seq;
	SELECT c.relname, c.relowner, c.relpersistence INTO name, owner, persistence FROM pg_class AS c WHERE c.oid = seq;
	IF s.seqcycle THEN
		PERFORM gid._raise('22003', format('cannot advance sequence "%s"', name),
			'With CYCLE the values begin again, so none is beyond all others.', 'Use ALTER SEQUENCE ... NO CYCLE.');
	ELSIF (CASE WHEN s.seqincrement > 0 THEN value > s.seqmax ELSE value < s.seqmin END) THEN
		PERFORM gid._raise('22003', format('value %s is beyond the range of sequence "%s"', value, name),
			format('The range ends at %s.', CASE WHEN s.seqincrement > 0 THEN s.seqmax ELSE s.seqmin END),
			'Give the sequence a wider range with ALTER SEQUENCE.');
	END IF;

	stand := gid._stand(seq, true);
	draws := floor((value - stand.next) / s.seqincrement) + 1;
	goal := stand.next + (draws - 1) * s.seqincrement;
	IF draws <= 0 THEN
		RETURN stand.last;
	ELSIF draws < limit_of_draws THEN
		LOOP
			last := nextval(seq);
			IF (CASE WHEN s.seqincrement > 0 THEN last >= goal ELSE last <= goal END) THEN
				RETURN last;
			END IF;
		END LOOP;
	END IF;

	IF NOT pg_has_role(owner, 'USAGE') THEN
		PERFORM gid._raise('42501', format('cannot advance sequence "%s" by %s values', name, draws),
			format('For %s values or more, the call has to lock the sequence against nextval(), and only the owner of the sequence can.', limit_of_draws),
			format('Call the function as %I, or run ALTER SEQUENCE ... RESTART as this role.', pg_get_userbyid(owner)));
	END IF;
	-- it changes nothing, and takes the lock that ALTER takes
	IF persistence = 'p' THEN
		EXECUTE format('ALTER SEQUENCE %s SET LOGGED', seq);
	ELSIF persistence = 'u' THEN
		EXECUTE format('ALTER SEQUENCE %s SET UNLOGGED', seq);
	END IF;
	stand := gid._stand(seq, true);
	IF (CASE WHEN s.seqincrement > 0 THEN stand.next > goal ELSE stand.next < goal END) THEN
		RETURN stand.last;
	END IF;
	RETURN setval(seq, goal::bigint);
END
$$;

BODY OF gid_advance(regclass, bigint) IN plpgsql
AS $$
BEGIN
	PERFORM gid._check_writes('gid_advance()');
	RETURN gid._advance(seq, value);
END
$$;

COMMENT ON FUNCTION gid_advance(regclass, bigint) IS
'Moves a sequence forward beyond a value, never back. The next value is the sequence''s first step beyond value, or a later one. The result is the last value of the sequence after the call, or NULL if there is none. The change takes effect at once in every session, and a rollback does not undo it. Without the library, the function draws values with nextval(). To skip 10,000 or more, it sets the sequence under the lock of ALTER SEQUENCE, so it waits for open transactions that have drawn, and others wait until this transaction ends. Errors: 42809 if seq is not a sequence; 22003 if value is beyond the range or the sequence has CYCLE; 42501 without SELECT and UPDATE on it, or to skip 10,000 or more values without being its owner; 25006 in a read-only transaction and during recovery.';

-- What is below a horizon.  Each call takes a sample, unless the one before is still held: the
-- position of the sequence, and then the transactions that hold the lock which nextval() takes
-- until the end of the transaction.  Once all of these have ended, every row below the
-- position is visible in a snapshot that covers one taken then, or never will be.  A
-- prepared transaction that a restart or a crash has recovered has another virtual id, -1/..., so
-- any such locker holds a sample.
--
-- A session keeps what it knows in a setting.  Rows of "told" are the answers of this
-- transaction: a snapshot has one answer, because a plan may call the function several times.
CREATE TYPE gid._followed AS (
	file oid,
	position bigint,
	lockers text[],
	bounds bigint[],
	known_in text[],
	told_since bigint,
	told_in text[],
	told bigint[]
);

COMMENT ON TYPE gid._followed IS
'What a session knows of a sequence''s horizon: a setting gid_sql.horizon_OID has its text.';

-- In PL/pgSQL, because a function in SQL plans its query in each transaction.
CREATE FUNCTION gid._lockers(seq oid)
RETURNS text[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN (SELECT coalesce(array_agg(l.virtualtransaction), '{}') FROM pg_locks AS l
	WHERE l.locktype = 'relation' AND l.relation = seq AND l.mode = 'RowExclusiveLock' AND l.granted
		AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()));
END
$$;

-- Is everything that has ended in the older snapshot ended in the other?
CREATE FUNCTION gid._covers(snapshot pg_snapshot, older pg_snapshot)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN pg_snapshot_xmax(snapshot) >= pg_snapshot_xmax(older) AND NOT EXISTS (
		SELECT FROM pg_snapshot_xip(snapshot) AS x
		WHERE x < pg_snapshot_xmax(older) AND x NOT IN (SELECT o FROM pg_snapshot_xip(older) AS o));
END
$$;

-- The next value of a sequence, or an earlier one: no value from there on was drawn.
CREATE FUNCTION gid._position(seq regclass, up boolean)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	stand CONSTANT record := gid._stand(seq, true);
BEGIN
	RETURN coalesce(CASE WHEN stand.last IS NULL THEN stand.next
			WHEN up THEN least(stand.last + 1::numeric, 9223372036854775807)
			ELSE greatest(stand.last - 1::numeric, -9223372036854775808) END,
		-- without SELECT: nothing is before its range
		(SELECT CASE WHEN up THEN s.seqmin ELSE s.seqmax END FROM pg_sequence AS s WHERE s.seqrelid = seq));
END
$$;

CREATE FUNCTION gid._check_horizon(seq regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	s pg_sequence;
	relation pg_class;
	why text;
BEGIN
	PERFORM gid._check_sequence(coalesce(seq, 0), 'SELECT, USAGE', 'A horizon is that of a sequence.');
	SELECT * INTO s FROM pg_sequence AS q WHERE q.seqrelid = seq;
	SELECT * INTO relation FROM pg_class AS c WHERE c.oid = seq;
	why := CASE WHEN relation.relpersistence <> 'p' THEN 'A temporary or unlogged sequence does not survive a crash, so its values come again.'
		WHEN s.seqcache > 1 THEN 'With a CACHE above 1 a session draws values in one transaction and uses them in another.'
		WHEN s.seqcycle THEN 'With CYCLE the values begin again.' END;
	IF why IS NOT NULL THEN
		PERFORM gid._raise('0A000', format('sequence "%s" has no horizon', relation.relname), why,
			'Use a permanent sequence with CACHE 1 and NO CYCLE.');
	ELSIF pg_is_in_recovery() THEN
		PERFORM gid._raise('55000', 'a horizon cannot be found during recovery', 'Only the primary knows which transactions have drawn ids.',
			'Ask the primary, and wait until this server has replayed what the primary had then.');
	END IF;
END
$$;

-- "snapshot" is the caller's.  A snapshot of this function's own is newer, because the function
-- is VOLATILE, except in REPEATABLE READ and SERIALIZABLE, where no sample can be judged.
CREATE FUNCTION gid._horizon(seq regclass, snapshot pg_snapshot)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	setting CONSTANT text := 'gid_sql.horizon_' || seq::oid::text;
	up CONSTANT boolean := (SELECT s.seqincrement > 0 FROM pg_sequence AS s WHERE s.seqrelid = seq);
	since CONSTANT bigint := gid._microseconds(now());
	state gid._followed := nullif(current_setting(setting, true), '')::gid._followed;
	file oid;
	position bigint;
	now_there text[];
	answer bigint;
BEGIN
	PERFORM gid._check_horizon(seq);
	IF state.told_since = since THEN
		answer := state.told[array_position(state.told_in, snapshot::text)];
		IF answer IS NOT NULL THEN
			RETURN answer;
		END IF;
	ELSE
		state.told_since := since;
		state.told_in := '{}';
		state.told := '{}';
	END IF;

	file := pg_relation_filenode(seq);
	position := gid._position(seq, up);
	IF state.file IS DISTINCT FROM file
		OR (CASE WHEN up THEN position < greatest(state.position, state.bounds[1])
			ELSE position > least(state.position, state.bounds[1]) END)
	THEN
		-- another sequence, or one that was set back
		state.file := file;
		state.position := NULL;
		state.bounds := '{}';
		state.known_in := '{}';
	END IF;

	IF current_setting('transaction_isolation') = 'read committed' THEN
		now_there := gid._lockers(seq);
		IF state.position IS NOT NULL AND NOT state.lockers && now_there AND array_to_string(now_there, ' ') !~ '(^| )-1/' THEN
			state.bounds := state.position || state.bounds[1:3];
			state.known_in := pg_current_snapshot()::text || state.known_in[1:3];
			state.position := NULL;
		END IF;
		IF state.position IS NULL THEN
			state.position := gid._position(seq, up);
			state.lockers := gid._lockers(seq);
			IF pg_relation_filenode(seq) <> file THEN
				state.position := NULL;
			ELSIF state.lockers = '{}' THEN
				state.bounds := state.position || state.bounds[1:3];
				state.known_in := pg_current_snapshot()::text || state.known_in[1:3];
			END IF;
		END IF;
	END IF;

	FOR i IN 1 .. cardinality(state.bounds) LOOP
		IF gid._covers(snapshot, state.known_in[i]::pg_snapshot) THEN
			answer := state.bounds[i];
			state.told_in := snapshot::text || state.told_in[1:3];
			state.told := answer || state.told[1:3];
			EXIT;
		END IF;
	END LOOP;
	PERFORM set_config(setting, state::text, false);
	RETURN answer;
END
$$;

BODY OF gid_horizon(regclass), PARALLEL UNSAFE IN sql
RETURN gid._horizon(seq, pg_current_snapshot());

COMMENT ON FUNCTION gid_horizon(regclass) IS
'Returns a bound for readers that follow a table by id. Every row with a smaller id (greater if INCREMENT is negative) is visible to the statement or never will be. The inserting transaction must itself have drawn the id with gid_next() or nextval(), or through a serial or identity column. Open transactions that have drawn from the sequence hold the bound back (see gid.stat_horizon). If the result is NULL, the reader has no row to read yet. Without the library, each session finds the bound by itself, so under load the first calls of a session return NULL, and a bound is a call or two late. Only calls in READ COMMITTED learn anything new. A reader must remember the last row that it has handled, not the bound: a crash can set a sequence back behind a bound. Errors: 42809 if seq is not a sequence; 42501 without SELECT or USAGE on it; 0A000 if the sequence has CYCLE or a CACHE above 1, or is temporary or unlogged; 55000 during recovery.';

-- Begins a wait: what it waits for, and until when.
CREATE FUNCTION gid._wait_begin(seq regclass, timeout interval, OUT goal bigint, OUT until timestamptz)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	ms CONSTANT numeric := floor(extract(epoch FROM timeout) * 1000);
BEGIN
	IF ms IS NULL OR ms NOT BETWEEN 1 AND 2147483647 THEN
		PERFORM gid._raise('22023', 'timeout is out of range', 'The range is 1 millisecond to 24 days.',
			'Give the longest time to wait, such as interval ''10 s''.');
	ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
		PERFORM gid._raise('25001', 'gid_horizon_wait() must be a statement of its own',
			'A snapshot of the transaction would be held during the wait, and the result would not be for it.',
			'Call it outside a transaction block, in READ COMMITTED.');
	END IF;
	PERFORM gid._check_horizon(seq);
	goal := gid._position(seq, (SELECT s.seqincrement > 0 FROM pg_sequence AS s WHERE s.seqrelid = seq));
	until := clock_timestamp() + timeout;
END
$$;

CREATE FUNCTION gid._wait_is_over(seq regclass, wait record)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	horizon CONSTANT bigint := gid._horizon(seq, pg_current_snapshot());
	up CONSTANT boolean := (SELECT s.seqincrement > 0 FROM pg_sequence AS s WHERE s.seqrelid = seq);
BEGIN
	IF (CASE WHEN up THEN horizon >= wait.goal ELSE horizon <= wait.goal END) THEN
		RETURN true;
	ELSIF clock_timestamp() > wait.until THEN
		PERFORM gid._raise('57014', 'timed out while waiting for transactions that may have drawn from the sequence',
			format('Transactions that have the sequence locked: %s.', cardinality(gid._lockers(seq))),
			'See gid.stat_horizon for what holds the horizon back.');
	END IF;
	RETURN false;
END
$$;

BODY OF gid_horizon_wait(regclass, interval) IN plpgsql
AS $$
DECLARE
	wait CONSTANT pg_catalog.record := gid._wait_begin(seq, timeout);
BEGIN
	COMMIT;
	WHILE NOT gid._wait_is_over(seq, wait) LOOP
		COMMIT;
		PERFORM pg_catalog.pg_sleep(0.01);
		COMMIT;
	END LOOP;
END
$$;

COMMENT ON PROCEDURE gid_horizon_wait(regclass, interval) IS
'Waits for the open transactions that might have drawn from a sequence to end. The session''s next gid_horizon() then covers them. timeout is 1 millisecond to 24 days. Without the library, the procedure asks every 10 milliseconds and holds a snapshot for as long. Errors: 57014 if the timeout expires; 2D000 in a transaction block or function; 25001 outside READ COMMITTED; 22023 if timeout is out of range; and those of gid_horizon().';

--
-- Columns and the sequences that they draw from
--

BODY OF gid.serve_reason(regclass) IN sql
RETURN 'this server does not have gid''s library'::text;

COMMENT ON FUNCTION gid.serve_reason(regclass) IS
'The reason why gid does not serve nextval() of a sequence: without the library, it serves none.';

-- Why this session cannot read a table or a sequence whatever its privileges, or NULL.
CREATE FUNCTION gid._elsewhere(relation oid)
RETURNS text
LANGUAGE SQL STABLE
RETURN (SELECT CASE WHEN pg_is_other_temp_schema(c.relnamespace) THEN 'it is temporary in another session'
		WHEN c.relpersistence <> 'p' AND pg_is_in_recovery() THEN 'it is unlogged, and has no rows on a standby' END
	FROM pg_class AS c WHERE c.oid = relation);

-- May the role know where a sequence stands?
CREATE FUNCTION gid._may_read(sequence oid)
RETURNS boolean
LANGUAGE SQL STABLE
RETURN coalesce((SELECT CASE WHEN c.relkind = 'S' AND gid._elsewhere(c.oid) IS NULL
		THEN has_sequence_privilege(c.oid, 'SELECT, USAGE') END
	FROM pg_class AS c WHERE c.oid = sequence), false);

-- The type of a column, or of what a domain is made of.
CREATE FUNCTION gid._column_type(relation oid, attribute name)
RETURNS regtype
LANGUAGE SQL STABLE
RETURN (WITH RECURSIVE type AS (
		SELECT a.atttypid AS oid FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = attribute AND a.attnum > 0 AND NOT a.attisdropped
		UNION ALL
		SELECT t.typbasetype FROM type JOIN pg_type AS t ON t.oid = type.oid WHERE t.typtype = 'd')
	SELECT type.oid::regtype FROM type JOIN pg_type AS t ON t.oid = type.oid WHERE t.typtype <> 'd');

-- Is the default of a column exactly one draw from a sequence?
CREATE FUNCTION gid._column_draws(relation oid, attribute name, sequence oid)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	expression text COLLATE "C" := (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef AS d
		JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
		-- the longest that is read; a deep one would need more stack than there is
		WHERE d.adrelid = relation AND a.attname = attribute AND length(d.adbin::text) <= 4096);
	named text COLLATE "C";
BEGIN
	WHILE expression ~ '^\(.*\)::[^()]+$' LOOP
		expression := regexp_replace(expression, '^\((.*)\)::[^()]+$', '\1');
	END LOOP;
	named := substring(expression FROM '^(?:nextval|(?:.*\.)?gid_next)\(''(.*)''::regclass\)$');
	RETURN coalesce(replace(named, '''''', '''') = sequence::regclass::text, false);
END
$$;

-- A table with all its partitions and children.
CREATE FUNCTION gid._descendants(relation oid)
RETURNS SETOF oid
LANGUAGE SQL STABLE
BEGIN ATOMIC
	WITH RECURSIVE descendant AS (
		SELECT relation AS oid
		UNION
		SELECT i.inhrelid FROM descendant AS d JOIN pg_inherits AS i ON i.inhparent = d.oid)
	SELECT descendant.oid FROM descendant;
END;

-- Why the greatest value of a column is not known, or NULL.  The planner runs what the owner of
-- a table has put into its indexes and statistics.  So the role reads only its own tables.
CREATE FUNCTION gid._column_unknown(relation oid, attribute name, sequence oid, is_identity boolean)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	kind "char" := (SELECT c.relkind FROM pg_class AS c WHERE c.oid = relation);
	type regtype := gid._column_type(relation, attribute);
	leaf record;
	which text;
BEGIN
	IF kind IS NULL THEN
		RETURN 'the table is locked';		-- or another session has dropped it
	ELSIF gid._elsewhere(sequence) IS NOT NULL THEN
		RETURN gid._elsewhere(sequence);
	ELSIF type IS NULL THEN
		RETURN 'the column does not exist';
	ELSIF type NOT IN ('smallint', 'integer', 'bigint') THEN
		RETURN 'the column is not smallint, integer or bigint';
	ELSIF NOT is_identity AND NOT gid._column_draws(relation, attribute, sequence) THEN
		RETURN 'the default is not nextval() or gid_next() alone';
	ELSIF NOT has_column_privilege(relation, attribute, 'SELECT') THEN
		RETURN 'the role may not read the column';
	ELSIF row_security_active(relation) THEN
		RETURN 'row security is in force';
	ELSIF kind NOT IN ('r', 'p') THEN
		RETURN 'it is not a table';
	END IF;
	FOR leaf IN
		SELECT c.oid, c.relkind, c.relowner, c.relnamespace, EXISTS (
			SELECT FROM pg_index AS i
			JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = attribute AND a.attnum = i.indkey[0]
			WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL
				AND EXISTS (SELECT FROM pg_opclass AS o JOIN pg_am AS m ON m.oid = o.opcmethod
					WHERE o.oid = i.indclass[0] AND m.amname = 'btree' AND o.opcdefault
						AND o.opcnamespace = 'pg_catalog'::regnamespace)) AS is_indexed
		FROM pg_class AS c
		WHERE c.oid IN (SELECT gid._descendants(relation))
		ORDER BY c.oid
	LOOP
		which := CASE WHEN leaf.oid <> relation THEN leaf.oid::regclass::text || ': ' ELSE '' END;
		-- a query leaves out other sessions' temporary children, too
		CONTINUE WHEN leaf.oid <> relation AND pg_is_other_temp_schema(leaf.relnamespace);
		IF gid._elsewhere(leaf.oid) IS NOT NULL THEN
			RETURN which || gid._elsewhere(leaf.oid);
		ELSIF leaf.relowner <> (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user) THEN
			RETURN which || 'the role does not own the table';
		ELSIF leaf.relkind NOT IN ('r', 'p') THEN
			RETURN which || 'it is not a table';
		ELSIF leaf.relkind = 'r' AND NOT leaf.is_indexed THEN
			RETURN which || 'no index begins with the column';
		END IF;
	END LOOP;
	RETURN NULL;
END
$$;

-- A column and its sequence: why "greatest" is unknown, or NULL.  The column comes first: the
-- sequence is then beyond every value that was drawn from it and is in the column.
CREATE FUNCTION gid._column(relation oid, attribute name, sequence oid, is_identity boolean,
	OUT last bigint, OUT next numeric, OUT "greatest" bigint, OUT behind boolean, OUT unknown text)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	up boolean := (SELECT s.seqincrement > 0 FROM pg_sequence AS s WHERE s.seqrelid = sequence);
	is_known boolean := false;
	name text;
BEGIN
	BEGIN
		unknown := gid._column_unknown(relation, attribute, sequence, is_identity);		-- pg_get_expr() locks the table
		IF unknown IS NULL THEN
			name := gid._held(relation, false);
			IF name IS NULL THEN
				unknown := 'the role does not own the schema of the table';
			ELSE
				EXECUTE format('SELECT %s(%I) FROM %s', CASE WHEN up THEN 'max' ELSE 'min' END, attribute, name) INTO "greatest";
			END IF;
		END IF;
		RAISE SQLSTATE 'GID00';		-- ends the locks: a database can have more tables than the server has locks
	EXCEPTION WHEN SQLSTATE 'GID00' THEN
		NULL;
	WHEN lock_not_available OR undefined_table OR undefined_column OR insufficient_privilege OR invalid_schema_name THEN
		unknown := 'the table is locked';
	END;
	BEGIN
		IF gid._may_read(sequence) THEN
			SELECT s.last, s.next INTO last, next FROM gid._stand(sequence, false) AS s;
			is_known := true;
		END IF;
	EXCEPTION WHEN lock_not_available OR undefined_table OR object_not_in_prerequisite_state
		OR insufficient_privilege OR invalid_schema_name THEN
		NULL;				-- locked, dropped, or another session's; or it was moved
	END;
	IF unknown IS NULL AND (NOT is_known OR next IS NULL) THEN
		unknown := 'the sequence is locked, or the role may not read it';
		"greatest" := NULL;
	END IF;
	IF unknown IS NULL THEN
		behind := coalesce(CASE WHEN up THEN "greatest" >= next ELSE "greatest" <= next END, false);
		-- a sequence that has come to its end has no next value
		IF behind AND (SELECT next NOT BETWEEN s.seqmin AND s.seqmax AND NOT s.seqcycle FROM pg_sequence AS s WHERE s.seqrelid = sequence) THEN
			behind := CASE WHEN up THEN "greatest" > last ELSE "greatest" < last END;
		END IF;
	END IF;
END
$$;

-- The last value that both the type of a column and its sequence allow.
CREATE FUNCTION gid._column_limit(relation oid, attribute name, sequence oid)
RETURNS numeric
LANGUAGE SQL STABLE
RETURN (SELECT CASE WHEN s.seqincrement > 0 THEN least(s.seqmax, CASE t WHEN 'smallint'::regtype THEN 32767
			WHEN 'integer'::regtype THEN 2147483647 ELSE 9223372036854775807 END)
		ELSE greatest(s.seqmin, CASE t WHEN 'smallint'::regtype THEN -32768
			WHEN 'integer'::regtype THEN -2147483648 ELSE -9223372036854775808 END) END
	FROM pg_sequence AS s, gid._column_type(relation, attribute) AS t WHERE s.seqrelid = sequence);

BODY OF gid.stat_get_column_state(oid, name, oid, boolean), VOLATILE IN plpgsql
SET lock_timeout = '1ms'
AS $$
DECLARE
	state CONSTANT record := gid._column(relation, attribute, sequence, is_identity);
BEGIN
	last := state.last;
	"greatest" := state."greatest";
	behind := state.behind;
	unknown := state.unknown;
	readable := gid._may_read(sequence)
		AND coalesce(unknown, '') !~ '(^|: )(the role |row security |the table is locked|the sequence is locked)';
	IF gid._may_read(sequence) THEN
		used := (SELECT CASE WHEN state.last IS NULL OR i.cycles THEN 0
				ELSE least((abs(state.last - i.first) + 1) / (abs(gid._column_limit(relation, attribute, sequence) - i.first) + 1), 1) END
			FROM (SELECT CASE WHEN s.seqincrement > 0 THEN s.seqmin ELSE s.seqmax END::numeric,
					s.seqcycle AND gid._column_limit(relation, attribute, sequence) IN (s.seqmin, s.seqmax)
				FROM pg_sequence AS s WHERE s.seqrelid = sequence) AS i(first, cycles));
	END IF;
END
$$;

COMMENT ON VIEW gid.columns IS
'Lists the columns of this database that draw from a sequence. Each row shows how far the sequence and the column have advanced. The view waits for a lock for a millisecond at most.';

COMMENT ON COLUMN gid.columns.greatest IS
'The greatest value in the column, or the least if INCREMENT is negative. Without the library, uncommitted rows of others do not count. NULL if there is none, if the caller is not the owner of the table with its partitions and children, if its schema belongs to another role that is neither a superuser nor the owner of gid, if row security applies, or if the values of a table are not known (see "unknown").';

COMMENT ON COLUMN gid.columns.behind IS
'True if the column already contains the next value to be drawn or one beyond it. In this case, call gid_catch_up(). NULL if unknown, and without SELECT on the sequence while no value has been drawn.';

-- One row: the table with all its partitions and children.
BODY OF gid.catch_up_members(oid, name, oid, boolean, boolean) IN plpgsql
AS $$
DECLARE
	state record;
	s pg_sequence;
	owner name;
	final numeric;
BEGIN
	PERFORM gid._check_writes('gid_catch_up()');
	member := relation;
	-- before any lock: nobody waits for a table whose sequence he may not move
	IF NOT coalesce(has_sequence_privilege(sequence, 'UPDATE'), false) THEN
		IF is_named THEN
			reason := 'the role may not update the sequence';
			done := false;
			RETURN NEXT;
		END IF;
		RETURN;
	END IF;
	state := gid._column(relation, attribute, sequence, is_identity);
	was := state.last;
	now := state.last;
	IF state.unknown IS NOT NULL THEN
		IF is_named THEN
			reason := state.unknown;
			done := false;
			RETURN NEXT;
		END IF;
		RETURN;
	ELSIF NOT state.behind THEN
		IF is_named THEN
			done := true;
			RETURN NEXT;
		END IF;
		RETURN;
	END IF;
	SELECT * INTO s FROM pg_sequence AS q WHERE q.seqrelid = sequence;
	owner := (SELECT pg_get_userbyid(c.relowner) FROM pg_class AS c WHERE c.oid = relation);
	final := gid._column_limit(relation, attribute, sequence);
	reason := CASE
		WHEN NOT has_sequence_privilege(owner, sequence, 'USAGE, UPDATE') THEN 'the owner of the table may not draw from the sequence'
		WHEN s.seqcycle THEN 'the sequence has CYCLE'
		WHEN CASE WHEN s.seqincrement > 0 THEN greatest(state."greatest", state.next) > final
			ELSE least(state."greatest", state.next) < final END THEN 'the value is beyond the range of the sequence'
		-- one row with the greatest number of its type must not use up the sequence
		WHEN div(state."greatest" - state.next, s.seqincrement) > div(div(final - state.next, s.seqincrement), 2)
			THEN 'it would take more than half of the values that are left' END;
	IF reason IS NULL AND div(state."greatest" - state.next, s.seqincrement) >= 9999
		AND NOT pg_has_role((SELECT c.relowner FROM pg_class AS c WHERE c.oid = sequence), 'USAGE') THEN
		reason := 'the role does not own the sequence, and 10000 values or more are to be skipped';
	END IF;
	IF reason IS NULL THEN
		now := gid._advance(sequence, state."greatest");
	END IF;
	done := reason IS NULL;
	RETURN NEXT;
END
$$;

COMMENT ON FUNCTION gid_catch_up(regclass[]) IS
'Calls gid_advance() for each column whose sequence is behind. It checks the given tables, or all tables that the role owns and whose sequences it can update. Each row shows the sequence''s old and new positions, whether it is now beyond the column (done) and, if not, the reason. Every given table has a row. If done is NULL, gid cannot see whether the table draws from a sequence. A sequence is not moved if it has CYCLE, if "behind" is NULL, or if the step exceeds its range or half of the remaining values. Without given tables, there are rows only for columns whose "behind" is true. Nor is a sequence moved if the table''s owner is not allowed to draw from it. The function waits for locks on the tables. Without the library, it does not see rows that others have not committed yet, so run it after the import has been committed, or in its transaction. A partition or an inheritance child that cannot be checked keeps the whole table from being done. Do not call it for a table that contains ids from other servers. Errors: 25006 in a read-only transaction and during recovery.';

--
-- Looking into ids
--

BODY OF gid.inspect_family(text) IN plpgsql
AS $$
BEGIN
	IF family COLLATE "C" NOT IN ('trace', 'snowflake', 'decimal', 'next') THEN
		PERFORM gid._raise('22023', format('unknown family of 63-bit ids: "%s"', gid._shown(family)),
			'The families are trace, snowflake, decimal and next.', 'Name one of them, or leave the argument out.');
	END IF;
	RETURN family;
END
$$;

-- The forms are those of src/text/id_text.c, in the same order.  A GDID is recognized, and
-- then refused.  URLs are not read, and no detail says that a text nearly has a form.
BODY OF gid.inspect_text(text) IN plpgsql
AS $$
DECLARE
	crockford CONSTANT text COLLATE "C" := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
	base32hex CONSTANT text COLLATE "C" := '0123456789ABCDEFGHIJKLMNOPQRSTUV';
	-- what people send along, in ASCII: quotes, brackets and the end of a sentence
	sent CONSTANT text COLLATE "C" := regexp_replace(id COLLATE "C",
		E'^[ \t\n\x0B\f\r"''`<>(\\[]*(.*?)[ \t\n\x0B\f\r"''`>)\\].,;]*$', '\1');
	given CONSTANT text COLLATE "C" := translate(sent, E' \t\n\x0B\f\r', '');
	suffix text COLLATE "C" := substring(given FROM '_([^_]*)$');
	typed text COLLATE "C" := gid._typed(coalesce(suffix, given), 'crockford');
	before text COLLATE "C" := left(given, -length(suffix) - 1);
	is_crockford CONSTANT boolean := gid._foreign(typed, crockford) = 0;
	uuid_form CONSTANT text := '([0-9a-f]{4}-?){7}[0-9a-f]{4}';
	hex uuid;
	is_common boolean;
	problem text;
	number numeric;
BEGIN
	IF given = '' THEN
		problem := 'The text is empty.';
	ELSIF given <> sent AND length(given) > 128 THEN
		NULL;
	ELSIF sent ~ E'[ \t\n\x0B\f\r].*_' THEN
		problem := 'A prefix has 1 to 63 lower-case letters and underscores, and a letter at both ends.';
	ELSIF given ~* ('^urn:uuid:(' || uuid_form || '|\{' || uuid_form || '\})$') THEN
		form := 'UUID';
		as_uuid := substr(given, 10);
	ELSIF given ~* '^urn:uuid:' THEN
		NULL;
	ELSIF strpos(given, ':') > 0 THEN
		IF given ~ '^[0-9]+:[0-9]+:[0-9]+$' THEN
			form := 'GDID';
		END IF;
	ELSIF suffix IS NOT NULL THEN
		form := CASE WHEN NOT is_crockford OR typed = '' THEN NULL
			WHEN length(typed) = 26 THEN CASE WHEN gid._foreign(suffix, lower(crockford)) = 0 THEN 'TypeID' ELSE 'Crockford text of a uuid' END
			WHEN length(typed) = 20 AND suffix !~ '^[1-9][0-9]{19}$' THEN 'Crockford text of a gdid'
			WHEN suffix ~ '^[0-9]+$' THEN 'decimal number'
			WHEN length(typed) <= 13 THEN 'Crockford text of a bigint' END;
		IF form = 'decimal number' THEN
			number := suffix::numeric;
		END IF;
		IF form IS NOT NULL AND (octet_length(before) > 63 OR before !~ '^[a-z]([a-z_]*[a-z])?$') THEN
			form := NULL;
			problem := 'A prefix has 1 to 63 lower-case letters and underscores, and a letter at both ends.';
		END IF;
		prefix := CASE WHEN form IS NOT NULL THEN before END;
	ELSIF given ~* ('^(' || uuid_form || '|\{' || uuid_form || '\})$') THEN
		form := 'UUID';
		as_uuid := given;
	ELSIF given ~* '^(0x)?[0-9a-f]{24}$' THEN
		form := 'hexadecimal GDID';
	ELSE
		typed := upper(given);
		-- 130 bits, of which the last two are 0
		IF typed ~ '^[0-9A-V]{26}(======)?$' AND mod(gid._number(left(typed, 26), base32hex), 4) = 0 THEN
			hex := gid._uuid_of(div(gid._number(left(typed, 26), base32hex), 4));
			is_common := gid._is_rfc(hex) AND get_byte(uuid_send(hex), 6) >> 4 IN (4, 7);
			hex := CASE WHEN is_common OR typed !~ '^[0-9]+$' THEN hex END;
		END IF;
		typed := gid._typed(given, 'crockford');
		IF length(typed) = 26 AND is_crockford AND (typed < '8' OR hex IS NULL) THEN
			form := 'ULID';
			as_base32hex := CASE WHEN is_common THEN hex END;
		ELSIF hex IS NOT NULL THEN
			form := 'base32hex';
			as_uuid := hex;
		ELSIF length(typed) = 20 AND is_crockford AND given !~ '^[1-9][0-9]{19}$' THEN
			form := 'Crockford text of a gdid';
		ELSIF given ~ '^-?[0-9]+$' THEN
			form := 'decimal number';
			number := CASE WHEN length(ltrim(given, '-0')) < 20 THEN given::numeric ELSE 9223372036854775808 END;
		END IF;
	END IF;

	IF form IN ('ULID', 'TypeID', 'Crockford text of a uuid') THEN
		IF typed < '8' THEN
			as_uuid := gid._uuid_of(gid._number(typed, crockford));
		ELSE
			problem := 'too large';
		END IF;
	ELSIF form IN ('decimal number', 'Crockford text of a bigint') THEN
		number := coalesce(number, gid._number(typed, crockford));
		IF number BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
			as_bigint := number;
		ELSE
			problem := 'too large';
		END IF;
	ELSIF form ~ 'GDID|gdid' THEN
		PERFORM gid._raise('0A000', format('cannot read "%s" as an id', gid._shown(id)),
			format('The text has the form "%s". The type gdid needs gid''s library.', form),
			'The programs of doc/decoders read it, and so does a server that has the library.');
	END IF;
	IF problem = 'too large' THEN
		problem := format('The text has the form "%s", but its number is too large for this form.', form);
	END IF;
	IF problem IS NOT NULL OR form IS NULL THEN
		PERFORM gid._raise('22P02', format('cannot read "%s" as an id', gid._shown(id)),
			coalesce(problem, 'The text has none of the forms of an id.'),
			'Give a UUID, a ULID, a GDID, a decimal bigint, or a lower-case prefix, an underscore and an id in Crockford''s alphabet or in decimal. Decode any other text of gid_encode() first, for example gid_inspect(gid_decode_bigint(''2JG'', ''crockford'')). Only its charset tells what a code is: see gid_code_normalize() and gid_check_valid().');
	END IF;
END
$$;

COMMENT ON FUNCTION gid.inspect_text(text) IS
'Reads the id of a text, for gid_inspect(text). Returns the form of the text, the prefix before its last underscore or NULL, and the id as uuid or bigint; the other one is NULL. as_base32hex is the version 4 or 7 UUID that a ULID is in base32hex, or NULL. Errors: 0A000 for a GDID; 22P02 for any other text.';

-- The library's body, without GDIDs.
BODY OF gid_inspect(text) IN sql
BEGIN ATOMIC
WITH
pasted AS MATERIALIZED (
	SELECT t.*, CASE WHEN t.form IN ('ULID', 'TypeID', 'Crockford text of a uuid') AND gid_extract_v7_time(t.as_uuid) IS NULL
		-- the time of the version 7 UUID with the same first 48 bits
		THEN gid_extract_v7_time(overlay(overlay(t.as_uuid::text PLACING '7' FROM 15) PLACING '8' FROM 20)::uuid)
		END AS first_bits
	FROM gid.inspect_text(gid_inspect.id) AS t),
given AS MATERIALIZED (
	SELECT pasted.*, coalesce(first_bits > timestamptz '1970-01-01 00:00:00+00'
		AND first_bits <= pg_catalog.now() + interval '1 day', false) AS is_ulid
	FROM pasted),
uuid AS (
	SELECT i.number, i.part, i.value, given.is_ulid, pg_catalog.first_value(i.value) OVER (ORDER BY i.number) AS family
	FROM given, LATERAL gid_inspect(given.as_uuid) WITH ORDINALITY AS i (part, value, number)),
line AS (
	SELECT 1 AS step, uuid.number, uuid.part,
		CASE WHEN is_ulid THEN 'ulid or ' ELSE '' END || family AS value
	FROM uuid WHERE uuid.number = 1
	UNION ALL
	SELECT 2, i.number, i.part, i.value
	FROM given, LATERAL (VALUES
		(1, 'ulid.meaning', 'ULID: Unix time and random'),
		(2, 'ulid.time', given.first_bits::text),
		(3, 'ulid.random', pg_catalog.substr(pg_catalog.encode(pg_catalog.uuid_send(given.as_uuid), 'hex'), 13)))
		AS i (number, part, value)
	WHERE given.is_ulid
	UNION ALL
	SELECT 3, uuid.number, CASE WHEN is_ulid AND family NOT LIKE '% or %' THEN family || '.' ELSE '' END || uuid.part, uuid.value
	FROM uuid WHERE uuid.number > 1
	UNION ALL
	SELECT 3, i.number, i.part, i.value
	FROM given, LATERAL gid_inspect(given.as_bigint, NULL::text) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 4, i.number, i.part, i.value
	FROM given, LATERAL (VALUES
		(1, 'form', given.form),
		(2, 'prefix', given.prefix),
		(3, 'id', coalesce(given.as_uuid::text, given.as_bigint::text)),
		(4, 'remark', 'may also be base32hex of ' || given.as_base32hex::text),
		-- with a prefix, digits alone: one digit is the same number, 14 have more than 63 bits
		(5, 'remark', CASE WHEN given.form = 'decimal number' AND given.prefix IS NOT NULL AND given.as_bigint BETWEEN 10 AND 7999999999999
			THEN 'may also be the Crockford text of ' || gid_decode_bigint(given.as_bigint::text, 'crockford')::text END))
		AS i (number, part, value))
SELECT line.part, line.value
FROM line
WHERE line.value IS NOT NULL
ORDER BY line.step, line.number;
END;

COMMENT ON FUNCTION gid_inspect(text) IS
'Returns the parts of the id that a text contains. The last rows show the text''s form, any prefix and the id. The text can be a UUID, a ULID, a UUID in base32hex or a decimal bigint. It can also be a lower-case prefix, an underscore and a decimal bigint or an id in Crockford''s alphabet. Blanks and line ends in the text, quotes and brackets of ASCII around it, and a full stop or comma after it are ignored. For a ULID, the family is ulid, and the families that its bits also fit. If the text has another reading, the row "remark" shows that. Without the library, no URL is read, and an error does not say what is wrong with a text that is nearly an id. Errors: 0A000 for a GDID, which needs the library; 22P02 for any other text.';

--
-- Views: those of the words, blocks and leases are empty
--

BODY OF gid.stat_get_backends() IN sql
BEGIN ATOMIC
	SELECT NULL::int, NULL::int, NULL::text, NULL::timestamptz, NULL::bigint WHERE false;
END;

BODY OF gid.stat_get_sequences() IN sql
BEGIN ATOMIC
	SELECT NULL::oid, NULL::oid, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint
	WHERE false;
END;

BODY OF gid.stat_get_blocks() IN sql
BEGIN ATOMIC
	SELECT 0, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint;
END;

BODY OF gid.stat_get_reader_evictions() IN sql
RETURN 0::bigint;

BODY OF gid.stat_get_clock() IN sql
BEGIN ATOMIC
	SELECT NULL::text, NULL::timestamptz, NULL::timestamptz, NULL::interval, NULL::bigint, NULL::bigint WHERE false;
END;

BODY OF gid.stat_get_node() IN sql
BEGIN ATOMIC
	SELECT NULL::int, NULL::timestamptz, NULL::text;
END;

BODY OF gid.stat_get_horizon() IN sql
BEGIN ATOMIC
	SELECT NULL::text, NULL::int, NULL::xid, NULL::timestamptz WHERE false;
END;

BODY OF gid.stat_get_readers() IN sql
BEGIN ATOMIC
	SELECT NULL::oid, NULL::oid, NULL::timestamptz, NULL::bigint, NULL::bigint, NULL::interval, NULL::int, NULL::int WHERE false;
END;

BODY OF gid.stat_get_node_leases() IN sql
BEGIN ATOMIC
	SELECT NULL::int, NULL::uuid, NULL::timestamptz, NULL::timestamptz, NULL::text, NULL::text WHERE false;
END;

COMMENT ON VIEW gid.stat_backends IS
'Empty: without the library, gid does not count the ids that a backend generates.';

COMMENT ON VIEW gid.stat_sequences IS
'Empty: without the library, no sequence has blocks in shared memory.';

COMMENT ON VIEW gid.stat_blocks IS
'All numbers are 0: without the library, no sequence has blocks in shared memory.';

COMMENT ON VIEW gid.metrics IS
'What a collector such as a Prometheus exporter reads from this database, for members of pg_monitor. Without the library, what is counted in shared memory is 0, and rows of the clock are missing. The rows of columns need the rights of the table''s owner.';

COMMENT ON VIEW gid.stat_clock IS
'Empty: without the library, the server has no clock of its own for ids.';

COMMENT ON VIEW gid.stat_readers IS
'Empty: without the library, each session keeps what it knows of a horizon to itself.';

COMMENT ON VIEW gid.stat_node_leases IS
'Empty: without the library, a server leases no node numbers.';

COMMENT ON VIEW gid.stat_horizon IS
'Lists the transactions that hold back the horizons of this database. Each row is an open or prepared transaction that has drawn from a sequence. The horizon advances when the transaction ends.';

--
-- The edition
--

BODY OF gid_edition() IN sql
RETURN 'sql'::text;

-- Makers of ids that never repeat on a server, because all sessions draw from one word in
-- shared memory, or from numbers that are on disk first; the horizons of words; and what
-- other servers ask for.
LOUD gid_uuid_v7_horizon(), gid_uuid_sequential(), gid_uuid_sequential_horizon(), gid_uuid_sequential_mssql(),
	gid_uuid_shard(bigint), gid_uuid_shard(), gid_trace_id(), gid_decimal_id(), gid_snowflake_id(bigint),
	gid_snowflake_id_horizon(bigint), gid.authority_block(text, text, int, bigint), gid.authority_generator(int),
	gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int), gid.authority_confirm(), gid.authority_resume();

-- Plans of the library call these, and no dump names them.
ABSENT gid.serve_nextval(regclass), gid.serve_identity(regclass), gid.serve_currval(regclass), gid.serve_lastval(),
	gid.serve_setval(regclass, bigint), gid.serve_setval(regclass, bigint, boolean);

-- The leases of an authority.  Dumps have the rows of gid.node_writer, and nothing of these.
ABSENT gid.node_leases;
