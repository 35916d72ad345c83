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

CREATE FUNCTION gid_stat_get_horizon(
	OUT kind text, OUT pid int, OUT transaction xid, OUT bound timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_horizon'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_stat_get_horizon() IS
'The rows of the view gid_stat_horizon that are not about sequences.';

-- A prepared transaction keeps its virtual transaction id until a restart.  Its lock on
-- its own transaction id tells which transaction has the lock on the sequence.
CREATE VIEW gid_stat_horizon AS
SELECT h.kind, h.sequence::regclass AS sequence, h.pid, p.gid AS prepared,
	a.usename, a.application_name, a.state,
	coalesce(a.xact_start, p.prepared) AS since, h.bound
FROM (
	SELECT kind, NULL::oid AS sequence, pid, transaction, bound
	FROM gid_stat_get_horizon()
	UNION ALL
	SELECT 'sequence', l.relation, l.pid, x.transactionid, NULL
	FROM pg_locks AS l
	JOIN pg_class AS c ON c.oid = l.relation AND c.relkind = 'S'
	LEFT JOIN pg_locks AS x ON x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock'
		AND x.virtualtransaction = l.virtualtransaction AND l.pid IS NULL AND x.pid IS NULL
	WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.granted
		AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
) AS h
LEFT JOIN pg_stat_activity AS a ON a.pid = h.pid
LEFT JOIN pg_prepared_xacts AS p ON p.transaction = h.transaction;

GRANT SELECT ON gid_stat_horizon TO PUBLIC;

COMMENT ON VIEW gid_stat_horizon IS
'What holds the horizons of this database back: the open and the prepared transactions that have made ids or drawn from sequences. To let a horizon go on, end the transaction: COMMIT, ROLLBACK or pg_terminate_backend(pid); COMMIT PREPARED or ROLLBACK PREPARED.';
COMMENT ON COLUMN gid_stat_horizon.kind IS
'Name of the family, as uuid_v7 for gid_uuid_v7_horizon(), or sequence for gid_horizon().';
COMMENT ON COLUMN gid_stat_horizon.sequence IS
'The sequence. NULL for other kinds.';
COMMENT ON COLUMN gid_stat_horizon.pid IS
'Process id of the backend, as in pg_stat_activity. NULL for a prepared transaction.';
COMMENT ON COLUMN gid_stat_horizon.prepared IS
'Name of the prepared transaction, as in pg_prepared_xacts. NULL for another one.';
COMMENT ON COLUMN gid_stat_horizon.usename IS
'The user, as in pg_stat_activity. NULL for a prepared transaction.';
COMMENT ON COLUMN gid_stat_horizon.application_name IS
'The application, as in pg_stat_activity. NULL for a prepared transaction.';
COMMENT ON COLUMN gid_stat_horizon.state IS
'State of the backend, as in pg_stat_activity: "idle in transaction" is what holds a horizon back for long. NULL for a prepared transaction, and for another user''s backend without the privileges of pg_read_all_stats.';
COMMENT ON COLUMN gid_stat_horizon.since IS
'When the transaction began, or was prepared. NULL for another user''s backend without the privileges of pg_read_all_stats.';
COMMENT ON COLUMN gid_stat_horizon.bound IS
'The horizon of the family does not pass the ids of this time. NULL for sequences, and for a transaction that was prepared before the server started: while there is one, the horizons of all families are NULL.';
