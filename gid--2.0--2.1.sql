/* gid--2.0--2.1.sql: the update from gid 2.0.  gid--2.1.sql has the whole surface. */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '2.1'" to load this file. \quit

-- The update changes no object that it need not change, because users have views on gid's
-- views, and rights of their own on its functions.  REVOKE makes all the rights that stand
-- on an object part of the extension, and dumps then leave out those that users granted.
-- So REVOKE is only for objects that the update itself makes.

--
-- Horizons
--

COMMENT ON FUNCTION gid_horizon(regclass) IS
'Returns a bound for readers that follow a table by id. Every row with a smaller id (greater if INCREMENT is negative) is visible to the statement or never will be. The inserting transaction must itself have drawn the id with gid_next() or nextval(), or through a serial or identity column. Open transactions that have drawn from the sequence hold the bound back (see gid.stat_horizon). Each call can use what earlier calls of all sessions have found. The result is NULL until the transactions that were open at the first of these calls have ended. The call ends a block of gid from which nothing was drawn for a second, if greater values were drawn since. Errors: 42809 if seq is not a sequence; 42501 without SELECT or USAGE on it; 0A000 if the sequence has CYCLE or a CACHE above 1, or is temporary or unlogged; 55000 during recovery.';

CREATE OR REPLACE PROCEDURE gid_horizon_wait(seq regclass, timeout interval DEFAULT '10 s')
AS 'MODULE_PATHNAME', 'gid_horizon_wait'
LANGUAGE C;

COMMENT ON PROCEDURE gid_horizon_wait(regclass, interval) IS
'Waits for the open transactions that might have drawn from a sequence to end. The next gid_horizon() of any session then covers them. timeout is 1 millisecond to 24 days. The procedure holds no snapshot while it waits. Errors: 57014 if the timeout expires; 25001 in a transaction block or function, or outside READ COMMITTED; 22023 if timeout is out of range; and those of gid_horizon().';

COMMENT ON COLUMN gid.stat_horizon.kind IS
'Name of the family, such as uuid_v7, or "sequence". NULL without pg_read_all_stats for another user''s ids from the clock.';
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
'Lists the sequences of this database that readers follow with gid_horizon(). The server follows 64 sequences at a time. The view shows only sequences on which the caller has SELECT or USAGE.';
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

GRANT SELECT ON gid.stat_readers TO PUBLIC;

--
-- Blocks
--

COMMENT ON COLUMN gid.stat_sequences.reservations IS
'Number of blocks reserved since the sequence got its place in memory. gid.stat_blocks has the totals.';

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
'Number of times that a session waited for a synchronous standby, or for another session that was waiting for another server.';
COMMENT ON COLUMN gid.stat_blocks.evictions IS
'Number of times that a sequence lost its place in memory to another one, because of gid.max_sequences.';
COMMENT ON COLUMN gid.stat_blocks.lost IS
'Number of values that these sequences had reserved and not given out.';

GRANT SELECT ON gid.stat_blocks TO PUBLIC;

--
-- Leases of node numbers
--

CREATE OR REPLACE FUNCTION gid.authority_node(
	IN holder uuid, IN held_node int, IN held_until timestamptz,
	IN since timestamptz, IN until timestamptz, IN max_node int,
	OUT node int, OUT since timestamptz, OUT until timestamptz)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_authority_node'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE OR REPLACE FUNCTION gid.authority_resume()
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_authority_resume'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE OR REPLACE FUNCTION gid.stat_get_node_leases(
	OUT node int, OUT holder uuid, OUT since timestamptz, OUT until timestamptz,
	OUT client_name text, OUT client_address text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_node_leases'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;

DROP FUNCTION gid.lease_end_pause(timestamptz, bigint, bigint, oid, int),
	gid.lease_begins(timestamptz, bigint, bigint, oid, int),
	gid.lease_grant(uuid, int, timestamptz, timestamptz, timestamptz, int, int, timestamptz),
	gid.lease_read(timestamptz), gid.lease_tables(regclass, regclass, boolean, boolean),
	gid.lease_arguments(timestamptz, uuid, int, timestamptz, timestamptz, timestamptz, int),
	gid.lease_pause(timestamptz), gid.lease_used_up(int, int, timestamptz);
