/* gid--1.1--1.2.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '1.2'" to load this file. \quit

--
-- Horizons: reading on without missing a row
--

CREATE FUNCTION gid_uuid_v7_horizon()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_uuid_v7_horizon() IS
'An id for readers that follow a table by id. A row with a smaller id is visible to the statement, or never will be, if its transaction made the id itself with gid_uuid_v7() on this server. NULL when nothing can be said; then the reader stays where it is. Open transactions of this database that have made such an id hold the horizon back, the caller''s own included. Errors: 55000 during recovery; otherwise those of gid_uuid_v7().';

CREATE FUNCTION gid_uuid_sequential_horizon()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_uuid_sequential_horizon() IS
'An id for readers that follow a table by id. A row with a smaller id is visible to the statement, or never will be, if its transaction made the id itself with gid_uuid_sequential() on this server. NULL when nothing can be said; then the reader stays where it is. Open transactions of this database that have made such an id hold the horizon back, the caller''s own included. Errors: 55000 during recovery; otherwise those of gid_uuid_sequential().';

CREATE FUNCTION gid_snowflake_id_horizon(epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_snowflake_id_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_snowflake_id_horizon(bigint) IS
'An id for readers that follow a table by id, the first of a millisecond. A row with a smaller id is visible to the statement, or never will be, if its transaction made the id itself with gid_snowflake_id(epoch_ms) on this server. epoch_ms is the epoch in Unix milliseconds, 0 to 253402300799999, by default Twitter''s. NULL when nothing can be said; then the reader stays where it is. Open transactions of this database that have made such an id hold the horizon back, the caller''s own included. Errors: 22003 when epoch_ms is out of range; 22008 when the horizon is outside the 2^41 milliseconds (69 years) from the epoch on; 55000 during recovery; otherwise those of gid_uuid_v7().';

CREATE FUNCTION gid_horizon(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_horizon(regclass) IS
'A value of a sequence for readers that follow a table by id. A row with a smaller id (greater where INCREMENT is negative) is visible to the statement, or never will be, if its transaction drew the id itself, with gid_next(), nextval(), or through a serial or identity column. NULL when nothing can be said; then the reader stays where it is. Open transactions that have drawn from the sequence hold the horizon back, the caller''s own included. Under load the horizon is that of the call before. Needs SELECT or USAGE on the sequence. Errors: 42809 when seq is no sequence; 42501 without the privilege; 0A000 for a sequence with CYCLE, with a CACHE above 1, or that is temporary or unlogged; 55000 during recovery.';

CREATE PROCEDURE gid_horizon_wait(seq regclass, timeout interval)
AS 'MODULE_PATHNAME', 'gid_horizon_wait'
LANGUAGE C;

COMMENT ON PROCEDURE gid_horizon_wait(regclass, interval) IS
'Waits until all transactions have ended that may have drawn from the sequence so far, at most for timeout (1 millisecond to 24 days). The session''s next gid_horizon() is then where the sequence stood at the call, or further. A statement of its own in READ COMMITTED; it holds no snapshot. Errors: 57014 when the time has passed; 25001 in a transaction block, in a function, and in REPEATABLE READ or SERIALIZABLE; 22023 when timeout is out of range; otherwise those of gid_horizon().';
