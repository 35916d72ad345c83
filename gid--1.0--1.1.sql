/* gid--1.0--1.1.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '1.1'" to load this file. \quit

--
-- Ranges of time: an end may be open
--

CREATE FUNCTION gid_uuid_v7_low(since timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_low'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_low(timestamptz) IS
'lower end of gid_uuid_v7_between(): smallest UUID version 7 of the millisecond of "since"; the smallest uuid for NULL and -infinity, the end of the range 1970-01-01 to 10889-08-02 for a moment outside it, NULL for infinity';

CREATE FUNCTION gid_uuid_v7_below(until timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_below'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_v7_below(timestamptz) IS
'upper end of gid_uuid_v7_between(): last uuid before the millisecond of "until"; the largest uuid for NULL and infinity, the end of the range 1970-01-01 to 10889-08-02 for a moment outside it, NULL for -infinity';

-- Each parameter stands in it once: a costly argument of one that stands in it
-- twice is not inlined.
CREATE OR REPLACE FUNCTION gid_uuid_v7_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_uuid_v7_low(since) AND id <= gid_uuid_v7_below(until);

COMMENT ON FUNCTION gid_uuid_v7_between(uuid, timestamptz, timestamptz) IS
'is the UUID version 7 of a time in [since, until), to the millisecond? An end is open when it is NULL, since = -infinity or until = infinity. Inlined: an index on id and partition pruning serve it';

CREATE FUNCTION gid_uuid_sequential_low(since timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_low'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential_low(timestamptz) IS
'lower end of gid_uuid_sequential_between(): smallest sequential UUID of the moment "since"; the smallest uuid for NULL and -infinity, the end of the years 1 to 9999 for a moment outside them, NULL for infinity';

CREATE FUNCTION gid_uuid_sequential_below(until timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_below'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_sequential_below(timestamptz) IS
'upper end of gid_uuid_sequential_between(): last uuid before the moment "until"; the largest uuid for NULL and infinity, the end of the years 1 to 9999 for a moment outside them, NULL for -infinity and when there is none';

CREATE OR REPLACE FUNCTION gid_uuid_sequential_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_uuid_sequential_low(since) AND id <= gid_uuid_sequential_below(until);

COMMENT ON FUNCTION gid_uuid_sequential_between(uuid, timestamptz, timestamptz) IS
'is the sequential UUID of a time in [since, until), to the tick? An end is open when it is NULL, since = -infinity or until = infinity. Inlined: an index on id and partition pruning serve it';

CREATE FUNCTION gid_uuid_shard_low(since timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_low'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard_low(timestamptz) IS
'lower end of gid_uuid_shard_between(): smallest shard-key UUID of the second of "since"; the smallest uuid for NULL, -infinity and a moment before 1970, NULL for infinity and from 2106-02-07 06:28:16 UTC on';

CREATE FUNCTION gid_uuid_shard_below(until timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_shard_below'
LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_shard_below(timestamptz) IS
'upper end of gid_uuid_shard_between(): last uuid before the second of "until"; the largest uuid for NULL, infinity and from 2106-02-07 06:28:16 UTC on, NULL for -infinity and up to 1970-01-01 00:00:00 UTC';

CREATE OR REPLACE FUNCTION gid_uuid_shard_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= gid_uuid_shard_low(since) AND id <= gid_uuid_shard_below(until);

COMMENT ON FUNCTION gid_uuid_shard_between(uuid, timestamptz, timestamptz) IS
'is the shard-key UUID of a time in [since, until), to the second, its seconds taken as those of 1970 to 2106? An end is open when it is NULL, since = -infinity or until = infinity. Inlined: an index on id and partition pruning serve it';

--
-- Shard-key UUIDs: a look-up by the id
--

-- Not STRICT: a strict body of two conditions is not inlined.
CREATE FUNCTION gid_uuid_shard_is(id uuid, wanted uuid)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id = wanted AND gid_extract_shard(id) = gid_extract_shard(wanted);

COMMENT ON FUNCTION gid_uuid_shard_is(uuid, uuid) IS
'are both ids the same? Of a table that is partitioned by gid_extract_shard(id) only the partition of "wanted" is searched: inlined when "wanted" is a constant, a parameter or a column, not a subquery';

--
-- Sequences and GDIDs: a batch has an upper limit
--

COMMENT ON FUNCTION gid_next_many(regclass, int) IS
'count (1 to 65536, else 22023) consecutive values of a sequence, reserved in one step; 2200H when it has not so many left, and then nothing is taken; other errors as gid_next()';

COMMENT ON FUNCTION gid_next_gdids(regclass, int) IS
'count (1 to 65536, else 22023) new GDIDs of consecutive values of a sequence and one era, reserved in one step; errors as gid_next_many() and gid_next_gdid()';

COMMENT ON FUNCTION gid_forget(regclass) IS
'end the blocks of a sequence at once, so that a setval() takes effect in transactions that have drawn, too; the values left in them are lost; needs UPDATE';

--
-- Codecs: an id without a type
--

-- Not STRICT: NULL has no type, either.
CREATE FUNCTION gid_encode(id text, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_encode_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gid_encode(text, text) IS
'error 42P18 that says which casts an id without a type can have: bigint, uuid, gdid';

--
-- The numbers that tell servers apart have no default
--

COMMENT ON FUNCTION gid_uuid_shard() IS
'new UUID that carries the shard key of the setting gid.shard_key; 55000 when it is unset or was refused';

COMMENT ON FUNCTION gid_trace_id() IS
'new TraceId: 25 bits of Unix seconds, 16 of gid.node_no, 12 of thread, 10 of counter; 1 or more, strictly increasing over the server until the seconds wrap (388.36 days); 55000 when gid.node_no is unset or was refused, other errors as gid_uuid_v7()';

COMMENT ON FUNCTION gid_decimal_id() IS
'new DecimalId: counter * 10^10 + generator * 10^5 + gid.launch_id; 55000 when the launch is unset, was refused or is behind, 2200H when its generators are used up, 25006 in a read-only transaction or in recovery';

COMMENT ON FUNCTION gid_next_gdid(regclass) IS
'new GDID of gid.authority: the next value of a sequence is era * 2^60 + counter; 55000 when gid.authority is unset or was refused and gid.authorities names no other servers, 22003 when the value is below 1, other errors as gid_next()';

COMMENT ON FUNCTION gid_authority_block(text, text, int, bigint) IS
'reserve a block of up to size (1 to 65536, else 22003) GDIDs of gid.authority, of the sequence of exactly these names, for another server: the counters from start on; vicinity is a hint that is not used; 42P01 when there is no such sequence, 55000 when it descends, or gid.authority is unset or was refused, 22003 when it is below 1, other errors as gid_next()';

--
-- DecimalIds: a notice where a new extension begins at the first generator number
--

CREATE FUNCTION gid_decimal_check_created()
RETURNS void
AS 'MODULE_PATHNAME', 'gid_decimal_check_created'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

SELECT gid_decimal_check_created();

DROP FUNCTION gid_decimal_check_created();

--
-- Other servers: named by connection URIs
--

COMMENT ON COLUMN gid_stat_launches.source IS
'where its generator numbers come from: local, "authority HOST:PORT/DATABASE" of gid.decimal_authority, or authority when the setting names another one now';

--
-- Looking into ids: the texts that people paste
--

CREATE FUNCTION gid_inspect_text(
	IN id text,
	OUT form text, OUT prefix text, OUT as_uuid uuid, OUT as_gdid gdid,
	OUT as_bigint bigint)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_inspect_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_inspect_text(text) IS
'the id that a text stands for, for gid_inspect(text): its form, the prefix before its last underscore or NULL, and the id as the one type that is not NULL; 22P02 when it stands for none';

CREATE FUNCTION gid_inspect(id text)
RETURNS TABLE (part text, value text)
LANGUAGE SQL STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
WITH
given AS MATERIALIZED (SELECT * FROM gid_inspect_text(gid_inspect.id)),
line AS (
	SELECT 1 AS step, i.number, i.part, i.value
	FROM given, LATERAL gid_inspect(given.as_uuid) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 1, i.number, i.part, i.value
	FROM given, LATERAL gid_inspect(given.as_gdid) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 1, i.number, i.part, i.value
	FROM given, LATERAL gid_inspect(given.as_bigint, NULL::text) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 2, i.number, i.part, i.value
	FROM given, LATERAL (VALUES
		(1, 'form', given.form),
		(2, 'prefix', given.prefix),
		(3, 'id', coalesce(given.as_uuid::text, given.as_gdid::text, given.as_bigint::text)))
		AS i (number, part, value))
SELECT line.part, line.value
FROM line
WHERE line.value IS NOT NULL
ORDER BY line.step, line.number;
END;

COMMENT ON FUNCTION gid_inspect(text) IS
'parts of the id that a text stands for, as gid_inspect() of its type shows them, then the form of the text, its prefix if it has one, and the id. Told by its length are: 32 hexadecimal digits, a UUID; 26 Crockford characters, a ULID; 24 hexadecimal digits and 20 Crockford characters, a GDID; else digits alone are a bigint. era:authority:counter is a GDID; behind a prefix of lower-case letters and an underscore 26, 20 or up to 13 Crockford characters are a UUID, a GDID or a bigint; 22P02 for anything else';

--
-- What the generators are doing: the clock
--

COMMENT ON COLUMN gid_stat_clock.durable_bound IS
'the durable bound, which stands in gid.clock: no id has this time or a later one before the bound is moved';
COMMENT ON COLUMN gid_stat_clock.lead IS
'by how much the next id''s time leads the wall clock: up to five seconds after a crash or an immediate shutdown, more after the wall clock was set back; gone in twice its length';
