/* gid--1.1--1.2.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '1.2'" to load this file. \quit

--
-- Privileges
--

-- Default privileges of the superuser who installs the extension reach what is
-- created here. These functions take them away, before the script grants any. They
-- are in pg_catalog, where nobody can put others in their place.
CREATE FUNCTION pg_catalog.gid_clear_privileges(relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'gid_clear_table_privileges'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION pg_catalog.gid_clear_privileges(function regprocedure)
RETURNS void
AS 'MODULE_PATHNAME', 'gid_clear_function_privileges'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

--
-- Nothing belongs to the extension's owner any more
--

-- In version 1.1 the sequence and the two tables of node leases belonged to the
-- extension's owner.  Whoever owns a table can put code on it that runs as
-- whoever uses the table.  So nothing here reads the tables.

CREATE FUNCTION gid_stat_get_node_leases(
	OUT node int, OUT holder uuid, OUT since timestamptz, OUT until timestamptz,
	OUT client_name text, OUT client_address text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_node_leases'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

SELECT pg_catalog.gid_clear_privileges('gid_stat_get_node_leases()'::pg_catalog.regprocedure);
REVOKE EXECUTE ON FUNCTION gid_stat_get_node_leases() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gid_stat_get_node_leases() TO pg_monitor;

COMMENT ON FUNCTION gid_stat_get_node_leases() IS
'The rows of the view gid_stat_node_leases. Error: 55000 when the table gid_node_leases was changed.';

-- OR REPLACE keeps views that depend on this one, and its privileges.
CREATE OR REPLACE VIEW gid_stat_node_leases AS
SELECT node, client_name, client_address, since, until, until > now() AS is_held, holder
FROM gid_stat_get_node_leases();

-- Drops the tables, whatever their owner has made of them, and gives the sequence
-- its form and owner. Not STRICT: the sequence may be missing.
CREATE FUNCTION pg_catalog.gid_update_from_1_1(generator regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'gid_update_from_1_1'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

SELECT pg_catalog.gid_update_from_1_1(pg_catalog.to_regclass('gid_decimal_generator'));

DROP FUNCTION pg_catalog.gid_update_from_1_1(regclass);

SELECT pg_catalog.gid_clear_privileges('gid_decimal_generator'::pg_catalog.regclass);

-- A dump by the database's owner reads the value, a restore sets it.
GRANT SELECT, UPDATE ON SEQUENCE gid_decimal_generator TO pg_database_owner;

-- No role has a privilege on this table: what stands in its rows is enough to
-- extend the lease of another server.
CREATE TABLE gid_node_leases (
	node int PRIMARY KEY,
	holder uuid NOT NULL,
	since timestamptz NOT NULL,
	until timestamptz NOT NULL,
	client_name text NOT NULL,
	client_address text NOT NULL
)
USING heap;

SELECT pg_catalog.gid_clear_privileges('gid_node_leases'::pg_catalog.regclass);

COMMENT ON TABLE gid_node_leases IS
'The leases of node numbers that this server has given to others: the last lease of each number. Do not change the rows: two servers could make equal ids. A dump leaves them out.';
COMMENT ON COLUMN gid_node_leases.node IS
'The node number.';
COMMENT ON COLUMN gid_node_leases.holder IS
'A random number of the server that holds or held the lease, from the server''s start to its end.';
COMMENT ON COLUMN gid_node_leases.since IS
'The first second of the lease, in the time of the ids.';
COMMENT ON COLUMN gid_node_leases.until IS
'The second after the last second of the lease, in the time of the ids.';
COMMENT ON COLUMN gid_node_leases.client_name IS
'The application_name of the last request.';
COMMENT ON COLUMN gid_node_leases.client_address IS
'The address of the last request: an IP address, or [local] for a Unix-domain socket.';

-- No primary key: a restored dump puts its row beside the one that CREATE
-- EXTENSION has made, and so does a subscription to all tables.
CREATE TABLE gid_node_authority (
	id int NOT NULL,
	system_identifier bigint NOT NULL,
	timeline bigint NOT NULL,
	database oid NOT NULL,
	leases oid NOT NULL,
	lease_max int NOT NULL,
	begins timestamptz NOT NULL
)
USING heap;

ALTER TABLE gid_node_authority REPLICA IDENTITY FULL;

SELECT pg_catalog.gid_clear_privileges('gid_node_authority'::pg_catalog.regclass);

-- A dump by the database's owner reads the row, a restore inserts it.
GRANT SELECT, INSERT ON gid_node_authority TO pg_database_owner;

-- A dump leaves out the row that CREATE EXTENSION makes.
SELECT pg_catalog.pg_extension_config_dump('gid_node_authority', 'WHERE database <> 0 OR system_identifier = 0');

COMMENT ON TABLE gid_node_authority IS
'The server that has written gid_node_leases: one row. A second row, such as after loading a dump, makes a pause and is then removed. Do not change the row.';
COMMENT ON COLUMN gid_node_authority.id IS
'1. Dumps of version 1.1 have this column.';
COMMENT ON COLUMN gid_node_authority.system_identifier IS
'The system identifier of the server. 0 after an update of the extension.';
COMMENT ON COLUMN gid_node_authority.timeline IS
'The timeline of the server.';
COMMENT ON COLUMN gid_node_authority.database IS
'The OID of the database. 0 before the first lease.';
COMMENT ON COLUMN gid_node_authority.leases IS
'The OID of gid_node_leases, which is another one after a dump was loaded. 0 before the first lease.';
COMMENT ON COLUMN gid_node_authority.lease_max IS
'The greatest gid.node_lease_max, in seconds, under which a lease was given that may still run.';
COMMENT ON COLUMN gid_node_authority.begins IS
'The moment before which no lease begins, because leases that the tables do not know may still run.';

-- A row of no server: leases begin when those of version 1.1 have ended.
CREATE FUNCTION pg_catalog.gid_authority_begin(authority regclass, is_update boolean)
RETURNS void
AS 'MODULE_PATHNAME', 'gid_authority_begin'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

SELECT pg_catalog.gid_authority_begin('gid_node_authority'::pg_catalog.regclass, true);

DROP FUNCTION pg_catalog.gid_authority_begin(regclass, boolean);

-- Version 1.1 has revoked these from PUBLIC. What default privileges gave there goes,
-- what was granted later stays.
SELECT pg_catalog.gid_clear_privileges('gid_authority_generator(int)'::pg_catalog.regprocedure);
SELECT pg_catalog.gid_clear_privileges('gid_authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int)'::pg_catalog.regprocedure);
SELECT pg_catalog.gid_clear_privileges('gid_authority_confirm()'::pg_catalog.regprocedure);
SELECT pg_catalog.gid_clear_privileges('gid_authority_resume()'::pg_catalog.regprocedure);

COMMENT ON FUNCTION gid_authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int) IS
'Leases a node number to another server for the ids whose time is in [since, until), both whole seconds. The number is gid.node_first to max_node (0 to 65535). If holder, held_node and held_until name a lease in gid_node_leases, that lease is extended and keeps its number. until is at most gid.node_lease_max after the time here. If leases that the tables have lost may still run, such as after a failover, a restore or an update of the extension, node and until are null, and since is the moment before which no lease begins. The server that gid.node_authority serves calls this function itself, and uses the lease after gid_authority_confirm(). Errors: 22004 when an argument other than held_node and held_until is null; 22003 when max_node is out of range; 22008 and 22023 when a time is, also when a clock is wrong; 2200H when all numbers are leased; 25006 in a read-only transaction; 55000 when the tables were changed; XX001, 58030 or 53100 when gid.clock cannot be used.';

COMMENT ON FUNCTION gid_authority_resume() IS
'Lets this server lease node numbers at once after a failover, a restore, an update or a new CREATE EXTENSION. A superuser calls it when no lease is missing: the promoted standby has every confirmed record, or no server holds a lease. Returns whether there was a pause. Errors: 42501 for any other role; 25006 in a read-only transaction; 55000 when the tables were changed; XX001, 58030 or 53100 when gid.clock cannot be used.';

-- Ranges of time: the bounds are ids of the family
--

COMMENT ON FUNCTION gid_uuid_v7_low(timestamptz) IS
'The lower end of gid_uuid_v7_between(): the smallest UUID version 7 of the millisecond of "since". For NULL, -infinity and moments before 1970 it is the smallest of all, 00000000-0000-7000-8000-000000000000. NULL for moments after the range, which ends on 10889-08-02 UTC, and for infinity.';

COMMENT ON FUNCTION gid_uuid_v7_below(timestamptz) IS
'The upper end of gid_uuid_v7_between(): the largest UUID version 7 of the millisecond before that of "until". For NULL, infinity and moments after the range, which ends on 10889-08-02 UTC, it is the largest of all, ffffffff-ffff-7fff-bfff-ffffffffffff. NULL for -infinity and for moments before 1970-01-01 00:00:00.001 UTC.';

COMMENT ON FUNCTION gid_uuid_v7_between(uuid, timestamptz, timestamptz) IS
'Is the time of the UUID version 7 in [since, until)? Both ends are rounded down to the millisecond. An end is open if it is NULL, if "since" is -infinity, or if "until" is infinity. NULL if no id of version 7 can satisfy an end. Both bounds are UUIDs version 7; an id of another version is compared with them like any other. The planner inlines the function, so that it can use an index on id and partition pruning.';

COMMENT ON FUNCTION gid_uuid_sequential_low(timestamptz) IS
'The lower end of gid_uuid_sequential_between(): the smallest sequential UUID of the microsecond of "since". For NULL, -infinity and moments before the year 1 it is the smallest of all, tick 0 and a process id of zeros. NULL for moments after the year 9999 and for infinity.';

COMMENT ON FUNCTION gid_uuid_sequential_below(timestamptz) IS
'The upper end of gid_uuid_sequential_between(): the largest sequential UUID of the microsecond before that of "until". For NULL, infinity and moments after the year 9999 it is the largest of all, the last tick of that year and a process id of ones. NULL for -infinity and for moments before 0001-01-01 00:00:00.000001 UTC.';

COMMENT ON FUNCTION gid_uuid_sequential_between(uuid, timestamptz, timestamptz) IS
'Is the time of the sequential UUID in [since, until)? The id is compared to the tick. An end is open if it is NULL, if "since" is -infinity, or if "until" is infinity. NULL if no sequential UUID can satisfy an end. Any other UUID is compared like a sequential one. The planner inlines the function, so that it can use an index on id and partition pruning.';

COMMENT ON FUNCTION gid_uuid_shard_low(timestamptz) IS
'The lower end of gid_uuid_shard_between(): the smallest shard-key UUID of the second of "since". For NULL, -infinity and moments before 1970 it is the smallest of all, all bits 0. NULL for moments after 2106-02-07 06:28:15 UTC and for infinity.';

COMMENT ON FUNCTION gid_uuid_shard_below(timestamptz) IS
'The upper end of gid_uuid_shard_between(): the largest shard-key UUID of the second before that of "until". For NULL, infinity and moments after 2106-02-07 06:28:15 UTC it is the largest of all, all bits 1. NULL for -infinity and for moments before 1970-01-01 00:00:01 UTC.';

COMMENT ON FUNCTION gid_uuid_shard_between(uuid, timestamptz, timestamptz) IS
'Is the time of the shard-key UUID in [since, until)? Both ends are rounded down to the second, and the id''s second is taken as one of 1970 to 2106. An end is open if it is NULL, if "since" is -infinity, or if "until" is infinity. NULL if no shard-key UUID can satisfy an end. Any other UUID is compared like a shard-key UUID. The planner inlines the function, so that it can use an index on id and partition pruning.';

COMMENT ON FUNCTION gid_snowflake_id_low(timestamptz, bigint) IS
'The lower end of gid_snowflake_id_between(): the smallest Snowflake id of the millisecond of since. epoch_ms is the epoch in Unix milliseconds, 0 to 253402300799999, by default Twitter''s. When since is NULL, -infinity or before the epoch, the result is 1, the smallest of all. NULL for moments after the 2^41 milliseconds (69 years) from the epoch on, for infinity, and when epoch_ms is NULL. Error: 22003 when epoch_ms is out of range.';

COMMENT ON FUNCTION gid_snowflake_id_below(timestamptz, bigint) IS
'The upper end of gid_snowflake_id_between(): the largest Snowflake id of the millisecond before that of until. epoch_ms is the epoch in Unix milliseconds, 0 to 253402300799999, by default Twitter''s. When until is NULL, infinity or after the 2^41 milliseconds (69 years) from the epoch on, the result is 9223372036854775807, the largest of all. NULL for -infinity, for moments up to and within the first millisecond of the epoch, and when epoch_ms is NULL. Error: 22003 when epoch_ms is out of range.';

COMMENT ON FUNCTION gid_snowflake_id_between(bigint, timestamptz, timestamptz, bigint) IS
'Is the time of the Snowflake id in [since, until)? Both ends are rounded down to the millisecond. An end is open if it is NULL, if since is -infinity, or if until is infinity. NULL if no Snowflake id can satisfy an end, and when epoch_ms is NULL. epoch_ms is the epoch in Unix milliseconds, 0 to 253402300799999, by default Twitter''s. The planner inlines the function, so that it can use an index on id and partition pruning; epoch_ms must then be a constant or a parameter, and not a subquery. Error: 22003 when epoch_ms is out of range.';

--
-- Looking into ids: base32hex, and texts with two readings
--

CREATE FUNCTION gid_inspect_base32hex(id text)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_inspect_base32hex'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_inspect_base32hex(text) IS
'The second reading of a ULID, for gid_inspect(text): the UUID that the text is in base32hex, if that has version 4 or 7. NULL for any other text.';

CREATE OR REPLACE FUNCTION gid_inspect(id text)
RETURNS TABLE (part text, value text)
LANGUAGE SQL STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
WITH
given AS MATERIALIZED (
	SELECT t.*, gid_inspect_base32hex(gid_inspect.id) AS as_base32hex
	FROM gid_inspect_text(gid_inspect.id) AS t),
line AS (
	SELECT 2 AS step, 'base32hex' AS reading, i.number, i.part, i.value
	FROM given, LATERAL gid_inspect(given.as_base32hex) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 3, CASE WHEN given.as_base32hex IS NOT NULL THEN 'ULID' END, i.number, i.part, i.value
	FROM given, LATERAL gid_inspect(given.as_uuid) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 3, NULL AS reading, i.number, i.part, i.value
	FROM given, LATERAL gid_inspect(given.as_gdid) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 3, NULL AS reading, i.number, i.part, i.value
	FROM given, LATERAL gid_inspect(given.as_bigint, NULL::text) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 4, i.reading, i.number, i.part, i.value
	FROM given, LATERAL (VALUES
		(1, NULL, 'form', CASE WHEN given.as_base32hex IS NOT NULL
			THEN 'base32hex of one UUID, or ULID of another' ELSE given.form END),
		(2, NULL, 'prefix', given.prefix),
		(3, 'base32hex', 'id', given.as_base32hex::text),
		(4, CASE WHEN given.as_base32hex IS NOT NULL THEN 'ULID' END, 'id',
			coalesce(given.as_uuid::text, given.as_gdid::text, given.as_bigint::text)))
		AS i (number, reading, part, value)),
-- both readings have a family; one row shows them
shown AS (
	SELECT line.step, line.number, coalesce(lower(line.reading) || '.', '') || line.part AS part, line.value
	FROM line
	WHERE line.part <> 'family'
	UNION ALL
	SELECT 1, 1, 'family' AS part, pg_catalog.string_agg(line.value || coalesce(' as ' || line.reading, ''), ', or ' ORDER BY line.step)
	FROM line
	WHERE line.part = 'family')
SELECT shown.part, shown.value
FROM shown
WHERE shown.value IS NOT NULL
ORDER BY shown.step, shown.number;
END;

COMMENT ON FUNCTION gid_inspect(text) IS
'The parts of the id that a text stands for, as gid_inspect() shows them for its type, then the form of the text, its prefix if it has one, and the id. Read as a UUID: 32 hexadecimal digits, 26 characters of Crockford''s alphabet (a ULID), and 26 characters of base32hex, with or without padding. A ULID that is base32hex of a version 4 or 7 UUID as well is shown in both readings: the parts of each have "base32hex." or "ulid." before their names. Read as a GDID: era:authority:counter, 24 hexadecimal digits, and 20 characters of Crockford''s alphabet. Other decimal digits are read as a bigint. After a prefix of lower-case letters and an underscore, 26 characters of Crockford''s alphabet are read as a UUID, 20 as a GDID, and 1 to 13 as a bigint. Error: 22P02 for any other text.';

--
-- Version 7 UUIDs that do not show their time
--

CREATE FUNCTION gid_uuid_mask(id uuid, key bytea)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_mask'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_mask(uuid, bytea) IS
'A UUID version 4 that stands for a UUID version 7 and does not show its time, in the format of uuidv47: the 48 bits of the time are combined by exclusive or with 48 bits of the SipHash-2-4 of the other 74 bits, which stay as they are. key has 16 bytes. The same id and key always give the same UUID. NULL for a UUID of another version. Error: 22023 when key has another length.';

CREATE FUNCTION gid_uuid_unmask(id uuid, key bytea)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_unmask'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_uuid_unmask(uuid, bytea) IS
'The inverse of gid_uuid_mask() for the same key. Every UUID version 4 gives a UUID version 7, also one that was not masked, or with another key. NULL for a UUID of another version. Error: that of gid_uuid_mask().';

--
-- TypeIDs
--

CREATE FUNCTION gid_typeid(prefix text, id uuid)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_typeid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_typeid(text, uuid) IS
'The TypeID of a UUID, as version 0.3.0 of the specification has it: prefix, an underscore and the UUID as 26 characters of Crockford''s alphabet in lower case. prefix has 0 to 63 lower-case letters and underscores, and a letter at both ends; if it is empty, there is no underscore. Error: 22023 when prefix is invalid.';

CREATE FUNCTION gid_typeid_uuid(code text, prefix text)
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_typeid_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_typeid_uuid(text, text) IS
'The UUID of a TypeID with this prefix, the inverse of gid_typeid(). Only lower case is read. Errors: 22P02 when code has another prefix or is no TypeID; 22023 when prefix is invalid.';

--
-- Horizons: reading on without missing a row
--

CREATE FUNCTION gid_uuid_v7_horizon()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_v7_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_uuid_v7_horizon() IS
'An id for readers that follow a table by id. A row with a smaller id is visible to the statement, or never will be, if its transaction made the id itself with gid_uuid_v7() on this server. NULL when no such id is known; the reader then stays where it is. Open transactions of this database that have made such an id hold the horizon back, including the caller''s own. Errors: 55000 during recovery; otherwise those of gid_uuid_v7().';

CREATE FUNCTION gid_uuid_sequential_horizon()
RETURNS uuid
AS 'MODULE_PATHNAME', 'gid_uuid_sequential_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_uuid_sequential_horizon() IS
'An id for readers that follow a table by id. A row with a smaller id is visible to the statement, or never will be, if its transaction made the id itself with gid_uuid_sequential() on this server. NULL when no such id is known; the reader then stays where it is. Open transactions of this database that have made such an id hold the horizon back, including the caller''s own. Errors: 55000 during recovery; otherwise those of gid_uuid_sequential().';

CREATE FUNCTION gid_snowflake_id_horizon(epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_snowflake_id_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_snowflake_id_horizon(bigint) IS
'An id for readers that follow a table by id, the first of a millisecond. A row with a smaller id is visible to the statement, or never will be, if its transaction made the id itself with gid_snowflake_id(epoch_ms) on this server. epoch_ms is the epoch in Unix milliseconds, 0 to 253402300799999, by default Twitter''s. NULL when no such id is known; the reader then stays where it is. Open transactions of this database that have made such an id hold the horizon back, including the caller''s own. Errors: 22003 when epoch_ms is out of range; 22008 when the horizon is outside the 2^41 milliseconds (69 years) from the epoch on; 55000 during recovery; otherwise those of gid_uuid_v7().';

CREATE FUNCTION gid_horizon(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_horizon'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gid_horizon(regclass) IS
'A value of a sequence for readers that follow a table by id. A row with a smaller id (greater where INCREMENT is negative) is visible to the statement, or never will be, if its transaction drew the id itself, with gid_next(), nextval(), or through a serial or identity column. NULL when no such id is known; the reader then stays where it is. Open transactions that have drawn from the sequence hold the horizon back, including the caller''s own. Under load the result is the horizon at the call before. Needs SELECT or USAGE on the sequence. Errors: 42809 when seq is no sequence; 42501 without the privilege; 0A000 for a sequence with CYCLE, with a CACHE above 1, or that is temporary or unlogged; 55000 during recovery.';

CREATE PROCEDURE gid_horizon_wait(seq regclass, timeout interval)
AS 'MODULE_PATHNAME', 'gid_horizon_wait'
LANGUAGE C;

COMMENT ON PROCEDURE gid_horizon_wait(regclass, interval) IS
'Waits until all transactions have ended that may have drawn from the sequence so far, at most for timeout (1 millisecond to 24 days). The session''s next gid_horizon() is then at least the position of the sequence at the call. CALL must be a statement of its own, in READ COMMITTED. It holds no snapshot while it waits. Errors: 57014 when the time has passed; 25001 in a transaction block, in a function, and in REPEATABLE READ or SERIALIZABLE; 22023 when timeout is out of range; otherwise those of gid_horizon().';

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
	SELECT 'sequence' AS kind, l.relation, l.pid, x.transactionid, NULL AS bound
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
'Name of the family, such as uuid_v7 for gid_uuid_v7_horizon(), or sequence for gid_horizon().';
COMMENT ON COLUMN gid_stat_horizon.sequence IS
'The sequence. NULL for other kinds.';
COMMENT ON COLUMN gid_stat_horizon.pid IS
'Process id of the backend, as in pg_stat_activity. NULL for a prepared transaction.';
COMMENT ON COLUMN gid_stat_horizon.prepared IS
'Name of the prepared transaction, as in pg_prepared_xacts. NULL for other transactions.';
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

--
-- gid_stat_failover has two columns more. The view is replaced and not dropped,
-- so that what users have built on it stays.
--
ALTER FUNCTION gid_stat_get_failover() RENAME TO gid_stat_get_failover_1_1;

CREATE FUNCTION gid_stat_get_failover(
	OUT timeline bigint, OUT timeline_begins_at pg_lsn,
	OUT sequences_skipped bigint, OUT values_skipped bigint,
	OUT standbys_wanted int, OUT standbys_connected int,
	OUT sessions_waiting int, OUT reservations_lost bigint,
	OUT waiting_since timestamptz, OUT without_standbys_since timestamptz)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_stat_get_failover'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_stat_get_failover() IS
'The row of the view gid_stat_failover.';

CREATE OR REPLACE VIEW gid_stat_failover AS
SELECT timeline, timeline_begins_at, sequences_skipped, values_skipped,
	standbys_wanted, standbys_connected, sessions_waiting, reservations_lost,
	waiting_since, without_standbys_since
FROM gid_stat_get_failover();

DROP FUNCTION gid_stat_get_failover_1_1();

COMMENT ON COLUMN gid_stat_failover.standbys_wanted IS
'How many standbys must have a reservation on disk before its values are used: gid.reservation_standbys. NULL: its value, or that of gid.reservation_wait, was refused in this session.';
COMMENT ON COLUMN gid_stat_failover.sessions_waiting IS
'How many sessions wait for standbys to confirm a reservation, synchronous standbys included. A session that waits for such a session is also counted, after at most a second.';
COMMENT ON COLUMN gid_stat_failover.waiting_since IS
'When the first of the sessions that wait began to wait. NULL: no session waits.';
COMMENT ON COLUMN gid_stat_failover.without_standbys_since IS
'Since when reservations are used without the standbys of gid.reservation_standbys, because these have been missing for gid.reservation_wait. NULL: reservations are not used without them.';

DROP FUNCTION pg_catalog.gid_clear_privileges(regclass);
DROP FUNCTION pg_catalog.gid_clear_privileges(regprocedure);

--
-- nextval() that gid serves: where gid.serve_nextval is on, plans call these
-- functions in the place of PostgreSQL's
--

CREATE FUNCTION gid_serve_nextval(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_nextval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_serve_nextval(regclass) IS
'Stands for nextval() where gid.serve_nextval is on. Values and waits are those of gid_next(); errors, and sequences from which gid_next() does not draw, are those of nextval().';

CREATE FUNCTION gid_serve_identity(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_identity'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_serve_identity(regclass) IS
'Stands for the draw of an identity column where gid.serve_nextval is on. Only a plan can call it, because it asks for no privilege on the sequence. Errors: 42501 for any other call; otherwise those of nextval().';

CREATE FUNCTION gid_serve_currval(seq regclass)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_currval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_serve_currval(regclass) IS
'Stands for currval() where gid.serve_nextval is on: what this session last drew from the sequence, through gid or with nextval(). Errors: those of currval().';

CREATE FUNCTION gid_serve_lastval()
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_lastval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_serve_lastval() IS
'Stands for lastval() where gid.serve_nextval is on: what this session last drew from any sequence, through gid or with nextval(). Errors: those of lastval().';

CREATE FUNCTION gid_serve_setval(seq regclass, value bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_setval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_serve_setval(regclass, bigint) IS
'Stands for setval() where gid.serve_nextval is on, and ends the blocks of the sequence at once. Errors: those of setval().';

CREATE FUNCTION gid_serve_setval(seq regclass, value bigint, is_called boolean)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gid_serve_setval'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid_serve_setval(regclass, bigint, boolean) IS
'Stands for setval() where gid.serve_nextval is on, and ends the blocks of the sequence at once. Errors: those of setval().';

CREATE FUNCTION gid_serve_reason(seq regclass)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_serve_reason'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_serve_reason(regclass) IS
'Why gid does not serve nextval() of a sequence in this session. NULL: it does.';

CREATE VIEW gid_serving AS
SELECT c.oid::regclass AS sequence,
	(SELECT array_agg(DISTINCT format('%s.%I', a.attrelid::regclass, a.attname))
	 FROM pg_depend AS d
	 LEFT JOIN pg_attrdef AS e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
	 JOIN pg_attribute AS a ON a.attrelid = coalesce(e.adrelid, d.refobjid)
		AND a.attnum = coalesce(e.adnum, d.refobjsubid)
	 WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
		OR d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_class'::regclass
		AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i')) AS columns,
	r.reason IS NULL AS served, r.reason
FROM pg_class AS c, gid_serve_reason(c.oid::regclass) AS r(reason)
WHERE c.relkind = 'S' AND c.oid <> 'gid_decimal_generator'::regclass;

GRANT SELECT ON gid_serving TO PUBLIC;

COMMENT ON VIEW gid_serving IS
'Whether gid serves nextval() of each sequence of this database in this session, with the setting gid.serve_nextval.';
COMMENT ON COLUMN gid_serving.sequence IS
'The sequence.';
COMMENT ON COLUMN gid_serving.columns IS
'The columns that draw from the sequence by DEFAULT or as identity, and the column that owns it. NULL if there are none.';
COMMENT ON COLUMN gid_serving.served IS
'Does gid serve nextval() of this sequence here and now?';
COMMENT ON COLUMN gid_serving.reason IS
'Why gid does not serve nextval() of this sequence. NULL if it does.';

--
-- Comments in other words than those of version 1.1
--

COMMENT ON FUNCTION gid_forget(regclass) IS
'Ends the blocks of a sequence at once; the values that are left in them are lost. A setval() then takes effect even in statements that are already drawing. Needs UPDATE on the sequence. Errors: 42501 without the privilege; 25006 in a read-only transaction or in recovery; 25000 in a parallel operation.';

COMMENT ON FUNCTION gid_make_uuid_sequential(bigint, bytea) IS
'Makes a sequential UUID from its parts, in PostgreSQL''s byte order: ticks, 0 to 3155378975999999999 (100 ns each since 0001-01-01 UTC), and the process id, 8 bytes in the order of .NET''s array. Error: 22003 when a part is out of range.';

COMMENT ON FUNCTION gid_make_uuid_shard(timestamptz, bytea, int, bigint) IS
'Makes a shard-key UUID from its parts: the second of "at" mod 2^32, the generator, which is 5 bytes in the order of .NET''s array, the counter, 0 to 16777215, and the shard key, 0 to 4294967295. Errors: 22008 when "at" is infinite or before 1970; 22003 when another part is out of range.';

COMMENT ON FUNCTION gid_region_shard(int, int) IS
'Makes a shard key from a region, 0 to 1023, and a shard within the region, 0 to 4194303: region << 22 | shard. The country and area codes of UN M.49 fit a region. Error: 22003 when an argument is out of range.';

COMMENT ON FUNCTION gid_make_trace_id(timestamptz, int, int, int, int) IS
'Makes a TraceId from its parts: the second of "at" mod 2^25, the node, 0 to 65535, the thread, of thread_bits bits (0 to 22), and the counter, of 22 - thread_bits bits. Thread and counter must not both be 0. Errors: 22008 when "at" is infinite or before 1970; 22003 when another part is out of range.';

COMMENT ON FUNCTION gid_trace_id_min(timestamptz) IS
'The lower end of the TraceIds of the second of "at", of any node. No TraceId of this second is smaller, and the result itself is not a TraceId. Error: 22008 when "at" is infinite or before 1970.';

COMMENT ON FUNCTION gid_make_decimal_id(int, int, int) IS
'Makes a DecimalId from its parts: counter, 1 to 922337202, generator, 0 to 99999, and launch, 0 to 99999. Error: 22003 when a part is out of range.';

COMMENT ON FUNCTION gid_snowflake_id(bigint) IS
'Makes a Snowflake id, as Twitter (2010), Discord and many libraries do: 41 bits of milliseconds since the epoch, 10 bits of the setting gid.node_no, 12 bits of a sequence. epoch_ms is the epoch in Unix milliseconds, 0 to 253402300799999: 1288834974657 is Twitter''s, whose ids end on 2080-07-10, 1420070400000 is Discord''s. The id is 1 or more, and greater than all ids that the server made with this epoch before. If callers ask for more than 4,096,000 ids a second, the ids run up to a second ahead of the clock, and then the callers wait. Errors: 55000 when gid.node_no is not set; 22003 when gid.node_no is above 1023 or epoch_ms is out of range; 22008 when the time is before the epoch or after its 41 bits; otherwise those of gid_uuid_v7().';

COMMENT ON FUNCTION gid_make_snowflake_id(timestamptz, int, int, bigint) IS
'Makes a Snowflake id from its parts: the millisecond of at, the node, 0 to 1023, and the sequence, 0 to 4095, or 1 to 4095 where the id would be 0. epoch_ms is the epoch in Unix milliseconds, 0 to 253402300799999, by default Twitter''s. Errors: 22008 when at is outside the 2^41 milliseconds (69 years) from the epoch on; 22003 when another part is out of range.';

COMMENT ON FUNCTION gid_snowflake_id_min(timestamptz, bigint) IS
'The lower end of the Snowflake ids of the millisecond of at: node and sequence are 0. For the first millisecond this is 0, which is not an id. epoch_ms is the epoch in Unix milliseconds, 0 to 253402300799999, by default Twitter''s. Errors: 22008 when at is outside the 2^41 milliseconds (69 years) from the epoch on; 22003 when epoch_ms is out of range.';

COMMENT ON FUNCTION gid_next_many(regclass, int) IS
'As many consecutive values of a sequence as count says (1 to 65536), reserved in one step. Errors: 22023 when count is out of range; 2200H when the sequence has fewer values left, and then none is taken; otherwise those of gid_next().';

COMMENT ON TYPE gdid IS
'A global distributed id, as in Azos: 12 bytes of era (32 bits), authority (4 bits) and counter (60 bits), sorted in this order. Its text is era:authority:counter in decimal, for example 0:1:75. The input may also be 24 hexadecimal digits.';

COMMENT ON FUNCTION gid_next_gdid(regclass) IS
'Makes a GDID from the next value of a sequence, which is era * 2^60 + counter. The authority is the setting gid.authority or, if gid.authorities names servers, the server that reserved the value. Errors: 55000 when gid.authority is unset or was refused and gid.authorities names no server; 22003 when the value is below 1; otherwise those of gid_next().';

COMMENT ON FUNCTION gid_next_gdids(regclass, int) IS
'GDIDs from as many consecutive values of a sequence as count says (1 to 65536), reserved in one step. All have one authority and one era. Errors: 22023 when count is out of range; otherwise those of gid_next_many() and gid_next_gdid(regclass).';

COMMENT ON FUNCTION gid_make_gdid(bigint, int, bigint) IS
'Makes a GDID from its parts: era, 0 to 4294967295, authority, 0 to 15, and counter, 0 to 1152921504606846975. Error: 22003 when a part is out of range.';

COMMENT ON FUNCTION gid_gdid_unpack(bytea) IS
'The GDID of a packed form. Error: 22P03 when the bytes are not the packed form of a GDID.';

COMMENT ON FUNCTION gid_lexical_add(text, bigint, text, boolean) IS
'The code that is count codes after value, or before it if count is negative, as LexicalAdd of Candor. A code counts from the right, and after the last code of a length comes the first of the next length: 8, 9, 00, 01. charset is numeric, alpha_lower, alpha_upper, alpha, alphanumeric_lower, alphanumeric_upper, alphanumeric, crockford, or a list of 2 to 94 different printable ASCII characters without the blank. With ignore_case, a letter is read in either case and written as in charset. Errors: 22023 when charset is invalid, or when the addition reaches a character that is not in it; 2200H when the result would be empty; 54000 when value is almost 1 GB long.';

COMMENT ON FUNCTION gid_permute(bigint, bytea, int) IS
'Maps an id of 1 to 2^bits - 1 to another id of this range, so that ids do not show their order. Each key of 16 to 64 bytes and each number of bits, 8 to 63, gives another permutation. It is a Feistel network of ten rounds with cycle walking, and not encryption. Errors: 22003 when id or bits is out of range; 22023 when the length of the key is.';

COMMENT ON FUNCTION gid_encode(text, text) IS
'Always raises 42P18, with a hint to cast an id that has no type to bigint, uuid or gdid.';

COMMENT ON COLUMN gid_stat_clock.repeats_at IS
'When the seconds of the last id occur again. Keep no id until then. NULL when they never do.';
