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
'Returns a bound for readers that follow a table by id. Every row with a smaller id (greater if INCREMENT is negative) is visible to the statement or never will be. The inserting transaction must itself have drawn the id with gid_next() or nextval(), or through a serial or identity column. Open transactions that have drawn from the sequence hold the bound back (see gid.stat_horizon). Each call can use what earlier calls of all sessions have found. The result is NULL until the transactions that had drawn and were open at the first of these calls have ended. The call ends a block of gid from which nothing was drawn for a second, if greater values were drawn since. Errors: 42809 if seq is not a sequence; 42501 without SELECT or USAGE on it; 0A000 if the sequence has CYCLE or a CACHE above 1, or is temporary or unlogged; 55000 during recovery.';

CREATE OR REPLACE PROCEDURE gid_horizon_wait(seq regclass, timeout interval DEFAULT '10 s')
AS 'MODULE_PATHNAME', 'gid_horizon_wait'
LANGUAGE C;

COMMENT ON PROCEDURE gid_horizon_wait(regclass, interval) IS
'Waits for the open transactions that might have drawn from a sequence to end. The next gid_horizon() of any session then covers them. timeout is 1 millisecond to 24 days. The procedure holds no snapshot while it waits. Errors: 57014 if the timeout expires; 25001 in a transaction block or function, or outside READ COMMITTED; 22023 if timeout is out of range; and those of gid_horizon().';

COMMENT ON COLUMN gid.stat_horizon.kind IS
'Name of the family, such as uuid_v7, or "sequence". NULL without pg_read_all_stats for another user''s ids from the clock.';
COMMENT ON COLUMN gid.stat_horizon.bound IS
'The horizon stays below the ids of this time. NULL for sequences and, without pg_read_all_stats, for another user''s transaction. It is also NULL for a transaction that was prepared before the server started, which makes the horizons of all families NULL.';

COMMENT ON COLUMN gid.stat_sequences.prefetched IS
'Number of blocks that were reserved, or fetched from another server, before they were needed. For each of the others a session waited.';
COMMENT ON COLUMN gid.stat_sequences.waits IS
'Number of times that a session waited for a synchronous standby, or for another process that was asking another server.';
COMMENT ON COLUMN gid.stat_clock.lead IS
'How far the time of the next id is ahead of the wall clock. After a crash, or after any restart without preloading, the lead can be up to five seconds (six for shard-key UUIDs). It can be longer after the wall clock has been set back. It disappears over a period twice its length.';

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
'Number of times that a session waited for a synchronous standby, or for another process that was asking another server.';
COMMENT ON COLUMN gid.stat_blocks.evictions IS
'Number of times that a sequence lost its place in memory to another one, because of gid.max_sequences.';
COMMENT ON COLUMN gid.stat_blocks.lost IS
'Number of values that these sequences had reserved and not given out.';

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

--
-- Columns and the sequences that they draw from
--

CREATE FUNCTION gid.stat_get_column_state(relation oid, attribute name, sequence oid, is_identity boolean,
	OUT last bigint, OUT "greatest" bigint, OUT behind boolean, OUT used double precision, OUT unknown text,
	OUT readable boolean)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_stat_get_column_state'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.stat_get_column_state(oid, name, oid, boolean) IS
'What the view gid.columns shows of a column and its sequence.';

-- The text is that of gid--2.1.sql, which has the reasons.
CREATE OR REPLACE VIEW gid.columns AS
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

DROP FUNCTION gid.stat_get_column(oid, name, oid, boolean);

