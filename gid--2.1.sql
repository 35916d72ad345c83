/* gid--2.1.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gid" to load this file. \quit

--
-- The schema of the extension's relations
--

-- A superuser owns the schema, so nobody else can put an object into it.
-- What a user calls stands in the schema that CREATE EXTENSION chooses.  The section
-- "Privileges" at the end has all grants.
CREATE SCHEMA gid;

COMMENT ON SCHEMA gid IS
'Relations of the extension gid and the functions behind them.';

--
-- The edition
--

CREATE FUNCTION gid_edition()
RETURNS text
LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN 'c'::text;

COMMENT ON FUNCTION gid_edition() IS
'Returns the edition of gid: ''c'' with the library, ''sql'' for the edition in SQL for servers that do not take one.';

--
-- UUID version 7 (RFC 9562)
--

CREATE FUNCTION gid_uuid_v7()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_uuid_v7() IS
'Generates a version 7 UUID (RFC 9562, section 6.2, method 3). 48 bits are Unix milliseconds, 16 are a fraction of the millisecond, and 58 are random. Each id is greater than all previous ones on the server. Errors: 25000 in a parallel worker; XX001, 58030 or 53100 if gid.clock cannot be used.';

CREATE FUNCTION gid_uuid_v7_horizon()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_uuid_v7_horizon() IS
'Returns a bound for readers that follow a table by id. Every row with a smaller id is visible to the statement or never will be. The inserting transaction must itself have generated the id with gid_uuid_v7() on this server. Open transactions in this database that have generated such ids hold the bound back (see gid.stat_horizon). If the result is NULL, the reader keeps its position. Errors: 55000 during recovery, and those of gid_uuid_v7().';

CREATE FUNCTION gid_uuid_v7_at(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_at(timestamptz) IS
'Generates a version 7 UUID for a given millisecond, to backfill rows. The bits below the millisecond are random, so ids within a millisecond are in no particular order. Error: 22008 if "at" is outside 1970-01-01 to 10889-08-02 UTC.';

CREATE FUNCTION gid_uuid_v7_min(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_min'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_min(timestamptz) IS
'Returns the smallest version 7 UUID for the millisecond that contains "at". Error: as for gid_uuid_v7_at().';

CREATE FUNCTION gid_uuid_v7_max(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_max(timestamptz) IS
'Returns the largest version 7 UUID for the millisecond that contains "at". Error: as for gid_uuid_v7_at().';

CREATE FUNCTION gid_uuid_v7_low(since timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_low'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_low(timestamptz) IS
'The lower end of gid_uuid_v7_between(). It is the smallest UUID version 7 of the millisecond of "since", and the smallest of all for NULL, -infinity and moments before 1970. NULL for moments after 10889-08-02 UTC and for infinity.';

CREATE FUNCTION gid_uuid_v7_below(until timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_below'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_below(timestamptz) IS
'The upper end of gid_uuid_v7_between(). It is the largest UUID version 7 of the millisecond before that of "until", and the largest of all for NULL, infinity and moments after 10889-08-02 UTC. NULL for -infinity and for moments before 1970-01-01 00:00:00.001 UTC.';

-- Not STRICT: the planner does not inline a strict body of two conditions.  Each
-- parameter occurs once: the planner does not inline a costly argument of a
-- parameter that occurs twice.
CREATE FUNCTION gid_uuid_v7_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_uuid_v7_low(since) AND id <= gid_uuid_v7_below(until);

COMMENT ON FUNCTION gid_uuid_v7_between(uuid, timestamptz, timestamptz) IS
'Returns true if the time of the id is in [since, until). Both ends are rounded down to the millisecond. NULL and infinity leave an end open. The result is NULL if an end excludes all version 7 UUIDs. An id of another version is compared by its bytes. The planner inlines the function, so it can use partition pruning and an index on id.';

CREATE FUNCTION gid_extract_v7_time(id uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_v7_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_v7_time(uuid) IS
'Returns the time of a version 7 UUID, to the millisecond, or NULL for another version or variant.';

--
-- Sequential UUIDs (process id and ticks)
--

CREATE FUNCTION gid_uuid_sequential()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_uuid_sequential() IS
'Generates a sequential UUID, like those that .NET programs generate for SQL Server. The first 64 bits are ticks of 100 ns since 0001-01-01 UTC. The last 64 bits are a random process id, new at each server start. Each id is greater than all previous ones on the server. Errors: as for gid_uuid_v7().';

CREATE FUNCTION gid_uuid_sequential_horizon()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_uuid_sequential_horizon() IS
'Returns the equivalent of gid_uuid_v7_horizon() for ids from gid_uuid_sequential().';

CREATE FUNCTION gid_uuid_sequential_mssql()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_mssql'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_uuid_sequential_mssql() IS
'Generates a sequential UUID in SQL Server''s byte order. In this order, each id is greater than all previous ones. Errors: as for gid_uuid_v7().';

CREATE FUNCTION gid_uuid_to_mssql(id uuid)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_to_mssql'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_to_mssql(uuid) IS
'Converts a sequential UUID from PostgreSQL''s byte order to SQL Server''s. SQL Server sorts the results as PostgreSQL sorts the ids.';

CREATE FUNCTION gid_uuid_from_mssql(id uuid)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_from_mssql'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_from_mssql(uuid) IS
'Converts a sequential UUID from SQL Server''s byte order to PostgreSQL''s.';

CREATE FUNCTION gid_make_uuid_sequential(ticks bigint, process bytea)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_make_uuid_sequential'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_uuid_sequential(bigint, bytea) IS
'Builds a sequential UUID from its parts, in PostgreSQL''s byte order. The ticks are 0 to 3155378975999999999. The process id has 8 bytes, in .NET''s order. Error: 22003 if a part is out of range.';

CREATE FUNCTION gid_uuid_sequential_min(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_min'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential_min(timestamptz) IS
'Returns the smallest sequential UUID for the microsecond that contains "at". Error: 22008 if "at" is outside the years 1 to 9999.';

CREATE FUNCTION gid_uuid_sequential_max(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential_max(timestamptz) IS
'Returns the largest sequential UUID for the microsecond that contains "at". Error: as for gid_uuid_sequential_min().';

CREATE FUNCTION gid_uuid_sequential_low(since timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_low'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential_low(timestamptz) IS
'The lower end of gid_uuid_sequential_between(). It is the smallest sequential UUID of the microsecond of "since", and the smallest of all for NULL, -infinity and moments before the year 1. NULL for moments after the year 9999 and for infinity.';

CREATE FUNCTION gid_uuid_sequential_below(until timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_below'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential_below(timestamptz) IS
'The upper end of gid_uuid_sequential_between(). It is the largest sequential UUID of the microsecond before that of "until", and the largest of all for NULL, infinity and moments after the year 9999. NULL for -infinity and for moments before 0001-01-01 00:00:00.000001 UTC.';

CREATE FUNCTION gid_uuid_sequential_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_uuid_sequential_low(since) AND id <= gid_uuid_sequential_below(until);

COMMENT ON FUNCTION gid_uuid_sequential_between(uuid, timestamptz, timestamptz) IS
'Returns true if the time of the id is in [since, until). The function compares ticks. Otherwise, it works like gid_uuid_v7_between().';

CREATE FUNCTION gid_extract_sequential_ticks(id uuid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_extract_sequential_ticks'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_sequential_ticks(uuid) IS
'Returns the first 8 bytes of an id as a number. In a sequential UUID, these are the ticks. If the first hexadecimal digit is 8 to f, the number does not fit a bigint, and the result is the number minus 2^64. Such an id has no ticks: those of the year 9999 are below 2^62.';

CREATE FUNCTION gid_extract_sequential_time(id uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_sequential_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_sequential_time(uuid) IS
'Returns the time of a sequential UUID, to the microsecond. The result is NULL for times outside the years 1 to 9999 or, for an RFC UUID, 1970 to 2199.';

CREATE FUNCTION gid_extract_sequential_process(id uuid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_extract_sequential_process'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_sequential_process(uuid) IS
'Returns the process id of a sequential UUID (8 bytes in .NET''s order). It is NULL whenever gid_extract_sequential_time() is.';

--
-- Shard-key UUIDs
--

CREATE FUNCTION gid_uuid_shard(shard bigint)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard(bigint) IS
'Generates a UUID with a shard key, in the layout of HotGuid. It has 32 bits of Unix seconds, 40 bits that are random for each server start, a 24-bit counter, and a 32-bit shard key (0 to 4294967295). Until 2106, each id is greater than all previous ones with the same shard key. Errors: 22003 if the shard key is out of range; XX001, 58030 or 53100 if gid.clock cannot be used.';

CREATE FUNCTION gid_uuid_shard()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_default'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard() IS
'Generates a UUID with the shard key that is set in gid.shard_key. Errors: 55000 if gid.shard_key is unset; XX001, 58030 or 53100 if gid.clock cannot be used.';

CREATE FUNCTION gid_make_uuid_shard(at timestamptz, generator bytea, counter int, shard bigint)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_make_uuid_shard'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_uuid_shard(timestamptz, bytea, int, bigint) IS
'Builds a shard-key UUID from its parts. These are "at" in whole Unix seconds modulo 2^32, the generator (5 bytes, in .NET''s order), the counter (0 to 16777215) and the shard key (0 to 4294967295). Errors: 22008 if "at" is infinite or before 1970; 22003 if another part is out of range.';

CREATE FUNCTION gid_uuid_shard_min(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_min'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard_min(timestamptz) IS
'Returns the smallest shard-key UUID for the second that contains "at". Error: 22008 if "at" is infinite or before 1970.';

CREATE FUNCTION gid_uuid_shard_max(at timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard_max(timestamptz) IS
'Returns the largest shard-key UUID for the second that contains "at". Error: as for gid_uuid_shard_min().';

CREATE FUNCTION gid_uuid_shard_low(since timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_low'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard_low(timestamptz) IS
'The lower end of gid_uuid_shard_between(). It is the smallest shard-key UUID of the second of "since", and the smallest of all for NULL, -infinity and moments before 1970. NULL for moments after 2106-02-07 06:28:15 UTC and for infinity.';

CREATE FUNCTION gid_uuid_shard_below(until timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_below'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard_below(timestamptz) IS
'The upper end of gid_uuid_shard_between(). It is the largest shard-key UUID of the second before that of "until", and the largest of all for NULL, infinity and moments after 2106-02-07 06:28:15 UTC. NULL for -infinity and for moments before 1970-01-01 00:00:01 UTC.';

CREATE FUNCTION gid_uuid_shard_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_uuid_shard_low(since) AND id <= gid_uuid_shard_below(until);

COMMENT ON FUNCTION gid_uuid_shard_between(uuid, timestamptz, timestamptz) IS
'Returns true if the time of the id is in [since, until). Both ends are rounded down to the second. The id''s time is assumed to be between 1970 and 2106. In other respects, the function works like gid_uuid_v7_between().';

CREATE FUNCTION gid_extract_shard(id uuid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_extract_shard'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_shard(uuid) IS
'Returns the shard key of a shard-key UUID, 0 to 4294967295. Any other UUID also yields a number.';

CREATE FUNCTION gid_extract_shard_time(id uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_shard_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_shard_time(uuid) IS
'Returns the time of a shard-key UUID, to the second. The latest time is 2106-02-07 06:28:15 UTC. Any other UUID also yields a time.';

CREATE FUNCTION gid_extract_shard_generator(id uuid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_extract_shard_generator'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_shard_generator(uuid) IS
'Returns the generator of a shard-key UUID (5 bytes in .NET''s order). It is random for each server start.';

CREATE FUNCTION gid_extract_shard_counter(id uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_shard_counter'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_shard_counter(uuid) IS
'Returns the counter of a shard-key UUID, 0 to 16777215.';

CREATE FUNCTION gid_region_shard(region int, shard int)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_region_shard'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_region_shard(int, int) IS
'Builds a shard key from a region and a shard within it. The result is region << 22 | shard. The region is 0 to 1023, for example a UN M.49 code, and the shard is 0 to 4194303. Error: 22003 if a part is out of range.';

CREATE FUNCTION gid_extract_region(id uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_region'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_region(uuid) IS
'Returns the region of a shard-key UUID, 0 to 1023. Its shard key must come from gid_region_shard().';

CREATE FUNCTION gid_extract_region_shard(id uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_region_shard'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_region_shard(uuid) IS
'Returns the shard within the region of a shard-key UUID, 0 to 4194303. Its shard key must come from gid_region_shard().';

-- Not STRICT: the planner does not inline a strict body of two conditions.
CREATE FUNCTION gid_uuid_shard_is(id uuid, wanted uuid)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id = wanted AND gid_extract_shard(id) = gid_extract_shard(wanted);

COMMENT ON FUNCTION gid_uuid_shard_is(uuid, uuid) IS
'Returns true if id equals wanted. In a table partitioned by gid_extract_shard(id), a query with this function searches only one partition. For this, wanted must be a constant, a parameter or a column, not a subquery.';

--
-- TraceIds
--

CREATE FUNCTION gid_trace_id()
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_trace_id'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_trace_id() IS
'Generates a TraceId, in the layout of elfo. It has 25 bits of Unix seconds, a 16-bit node number, a 12-bit thread and a 10-bit counter. The id is at least 1. Each id is greater than all previous ones, until the seconds start over after 388.36 days. Errors: 55000 if gid.node_no is unset; XX001, 58030 or 53100 if gid.clock cannot be used; with gid.node_authority, also 08001 or 55000 if no lease is available.';

CREATE FUNCTION gid_make_trace_id(at timestamptz, node int, thread int, counter int, thread_bits int DEFAULT 12)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_make_trace_id'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_trace_id(timestamptz, int, int, int, int) IS
'Builds a TraceId from its parts. These are "at" in whole Unix seconds modulo 2^25, the node (0 to 65535), the thread (thread_bits bits) and the counter (22 - thread_bits bits). thread_bits is 0 to 22. The thread and the counter must not both be 0. Errors: 22008 if "at" is infinite or before 1970; 22003 if another part is out of range.';

CREATE FUNCTION gid_trace_id_min(at timestamptz)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_trace_id_min'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_trace_id_min(timestamptz) IS
'Returns the lower bound of the TraceIds for the second that contains "at". The bound itself is not a TraceId. Error: 22008 if "at" is infinite or before 1970.';

CREATE FUNCTION gid_trace_id_max(at timestamptz)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_trace_id_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_trace_id_max(timestamptz) IS
'Returns the largest TraceId for the second that contains "at", on any node. Error: as for gid_trace_id_min().';

CREATE FUNCTION gid_extract_trace_time(id bigint, near timestamptz)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_trace_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_time(bigint, timestamptz) IS
'Returns the time of a TraceId, to the second. A TraceId contains its second only modulo 2^25 (388.36 days). The result is the latest matching second that is not after "near". It is NULL if the id cannot be a TraceId. Error: 22008 if "near" is infinite.';

CREATE FUNCTION gid_extract_trace_time(id bigint)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_trace_time_now'
LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_time(bigint) IS
'Returns the time of a TraceId that is at most 387 days old. It is equivalent to gid_extract_trace_time(id, now() + ''1 day'').';

CREATE FUNCTION gid_extract_trace_node(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_trace_node'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_node(bigint) IS
'Returns the node of a TraceId, 0 to 65535, or NULL if the id cannot be a TraceId.';

CREATE FUNCTION gid_extract_trace_thread(id bigint, thread_bits int DEFAULT 12)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_trace_thread'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_thread(bigint, int) IS
'Returns the thread of a TraceId, or NULL if the id cannot be a TraceId. The thread is the upper thread_bits bits (0 to 22) of the lowest 22. Error: 22003 if thread_bits is out of range.';

CREATE FUNCTION gid_extract_trace_counter(id bigint, thread_bits int DEFAULT 12)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_trace_counter'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_trace_counter(bigint, int) IS
'Returns the counter of a TraceId, the lowest 22 - thread_bits bits (thread_bits is 0 to 22). NULL results and errors are as for gid_extract_trace_thread().';

--
-- DecimalIds
--

-- The value is launch * 100000 + generator number; gid_decimal_id() reserves.
CREATE SEQUENCE gid.decimal_generator
MINVALUE 0 MAXVALUE 9999999999;

COMMENT ON SEQUENCE gid.decimal_generator IS
'Records the generator numbers reserved for DecimalIds. A value is launch * 100000 + generator.';

SELECT pg_catalog.pg_extension_config_dump('gid.decimal_generator', '');

CREATE FUNCTION gid_decimal_id()
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_decimal_id'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_decimal_id() IS
'Generates a DecimalId, which is counter * 10^10 + generator * 10^5 + launch. The launch is set in gid.launch_id. All sessions share one generator number, which is reserved when the server generates its first DecimalId of a launch. Within a database and a launch, ids increase until the generator number changes. Errors: 55000 if gid.launch_id is unset or was refused, if a later launch has begun, or if the transaction has altered gid.decimal_generator; 2200H if the launch has no generator numbers left; 25006 and 25000 as for gid_next().';

CREATE FUNCTION gid_make_decimal_id(counter int, generator int, launch int)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_make_decimal_id'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_decimal_id(int, int, int) IS
'Builds a DecimalId from its parts. These are the counter (1 to 922337202), the generator (0 to 99999) and the launch (0 to 99999). Error: 22003 if a part is out of range.';

CREATE FUNCTION gid_extract_decimal_counter(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_decimal_counter'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_decimal_counter(bigint) IS
'Returns the counter of a DecimalId, 1 to 922337202, or NULL if the id cannot be a DecimalId.';

CREATE FUNCTION gid_extract_decimal_generator(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_decimal_generator'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_decimal_generator(bigint) IS
'Returns the generator of a DecimalId, 0 to 99999, or NULL if the id cannot be a DecimalId.';

CREATE FUNCTION gid_extract_decimal_launch(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_decimal_launch'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_decimal_launch(bigint) IS
'Returns the launch of a DecimalId, 0 to 99999, or NULL if the id cannot be a DecimalId.';

--
-- Snowflake ids
--

CREATE FUNCTION gid_snowflake_id(epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_snowflake_id'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_snowflake_id(bigint) IS
'Generates a Snowflake id, as Twitter, Discord and many libraries do. It has 41 bits of milliseconds since the epoch, a 10-bit node number and a 12-bit sequence. epoch_ms is the epoch in Unix milliseconds (0 to 253402300799999). Twitter''s epoch is 1288834974657, and its ids run out on 2080-07-10. Discord''s epoch is 1420070400000. Each id is at least 1 and greater than all previous ones with this epoch. Above 4,096,000 ids per second, callers wait. Errors: 22003 if the node number is above 1023 or epoch_ms is out of range; 22008 before the epoch or after its 41 bits run out; and those of gid_uuid_v7() and gid_trace_id().';

CREATE FUNCTION gid_snowflake_id_horizon(epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_snowflake_id_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_snowflake_id_horizon(bigint) IS
'Returns the equivalent of gid_uuid_v7_horizon() for ids from gid_snowflake_id(epoch_ms). The result is the first id of a millisecond. Errors: 22003 and 22008 as for gid_snowflake_id(), and those of gid_uuid_v7_horizon().';

CREATE FUNCTION gid_make_snowflake_id(at timestamptz, node int, sequence int, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_make_snowflake_id'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_snowflake_id(timestamptz, int, int, bigint) IS
'Builds a Snowflake id from its parts. These are "at" in whole milliseconds, the node (0 to 1023) and the sequence (0 to 4095, or 1 to 4095 if the id would otherwise be 0). epoch_ms is as in gid_snowflake_id(). Errors: 22008 if "at" is outside the 2^41 milliseconds (69 years) that start at the epoch; 22003 if another part is out of range.';

CREATE FUNCTION gid_snowflake_id_min(at timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_snowflake_id_min'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_snowflake_id_min(timestamptz, bigint) IS
'Returns the lower bound of the Snowflake ids for the millisecond that contains "at". Its node and sequence are 0. In the epoch''s first millisecond, it is 0, which is not an id. Errors: as for gid_make_snowflake_id().';

CREATE FUNCTION gid_snowflake_id_max(at timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_snowflake_id_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_snowflake_id_max(timestamptz, bigint) IS
'Returns the largest Snowflake id for the millisecond that contains "at". Errors: as for gid_make_snowflake_id().';

-- The ends are not LEAKPROOF, because of the error for epoch_ms.  A range of
-- time calls them without a column, so the planner uses the index also before a
-- security barrier.
CREATE FUNCTION gid_snowflake_id_low(since timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_snowflake_id_low'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gid_snowflake_id_low(timestamptz, bigint) IS
'The lower end of gid_snowflake_id_between(). It is the smallest Snowflake id of the millisecond of "since", and 1 for NULL, -infinity and moments before the epoch. NULL for moments beyond the 2^41 milliseconds (69 years) that start at the epoch, for infinity, and when epoch_ms is NULL. Error: 22003 for epoch_ms out of range.';

CREATE FUNCTION gid_snowflake_id_below(until timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_snowflake_id_below'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gid_snowflake_id_below(timestamptz, bigint) IS
'The upper end of gid_snowflake_id_between(). It is the largest Snowflake id of the millisecond before that of "until", and 9223372036854775807 for NULL, infinity and moments beyond the 2^41 milliseconds (69 years) that start at the epoch. NULL for -infinity, for moments before the end of the epoch''s first millisecond, and when epoch_ms is NULL. Error: 22003 for epoch_ms out of range.';

-- epoch_ms occurs twice in the body, so the function is inlined for a constant, a
-- parameter or a column.  The two moments occur once, and may be costly.
CREATE FUNCTION gid_snowflake_id_between(id bigint, since timestamptz, until timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_snowflake_id_low(since, epoch_ms) AND id <= gid_snowflake_id_below(until, epoch_ms);

COMMENT ON FUNCTION gid_snowflake_id_between(bigint, timestamptz, timestamptz, bigint) IS
'Returns true if the time of the id is in [since, until). The result is NULL if epoch_ms is NULL. Otherwise, the function works like gid_uuid_v7_between(). The planner inlines it if epoch_ms is a constant or a parameter. Error: 22003 if epoch_ms is out of range.';

CREATE FUNCTION gid_extract_snowflake_time(id bigint, epoch_ms bigint DEFAULT 1288834974657)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gid_extract_snowflake_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_snowflake_time(bigint, bigint) IS
'Returns the time of a Snowflake id, to the millisecond, or NULL for a number below 1. Error: 22003 if epoch_ms is out of range.';

CREATE FUNCTION gid_extract_snowflake_node(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_snowflake_node'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_snowflake_node(bigint) IS
'Returns the node of a Snowflake id, 0 to 1023, or NULL for a number below 1. In Discord''s ids, the node is worker * 32 + process.';

CREATE FUNCTION gid_extract_snowflake_sequence(id bigint)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_snowflake_sequence'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_snowflake_sequence(bigint) IS
'Returns the sequence of a Snowflake id, 0 to 4095, or NULL for a number below 1. The sequence counts the ids within a millisecond.';

--
-- Durable sequences
--

CREATE FUNCTION gid_next(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_next'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next(regclass) IS
'Returns the next value of a sequence once it is safe on disk. No value repeats after a crash. Values increase across all sessions if only gid_next() draws them. Errors: 2200H at the end of the sequence; 0A000 if the sequence is temporary or unlogged; 42501 without USAGE or UPDATE on it; 25006 in a read-only transaction or during recovery; 25000 in a parallel operation.';

CREATE FUNCTION gid_next_many(seq regclass, count int)
RETURNS SETOF bigint
AS 'MODULE_PATHNAME', 'gid_next_many'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_many(regclass, int) IS
'Returns consecutive values of a sequence, reserved in one step. count is 1 to 65536. Errors: 22023 if count is out of range; 2200H, without using any value, if the sequence has fewer left; and those of gid_next().';

CREATE FUNCTION gid_forget(seq regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'gid_forget'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_forget(regclass) IS
'Immediately ends the blocks of a sequence. The values left in them are lost. Errors: 42501 without UPDATE on the sequence; 25006 and 25000 as for gid_next().';

CREATE FUNCTION gid_horizon(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_horizon(regclass) IS
'Returns a bound for readers that follow a table by id. Every row with a smaller id (greater if INCREMENT is negative) is visible to the statement or never will be. The inserting transaction must itself have drawn the id with gid_next() or nextval(), or through a serial or identity column. Open transactions that have drawn from the sequence hold the bound back (see gid.stat_horizon). Each call can use what earlier calls of all sessions have found. The result is NULL until the transactions that had drawn and were open at the first of these calls have ended. The call ends a block of gid from which nothing was drawn for a second, if greater values were drawn since. Errors: 42809 if seq is not a sequence; 42501 without SELECT or USAGE on it; 0A000 if the sequence has CYCLE or a CACHE above 1, or is temporary or unlogged; 55000 during recovery.';

CREATE PROCEDURE gid_horizon_wait(seq regclass, timeout interval DEFAULT '10 s')
AS 'MODULE_PATHNAME', 'gid_horizon_wait'
LANGUAGE C;

COMMENT ON PROCEDURE gid_horizon_wait(regclass, interval) IS
'Waits for the open transactions that might have drawn from a sequence to end. The next gid_horizon() of any session then covers them. timeout is 1 millisecond to 24 days. The procedure holds no snapshot while it waits. Errors: 57014 if the timeout expires; 25001 in a transaction block or function, or outside READ COMMITTED; 22023 if timeout is out of range; and those of gid_horizon().';

--
-- nextval() that gid serves: where gid.serve_nextval is on, plans call these
-- functions in the place of PostgreSQL's
--

CREATE FUNCTION gid.serve_nextval(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_nextval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.serve_nextval(regclass) IS
'Stands for nextval() where gid.serve_nextval is on. Values and waits are those of gid_next(). From sequences that gid_next() does not draw from, it draws like nextval(). Errors: those of nextval().';

CREATE FUNCTION gid.serve_identity(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_identity'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.serve_identity(regclass) IS
'Stands for an identity column''s draw where gid.serve_nextval is on. Only a plan can call it, because it asks for no privilege on the sequence. Errors: 42501 for any other call; otherwise those of nextval().';

CREATE FUNCTION gid.serve_currval(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_currval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.serve_currval(regclass) IS
'Stands for currval() where gid.serve_nextval is on. It knows what this session drew through gid and with nextval(). Errors: those of currval().';

CREATE FUNCTION gid.serve_lastval()
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_lastval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.serve_lastval() IS
'Stands for lastval() where gid.serve_nextval is on. It knows what this session drew through gid and with nextval(). Errors: those of lastval().';

CREATE FUNCTION gid.serve_setval(seq regclass, value bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_setval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.serve_setval(regclass, bigint) IS
'Stands for setval() where gid.serve_nextval is on. It also ends the blocks of the sequence at once. Errors: those of setval().';

CREATE FUNCTION gid.serve_setval(seq regclass, value bigint, is_called boolean)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_setval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.serve_setval(regclass, bigint, boolean) IS
'Stands for setval() where gid.serve_nextval is on. It also ends the blocks of the sequence at once. Errors: those of setval().';

CREATE FUNCTION gid.serve_reason(seq regclass)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_serve_reason'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid.serve_reason(regclass) IS
'The reason why gid does not serve nextval() of a sequence in this session. NULL if gid does.';

--
-- Columns and the sequences that they draw from
--

CREATE FUNCTION gid_advance(seq regclass, value bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_advance'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_advance(regclass, bigint) IS
'Moves a sequence forward beyond a value, never back. The next value is the sequence''s first step beyond value, or a later one. The result is the last value of the sequence after the call, or NULL if there is none. The change takes effect at once in every session, and a rollback does not undo it. Values in a session''s CACHE are unaffected. Errors: 42809 if seq is not a sequence; 22003 if value is beyond the range or the sequence has CYCLE; 0A000 for a temporary sequence of another session; 42501 without UPDATE on it; 25006 and 25000 as for gid_next().';

CREATE FUNCTION gid.stat_get_column_state(relation oid, attribute name, sequence oid, is_identity boolean,
	OUT last bigint, OUT "greatest" bigint, OUT behind boolean, OUT used double precision, OUT unknown text,
	OUT readable boolean)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_stat_get_column_state'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.stat_get_column_state(oid, name, oid, boolean) IS
'What the view gid.columns shows of a column and its sequence.';

-- Every operator here has the types of its operands exactly: others could put one that
-- fits better into the schema of the functions.  A partition or child that has its default
-- from its parent is left out, because the parent's row counts its values.  Sub-selects find
-- the kind: as a join the planner chose a plan that took minutes for 5,000 sequences
-- when the catalogs had no statistics yet, as after a restore.
--
-- The rows without a sequence: a default that calls nextval() or gid_next() depends on no
-- sequence if it names the sequence by text.  Any other volatile function may draw from one,
-- which matters for an integer that is part of a key.  gid's own functions do not.  A domain
-- has the output function of its base type.
CREATE VIEW gid.columns AS
SELECT c.oid::regclass AS relation, a.attname AS attribute, a.atttypid::regtype AS type,
	d.sequence::regclass AS sequence, d.source, l.last, l.greatest, l.behind, l.used,
	CASE WHEN d.sequence IS NOT NULL THEN r.reason IS NULL END AS served,
	CASE WHEN d.sequence IS NOT NULL THEN r.reason ELSE 'gid cannot see which sequence the default draws from'::text END
		AS reason,
	CASE WHEN d.sequence IS NOT NULL THEN l.unknown ELSE 'gid cannot see which sequence the default draws from'::text END
		AS unknown,
	coalesce(l.readable, true) AS readable
FROM (SELECT 'pg_catalog.pg_class'::regclass::oid, 'pg_catalog.pg_attrdef'::regclass::oid, 'pg_catalog.pg_proc'::regclass::oid,
	'pg_catalog.pg_extension'::regclass::oid) AS k(class, attrdef, proc, extension)
CROSS JOIN LATERAL (
	SELECT u.relation, u.attribute, u.sequence,
		CASE WHEN u.sequence IS NULL THEN 'unknown' WHEN pg_catalog.bool_or(u.link = 'i'::"char") THEN 'identity'
			WHEN NOT pg_catalog.bool_or(u.link = 'd'::"char") THEN 'owned'
			WHEN pg_catalog.bool_or(u.link = 'a'::"char") THEN 'serial' ELSE 'default' END
	FROM (
		SELECT o.refobjid, o.refobjsubid, o.objid, o.deptype
		FROM pg_catalog.pg_depend AS o
		WHERE o.classid = k.class AND o.refclassid = k.class AND o.refobjsubid > 0
			AND o.deptype IN ('a'::"char", 'i'::"char")
			AND (SELECT s.relkind FROM pg_catalog.pg_class AS s WHERE s.oid = o.objid) = 'S'::"char"
		UNION ALL
		SELECT e.adrelid, e.adnum::int, o.refobjid, 'd'::"char"
		FROM pg_catalog.pg_attrdef AS e
		LEFT JOIN pg_catalog.pg_depend AS o ON o.classid = k.attrdef AND o.objid = e.oid AND o.refclassid = k.class
			AND o.deptype = 'n'::"char" AND (SELECT s.relkind FROM pg_catalog.pg_class AS s WHERE s.oid = o.refobjid) = 'S'::"char"
		WHERE o.refobjid IS NOT NULL
			OR pg_catalog.strpos(e.adbin::text, ':funcid '::text || 'pg_catalog.nextval(regclass)'::regprocedure::oid::text || ' '::text) > 0
			OR e.oid IN (
				SELECT b.objid
				FROM pg_catalog.pg_depend AS b
				JOIN pg_catalog.pg_attrdef AS f ON f.oid = b.objid
				JOIN pg_catalog.pg_proc AS p ON p.oid = b.refobjid AND p.provolatile = 'v'::"char"
				WHERE b.classid = k.attrdef AND b.refclassid = k.proc
					AND (p.proname = 'gid_next'::name
						OR NOT EXISTS (
							SELECT FROM pg_catalog.pg_depend AS x
							JOIN pg_catalog.pg_extension AS g ON g.oid = x.refobjid AND g.extname = 'gid'::name
							WHERE x.classid = k.proc AND x.objid = p.oid AND x.refclassid = k.extension)
						AND EXISTS (
							SELECT FROM pg_catalog.pg_attribute AS n
							JOIN pg_catalog.pg_type AS t ON t.oid = n.atttypid AND t.typoutput::oid IN ('pg_catalog.int2out'::regproc::oid,
								'pg_catalog.int4out'::regproc::oid, 'pg_catalog.int8out'::regproc::oid)
							JOIN pg_catalog.pg_index AS i ON i.indrelid = n.attrelid AND i.indisunique AND n.attnum = ANY (i.indkey::int2[])
							WHERE n.attrelid = f.adrelid AND n.attnum = f.adnum)))
	) AS u(relation, attribute, sequence, link)
	GROUP BY u.relation, u.attribute, u.sequence
) AS d(relation, attribute, sequence, source)
JOIN pg_catalog.pg_class AS c ON c.oid = d.relation
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = d.relation AND a.attnum = d.attribute
	AND a.attgenerated = ''::"char"
CROSS JOIN LATERAL gid.stat_get_column_state(d.relation, a.attname, d.sequence, d.source = 'identity'::text) AS l
CROSS JOIN LATERAL gid.serve_reason(d.sequence::regclass) AS r(reason)
WHERE NOT (c.relispartition AND d.source = 'unknown'::text)
	AND NOT (d.source = 'default'::text AND EXISTS (
		SELECT FROM pg_catalog.pg_inherits AS i
		JOIN pg_catalog.pg_attrdef AS e ON e.adrelid = i.inhparent
		JOIN pg_catalog.pg_depend AS o ON o.classid = k.attrdef AND o.objid = e.oid AND o.refclassid = k.class
			AND o.refobjid = d.sequence
		WHERE i.inhrelid = c.oid));

COMMENT ON VIEW gid.columns IS
'Lists the columns of this database that draw from a sequence. Each row shows how far the sequence and the column have advanced, and whether gid serves the sequence. The view never waits for a lock.';
COMMENT ON COLUMN gid.columns.relation IS
'The table, or the root of partitions or of inheritance children that share a sequence.';
COMMENT ON COLUMN gid.columns.attribute IS
'The name of the column.';
COMMENT ON COLUMN gid.columns.type IS
'The type of the column.';
COMMENT ON COLUMN gid.columns.sequence IS
'The sequence. NULL if source is "unknown".';
COMMENT ON COLUMN gid.columns.source IS
'How the column draws: "serial", "identity", "default", "owned" or "unknown". With "default", the column''s default names a sequence that the column does not own. With "owned", the column owns a sequence that its default does not name. With "unknown", the default names its sequence by text, or the column is part of an integer key and its default calls a volatile function.';
COMMENT ON COLUMN gid.columns.last IS
'The last value that the sequence has returned. NULL if it has returned none, is locked, or allows the caller neither SELECT nor USAGE and the caller is not a member of pg_monitor.';
COMMENT ON COLUMN gid.columns.greatest IS
'The greatest value in the column and in its partitions and children, or the least if INCREMENT is negative. Uncommitted rows count. NULL if there is none, if the caller cannot SELECT it, if row security applies, or if the values of a table are not known (see "unknown").';
COMMENT ON COLUMN gid.columns.behind IS
'True if a value that is still to be drawn can already be in the column. In this case, call gid_catch_up(). NULL if unknown.';
COMMENT ON COLUMN gid.columns.used IS
'The share of values that are used up, 0 to 1. It is the position of "last" in the range of both the sequence and the column. With CYCLE it is 0, unless the type of the column ends before the sequence. NULL if the sequence is locked or, unless the caller is a member of pg_monitor, without SELECT or USAGE on it.';
COMMENT ON COLUMN gid.columns.served IS
'True if gid serves nextval() for the sequence in this session. NULL if source is "unknown".';
COMMENT ON COLUMN gid.columns.reason IS
'The reason why gid does not serve nextval() for the sequence. NULL if it does.';
COMMENT ON COLUMN gid.columns.unknown IS
'The reason why not all values of the column are known, for example because no btree index starts with the column. NULL if they are known.';
COMMENT ON COLUMN gid.columns.readable IS
'False if a lock or a missing privilege keeps the caller from reading what the row shows.';

CREATE FUNCTION gid.catch_up_members(relation oid, attribute name, sequence oid, is_identity boolean, is_named boolean,
	OUT member oid, OUT was bigint, OUT now bigint, OUT done boolean, OUT reason text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_catch_up_members'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.catch_up_members(oid, name, oid, boolean, boolean) IS
'What gid_catch_up() does with a column, and with the partitions and children of its table.';

-- The columns are chosen first: the planner must not call the function for others.
CREATE FUNCTION gid_catch_up(VARIADIC tables regclass[] DEFAULT '{}')
RETURNS TABLE (relation regclass, attribute name, sequence regclass, was bigint, now bigint, done boolean, reason text)
LANGUAGE SQL VOLATILE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
	WITH RECURSIVE named(relation, ancestor) AS (
		SELECT t::oid, t::oid FROM pg_catalog.unnest(tables) AS t
		UNION
		SELECT n.relation, i.inhparent
		FROM named AS n
		JOIN pg_catalog.pg_inherits AS i ON i.inhrelid = n.ancestor),
	chosen AS MATERIALIZED (
		SELECT c.relation::oid, c.attribute, c.sequence::oid, c.source
		FROM gid.columns AS c
		WHERE pg_catalog.cardinality(tables) = 0 OR c.relation::oid IN (SELECT n.ancestor FROM named AS n)
		ORDER BY c.relation::oid, c.attribute)
	SELECT u.member::regclass, c.attribute, c.sequence::regclass, u.was, u.now, u.done, u.reason
	FROM chosen AS c
	CROSS JOIN LATERAL gid.catch_up_members(c.relation, c.attribute, c.sequence, c.source = 'identity'::text,
		pg_catalog.cardinality(tables) > 0) AS u
	UNION ALL
	SELECT c.relation::regclass, c.attribute, NULL::regclass, NULL::bigint, NULL::bigint, NULL::boolean,
		'gid cannot see which sequence the default draws from: '::text || pg_catalog.pg_get_expr(e.adbin, 0::oid)
	FROM chosen AS c
	JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.relation AND a.attname = c.attribute
	JOIN pg_catalog.pg_attrdef AS e ON e.adrelid = a.attrelid AND e.adnum = a.attnum
	WHERE c.sequence IS NULL AND pg_catalog.cardinality(tables) > 0
	UNION ALL
	SELECT n.relation::regclass, NULL::name, NULL::regclass, NULL::bigint, NULL::bigint, NULL::boolean,
		'gid sees no column that draws from a sequence: a trigger or the application may fill one'::text
	FROM named AS n
	GROUP BY n.relation
	HAVING pg_catalog.bool_or(n.ancestor IN (SELECT c.relation FROM chosen AS c)) IS NOT TRUE;
END;

COMMENT ON FUNCTION gid_catch_up(regclass[]) IS
'Calls gid_advance() for each column whose sequence is behind. It checks the given tables, or all tables whose sequences the role can update. Each row shows the sequence''s old and new positions, whether it is now beyond the column (done) and, if not, the reason. Every given table has a row, and so has a NULL. A partition or an inheritance child that cannot be checked has a row of its own. If done is NULL, gid cannot see whether the table draws from a sequence. A sequence is not moved if it has CYCLE, if "behind" is NULL, or if the step exceeds its range or half of the remaining values. Without given tables, there are rows only for columns whose "behind" is true. Nor is a sequence moved if the table''s owner is not allowed to draw from it. The function waits for locks on the tables. Do not call it for a table that contains ids from other servers. Errors: 25006 and 25000 as for gid_next().';

--
-- GDIDs
--

CREATE TYPE gdid;

CREATE FUNCTION gdid_in(value cstring)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gdid_in(cstring) IS
'Reads a gdid: era:authority:counter in decimal, or 24 hexadecimal digits. Error: 22P02 for any other text.';

CREATE FUNCTION gdid_out(id gdid)
RETURNS cstring
AS 'MODULE_PATHNAME', 'gid_gdid_out'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_out(gdid) IS
'Writes a gdid: era:authority:counter in decimal.';

CREATE FUNCTION gdid_recv(message internal)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gdid_recv(internal) IS
'Reads a gdid from a binary message of 12 bytes. Error: 22P03 for another length.';

CREATE FUNCTION gdid_send(id gdid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_gdid_send'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_send(gdid) IS
'Writes a gdid to a binary message of 12 bytes.';

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
'A global distributed id, as in Azos. It has 12 bytes: era (32 bits), authority (4 bits) and counter (60 bits), compared in this order. Its text form is era:authority:counter in decimal, for example 0:1:75. The type also accepts 24 hexadecimal digits.';

CREATE FUNCTION gdid_lt(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_lt(gdid, gdid) IS
'The operator <: a is before b.';

CREATE FUNCTION gdid_le(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_le(gdid, gdid) IS
'The operator <=: a is before b, or the same.';

CREATE FUNCTION gdid_eq(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_eq(gdid, gdid) IS
'The operator =: a and b are the same.';

CREATE FUNCTION gdid_ne(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_ne(gdid, gdid) IS
'The operator <>: a and b differ.';

CREATE FUNCTION gdid_ge(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_ge(gdid, gdid) IS
'The operator >=: a is after b, or the same.';

CREATE FUNCTION gdid_gt(a gdid, b gdid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_gdid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_gt(gdid, gdid) IS
'The operator >: a is after b.';

CREATE OPERATOR < (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_lt,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);

COMMENT ON OPERATOR < (gdid, gdid) IS
'Less than, by era, authority and counter.';

CREATE OPERATOR <= (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_le,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);

COMMENT ON OPERATOR <= (gdid, gdid) IS
'Less than or equal to.';

CREATE OPERATOR = (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_eq,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);

COMMENT ON OPERATOR = (gdid, gdid) IS
'Equal to.';

CREATE OPERATOR <> (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_ne,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);

COMMENT ON OPERATOR <> (gdid, gdid) IS
'Not equal to.';

CREATE OPERATOR >= (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_ge,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);

COMMENT ON OPERATOR >= (gdid, gdid) IS
'Greater than or equal to.';

CREATE OPERATOR > (
	LEFTARG = gdid, RIGHTARG = gdid, FUNCTION = gdid_gt,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR > (gdid, gdid) IS
'Greater than, by era, authority and counter.';

CREATE FUNCTION gdid_cmp(a gdid, b gdid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_gdid_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_cmp(gdid, gdid) IS
'The order of two GDIDs: -1, 0 or 1. Used by btree indexes.';

CREATE FUNCTION gdid_sortsupport(sort internal)
RETURNS void
AS 'MODULE_PATHNAME', 'gid_gdid_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gdid_sortsupport(internal) IS
'Makes sorts of GDIDs faster. Used by btree indexes.';

CREATE FUNCTION gdid_hash(id gdid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_gdid_hash'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_hash(gdid) IS
'A hash of a GDID, of 32 bits. Used by hash indexes and hash joins.';

CREATE FUNCTION gdid_hash_extended(id gdid, seed bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_gdid_hash_extended'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_hash_extended(gdid, bigint) IS
'A hash of a GDID and a seed, of 64 bits. Used by hash partitioning.';

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
'Sorts GDIDs. The default for btree indexes.';

COMMENT ON OPERATOR FAMILY gdid_ops USING btree IS
'Sorts GDIDs by era, authority and counter.';

CREATE OPERATOR CLASS gdid_ops DEFAULT FOR TYPE gdid USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 gdid_hash(gdid),
	FUNCTION 2 gdid_hash_extended(gdid, bigint);

COMMENT ON OPERATOR CLASS gdid_ops USING hash IS
'Hashes GDIDs. The default for hash indexes, joins and partitions.';

COMMENT ON OPERATOR FAMILY gdid_ops USING hash IS
'Hashes GDIDs.';

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
'Stores the smallest and the largest GDID of each page range.';

COMMENT ON OPERATOR FAMILY gdid_minmax_ops USING brin IS
'Stores the smallest and the largest GDID of each page range.';

CREATE FUNCTION gdid_smaller(a gdid, b gdid)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_smaller'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_smaller(gdid, gdid) IS
'The smaller of two GDIDs.';

CREATE FUNCTION gdid_larger(a gdid, b gdid)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_larger'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_larger(gdid, gdid) IS
'The larger of two GDIDs.';

CREATE AGGREGATE min(id gdid) (
	SFUNC = gdid_smaller, STYPE = gdid, COMBINEFUNC = gdid_smaller,
	SORTOP = <, PARALLEL = SAFE
);

COMMENT ON AGGREGATE min(gdid) IS
'The smallest GDID.';

CREATE AGGREGATE max(id gdid) (
	SFUNC = gdid_larger, STYPE = gdid, COMBINEFUNC = gdid_larger,
	SORTOP = >, PARALLEL = SAFE
);

COMMENT ON AGGREGATE max(gdid) IS
'The largest GDID.';

CREATE FUNCTION gdid_to_bytea(id gdid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_gdid_to_bytea'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gdid_to_bytea(gdid) IS
'The 12 bytes of a GDID. The era takes 4, and the authority and the counter together take 8, highest byte first.';

CREATE FUNCTION gdid_from_bytea(value bytea)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_from_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gdid_from_bytea(bytea) IS
'Converts 12 bytes to a GDID. Error: 22P03 for any other length.';

CREATE CAST (gdid AS bytea) WITH FUNCTION gdid_to_bytea(gdid);

COMMENT ON CAST (gdid AS bytea) IS
'Converts a GDID to its 12 bytes, the highest byte first.';

CREATE CAST (bytea AS gdid) WITH FUNCTION gdid_from_bytea(bytea);

COMMENT ON CAST (bytea AS gdid) IS
'Converts 12 bytes to a GDID. Error: 22P03 for any other length.';

CREATE FUNCTION gid_next_gdid(seq regclass)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_next_gdid'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_gdid(regclass) IS
'Generates a GDID from the next value of a sequence. The value is era * 2^60 + counter. The authority is gid.authority or, if gid.authorities names servers, the number of the server that reserved the value. Errors: 55000 if both settings are unset; 08001 if no server answers; 22003 if the value is below 1; and those of gid_next().';

CREATE FUNCTION gid_next_gdid(scope text, sequence text)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_next_gdid_named'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_gdid(text, text) IS
'Generates a GDID from the sequence with the given schema (scope) and name. Both must match exactly. Errors: 42P01 if the sequence does not exist, and those of gid_next_gdid(regclass).';

CREATE FUNCTION gid_next_gdids(seq regclass, count int)
RETURNS SETOF gdid
AS 'MODULE_PATHNAME', 'gid_next_gdids'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_gdids(regclass, int) IS
'Generates GDIDs from consecutive values of a sequence, reserved in one step. count is 1 to 65536. All of them have the same authority and era. Errors: as for gid_next_many() and gid_next_gdid(regclass).';

CREATE FUNCTION gid_make_gdid(era bigint, authority int, counter bigint)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_make_gdid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_make_gdid(bigint, int, bigint) IS
'Builds a GDID from its parts. These are the era (0 to 4294967295), the authority (0 to 15) and the counter (0 to 1152921504606846975). Error: 22003 if a part is out of range.';

CREATE FUNCTION gid_extract_gdid_era(id gdid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_extract_gdid_era'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_gdid_era(gdid) IS
'Returns the era of a GDID, 0 to 4294967295.';

CREATE FUNCTION gid_extract_gdid_authority(id gdid)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_extract_gdid_authority'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_gdid_authority(gdid) IS
'Returns the authority of a GDID, 0 to 15.';

CREATE FUNCTION gid_extract_gdid_counter(id gdid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_extract_gdid_counter'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_extract_gdid_counter(gdid) IS
'Returns the counter of a GDID, 0 to 1152921504606846975.';

CREATE FUNCTION gid_gdid_hex(id gdid)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_gdid_hex'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_gdid_hex(gdid) IS
'Returns a GDID as 24 lower-case hexadecimal digits.';

CREATE FUNCTION gid_gdid_pack(id gdid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gid_gdid_pack'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_gdid_pack(gdid) IS
'Returns the packed form of a GDID, 2 to 15 bytes. It consists of the era and authority << 60 | counter, both in ULEB128.';

CREATE FUNCTION gid_gdid_unpack(packed bytea)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_gdid_unpack'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_gdid_unpack(bytea) IS
'Reverses gid_gdid_pack(). Error: 22P03 for bytes in another form.';

--
-- Codes
--

CREATE FUNCTION gid_next_code(seq regclass, seed text, charset text DEFAULT 'numeric', ignore_case boolean DEFAULT false)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_next_code'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_next_code(regclass, text, text, boolean) IS
'Generates a code, gid_lexical_add(seed, gid_next(seq), charset, ignore_case). Errors: those of both functions.';

CREATE FUNCTION gid_lexical_add(value text, count bigint, charset text DEFAULT 'numeric', ignore_case boolean DEFAULT false)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_lexical_add'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_lexical_add(text, bigint, text, boolean) IS
'Returns the code that is count codes after value (Candor''s LexicalAdd). A negative count counts backward. The rightmost character changes first. After the last code of one length comes the first of the next: 8, 9, 00, 01. charset is numeric, alpha_lower, alpha_upper, alpha, alphanumeric_lower, alphanumeric_upper, alphanumeric, crockford, hex, base58, base62, or chars: followed by 2 to 94 different printable ASCII characters other than the space. With ignore_case, the case of letters is ignored, and new letters take the case of most letters in value. Errors: 22023 if charset is invalid, or if the addition reaches a character that is not in it; 2200H if the result would be empty; 54000 if value is almost 1 GB long.';

CREATE FUNCTION gid_code_normalize(code text, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_code_normalize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_code_normalize(text, text) IS
'Returns a code that a person typed as gid writes it, for look-ups and checks. Blanks are removed, and hyphens if charset has none. With crockford, I and L become 1, and O becomes 0. If all letters of charset have one case, as in crockford and hex, the letters of code get that case. charset is as in gid_lexical_add(). The result is NULL if no character is left, or if one is not in charset. Error: 22023 if charset is invalid.';

--
-- Ids that do not show their order
--

CREATE FUNCTION gid_permute(id bigint, key bytea, bits int DEFAULT 63)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_permute'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_permute(bigint, bytea, int) IS
'Maps an id to another one to hide the order of ids. Ids and results are 1 to 2^bits - 1. The key has 16 to 64 bytes, and bits is 8 to 63. Each combination of key and bits defines a different permutation. This is not encryption. Errors: 22003 if id or bits is out of range; 22023 if the key has another length.';

CREATE FUNCTION gid_unpermute(id bigint, key bytea, bits int DEFAULT 63)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_unpermute'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_unpermute(bigint, bytea, int) IS
'Reverses gid_permute() for the same key and bits. Errors: as for gid_permute().';

--
-- Version 7 UUIDs that do not show their time
--

CREATE FUNCTION gid_uuid_mask(id uuid, key bytea)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_mask'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_mask(uuid, bytea) IS
'Hides the time of a version 7 UUID, in the format of uuidv47. The result is a version 4 UUID with the other 74 bits unchanged. The key has 16 bytes. The same id and key always produce the same UUID. The result is NULL for any other version. Error: 22023 if the key has another length.';

CREATE FUNCTION gid_uuid_unmask(id uuid, key bytea)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_unmask'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_unmask(uuid, bytea) IS
'Reverses gid_uuid_mask() for the same key. Every version 4 UUID becomes a version 7 UUID, even with another key. The result is NULL for any other version. Error: as for gid_uuid_mask().';

--
-- Codecs
--

CREATE FUNCTION gid_encode(id bigint, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_encode_bigint'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_encode(bigint, text) IS
'Returns a short text for an id from 0 to 9223372036854775807. It is the number in the base of charset, without leading zeros. charset is as in gid_lexical_add(). Errors: 22003 if id is negative; 22023 if charset is invalid.';

CREATE FUNCTION gid_encode(id uuid, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_encode_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_encode(uuid, text) IS
'Returns a short text of fixed length for a UUID. It is the 128-bit number in the base of charset. With crockford, it is a ULID of 26 characters. Error: 22023 if charset is invalid.';

CREATE FUNCTION gid_encode(id gdid, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_encode_gdid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_encode(gdid, text) IS
'Returns a short text of fixed length for a GDID. It is the 96-bit number in the base of charset. With crockford, it has 20 characters. Error: 22023 if charset is invalid.';

CREATE FUNCTION gid_decode_bigint(code text, charset text)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_decode_bigint'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_decode_bigint(text, text) IS
'Reverses gid_encode(bigint, text). It accepts leading zeros. With crockford, it also accepts lower case, reads I and L as 1, and reads O as 0. Errors: 22P02 if code is empty, has a character that is not in charset, or is above 9223372036854775807; 22023 if charset is invalid.';

CREATE FUNCTION gid_decode_uuid(code text, charset text)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_decode_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_decode_uuid(text, text) IS
'Reverses gid_encode(uuid, text). It reads crockford like gid_decode_bigint(). Errors: 22P02 if code has an invalid character, the wrong length or more than 128 bits; 22023 if charset is invalid.';

CREATE FUNCTION gid_decode_gdid(code text, charset text)
RETURNS gdid
AS 'MODULE_PATHNAME', 'gid_decode_gdid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_decode_gdid(text, text) IS
'Reverses gid_encode(gdid, text). It reads crockford like gid_decode_bigint(). Errors: 22P02 if code has an invalid character, the wrong length or more than 96 bits; 22023 if charset is invalid.';

--
-- TypeIDs
--

CREATE FUNCTION gid_typeid(prefix text, id uuid)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_typeid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_typeid(text, uuid) IS
'Returns the TypeID (version 0.3.0) of a UUID. It is the prefix, an underscore and the UUID as 26 lower-case characters of Crockford''s alphabet. The prefix has up to 63 lower-case letters and underscores, with a letter at both ends. With an empty prefix, there is no underscore. Error: 22023 if prefix is invalid.';

CREATE FUNCTION gid_typeid_uuid(code text, prefix text)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_typeid_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_typeid_uuid(text, text) IS
'Returns the UUID of a TypeID with this prefix. The function accepts only lower case. Errors: 22P02 if code has another prefix or is not a TypeID; 22023 if prefix is invalid.';

--
-- Check characters
--

CREATE FUNCTION gid_check_append(code text, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_check_append'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_check_append(text, text) IS
'Appends a check character to a code (Luhn mod N). charset is as in gid_lexical_add(). Codes in crockford are read as in gid_decode_bigint(). Errors: 22023 if code is empty or has a character that is not in charset, or if charset is invalid; 54000 if code is almost 1 GB long.';

CREATE FUNCTION gid_check_valid(code text, charset text)
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_check_valid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_check_valid(text, text) IS
'Returns true if the last character is the one that gid_check_append() appends. The result is false if code has fewer than two characters, or a character that is not in charset. Error: 22023 if charset is invalid.';

--
-- Domains
--

CREATE DOMAIN gid_id AS bigint
	CONSTRAINT gid_id_range CHECK (VALUE >= 1);

COMMENT ON DOMAIN gid_id IS
'An id of type bigint, at least 1. NULL is allowed.';
COMMENT ON CONSTRAINT gid_id_range ON DOMAIN gid_id IS
'An id is at least 1.';

CREATE DOMAIN gid_js_id AS bigint
	CONSTRAINT gid_js_id_range CHECK (VALUE BETWEEN 1 AND 9007199254740991);

COMMENT ON DOMAIN gid_js_id IS
'An id that JavaScript can represent exactly. It is a bigint from 1 to 9007199254740991 (2^53 - 1). NULL is allowed.';
COMMENT ON CONSTRAINT gid_js_id_range ON DOMAIN gid_js_id IS
'An id is 1 to 9007199254740991. JavaScript can represent all integers up to this number exactly.';

--
-- More than one server
--

-- Not STRICT: vicinity may be NULL.
CREATE FUNCTION gid.authority_block(
	IN scope text, IN sequence text, IN size int, IN vicinity bigint DEFAULT NULL,
	OUT authority int, OUT era bigint, OUT start bigint, OUT count int)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_authority_block'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.authority_block(text, text, int, bigint) IS
'Reserves for another server a block of GDIDs whose authority is gid.authority. The block has at most size (1 to 65536) values from the sequence with the given schema (scope) and name. Both must match exactly. vicinity is ignored. Errors: 22003 if size is out of range or a value is below 1; 55000 if the sequence descends; and those of gid_next_gdid().';

CREATE FUNCTION gid.authority_generator(launch int)
RETURNS int
AS 'MODULE_PATHNAME', 'gid_authority_generator'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.authority_generator(int) IS
'Reserves one of a launch''s generator numbers for another server. The generator number and the launch are 0 to 99999. PUBLIC is not allowed to call this function. Errors: 22003 if launch is out of range; 55000 if a greater launch was used, or if gid.decimal_authority is set on this server; 2200H if the launch has no numbers left; 25006 as for gid_next().';

-- No role has a privilege on this table: what stands in its rows is enough to
-- extend the lease of another server.
CREATE TABLE gid.node_leases (
	node int PRIMARY KEY,
	holder uuid NOT NULL,
	since timestamptz NOT NULL,
	until timestamptz NOT NULL,
	client_name text NOT NULL,
	client_address text NOT NULL
)
USING heap;

COMMENT ON TABLE gid.node_leases IS
'The last lease of each node number that this server leases out. If you change the rows, two servers can generate duplicate ids. Dumps do not contain the rows.';
COMMENT ON COLUMN gid.node_leases.node IS
'The node number.';
COMMENT ON COLUMN gid.node_leases.holder IS
'A random number that identifies the holder. Each server chooses one when it starts.';
COMMENT ON COLUMN gid.node_leases.since IS
'The first second of ids that the lease covers.';
COMMENT ON COLUMN gid.node_leases.until IS
'The end of the lease, which does not cover ids of this second.';
COMMENT ON COLUMN gid.node_leases.client_name IS
'The application_name of the last request.';
COMMENT ON COLUMN gid.node_leases.client_address IS
'The IP address of the last request, or [local] for a Unix-domain socket.';

-- No primary key: a restored dump, or a subscription to all tables, may put a row
-- beside the server's own.
CREATE TABLE gid.node_writer (
	system_identifier bigint NOT NULL,
	timeline bigint NOT NULL,
	database oid NOT NULL,
	leases oid NOT NULL,
	lease_max int NOT NULL,
	begins timestamptz NOT NULL
)
USING heap;

ALTER TABLE gid.node_writer REPLICA IDENTITY FULL;

SELECT pg_catalog.pg_extension_config_dump('gid.node_writer', '');

COMMENT ON TABLE gid.node_writer IS
'The server that wrote gid.node_leases. Do not change the row. Another server''s row or a second row, for example from a dump, causes a pause and is removed.';
COMMENT ON COLUMN gid.node_writer.system_identifier IS
'The system identifier of the server.';
COMMENT ON COLUMN gid.node_writer.timeline IS
'The timeline of the server.';
COMMENT ON COLUMN gid.node_writer.database IS
'The OID of the database.';
COMMENT ON COLUMN gid.node_writer.leases IS
'The OID of gid.node_leases. It changes when a dump is loaded.';
COMMENT ON COLUMN gid.node_writer.lease_max IS
'The greatest gid.node_lease_max of leases that can still run. In seconds.';
COMMENT ON COLUMN gid.node_writer.begins IS
'The moment before which no lease begins. Leases that are not in the tables can run until then.';

-- These read and write the two tables in C. Nobody's code runs, and no caller needs a
-- privilege on the tables.
CREATE FUNCTION gid.authority_node(
	IN holder uuid, IN held_node int, IN held_until timestamptz,
	IN since timestamptz, IN until timestamptz, IN max_node int,
	OUT node int, OUT since timestamptz, OUT until timestamptz)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_authority_node'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int) IS
'Leases a node number to another server. Only gid calls this function, and it confirms the lease with gid.authority_confirm(). The lease covers ids whose time is in [since, until), in whole seconds. The number is from gid.node_first to max_node (0 to 65535). If holder, held_node and held_until identify a lease, that lease is extended. During the pause after a failover or a restore, node and until are NULL, and since is the end of the pause. Errors: 2200H if all numbers are leased; 25001 in REPEATABLE READ and SERIALIZABLE; 25006 in a read-only transaction; 55000 if the tables were changed; 22003, 22004, 22008 and 22023 if an argument is invalid or a clock is wrong; XX001, 58030 or 53100 if gid.clock cannot be used.';

CREATE FUNCTION gid.authority_confirm()
RETURNS void
AS 'MODULE_PATHNAME', 'gid_authority_confirm'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.authority_confirm() IS
'Waits until earlier commits are flushed on this server and the synchronous standbys, regardless of synchronous_commit. Error: 25006 in a read-only transaction.';

CREATE FUNCTION gid.authority_resume()
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_authority_resume'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.authority_resume() IS
'Ends the pause in node leases after a failover or restore. Call it only if the promoted standby has every confirmed record, or if no server holds a lease. The result is true if there was a pause. Errors: 42501 if the role is not allowed to call it, and those of gid.authority_node().';

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
	SELECT n, pg_catalog.encode(n, 'hex') AS hex, pg_catalog.get_byte(n, 6) >> 4 AS version,
		pg_catalog.get_byte(n, 8) & 192 = 128 AND pg_catalog.get_byte(n, 6) >> 4 BETWEEN 1 AND 8 AS is_rfc,
		timestamptz '1970-01-01 00:00:00+00' AS first, pg_catalog.now() + interval '1 day' AS last
	FROM pg_catalog.uuid_send(id) AS n),
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
	(4, 'v7', 'fraction', (((pg_catalog.get_byte(n, 6) & 15) << 12) | (pg_catalog.get_byte(n, 7) << 4)
		| ((pg_catalog.get_byte(n, 8) & 63) >> 2))::text || '/65536 ms'),
	(5, 'v7', 'random', pg_catalog.to_hex(pg_catalog.get_byte(n, 8) & 3) || pg_catalog.substr(hex, 19)),
	(11, 'sequential', 'meaning', 'ticks and process id, in PostgreSQL''s byte order'),
	(12, 'sequential', 'time', gid_extract_sequential_time(id)::text),
	(13, 'sequential', 'ticks', gid_extract_sequential_ticks(id)::text),
	(14, 'sequential', 'process', pg_catalog.encode(gid_extract_sequential_process(id), 'hex')),
	(21, 'sequential_mssql', 'meaning', 'ticks and process id, in SQL Server''s byte order'),
	(22, 'sequential_mssql', 'time', gid_extract_sequential_time(gid_uuid_from_mssql(id))::text),
	(23, 'sequential_mssql', 'ticks', gid_extract_sequential_ticks(gid_uuid_from_mssql(id))::text),
	(24, 'sequential_mssql', 'process', pg_catalog.encode(gid_extract_sequential_process(gid_uuid_from_mssql(id)), 'hex')),
	(31, 'shard', 'meaning', 'seconds and shard key'),
	(32, 'shard', 'time', gid_extract_shard_time(id)::text),
	(33, 'shard', 'generator', pg_catalog.encode(gid_extract_shard_generator(id), 'hex')),
	(34, 'shard', 'counter', gid_extract_shard_counter(id)::text),
	(35, 'shard', 'key', gid_extract_shard(id)::text),
	(36, 'shard', 'region', gid_extract_region(id)::text),
	(37, 'shard', 'region_shard', gid_extract_region_shard(id)::text))
	AS line (number, family, part, value)
WHERE (line.family = '' OR line.family = ANY (candidates)) AND line.value IS NOT NULL
ORDER BY line.number;
END;

COMMENT ON FUNCTION gid_inspect(uuid) IS
'Returns the parts of a UUID, as text. The first row is the family: v1 to v8, sequential, sequential_mssql, shard, nil, max or unknown. gid determines it from the version, the variant, and whether the time is between 1970 and a day from now. Several families are joined with "or".';

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
'Returns the parts of a GDID, as text. The first row is the family, gdid. For eras 0 to 7, the last row is the value of the sequence.';

CREATE FUNCTION gid.inspect_family(family text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_inspect_family'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid.inspect_family(text) IS
'Checks the name of a family of 63-bit ids. The families are trace, snowflake, decimal and next. Error: 22023 for any other name.';

-- Not STRICT: the family may be NULL.  Below 2^38 a TraceId is of one second in
-- 388 days, and a Snowflake id of the first 66 seconds of Twitter's epoch, so
-- that such a number is taken for one only by its node.
CREATE FUNCTION gid_inspect(id bigint, family text DEFAULT NULL)
RETURNS TABLE (part text, value text)
LANGUAGE SQL STABLE PARALLEL SAFE
BEGIN ATOMIC
WITH
given AS (
	SELECT gid.inspect_family(nullif(gid_inspect.family, '')) AS name,
		gid_extract_trace_node(id) IS NOT NULL AS can_trace,
		gid_extract_snowflake_node(id) IS NOT NULL AS can_snowflake,
		gid_extract_decimal_launch(id) IS NOT NULL AS can_decimal,
		id >= 1::bigint << 38 AS is_large,
		coalesce(gid_extract_snowflake_time(id, 1288834974657) < pg_catalog.now() + interval '1 day', false) AS has_come,
		pg_catalog.current_setting('gid.node_no', true) AS node,
		pg_catalog.current_setting('gid.launch_id', true) AS launch),
owned AS (
	SELECT given.*, pg_catalog.array_remove(ARRAY[
		CASE WHEN is_large AND gid_extract_trace_node(id)::text = node THEN 'trace' END,
		CASE WHEN is_large AND has_come AND gid_extract_snowflake_node(id)::text = node THEN 'snowflake' END,
		CASE WHEN gid_extract_decimal_launch(id)::text = launch THEN 'decimal' END], NULL) AS own
	FROM given),
found AS (
	SELECT owned.*, CASE
		WHEN name IS NOT NULL THEN ARRAY[name]
		WHEN pg_catalog.cardinality(own) = 1 THEN own
		ELSE pg_catalog.array_remove(ARRAY[
			CASE WHEN can_trace AND is_large THEN 'trace' END,
			CASE WHEN can_snowflake AND is_large AND has_come THEN 'snowflake' END,
			CASE WHEN can_decimal THEN 'decimal' END,
			'next'], NULL)
		END AS families
	FROM owned)
SELECT CASE WHEN pg_catalog.cardinality(families) > 1 AND line.family <> '' THEN line.family || '.' ELSE '' END
	|| line.part, line.value
FROM found, LATERAL (VALUES
	(1, '', 'family', pg_catalog.array_to_string(families, ' or ')),
	(2, 'trace', 'problem', CASE WHEN NOT can_trace
		THEN 'not a TraceId: below 1, or its low 22 bits are all 0' END),
	(3, 'trace', 'time', gid_extract_trace_time(id)::text),
	(4, 'trace', 'node', gid_extract_trace_node(id)::text),
	(5, 'trace', 'thread', gid_extract_trace_thread(id, 12)::text),
	(6, 'trace', 'counter', gid_extract_trace_counter(id, 12)::text),
	(11, 'snowflake', 'problem', CASE WHEN NOT can_snowflake
		THEN 'not a Snowflake id: below 1' END),
	(12, 'snowflake', 'time', gid_extract_snowflake_time(id, 1288834974657)::text),
	(13, 'snowflake', 'node', gid_extract_snowflake_node(id)::text),
	(14, 'snowflake', 'sequence', gid_extract_snowflake_sequence(id)::text),
	(21, 'decimal', 'problem', CASE WHEN NOT can_decimal
		THEN 'not a DecimalId: outside 10000000000 to 9223372029999999999' END),
	(22, 'decimal', 'counter', gid_extract_decimal_counter(id)::text),
	(23, 'decimal', 'generator', gid_extract_decimal_generator(id)::text),
	(24, 'decimal', 'launch', gid_extract_decimal_launch(id)::text),
	(31, 'next', 'value', id::text))
	AS line (number, family, part, value)
WHERE id IS NOT NULL AND (line.family = '' OR line.family = ANY (families)) AND line.value IS NOT NULL
ORDER BY line.number;
END;

COMMENT ON FUNCTION gid_inspect(bigint, text) IS
'Returns the parts of a 63-bit id, as text. family is trace, snowflake (with Twitter''s epoch), decimal or next. The first row shows the family. If family is NULL, gid determines it from gid.node_no and gid.launch_id, or shows all possible families. Error: 22023 for any other family.';

CREATE FUNCTION gid.inspect_text(
	IN id text,
	OUT form text, OUT prefix text, OUT as_uuid uuid, OUT as_gdid gdid,
	OUT as_bigint bigint, OUT as_base32hex uuid)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_inspect_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid.inspect_text(text) IS
'Reads the id of a text, for gid_inspect(text). Returns the form of the text, the prefix before its last underscore or NULL, and the id as uuid, gdid or bigint; the other two are NULL. as_base32hex is the version 4 or 7 UUID that a ULID is in base32hex, or NULL. Error: 22P02 for any other text.';

-- A Crockford text that is no version 7 UUID, and whose first 48 bits are a plausible
-- Unix time, is a ULID before it is of the families whose bits it happens to fit.  There
-- always is one: its first 32 bits are then plausible seconds of a shard-key UUID.
CREATE FUNCTION gid_inspect(id text)
RETURNS TABLE (part text, value text)
LANGUAGE SQL STABLE STRICT PARALLEL SAFE
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
	FROM given, LATERAL gid_inspect(given.as_gdid) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 3, i.number, i.part, i.value
	FROM given, LATERAL gid_inspect(given.as_bigint, NULL::text) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 4, i.number, i.part, i.value
	FROM given, LATERAL (VALUES
		(1, 'form', given.form),
		(2, 'prefix', given.prefix),
		(3, 'id', coalesce(given.as_uuid::text, given.as_gdid::text, given.as_bigint::text)),
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
'Returns the parts of the id that a text contains. The last rows show the text''s form, any prefix and the id. The text can be a UUID, a ULID, a UUID in base32hex, a GDID or a decimal bigint. It can also be a lower-case prefix, an underscore and a decimal bigint or an id in Crockford''s alphabet. Blanks and line ends in the text, quotes and brackets around it, and a full stop or comma after it are ignored. Of a URL, the part that is an id is read. For a ULID, the family is ulid, and the families that its bits also fit. If the text has another reading, the row "remark" shows that. Error: 22P02 for any other text, with what is wrong if the text is nearly an id.';

--
-- Views
--

CREATE FUNCTION gid.stat_get_backends(
	OUT pid int, OUT slot int, OUT family text, OUT last_time timestamptz,
	OUT issued bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_backends'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid.stat_get_backends() IS
'The rows of the view gid.stat_backends.';

CREATE VIEW gid.stat_backends AS
SELECT pid, slot, family, last_time, issued
FROM gid.stat_get_backends();

COMMENT ON VIEW gid.stat_backends IS
'Counts the ids that each backend has generated since it connected. For another user''s backend, the view shows only pid and slot, unless the caller has that user''s privileges or pg_read_all_stats.';
COMMENT ON COLUMN gid.stat_backends.pid IS
'Process id of the backend.';
COMMENT ON COLUMN gid.stat_backends.slot IS
'Index of the backend''s slot in shared memory, starting at 0.';
COMMENT ON COLUMN gid.stat_backends.family IS
'Name of the family, such as uuid_v7 for gid_uuid_v7().';
COMMENT ON COLUMN gid.stat_backends.last_time IS
'Time of the backend''s last id. NULL for a family without times.';
COMMENT ON COLUMN gid.stat_backends.issued IS
'Number of ids, including those of transactions that were rolled back.';

CREATE FUNCTION gid.stat_get_sequences(
	OUT sequence oid, OUT relfilenode oid, OUT source text, OUT next bigint,
	OUT last bigint, OUT block_size bigint, OUT reservations bigint,
	OUT prefetched bigint, OUT waits bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_sequences'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid.stat_get_sequences() IS
'The rows of the view gid.stat_sequences.';

CREATE VIEW gid.stat_sequences AS
SELECT s.sequence::regclass AS sequence, s.source, s.next, s.last,
	s.block_size, s.reservations, s.prefetched, s.waits
FROM gid.stat_get_sequences() AS s
JOIN pg_catalog.pg_class AS c ON c.oid = s.sequence AND c.relfilenode = s.relfilenode;

COMMENT ON VIEW gid.stat_sequences IS
'Lists the sequences of this database that have blocks in shared memory. The view shows only those on which the caller has SELECT or USAGE, or all of them to members of pg_monitor.';
COMMENT ON COLUMN gid.stat_sequences.sequence IS
'The sequence.';
COMMENT ON COLUMN gid.stat_sequences.source IS
'Where the block comes from: "local", "authority N" or "launch N". "authority N" names the server that reserved it, and "authorities" means that no server has yet. For DecimalIds, it is "launch N", or "launch N, authority" with gid.decimal_authority.';
COMMENT ON COLUMN gid.stat_sequences.next IS
'Next value of the block in use. For a launch, it is the next DecimalId. NULL if no value is left.';
COMMENT ON COLUMN gid.stat_sequences.last IS
'Last value of the block in use. NULL if no value is left.';
COMMENT ON COLUMN gid.stat_sequences.block_size IS
'Number of values that were reserved with the block in use. 0 if the block was ended.';
COMMENT ON COLUMN gid.stat_sequences.reservations IS
'Number of blocks reserved since the sequence got its place in memory. gid.stat_blocks has the totals.';
COMMENT ON COLUMN gid.stat_sequences.prefetched IS
'Number of blocks that were reserved, or fetched from another server, before they were needed. For each of the others a session waited.';
COMMENT ON COLUMN gid.stat_sequences.waits IS
'Number of times that a session waited for a synchronous standby, or for another process that was asking another server.';

CREATE FUNCTION gid.stat_get_blocks(
	OUT sequences int, OUT reservations bigint, OUT prefetched bigint, OUT waits bigint,
	OUT evictions bigint, OUT lost bigint)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_stat_get_blocks'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid.stat_get_blocks() IS
'The row of the view gid.stat_blocks.';

CREATE VIEW gid.stat_blocks AS
SELECT sequences, reservations, prefetched, waits, evictions, lost
FROM gid.stat_get_blocks();

COMMENT ON VIEW gid.stat_blocks IS
'Counts the blocks of all sequences in all databases since the server started. No number but sequences decreases while the server runs.';
COMMENT ON COLUMN gid.stat_blocks.sequences IS
'Number of sequences, and launches of DecimalIds, that have a place in memory now. gid.max_sequences limits it.';
COMMENT ON COLUMN gid.stat_blocks.reservations IS
'Number of blocks reserved.';
COMMENT ON COLUMN gid.stat_blocks.prefetched IS
'Number of blocks that were reserved before they were needed.';
COMMENT ON COLUMN gid.stat_blocks.waits IS
'Number of times that a session waited for a synchronous standby, or for another process that was asking another server.';
COMMENT ON COLUMN gid.stat_blocks.evictions IS
'Number of times that a sequence lost its place in memory to another one, because of gid.max_sequences.';
COMMENT ON COLUMN gid.stat_blocks.lost IS
'Number of values that these sequences had reserved and not given out.';

CREATE FUNCTION gid.stat_get_clock(
	OUT family text, OUT durable_bound timestamptz, OUT last_time timestamptz,
	OUT lead interval, OUT steps_back bigint, OUT waits bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_clock'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid.stat_get_clock() IS
'The rows of the view gid.stat_clock.';

CREATE FUNCTION gid.stat_get_node(
	OUT node int, OUT node_until timestamptz, OUT node_source text)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_stat_get_node'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid.stat_get_node() IS
'The columns about the node number in the view gid.stat_clock.';

CREATE VIEW gid.stat_clock AS
SELECT c.family, c.durable_bound, c.last_time, c.lead, c.steps_back, c.waits,
	n.node, n.node_until, n.node_source
FROM gid.stat_get_clock() AS c
LEFT JOIN gid.stat_get_node() AS n ON c.family IN ('trace_id', 'snowflake_id');

COMMENT ON VIEW gid.stat_clock IS
'Shows the times of the families that use the clock. After a server start, the view is empty until an id of such a family is generated.';
COMMENT ON COLUMN gid.stat_clock.family IS
'Name of the family, such as uuid_v7 for gid_uuid_v7().';
COMMENT ON COLUMN gid.stat_clock.durable_bound IS
'The durable bound in the file gid.clock. All ids have earlier times until the bound is moved.';
COMMENT ON COLUMN gid.stat_clock.last_time IS
'Time of the server''s last id. Before the first id, it is the time at which ids will start.';
COMMENT ON COLUMN gid.stat_clock.lead IS
'How far the time of the next id is ahead of the wall clock. After a crash, or after any restart without preloading, the lead can be up to five seconds (six for shard-key UUIDs). It can be longer after the wall clock has been set back. It disappears over a period twice its length.';
COMMENT ON COLUMN gid.stat_clock.steps_back IS
'Number of times that the wall clock was set back. It is the same for all families.';
COMMENT ON COLUMN gid.stat_clock.waits IS
'Number of times that a caller slept because the family''s ids were a second ahead of the server''s time.';
COMMENT ON COLUMN gid.stat_clock.node IS
'The node number of the next id. NULL for families without one, or while the server has none.';
COMMENT ON COLUMN gid.stat_clock.node_until IS
'The end of the node number''s lease. NULL if the number is gid.node_no.';
COMMENT ON COLUMN gid.stat_clock.node_source IS
'Where the node number comes from: "gid.node_no", or "authority HOST:PORT/DATABASE" for gid.node_authority. NULL if neither is set.';

CREATE FUNCTION gid.stat_get_horizon(
	OUT kind text, OUT pid int, OUT transaction xid, OUT bound timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_horizon'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid.stat_get_horizon() IS
'The rows of the view gid.stat_horizon that are not about sequences.';

-- A prepared transaction keeps its virtual transaction id until a restart.  Its lock on
-- its own transaction id tells which transaction has the lock on the sequence.
CREATE VIEW gid.stat_horizon AS
SELECT h.kind, h.sequence::regclass AS sequence, h.pid, p.gid AS prepared,
	a.usename, a.application_name, a.state,
	coalesce(a.xact_start, p.prepared) AS since, h.bound
FROM (
	SELECT kind, NULL::oid AS sequence, pid, transaction, bound
	FROM gid.stat_get_horizon()
	UNION ALL
	SELECT 'sequence' AS kind, l.relation, l.pid, x.transactionid, NULL AS bound
	FROM pg_catalog.pg_locks AS l
	JOIN pg_catalog.pg_class AS c ON c.oid = l.relation AND c.relkind = 'S'
	LEFT JOIN pg_catalog.pg_locks AS x ON x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock'
		AND x.virtualtransaction = l.virtualtransaction AND l.pid IS NULL AND x.pid IS NULL
	WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.granted
		AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
) AS h
LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = h.pid
LEFT JOIN pg_catalog.pg_prepared_xacts AS p ON p.transaction = h.transaction;

COMMENT ON VIEW gid.stat_horizon IS
'Lists the transactions that hold back the horizons of this database. Each row is an open or prepared transaction that has generated ids or drawn from sequences. The horizon advances when the transaction ends.';
COMMENT ON COLUMN gid.stat_horizon.kind IS
'Name of the family, such as uuid_v7, or "sequence". NULL without pg_read_all_stats for another user''s ids from the clock.';
COMMENT ON COLUMN gid.stat_horizon.sequence IS
'The sequence. NULL for other kinds.';
COMMENT ON COLUMN gid.stat_horizon.pid IS
'Process id of the backend. NULL for a prepared transaction.';
COMMENT ON COLUMN gid.stat_horizon.prepared IS
'Name of the prepared transaction. NULL for other transactions.';
COMMENT ON COLUMN gid.stat_horizon.usename IS
'Name of the user. NULL for a prepared transaction.';
COMMENT ON COLUMN gid.stat_horizon.application_name IS
'Name of the application. NULL for a prepared transaction.';
COMMENT ON COLUMN gid.stat_horizon.state IS
'State of the backend, as in pg_stat_activity. In the state "idle in transaction", a backend can hold a horizon back for a long time. NULL for a prepared transaction and, without pg_read_all_stats, for another user''s backend.';
COMMENT ON COLUMN gid.stat_horizon.since IS
'Time when the transaction began or was prepared. Without pg_read_all_stats, NULL for another user''s backend.';
COMMENT ON COLUMN gid.stat_horizon.bound IS
'The horizon stays below the ids of this time. NULL for sequences and, without pg_read_all_stats, for another user''s transaction. It is also NULL for a transaction that was prepared before the server started, which makes the horizons of all families NULL.';

CREATE FUNCTION gid.stat_get_readers(
	OUT sequence oid, OUT relfilenode oid, OUT asked timestamptz, OUT horizon bigint,
	OUT behind bigint, OUT lag interval, OUT holders int, OUT evictions bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_readers'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid.stat_get_readers() IS
'The rows of the view gid.stat_readers.';

CREATE VIEW gid.stat_readers AS
SELECT r.sequence::regclass AS sequence, r.asked, r.horizon, r.behind, r.lag, r.holders, r.evictions
FROM gid.stat_get_readers() AS r
JOIN pg_catalog.pg_class AS c ON c.oid = r.sequence AND c.relfilenode = r.relfilenode;

COMMENT ON VIEW gid.stat_readers IS
'Lists the sequences of this database that readers follow with gid_horizon(). The server follows 64 sequences at a time. The view shows only those on which the caller has SELECT or USAGE, or all of them to members of pg_monitor.';
COMMENT ON COLUMN gid.stat_readers.sequence IS
'The sequence.';
COMMENT ON COLUMN gid.stat_readers.asked IS
'When a session last called gid_horizon() or gid_horizon_wait() for the sequence. The other columns show what this call has found.';
COMMENT ON COLUMN gid.stat_readers.horizon IS
'The horizon that a call would return now, without reading the sequence again. NULL if nothing can be said.';
COMMENT ON COLUMN gid.stat_readers.behind IS
'Number of values between the horizon and the position of the sequence. NULL if the horizon is NULL.';
COMMENT ON COLUMN gid.stat_readers.lag IS
'For how long the horizon has been behind the position of the sequence. 0 if it is not behind.';
COMMENT ON COLUMN gid.stat_readers.holders IS
'Number of transactions that hold the horizon back. gid.stat_horizon lists them.';
COMMENT ON COLUMN gid.stat_readers.evictions IS
'Number of sequences, of all databases, that gave way to another one since the server started. Each begins again without a horizon.';

CREATE FUNCTION gid.stat_get_node_leases(
	OUT node int, OUT holder uuid, OUT since timestamptz, OUT until timestamptz,
	OUT client_name text, OUT client_address text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_node_leases'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.stat_get_node_leases() IS
'The rows of the view gid.stat_node_leases. Error: 55000 when the table gid.node_leases was changed.';

CREATE VIEW gid.stat_node_leases AS
SELECT node, client_name, client_address, since, until, until > pg_catalog.now() AS is_held, holder
FROM gid.stat_get_node_leases();

COMMENT ON VIEW gid.stat_node_leases IS
'Shows the last lease of each node number on an authority. Only superusers and members of pg_monitor can see the rows.';
COMMENT ON COLUMN gid.stat_node_leases.node IS
'The node number.';
COMMENT ON COLUMN gid.stat_node_leases.client_name IS
'The application_name of the last request. The URI in gid.node_authority can set it.';
COMMENT ON COLUMN gid.stat_node_leases.client_address IS
'The IP address of the last request, or [local] for a Unix-domain socket.';
COMMENT ON COLUMN gid.stat_node_leases.since IS
'The first second of ids that the lease covers.';
COMMENT ON COLUMN gid.stat_node_leases.until IS
'The end of the lease, which does not cover ids of this second.';
COMMENT ON COLUMN gid.stat_node_leases.is_held IS
'True until the lease ends, by this server''s clock.';
COMMENT ON COLUMN gid.stat_node_leases.holder IS
'A random number that identifies the holder. Each server chooses one when it starts.';

CREATE FUNCTION gid.stat_get_reader_evictions()
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_stat_get_reader_evictions'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid.stat_get_reader_evictions() IS
'The column evictions of gid.stat_readers, which has no row if nothing is followed.';

CREATE VIEW gid.metrics AS
-- A metric with a label has a row for each label, and any other metric has one row.  A
-- collector asks for either by the label, and the planner then leaves out the other parts.
-- Columns and sequences.
SELECT v.metric, ''::text AS label, v.value
FROM (
	SELECT coalesce(pg_catalog.max(c.used), 0::float8) AS used_max,
		(pg_catalog.count(*) FILTER (WHERE c.behind))::float8 AS behind,
		(pg_catalog.count(*) FILTER (WHERE c.behind IS NULL AND c.readable))::float8 AS unknown,
		(pg_catalog.count(*) FILTER (WHERE NOT c.readable))::float8 AS unreadable
	FROM gid.columns AS c
) AS m
CROSS JOIN LATERAL (VALUES ('gid_columns_used_max'::text, m.used_max), ('gid_columns_behind', m.behind),
	('gid_columns_unknown', m.unknown), ('gid_columns_unreadable', m.unreadable)) AS v(metric, value)
UNION ALL
SELECT 'gid_sequences_used_max'::text, ''::text, coalesce(pg_catalog.max(l.used), 0::float8)
FROM pg_catalog.pg_sequence AS s
CROSS JOIN LATERAL gid.stat_get_column_state(s.seqrelid, ''::name, s.seqrelid, false) AS l
WHERE s.seqrelid <> 'gid.decimal_generator'::regclass::oid
UNION ALL
SELECT 'gid_decimal_launch_used'::text, ''::text, coalesce((l.last % 100000::bigint)::float8 / 99999::float8, 0::float8)
FROM gid.stat_get_column_state('gid.decimal_generator'::regclass::oid, ''::name, 'gid.decimal_generator'::regclass::oid, false) AS l
UNION ALL
-- Blocks of sequences.
SELECT v.metric, ''::text, v.value
FROM gid.stat_blocks AS b
CROSS JOIN LATERAL (VALUES ('gid_sequence_reservations_total'::text, b.reservations::float8),
	('gid_sequence_waits_total', b.waits::float8), ('gid_sequence_evictions_total', b.evictions::float8),
	('gid_sequence_evicted_values_total', b.lost::float8)) AS v(metric, value)
UNION ALL
-- Horizons and their readers.
SELECT 'gid_horizon_held_seconds'::text, ''::text,
	coalesce(pg_catalog.date_part('epoch'::text, pg_catalog.max(pg_catalog.clock_timestamp() - h.since)), 0::float8)
FROM gid.stat_horizon AS h
UNION ALL
SELECT 'gid_reader_lag_seconds'::text, ''::text,
	coalesce(pg_catalog.date_part('epoch'::text, pg_catalog.max(r.lag)), 0::float8)
FROM gid.stat_readers AS r
UNION ALL
SELECT 'gid_reader_evictions_total'::text, ''::text, gid.stat_get_reader_evictions()::float8
UNION ALL
-- The clock, and node numbers.
SELECT 'gid_clock_steps_back_total'::text, ''::text, coalesce(pg_catalog.max(c.steps_back), 0::bigint)::float8
FROM gid.stat_clock AS c
UNION ALL
SELECT 'gid_node_lease_remaining_seconds'::text, ''::text,
	pg_catalog.date_part('epoch'::text, n.node_until - pg_catalog.clock_timestamp())
FROM gid.stat_get_node() AS n
WHERE n.node_until IS NOT NULL
UNION ALL
SELECT 'gid_node_leases_held'::text, ''::text, (pg_catalog.count(*) FILTER (WHERE l.is_held))::float8
FROM gid.stat_node_leases AS l
UNION ALL
SELECT 'gid_clock_lead_seconds'::text, c.family, pg_catalog.date_part('epoch'::text, c.lead)
FROM gid.stat_clock AS c
UNION ALL
SELECT 'gid_clock_waits_total'::text, c.family, c.waits::float8
FROM gid.stat_clock AS c
UNION ALL
-- Sessions.
SELECT 'gid_sessions_waiting'::text, w.label, (
	SELECT pg_catalog.count(*)::float8
	FROM pg_catalog.pg_stat_activity AS a
	WHERE a.datname = pg_catalog.current_database()
		AND CASE w.label WHEN 'standby'::text THEN a.wait_event = 'SyncRep'::text
			ELSE pg_catalog.starts_with(a.wait_event, 'Gid'::text)
				OR a.wait_event_type = 'Extension'::text AND a.wait_event = 'Extension'::text END)
FROM (VALUES ('standby'::text), ('gid'::text)) AS w(label);

COMMENT ON VIEW gid.metrics IS
'What a collector such as a Prometheus exporter reads from this database, for members of pg_monitor. The counters are the server''s, and start at 0 when it starts.';
COMMENT ON COLUMN gid.metrics.metric IS
'The name of the metric. The names of counters end in _total. gid_node_lease_remaining_seconds has a row only if this server leases its node number.';
COMMENT ON COLUMN gid.metrics.label IS
'For gid_clock_lead_seconds and gid_clock_waits_total, the family. For gid_sessions_waiting, "standby" for sessions that wait for a synchronous standby, or "gid" for those that wait for the clock or for another server. For other metrics, an empty text.';
COMMENT ON COLUMN gid.metrics.value IS
'The value. Shares are 0 to 1.';

--
-- Privileges
--

-- What default privileges of the installing superuser have given is taken back.
-- Functions and types stay open to PUBLIC.  Then nothing of the extension may need an
-- object that others own: whoever owns the schema of the functions could rename it
-- while the script runs, and put another schema in its place.
DO LANGUAGE plpgsql $script$
DECLARE
	this CONSTANT oid := (SELECT e.oid FROM pg_catalog.pg_extension AS e WHERE e.extname = 'gid');
	extensions CONSTANT oid := 'pg_catalog.pg_extension'::regclass::oid;
	namespaces CONSTANT oid := 'pg_catalog.pg_namespace'::regclass::oid;
	it record;
BEGIN
	FOR round IN 1..2 LOOP
		FOR it IN
			SELECT o.kind, i.identity, CASE WHEN x.grantee = 0::oid THEN 'PUBLIC' ELSE x.grantee::regrole::text END AS grantee
			FROM pg_catalog.pg_depend AS d
			JOIN (
				SELECT 'pg_catalog.pg_proc'::regclass::oid, p.oid, 'ROUTINE', p.proowner, p.proacl, true
				FROM pg_catalog.pg_proc AS p
				UNION ALL
				SELECT 'pg_catalog.pg_type'::regclass::oid, t.oid, 'TYPE', t.typowner, t.typacl, true
				FROM pg_catalog.pg_type AS t
				UNION ALL
				SELECT 'pg_catalog.pg_class'::regclass::oid, c.oid, CASE WHEN c.relkind = 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
					c.relowner, c.relacl, false
				FROM pg_catalog.pg_class AS c
				UNION ALL
				SELECT namespaces, n.oid, 'SCHEMA', n.nspowner, n.nspacl, false
				FROM pg_catalog.pg_namespace AS n
			) AS o(class, oid, kind, owner, acl, is_public) ON o.class = d.classid AND o.oid = d.objid
			CROSS JOIN LATERAL pg_catalog.aclexplode(o.acl) AS x
			CROSS JOIN LATERAL pg_catalog.pg_identify_object(d.classid, d.objid, 0) AS i
			WHERE d.refclassid = extensions AND d.refobjid = this AND d.deptype = 'e'
				AND x.grantee <> o.owner AND NOT (x.grantee = 0::oid AND o.is_public)
		LOOP
			IF round = 2 THEN
				RAISE EXCEPTION 'could not take the privileges on % from %', it.identity, it.grantee
					USING ERRCODE = '55000', HINT = 'Run CREATE EXTENSION again when nobody renames schemas.';
			END IF;
			EXECUTE pg_catalog.format('REVOKE ALL ON %s %s FROM %s', it.kind, it.identity, it.grantee);
		END LOOP;
	END LOOP;

	FOR it IN
		WITH RECURSIVE own AS (
			SELECT d.classid, d.objid
			FROM pg_catalog.pg_depend AS d
			WHERE d.refclassid = extensions AND d.refobjid = this AND d.deptype = 'e'
			UNION
			SELECT d.classid, d.objid
			FROM own AS o
			JOIN pg_catalog.pg_depend AS d ON d.refclassid = o.classid AND d.refobjid = o.objid
			WHERE d.deptype IN ('a', 'i'))
		SELECT pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid) AS object,
			pg_catalog.pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid) AS needed
		FROM own AS o
		JOIN pg_catalog.pg_depend AS d ON d.classid = o.classid AND d.objid = o.objid
		CROSS JOIN LATERAL pg_catalog.pg_identify_object(d.refclassid, d.refobjid, d.refobjsubid) AS i
		WHERE d.refclassid <> extensions AND d.refclassid <> namespaces
			AND i.schema IS DISTINCT FROM pg_catalog.quote_ident('pg_catalog')
			AND NOT EXISTS (SELECT FROM own AS p WHERE p.classid = d.refclassid AND p.objid = d.refobjid)
	LOOP
		RAISE EXCEPTION '% of the extension would use %', it.object, it.needed
			USING ERRCODE = '55000', HINT = 'Run CREATE EXTENSION again when nobody renames schemas.';
	END LOOP;
END
$script$;

GRANT USAGE ON SCHEMA gid TO PUBLIC;
GRANT SELECT ON gid.columns, gid.stat_backends, gid.stat_blocks, gid.stat_clock, gid.stat_horizon,
	gid.stat_readers, gid.stat_sequences TO PUBLIC;

-- Plans call these for every role.
GRANT EXECUTE ON FUNCTION gid.serve_nextval(regclass), gid.serve_identity(regclass), gid.serve_currval(regclass),
	gid.serve_lastval(), gid.serve_setval(regclass, bigint), gid.serve_setval(regclass, bigint, boolean) TO PUBLIC;

-- A dump by the database's owner reads both, a restore writes them.
GRANT SELECT, UPDATE ON SEQUENCE gid.decimal_generator TO pg_database_owner;
GRANT SELECT, INSERT ON gid.node_writer TO pg_database_owner;

-- What these give to one server is lost to all others.
REVOKE EXECUTE ON FUNCTION gid.authority_generator(int), gid.authority_confirm(), gid.authority_resume(),
	gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int) FROM PUBLIC;

-- What a row of gid.node_leases shows is enough to extend the lease of another server.
REVOKE EXECUTE ON FUNCTION gid.stat_get_node_leases() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gid.stat_get_node_leases() TO pg_monitor;
GRANT SELECT ON gid.stat_node_leases TO pg_monitor;

GRANT SELECT ON gid.metrics TO pg_monitor;
