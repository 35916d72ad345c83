/* gid--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gid" to load this file. \quit

--
-- UUID version 7 (RFC 9562)
--

CREATE FUNCTION gid_uuid_v7()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7() IS
'new UUID version 7 (RFC 9562): Unix milliseconds and a 16-bit fraction, strictly increasing over the server, then 58 random bits; errors XX001, 58030, 53100 when gid.clock cannot be used';

CREATE FUNCTION gid_uuid_v7_at(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_at(timestamptz) IS
'UUID version 7 of the millisecond of "at" (1970-01-01 to 10889-08-02, else 22008), random below it; for backfill';

CREATE FUNCTION gid_uuid_v7_min(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_min'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_min(timestamptz) IS
'smallest UUID version 7 of the millisecond of "at" (1970-01-01 to 10889-08-02, else 22008)';

CREATE FUNCTION gid_uuid_v7_max(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_max(timestamptz) IS
'largest UUID version 7 of the millisecond of "at" (1970-01-01 to 10889-08-02, else 22008)';

-- Not STRICT: a strict body of two conditions is not inlined.
CREATE FUNCTION gid_uuid_v7_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_uuid_v7_min(since) AND id < gid_uuid_v7_min(until);

COMMENT ON FUNCTION gid_uuid_v7_between(uuid, timestamptz, timestamptz) IS
'is the UUID version 7 of a time in [since, until), to the millisecond? Inlined: an index on id and partition pruning serve it';

CREATE FUNCTION gid_extract_v7_time(id uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_v7_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_v7_time(uuid) IS
'time in a UUID version 7, to the millisecond; NULL for another version or variant';

--
-- Sequential UUIDs (process id and ticks)
--

CREATE FUNCTION gid_uuid_sequential()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential() IS
'new UUID of ticks (100 ns since 0001-01-01 UTC) and the process id of this server start, strictly increasing over the server in PostgreSQL''s order; errors as gid_uuid_v7()';

CREATE FUNCTION gid_uuid_sequential_mssql()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_mssql'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential_mssql() IS
'the same as gid_uuid_sequential(), in the byte order of .NET''s Guid that SQL Server sorts; for rows that go there';

CREATE FUNCTION gid_uuid_to_mssql(id uuid)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_to_mssql'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_to_mssql(uuid) IS
'the id with its bytes moved so that SQL Server''s order of the results is PostgreSQL''s order of the ids; inverse of gid_uuid_from_mssql()';

CREATE FUNCTION gid_uuid_from_mssql(id uuid)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_from_mssql'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_from_mssql(uuid) IS
'the id with its bytes moved so that PostgreSQL''s order of the results is SQL Server''s order of the ids; inverse of gid_uuid_to_mssql()';

CREATE FUNCTION gid_make_uuid_sequential(ticks bigint, process bytea)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_make_uuid_sequential'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_uuid_sequential(bigint, bytea) IS
'sequential UUID of ticks (0 to 3155378975999999999) and process id (8 bytes in the order of .NET''s array), in PostgreSQL''s byte order; 22003 when out of range';

CREATE FUNCTION gid_uuid_sequential_min(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_min'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential_min(timestamptz) IS
'smallest sequential UUID of the moment "at" (years 1 to 9999, else 22008): its first tick, process id 0';

CREATE FUNCTION gid_uuid_sequential_max(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential_max(timestamptz) IS
'largest sequential UUID of the moment "at" (years 1 to 9999, else 22008): the last of the 10 ticks of its microsecond, process id all ones';

CREATE FUNCTION gid_uuid_sequential_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_uuid_sequential_min(since) AND id < gid_uuid_sequential_min(until);

COMMENT ON FUNCTION gid_uuid_sequential_between(uuid, timestamptz, timestamptz) IS
'is the sequential UUID of a time in [since, until), to the tick? Inlined: an index on id and partition pruning serve it';

CREATE FUNCTION gid_extract_sequential_ticks(id uuid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_extract_sequential_ticks'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_sequential_ticks(uuid) IS
'ticks of a sequential UUID: the first 8 bytes as they are';

CREATE FUNCTION gid_extract_sequential_time(id uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_sequential_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_sequential_time(uuid) IS
'time in a sequential UUID, to the microsecond; NULL when its ticks lie outside the years 1 to 9999 or it looks like an RFC UUID';

CREATE FUNCTION gid_extract_sequential_process(id uuid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_extract_sequential_process'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_sequential_process(uuid) IS
'process id in a sequential UUID, 8 bytes in the order of .NET''s array; NULL when its ticks lie outside the years 1 to 9999 or it looks like an RFC UUID';

--
-- Shard-key UUIDs
--

CREATE FUNCTION gid_uuid_shard(shard bigint)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard(bigint) IS
'new UUID that carries a shard key (0 to 4294967295, else 22003), for one key strictly increasing over the server; other errors as gid_uuid_v7()';

CREATE FUNCTION gid_uuid_shard()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_default'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard() IS
'new UUID that carries the shard key of the setting gid.shard_key; 55000 when it is unset';

CREATE FUNCTION gid_make_uuid_shard(at timestamptz, generator bytea, counter int, shard bigint)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_make_uuid_shard'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_uuid_shard(timestamptz, bytea, int, bigint) IS
'shard-key UUID of the second of "at" mod 2^32 (from 1970 on, else 22008), generator (5 bytes in the order of .NET''s array), counter (0 to 16777215) and shard key (0 to 4294967295); 22003 when out of range';

CREATE FUNCTION gid_uuid_shard_min(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_min'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard_min(timestamptz) IS
'smallest shard-key UUID of the second of "at" (from 1970 on, else 22008), of any generator and shard';

CREATE FUNCTION gid_uuid_shard_max(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard_max(timestamptz) IS
'largest shard-key UUID of the second of "at" (from 1970 on, else 22008), of any generator and shard';

CREATE FUNCTION gid_uuid_shard_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_uuid_shard_min(since) AND id < gid_uuid_shard_min(until);

COMMENT ON FUNCTION gid_uuid_shard_between(uuid, timestamptz, timestamptz) IS
'is the shard-key UUID of a time in [since, until), to the second? Inlined: an index on id and partition pruning serve it';

CREATE FUNCTION gid_extract_shard(id uuid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_extract_shard'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_shard(uuid) IS
'shard key in a shard-key UUID, 0 to 4294967295';

CREATE FUNCTION gid_extract_shard_time(id uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_shard_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_shard_time(uuid) IS
'time in a shard-key UUID, to the second, 1970-01-01 to 2106-02-07';

CREATE FUNCTION gid_extract_shard_generator(id uuid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_extract_shard_generator'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_shard_generator(uuid) IS
'generator in a shard-key UUID, 5 bytes in the order of .NET''s array';

CREATE FUNCTION gid_extract_shard_counter(id uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_shard_counter'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_shard_counter(uuid) IS
'counter in a shard-key UUID, 0 to 16777215';

CREATE FUNCTION gid_region_shard(region int, shard int)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_region_shard'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_region_shard(int, int) IS
'shard key of a region (0 to 1023; UN M.49 numbers fit) and a shard within it (0 to 4194303): region << 22 | shard; 22003 when out of range';

CREATE FUNCTION gid_extract_region(id uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_region'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_region(uuid) IS
'region, 0 to 1023, of the shard key in a shard-key UUID';

CREATE FUNCTION gid_extract_region_shard(id uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_region_shard'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_region_shard(uuid) IS
'shard within its region, 0 to 4194303, of the shard key in a shard-key UUID';

--
-- TraceIds
--

CREATE FUNCTION gid_trace_id()
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_trace_id'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_trace_id() IS
'new TraceId: 25 bits of Unix seconds, 16 of gid.node_no, 12 of thread, 10 of counter; 1 or more, strictly increasing over the server until the seconds wrap (388.36 days); errors as gid_uuid_v7()';

CREATE FUNCTION gid_make_trace_id(at timestamptz, node int, thread int, counter int, thread_bits int DEFAULT 12)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_make_trace_id'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_trace_id(timestamptz, int, int, int, int) IS
'TraceId of the second of "at" mod 2^25 (from 1970 on, else 22008), node (0 to 65535), thread (thread_bits bits, 0 to 22) and counter (the rest of 22 bits), the latter two not both 0; 22003 when out of range';

CREATE FUNCTION gid_trace_id_min(at timestamptz)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_trace_id_min'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_trace_id_min(timestamptz) IS
'lower end of the TraceIds of the second of "at" (from 1970 on, else 22008), of any node';

CREATE FUNCTION gid_trace_id_max(at timestamptz)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_trace_id_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_trace_id_max(timestamptz) IS
'largest TraceId of the second of "at" (from 1970 on, else 22008), of any node';

CREATE FUNCTION gid_extract_trace_time(id bigint, near timestamptz)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_trace_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_time(bigint, timestamptz) IS
'time in a TraceId: the latest second not after "near" (finite, else 22008) that agrees with it mod 2^25 (388.36 days); NULL when it cannot be a TraceId';

CREATE FUNCTION gid_extract_trace_time(id bigint)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_trace_time_now'
LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_time(bigint) IS
'time in a TraceId not older than 387 days: the same with near = now() + 1 day';

CREATE FUNCTION gid_extract_trace_node(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_trace_node'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_node(bigint) IS
'node in a TraceId, 0 to 65535; NULL when it cannot be a TraceId';

CREATE FUNCTION gid_extract_trace_thread(id bigint, thread_bits int DEFAULT 12)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_trace_thread'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_thread(bigint, int) IS
'thread in a TraceId: the upper thread_bits (0 to 22, else 22003) of the low 22 bits; NULL when it cannot be a TraceId';

CREATE FUNCTION gid_extract_trace_counter(id bigint, thread_bits int DEFAULT 12)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_trace_counter'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_counter(bigint, int) IS
'counter in a TraceId: what thread_bits (0 to 22, else 22003) leave of the low 22 bits; NULL when it cannot be a TraceId';

--
-- DecimalIds
--

-- The value is launch * 100000 + generator number; gid_decimal_id() reserves.
-- Owned by the extension's owner, so that a role that is no superuser can dump
-- and restore it.
CREATE SEQUENCE gid_decimal_generator
MINVALUE 0 MAXVALUE 9999999999;

ALTER SEQUENCE gid_decimal_generator OWNER TO @extowner@;

COMMENT ON SEQUENCE gid_decimal_generator IS
'generator numbers of DecimalIds that have been reserved: launch * 100000 + generator';

SELECT pg_catalog.pg_extension_config_dump('gid_decimal_generator', '');

CREATE FUNCTION gid_decimal_id()
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_decimal_id'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_decimal_id() IS
'new DecimalId: counter * 10^10 + generator * 10^5 + gid.launch_id; 55000 when the launch is unset or behind, 2200H when its generators are used up, 25006 in a read-only transaction or in recovery';

CREATE FUNCTION gid_make_decimal_id(counter int, generator int, launch int)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_make_decimal_id'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_decimal_id(int, int, int) IS
'DecimalId of counter (1 to 922337202), generator (0 to 99999) and launch (0 to 99999); 22003 when out of range';

CREATE FUNCTION gid_extract_decimal_counter(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_decimal_counter'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_decimal_counter(bigint) IS
'counter in a DecimalId, 1 to 922337202; NULL when it cannot be a DecimalId';

CREATE FUNCTION gid_extract_decimal_generator(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_decimal_generator'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_decimal_generator(bigint) IS
'generator in a DecimalId, 0 to 99999; NULL when it cannot be a DecimalId';

CREATE FUNCTION gid_extract_decimal_launch(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_decimal_launch'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_decimal_launch(bigint) IS
'launch in a DecimalId, 0 to 99999; NULL when it cannot be a DecimalId';

--
-- Durable sequences
--

CREATE FUNCTION gid_next(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_next'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next(regclass) IS
'next value of a sequence, as nextval(), from a block that all sessions share and that is on disk: in order over all sessions, never twice after a crash; needs USAGE or UPDATE; 2200H at the end of the sequence, 0A000 when it is temporary or unlogged, 25006 in a read-only transaction or in recovery';

CREATE FUNCTION gid_next_many(seq regclass, count int)
RETURNS SETOF bigint
AS 'MODULE_PATHNAME', 'gid_next_many'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_many(regclass, int) IS
'count (1 or more, else 22023) consecutive values of a sequence, reserved in one step; 2200H when it has not so many left, and then nothing is taken; other errors as gid_next()';

CREATE FUNCTION gid_forget(seq regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'gid_forget'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_forget(regclass) IS
'end the blocks of a sequence, so that a setval() takes effect at once; the values left in them are lost; needs UPDATE';

--
-- GDIDs
--

CREATE TYPE gdid;

CREATE FUNCTION gdid_in(value cstring)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gdid_in(cstring) IS
'input of gdid: era:authority:counter in decimal, or 24 hexadecimal digits; 22P02 for anything else';

CREATE FUNCTION gdid_out(id gdid)
RETURNS cstring
AS 'MODULE_PATHNAME', 'gid_gdid_out'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_out(gdid) IS
'output of gdid: era:authority:counter in decimal';

CREATE FUNCTION gdid_recv(message internal)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gdid_recv(internal) IS
'binary input of gdid: 12 bytes, else 22P03';

CREATE FUNCTION gdid_send(id gdid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_gdid_send'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_send(gdid) IS
'binary output of gdid: 12 bytes';

-- Its bytes are read as bytes, so no alignment is needed and no padding.
CREATE TYPE gdid (
	INPUT = gdid_in,
	OUTPUT = gdid_out,
	RECEIVE = gdid_recv,
	SEND = gdid_send,
	INTERNALLENGTH = 12,
	ALIGNMENT = char,
	STORAGE = plain
);

COMMENT ON TYPE gdid IS
'GDID: era (32 bits), authority (4), counter (60), in that order; text era:authority:counter';

CREATE FUNCTION gdid_lt(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_lt(gdid, gdid) IS
'implementation of the operator <: is a before b?';

CREATE FUNCTION gdid_le(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_le(gdid, gdid) IS
'implementation of the operator <=: is a not after b?';

CREATE FUNCTION gdid_eq(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_eq(gdid, gdid) IS
'implementation of the operator =: are both the same?';

CREATE FUNCTION gdid_ne(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_ne(gdid, gdid) IS
'implementation of the operator <>: are both different?';

CREATE FUNCTION gdid_ge(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_ge(gdid, gdid) IS
'implementation of the operator >=: is a not before b?';

CREATE FUNCTION gdid_gt(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_gt(gdid, gdid) IS
'implementation of the operator >: is a after b?';

CREATE OPERATOR < (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_lt,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);

COMMENT ON OPERATOR < (gdid, gdid) IS
'is a before b? By era, authority, counter';

CREATE OPERATOR <= (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_le,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);

COMMENT ON OPERATOR <= (gdid, gdid) IS
'is a not after b? By era, authority, counter';

CREATE OPERATOR = (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_eq,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);

COMMENT ON OPERATOR = (gdid, gdid) IS
'are both the same? By era, authority, counter';

CREATE OPERATOR <> (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_ne,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);

COMMENT ON OPERATOR <> (gdid, gdid) IS
'are both different? By era, authority, counter';

CREATE OPERATOR >= (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_ge,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);

COMMENT ON OPERATOR >= (gdid, gdid) IS
'is a not before b? By era, authority, counter';

CREATE OPERATOR > (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_gt,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR > (gdid, gdid) IS
'is a after b? By era, authority, counter';

CREATE FUNCTION gdid_cmp(a gdid, b gdid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_gdid_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_cmp(gdid, gdid) IS
'order of two GDIDs: -1, 0 or 1; support of btree';

CREATE FUNCTION gdid_sortsupport(sort internal)
RETURNS void
AS 'MODULE_PATHNAME', 'gid_gdid_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gdid_sortsupport(internal) IS
'support of btree: faster sorts';

CREATE FUNCTION gdid_hash(id gdid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_gdid_hash'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_hash(gdid) IS
'support of hash';

CREATE FUNCTION gdid_hash_extended(id gdid, seed bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_gdid_hash_extended'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_hash_extended(gdid, bigint) IS
'support of hash: 64 bits, with a seed';

CREATE OPERATOR CLASS gdid_ops DEFAULT FOR TYPE gdid USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 gdid_cmp(gdid, gdid),
	FUNCTION 2 gdid_sortsupport(internal),
	FUNCTION 4 pg_catalog.btequalimage(oid);

COMMENT ON OPERATOR CLASS gdid_ops USING btree IS
'order of gdid: era, authority, counter';
COMMENT ON OPERATOR FAMILY gdid_ops USING btree IS
'order of gdid: era, authority, counter';

CREATE OPERATOR CLASS gdid_ops DEFAULT FOR TYPE gdid USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 gdid_hash(gdid),
	FUNCTION 2 gdid_hash_extended(gdid, bigint);

COMMENT ON OPERATOR CLASS gdid_ops USING hash IS
'hashes of gdid';
COMMENT ON OPERATOR FAMILY gdid_ops USING hash IS
'hashes of gdid';

CREATE OPERATOR CLASS gdid_minmax_ops DEFAULT FOR TYPE gdid USING brin AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
	FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
	FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
	FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);

COMMENT ON OPERATOR CLASS gdid_minmax_ops USING brin IS
'smallest and largest gdid of a range of blocks';
COMMENT ON OPERATOR FAMILY gdid_minmax_ops USING brin IS
'smallest and largest gdid of a range of blocks';

CREATE FUNCTION gdid_smaller(a gdid, b gdid)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_smaller'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_smaller(gdid, gdid) IS
'the smaller of two GDIDs';

CREATE FUNCTION gdid_larger(a gdid, b gdid)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_larger'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_larger(gdid, gdid) IS
'the larger of two GDIDs';

CREATE AGGREGATE min(id gdid) (
	SFUNC = gdid_smaller, STYPE = gdid, COMBINEFUNC = gdid_smaller,
	SORTOP = <, PARALLEL = SAFE
);

COMMENT ON AGGREGATE min(gdid) IS
'smallest GDID';

CREATE AGGREGATE max(id gdid) (
	SFUNC = gdid_larger, STYPE = gdid, COMBINEFUNC = gdid_larger,
	SORTOP = >, PARALLEL = SAFE
);

COMMENT ON AGGREGATE max(gdid) IS
'largest GDID';

CREATE FUNCTION gdid_to_bytea(id gdid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_gdid_to_bytea'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_to_bytea(gdid) IS
'implementation of the cast: the 12 bytes of a GDID';

CREATE FUNCTION gdid_from_bytea(value bytea)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_from_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gdid_from_bytea(bytea) IS
'implementation of the cast: GDID of 12 bytes, else 22P03';

CREATE CAST (gdid AS bytea) WITH FUNCTION gdid_to_bytea(gdid);

COMMENT ON CAST (gdid AS bytea) IS
'12 bytes: the era in 4, authority and counter in 8, the highest byte first';

CREATE CAST (bytea AS gdid) WITH FUNCTION gdid_from_bytea(bytea);

COMMENT ON CAST (bytea AS gdid) IS
'GDID of 12 bytes, else 22P03';

CREATE FUNCTION gid_next_gdid(seq regclass)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_next_gdid'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_gdid(regclass) IS
'new GDID of gid.authority: the next value of a sequence is era * 2^60 + counter; 22003 when it is below 1, other errors as gid_next()';

CREATE FUNCTION gid_next_gdid(scope text, sequence text)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_next_gdid_named'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_gdid(text, text) IS
'new GDID of the sequence of that name in the schema of that name, both exact; 42P01 when there is none';

CREATE FUNCTION gid_next_gdids(seq regclass, count int)
RETURNS SETOF gdid
AS 'MODULE_PATHNAME', 'gid_next_gdids'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_gdids(regclass, int) IS
'count (1 or more, else 22023) new GDIDs of consecutive values of a sequence and one era, reserved in one step; errors as gid_next_many() and gid_next_gdid()';

CREATE FUNCTION gid_make_gdid(era bigint, authority int, counter bigint)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_make_gdid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_gdid(bigint, int, bigint) IS
'GDID of era (0 to 4294967295), authority (0 to 15) and counter (0 to 1152921504606846975); 22003 when out of range';

CREATE FUNCTION gid_extract_gdid_era(id gdid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_extract_gdid_era'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_gdid_era(gdid) IS
'era in a GDID, 0 to 4294967295';

CREATE FUNCTION gid_extract_gdid_authority(id gdid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_gdid_authority'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_gdid_authority(gdid) IS
'authority in a GDID, 0 to 15';

CREATE FUNCTION gid_extract_gdid_counter(id gdid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_extract_gdid_counter'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_gdid_counter(gdid) IS
'counter in a GDID, 0 to 1152921504606846975';

CREATE FUNCTION gid_gdid_hex(id gdid)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_gdid_hex'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_gdid_hex(gdid) IS
'GDID as 24 hexadecimal digits in lower case, which its input takes';

CREATE FUNCTION gid_gdid_pack(id gdid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_gdid_pack'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_gdid_pack(gdid) IS
'GDID in 2 to 15 bytes: ULEB128 of the era, then of authority << 60 | counter';

CREATE FUNCTION gid_gdid_unpack(packed bytea)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_unpack'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_gdid_unpack(bytea) IS
'inverse of gid_gdid_pack(); 22P03 when the bytes are not what it gives for some GDID';

--
-- Codes
--

CREATE FUNCTION gid_next_code(seq regclass, seed text, charset text DEFAULT 'numeric', ignore_case boolean DEFAULT false)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_next_code'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_code(regclass, text, text, boolean) IS
'new code: gid_lexical_add(seed, gid_next(seq), charset, ignore_case), and the errors of both';

CREATE FUNCTION gid_lexical_add(value text, count bigint, charset text DEFAULT 'numeric', ignore_case boolean DEFAULT false)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_lexical_add'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_lexical_add(text, bigint, text, boolean) IS
'the code "count" after "value" (before it if negative), counted from the right in one alphabet, growing (9, 00): charset numeric, alpha_lower, alpha_upper, alpha, alphanumeric_lower, alphanumeric_upper, alphanumeric, crockford or 2 to 94 characters; 22023 for another charset or a character outside it, 2200H when the code would be empty';

--
-- Ids that do not show their order
--

CREATE FUNCTION gid_permute(id bigint, key bytea, bits int DEFAULT 63)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_permute'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_permute(bigint, bytea, int) IS
'the id that a key of 16 to 64 bytes (else 22023) puts in the place of an id of 1 to 2^bits-1 (else 22003), of the same range, each once; bits 8 to 63, else 22003; hides the order of ids, is not encryption';

CREATE FUNCTION gid_unpermute(id bigint, key bytea, bits int DEFAULT 63)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_unpermute'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_unpermute(bigint, bytea, int) IS
'inverse of gid_permute() for the same key and bits, with the same errors';

--
-- Codecs
--

CREATE FUNCTION gid_encode(id bigint, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_encode_bigint'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_encode(bigint, text) IS
'id (0 to 9223372036854775807, else 22003) as a number in the base of the charset, as short as can be; charset as in gid_lexical_add(), 22023 for another';

CREATE FUNCTION gid_encode(id uuid, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_encode_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_encode(uuid, text) IS
'the 128 bits of a UUID as a number in the base of the charset, of fixed width (crockford: 26 characters, its ULID); 22023 for what is no charset';

CREATE FUNCTION gid_encode(id gdid, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_encode_gdid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_encode(gdid, text) IS
'the 96 bits of a GDID as a number in the base of the charset, of fixed width (crockford: 20 characters); 22023 for what is no charset';

CREATE FUNCTION gid_decode_bigint(code text, charset text)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_decode_bigint'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_decode_bigint(text, text) IS
'inverse of gid_encode(bigint, text); leading zeros are taken, and with crockford lower case, I and L as 1, O as 0; 22P02 for a character that is not in the charset, an empty text or a number above 9223372036854775807, 22023 for what is no charset';

CREATE FUNCTION gid_decode_uuid(code text, charset text)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_decode_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_decode_uuid(text, text) IS
'inverse of gid_encode(uuid, text); crockford as in gid_decode_bigint(); 22P02 for a character that is not in the charset, another width or a number of more than 128 bits, 22023 for what is no charset';

CREATE FUNCTION gid_decode_gdid(code text, charset text)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_decode_gdid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_decode_gdid(text, text) IS
'inverse of gid_encode(gdid, text); crockford as in gid_decode_bigint(); 22P02 for a character that is not in the charset, another width or a number of more than 96 bits, 22023 for what is no charset';

CREATE FUNCTION gid_check_append(code text, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_check_append'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_check_append(text, text) IS
'the code and its check character by Luhn mod N, N being the number of characters in the charset; crockford is read as in gid_decode_bigint(); 22023 for an empty code, a character that is not in the charset or what is no charset';

CREATE FUNCTION gid_check_valid(code text, charset text)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_check_valid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_check_valid(text, text) IS
'is it a code and the check character that gid_check_append() gives it? False for fewer than two characters and for one that is not in the charset; 22023 for what is no charset';

CREATE DOMAIN gid_id AS bigint
	CONSTRAINT gid_id_range CHECK (VALUE >= 1);

COMMENT ON DOMAIN gid_id IS
'an id: bigint from 1 on; NULL is allowed';
COMMENT ON CONSTRAINT gid_id_range ON DOMAIN gid_id IS
'an id is 1 or more';

CREATE DOMAIN gid_js_id AS bigint
	CONSTRAINT gid_js_id_range CHECK (VALUE BETWEEN 1 AND 9007199254740991);

COMMENT ON DOMAIN gid_js_id IS
'an id that JavaScript holds exactly: bigint from 1 to 2^53 - 1; NULL is allowed';
COMMENT ON CONSTRAINT gid_js_id_range ON DOMAIN gid_js_id IS
'an id is 1 to 9007199254740991, the greatest number up to which JavaScript has all integers';

--
-- More than one server
--

-- Not STRICT: vicinity may be NULL.
CREATE FUNCTION gid_authority_block(
	IN scope text, IN sequence text, IN size int, IN vicinity bigint DEFAULT NULL,
	OUT authority int, OUT era bigint, OUT start bigint, OUT count int)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_authority_block'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_authority_block(text, text, int, bigint) IS
'reserve a block of up to size (1 to 65536, else 22003) GDIDs of the sequence of exactly these names for another server: the counters from start on; vicinity is a hint that is not used; 42P01 when there is no such sequence, 55000 when it descends, 22003 when it is below 1, other errors as gid_next()';

CREATE FUNCTION gid_authority_generator(launch int)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_authority_generator'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_authority_generator(int) IS
'reserve a generator number (0 to 99999) of a launch (0 to 99999, else 22003) of DecimalIds for another server; 55000 when the launch is behind, 2200H when its generators are used up; not for PUBLIC, since numbers that are taken are gone';

REVOKE EXECUTE ON FUNCTION gid_authority_generator(int) FROM PUBLIC;

--
-- Looking into ids
--

-- The moments that an id may plausibly be of: from 1970 to a day from now.
-- What is less likely to look like it by chance comes first: of random UUIDs
-- one in a thousand has plausible ticks, four in ten have plausible seconds.
CREATE FUNCTION gid_inspect(id uuid)
RETURNS TABLE (part text, value text)
LANGUAGE SQL STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
WITH
raw AS (
	SELECT n, encode(n, 'hex') AS hex, get_byte(n, 6) >> 4 AS version,
		get_byte(n, 8) & 192 = 128 AND get_byte(n, 6) >> 4 BETWEEN 1 AND 8 AS is_rfc,
		timestamptz '1970-01-01 00:00:00+00' AS first, now() + interval '1 day' AS last
	FROM uuid_send(id) AS n),
plausible AS (
	SELECT raw.*,
		coalesce(is_rfc AND gid_extract_v7_time(id) BETWEEN first AND last, false) AS is_v7,
		coalesce(gid_extract_sequential_time(id) BETWEEN first AND last, false) AS is_sequential,
		coalesce(gid_extract_sequential_time(gid_uuid_from_mssql(id)) BETWEEN first AND last, false) AS is_mssql,
		gid_extract_shard_time(id) <= last AS is_shard
	FROM raw),
found AS (
	SELECT plausible.*, CASE
		WHEN id = '00000000-0000-0000-0000-000000000000' THEN ARRAY['nil']
		WHEN id = 'ffffffff-ffff-ffff-ffff-ffffffffffff' THEN ARRAY['max']
		ELSE pg_catalog.array_remove(ARRAY[
			CASE WHEN is_rfc THEN 'v' || version::text END,
			CASE WHEN is_sequential THEN 'sequential' END,
			CASE WHEN is_mssql AND NOT is_v7 THEN 'sequential_mssql' END,
			CASE WHEN is_shard AND NOT is_rfc AND NOT is_sequential THEN 'shard' END], NULL)
		END AS families
	FROM plausible),
shown AS (
	SELECT found.*, CASE WHEN pg_catalog.cardinality(families) = 0 THEN ARRAY['sequential', 'shard'] ELSE families END AS candidates
	FROM found)
SELECT CASE WHEN pg_catalog.cardinality(candidates) > 1 AND line.family <> '' THEN line.family || '.' ELSE '' END
	|| line.part, line.value
FROM shown, LATERAL (VALUES
	(1, '', 'family', CASE WHEN pg_catalog.cardinality(families) = 0 THEN 'unknown'
		ELSE pg_catalog.array_to_string(families, ' or ') END),
	(2, 'nil', 'meaning', 'RFC 9562: all bits 0'),
	(2, 'max', 'meaning', 'RFC 9562: all bits 1'),
	(2, 'v' || version::text, 'meaning', 'RFC 9562, version ' || version::text || ': ' || (ARRAY[
		'Gregorian time and node', 'DCE security', 'MD5 of a name', 'random', 'SHA-1 of a name',
		'Gregorian time and node, reordered', 'Unix time and random', 'custom'])[version]),
	(3, 'v7', 'time', gid_extract_v7_time(id)::text),
	(4, 'v7', 'fraction', (((get_byte(n, 6) & 15) << 12) | (get_byte(n, 7) << 4)
		| ((get_byte(n, 8) & 63) >> 2))::text || '/65536 ms'),
	(5, 'v7', 'random', to_hex(get_byte(n, 8) & 3) || substr(hex, 19)),
	(11, 'sequential', 'meaning', 'ticks and process id, in PostgreSQL''s byte order'),
	(12, 'sequential', 'time', gid_extract_sequential_time(id)::text),
	(13, 'sequential', 'ticks', gid_extract_sequential_ticks(id)::text),
	(14, 'sequential', 'process', encode(gid_extract_sequential_process(id), 'hex')),
	(21, 'sequential_mssql', 'meaning', 'ticks and process id, in SQL Server''s byte order'),
	(22, 'sequential_mssql', 'time', gid_extract_sequential_time(gid_uuid_from_mssql(id))::text),
	(23, 'sequential_mssql', 'ticks', gid_extract_sequential_ticks(gid_uuid_from_mssql(id))::text),
	(24, 'sequential_mssql', 'process', encode(gid_extract_sequential_process(gid_uuid_from_mssql(id)), 'hex')),
	(31, 'shard', 'meaning', 'seconds and shard key'),
	(32, 'shard', 'time', gid_extract_shard_time(id)::text),
	(33, 'shard', 'generator', encode(gid_extract_shard_generator(id), 'hex')),
	(34, 'shard', 'counter', gid_extract_shard_counter(id)::text),
	(35, 'shard', 'key', gid_extract_shard(id)::text),
	(36, 'shard', 'region', gid_extract_region(id)::text),
	(37, 'shard', 'region_shard', gid_extract_region_shard(id)::text))
	AS line (number, family, part, value)
WHERE (line.family = '' OR line.family = ANY (candidates)) AND line.value IS NOT NULL
ORDER BY line.number;
END;

COMMENT ON FUNCTION gid_inspect(uuid) IS
'parts of a UUID, as text, times in the session''s time zone; the first row is the family, found by version and variant and by times from 1970 to a day from now: v1 to v8, sequential, sequential_mssql, shard, nil, max, several with "or" between them, or unknown';

CREATE FUNCTION gid_inspect(id gdid)
RETURNS TABLE (part text, value text)
LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
SELECT line.part, line.value
FROM (VALUES
	(1, 'family', 'gdid'),
	(2, 'era', gid_extract_gdid_era(id)::text),
	(3, 'authority', gid_extract_gdid_authority(id)::text),
	(4, 'counter', gid_extract_gdid_counter(id)::text),
	(5, 'hex', gid_gdid_hex(id)),
	-- what a sequence gave for it, if it is one that a sequence reaches
	(6, 'value', CASE WHEN gid_extract_gdid_era(id) < 8
		THEN ((gid_extract_gdid_era(id) << 60) | gid_extract_gdid_counter(id))::text END))
	AS line (number, part, value)
WHERE line.value IS NOT NULL
ORDER BY line.number;
END;

COMMENT ON FUNCTION gid_inspect(gdid) IS
'parts of a GDID, as text; the first row is the family, gdid, the last the value of the sequence it was drawn from (eras 0 to 7)';

CREATE FUNCTION gid_inspect_family(family text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_inspect_family'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_inspect_family(text) IS
'the name of a family of 63-bit ids if gid_inspect() knows it: trace, decimal or next; 22023 for another';

-- Not STRICT: the family may be NULL.  Below 2^38 a TraceId is of one second in
-- 388 days, so that such a number is taken for one only by its node.
CREATE FUNCTION gid_inspect(id bigint, family text DEFAULT NULL)
RETURNS TABLE (part text, value text)
LANGUAGE SQL STABLE PARALLEL SAFE
BEGIN ATOMIC
WITH
given AS (
	SELECT gid_inspect_family(nullif(gid_inspect.family, '')) AS name,
		gid_extract_trace_node(id) IS NOT NULL AS can_trace,
		gid_extract_decimal_launch(id) IS NOT NULL AS can_decimal,
		id >= 1::bigint << 38 AND coalesce(gid_extract_trace_node(id)::text
			= coalesce(current_setting('gid.node_no', true), '0'), false) AS own_node,
		coalesce(gid_extract_decimal_launch(id)::text
			= current_setting('gid.launch_id', true), false) AS own_launch),
found AS (
	SELECT given.*, CASE
		WHEN name IS NOT NULL THEN ARRAY[name]
		WHEN own_node AND NOT own_launch THEN ARRAY['trace']
		WHEN own_launch AND NOT own_node THEN ARRAY['decimal']
		ELSE pg_catalog.array_remove(ARRAY[
			CASE WHEN can_trace AND id >= 1::bigint << 38 THEN 'trace' END,
			CASE WHEN can_decimal THEN 'decimal' END,
			'next'], NULL)
		END AS families
	FROM given)
SELECT CASE WHEN pg_catalog.cardinality(families) > 1 AND line.family <> '' THEN line.family || '.' ELSE '' END
	|| line.part, line.value
FROM found, LATERAL (VALUES
	(1, '', 'family', pg_catalog.array_to_string(families, ' or ')),
	(2, 'trace', 'problem', CASE WHEN NOT can_trace
		THEN 'not a TraceId: below 1, or its low 22 bits are all 0' END),
	(3, 'trace', 'time', gid_extract_trace_time(id)::text),
	(4, 'trace', 'node', gid_extract_trace_node(id)::text),
	(5, 'trace', 'thread', gid_extract_trace_thread(id)::text),
	(6, 'trace', 'counter', gid_extract_trace_counter(id)::text),
	(11, 'decimal', 'problem', CASE WHEN NOT can_decimal
		THEN 'not a DecimalId: outside 10000000000 to 9223372029999999999' END),
	(12, 'decimal', 'counter', gid_extract_decimal_counter(id)::text),
	(13, 'decimal', 'generator', gid_extract_decimal_generator(id)::text),
	(14, 'decimal', 'launch', gid_extract_decimal_launch(id)::text),
	(21, 'next', 'value', id::text))
	AS line (number, family, part, value)
WHERE id IS NOT NULL AND (line.family = '' OR line.family = ANY (families)) AND line.value IS NOT NULL
ORDER BY line.number;
END;

COMMENT ON FUNCTION gid_inspect(bigint, text) IS
'parts of a 63-bit id of a family (trace, decimal or next, else 22023), as text, times in the session''s time zone; the first row is the family. Where it is NULL it is found by gid.node_no and gid.launch_id, or all that are possible are shown; a part "problem" says why an id is not of the family';

--
-- Views
--

CREATE FUNCTION gid_stat_get_backends(
	OUT pid int, OUT slot int, OUT family text, OUT generator int,
	OUT last_time timestamptz, OUT issued bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_backends'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_stat_get_backends() IS
'rows of the view gid_stat_backends';

CREATE VIEW gid_stat_backends AS
SELECT pid, slot, family, generator, last_time, issued
FROM gid_stat_get_backends();

COMMENT ON VIEW gid_stat_backends IS
'ids made by each backend since it connected, by family; of other users'' backends only pid and slot, as in pg_stat_activity, unless one has the rights of pg_read_all_stats';
COMMENT ON COLUMN gid_stat_backends.pid IS
'process id of the backend, as in pg_stat_activity';
COMMENT ON COLUMN gid_stat_backends.slot IS
'number of its slot in shared memory, from 0';
COMMENT ON COLUMN gid_stat_backends.family IS
'uuid_v7, uuid_sequential, uuid_shard, trace_id, decimal_id, next, gdid or code';
COMMENT ON COLUMN gid_stat_backends.generator IS
'generator number that it leases, 0 to 99999; NULL but for decimal_id, and when it holds none';
COMMENT ON COLUMN gid_stat_backends.last_time IS
'time in the last id; NULL for a family without time';
COMMENT ON COLUMN gid_stat_backends.issued IS
'ids made since it connected, rolled back or not; not those for a given moment';

CREATE FUNCTION gid_stat_get_sequences(
	OUT sequence oid, OUT relfilenode oid, OUT source text, OUT next bigint,
	OUT last bigint, OUT block_size bigint, OUT reservations bigint,
	OUT prefetched bigint, OUT waits bigint, OUT values_left bigint,
	OUT values_ahead bigint, OUT pace double precision,
	OUT exhausted_at timestamptz, OUT era_ends_at timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_sequences'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_stat_get_sequences() IS
'rows of the view gid_stat_sequences';

CREATE VIEW gid_stat_sequences AS
SELECT s.sequence::regclass AS sequence, s.source, s.next, s.last,
	s.block_size, s.reservations, s.prefetched, s.waits,
	s.values_left, s.values_ahead, s.pace, s.exhausted_at, s.era_ends_at
FROM gid_stat_get_sequences() AS s
JOIN pg_class AS c ON c.oid = s.sequence AND c.relfilenode = s.relfilenode;

COMMENT ON VIEW gid_stat_sequences IS
'sequences of this database with blocks in shared memory; only those that one may read or use (SELECT or USAGE), as pg_sequences shows their values';
COMMENT ON COLUMN gid_stat_sequences.sequence IS
'the sequence';
COMMENT ON COLUMN gid_stat_sequences.source IS
'where the block comes from: local, "authority N" with the number of the one that gave it, or authorities when none did';
COMMENT ON COLUMN gid_stat_sequences.next IS
'next value of the open block; NULL when none is left';
COMMENT ON COLUMN gid_stat_sequences.last IS
'last value of the open block; NULL when none is left';
COMMENT ON COLUMN gid_stat_sequences.block_size IS
'values that the open block had; 0 when it was ended';
COMMENT ON COLUMN gid_stat_sequences.reservations IS
'blocks reserved since the sequence is in memory';
COMMENT ON COLUMN gid_stat_sequences.prefetched IS
'those of them that were reserved ahead of need';
COMMENT ON COLUMN gid_stat_sequences.waits IS
'times that a session waited for a block';
COMMENT ON COLUMN gid_stat_sequences.values_left IS
'values left in the open block';
COMMENT ON COLUMN gid_stat_sequences.values_ahead IS
'values in the next block, reserved ahead; 0 when there is none. A crash loses these and values_left';
COMMENT ON COLUMN gid_stat_sequences.pace IS
'values a second drawn from the blocks since the third last was reserved; an estimate, without batches and nextval()';
COMMENT ON COLUMN gid_stat_sequences.exhausted_at IS
'when at this pace the sequence comes to its end (MAXVALUE, or MINVALUE if it descends); what batches and nextval() took since the last block was reserved does not count yet; infinity: not before 294277, or never (CYCLE); NULL: not known';
COMMENT ON COLUMN gid_stat_sequences.era_ends_at IS
'when at this pace the values come to the next multiple of 2^60, where a GDID''s era ends; infinity: not before 294277; NULL: not known, or the sequence ends before';

CREATE FUNCTION gid_stat_get_clock(
	OUT family text, OUT durable_bound timestamptz, OUT last_time timestamptz,
	OUT lead interval, OUT steps_back bigint, OUT waits bigint,
	OUT wraps_at timestamptz, OUT repeats_at timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_clock'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_stat_get_clock() IS
'rows of the view gid_stat_clock';

CREATE VIEW gid_stat_clock AS
SELECT family, durable_bound, last_time, lead, steps_back, waits, wraps_at, repeats_at
FROM gid_stat_get_clock();

COMMENT ON VIEW gid_stat_clock IS
'clock of each family that follows it; empty before the first such id since the server started';
COMMENT ON COLUMN gid_stat_clock.family IS
'uuid_v7, uuid_sequential, uuid_shard or trace_id';
COMMENT ON COLUMN gid_stat_clock.durable_bound IS
'the bound in gid.clock: no id has this time or a later one before the bound is moved';
COMMENT ON COLUMN gid_stat_clock.last_time IS
'time in the last id of the server, or where the first will begin';
COMMENT ON COLUMN gid_stat_clock.lead IS
'by how much the next id''s time leads the wall clock';
COMMENT ON COLUMN gid_stat_clock.steps_back IS
'times that the wall clock was seen to be set back since the server started; the same for all families';
COMMENT ON COLUMN gid_stat_clock.waits IS
'times that a caller slept because ids of the family led the server''s time by a second';
COMMENT ON COLUMN gid_stat_clock.wraps_at IS
'when the seconds in the ids begin at 0 again, and their order with them; for uuid_v7 and uuid_sequential the end of the year 9999, after which none is made';
COMMENT ON COLUMN gid_stat_clock.repeats_at IS
'when the seconds in the last id come again: an id must not be kept so long; NULL: never';

CREATE FUNCTION gid_stat_get_launches(
	OUT launch int, OUT source text, OUT generators_used bigint,
	OUT generators_left bigint, OUT leases_held int, OUT leases_idle int,
	OUT generators_a_day double precision, OUT exhausted_at timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_launches'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_stat_get_launches() IS
'rows of the view gid_stat_launches';

CREATE VIEW gid_stat_launches AS
SELECT launch, source, generators_used, generators_left, leases_held, leases_idle,
	generators_a_day, exhausted_at
FROM gid_stat_get_launches();

COMMENT ON VIEW gid_stat_launches IS
'launches of this database''s DecimalIds: the last one that was used, and those that leases in shared memory are of';
COMMENT ON COLUMN gid_stat_launches.launch IS
'the launch, as in gid.launch_id';
COMMENT ON COLUMN gid_stat_launches.source IS
'where its generator numbers come from: local, or "server NAME" of gid.decimal_authority';
COMMENT ON COLUMN gid_stat_launches.generators_used IS
'generator numbers taken; NULL for a server''s, for a launch that is behind, and without SELECT or USAGE on gid_decimal_generator or pg_read_all_stats';
COMMENT ON COLUMN gid_stat_launches.generators_left IS
'those of 100,000 that are left; NULL when generators_used is';
COMMENT ON COLUMN gid_stat_launches.leases_held IS
'generators that backends hold';
COMMENT ON COLUMN gid_stat_launches.leases_idle IS
'generators that wait for a backend';
COMMENT ON COLUMN gid_stat_launches.generators_a_day IS
'generator numbers taken a day: those of the leases, by the time since the first of them, a day at least';
COMMENT ON COLUMN gid_stat_launches.exhausted_at IS
'when at this pace none is left; infinity: not before 294277; NULL: not known';

GRANT SELECT ON gid_stat_backends, gid_stat_sequences, gid_stat_clock, gid_stat_launches TO PUBLIC;