CREATE FUNCTION gid.catch_up_members(relation oid, attribute name, sequence oid, is_identity boolean, is_named boolean,
	OUT member oid, OUT was bigint, OUT now bigint, OUT done boolean, OUT reason text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_catch_up_members'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gid.catch_up_members(oid, name, oid, boolean, boolean) IS
'What gid_catch_up() does with a column, and with the partitions and children of its table.';

CREATE OR REPLACE FUNCTION gid_catch_up(VARIADIC tables regclass[] DEFAULT '{}')
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

DROP FUNCTION gid.catch_up_column(oid, name, oid, boolean, boolean);

--
-- Views
--

COMMENT ON VIEW gid.stat_sequences IS
'Lists the sequences of this database that have blocks in shared memory. The view shows only those on which the caller has SELECT or USAGE, or all of them to members of pg_monitor.';

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
-- Reading and typing ids
--

COMMENT ON FUNCTION gid_extract_sequential_ticks(uuid) IS
'Returns the first 8 bytes of an id as a number. In a sequential UUID, these are the ticks. If the first hexadecimal digit is 8 to f, the number does not fit a bigint, and the result is the number minus 2^64. Such an id has no ticks: those of the year 9999 are below 2^62.';

CREATE FUNCTION gid_code_normalize(code text, charset text)
RETURNS text
AS 'MODULE_PATHNAME', 'gid_code_normalize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_code_normalize(text, text) IS
'Returns a code that a person typed as gid writes it, for look-ups and checks. Blanks are removed, and hyphens if charset has none. With crockford, I and L become 1, and O becomes 0. If all letters of charset have one case, as in crockford and hex, the letters of code get that case. charset is as in gid_lexical_add(). The result is NULL if no character is left, or if one is not in charset. Error: 22023 if charset is invalid.';

-- A Crockford text that is no version 7 UUID, and whose first 48 bits are a plausible
-- Unix time, is a ULID before it is of the families whose bits it happens to fit.  There
-- always is one: its first 32 bits are then plausible seconds of a shard-key UUID.
CREATE OR REPLACE FUNCTION gid_inspect(id text)
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
-- The edition
--

CREATE FUNCTION gid_edition()
RETURNS text
LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN 'c'::text;

COMMENT ON FUNCTION gid_edition() IS
'Returns the edition of gid: ''c'' with the library, ''sql'' for the edition in SQL for servers that do not take one.';

--
-- Privileges
--

-- What default privileges of the updating superuser have given on the new objects is taken
-- back, as gid--2.1.sql does.
DO LANGUAGE plpgsql $script$
DECLARE
	it record;
BEGIN
	FOR it IN
		SELECT o.kind, o.identity, CASE WHEN x.grantee = 0::oid THEN 'PUBLIC' ELSE x.grantee::regrole::text END AS grantee
		FROM (
			SELECT 'ROUTINE', p.oid::regprocedure::text, p.proowner, p.proacl, true
			FROM pg_catalog.pg_proc AS p
			WHERE p.oid = ANY ('{gid.stat_get_readers(), gid.stat_get_blocks(), gid.stat_get_reader_evictions(),
				"gid.stat_get_column_state(oid, name, oid, boolean)",
				"gid.catch_up_members(oid, name, oid, boolean, boolean)",
				"gid_code_normalize(text, text)", gid_edition()}'::regprocedure[]::oid[])
			UNION ALL
			SELECT 'TABLE', c.oid::regclass::text, c.relowner, c.relacl, false
			FROM pg_catalog.pg_class AS c
			WHERE c.oid = ANY ('{gid.stat_readers, gid.stat_blocks, gid.metrics}'::regclass[]::oid[])
		) AS o(kind, identity, owner, acl, is_public)
		CROSS JOIN LATERAL pg_catalog.aclexplode(o.acl) AS x
		WHERE x.grantee <> o.owner AND NOT (x.grantee = 0::oid AND o.is_public)
	LOOP
		EXECUTE pg_catalog.format('REVOKE ALL ON %s %s FROM %s', it.kind, it.identity, it.grantee);
	END LOOP;
END
$script$;

GRANT SELECT ON gid.stat_blocks, gid.stat_readers TO PUBLIC;
GRANT SELECT ON gid.metrics TO pg_monitor;
