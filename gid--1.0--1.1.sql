/* gid--1.0--1.1.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '1.1'" to load this file. \quit

--
-- Sequences and GDIDs: a batch has an upper limit
--

COMMENT ON FUNCTION gid_next_many(regclass, int) IS
'count (1 to 65536, else 22023) consecutive values of a sequence, reserved in one step; 2200H when it has not so many left, and then nothing is taken; other errors as gid_next()';

COMMENT ON FUNCTION gid_next_gdids(regclass, int) IS
'count (1 to 65536, else 22023) new GDIDs of consecutive values of a sequence and one era, reserved in one step; errors as gid_next_many() and gid_next_gdid()';

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
