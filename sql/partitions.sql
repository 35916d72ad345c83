-- Tables that are partitioned by range of the id, as in doc/partitioning.md: bounds,
-- routing, pruning, one primary key over all partitions, time zones, and the ring of
-- partitions for TraceIds.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
CREATE SCHEMA partitions;
SET search_path = partitions, public;

-- The partitions that a query reads.
CREATE FUNCTION read_by(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN (SELECT string_agg(DISTINCT name[1], ' ' ORDER BY name[1])
			FROM regexp_matches(plan::text, '"Relation Name": "(\w+)"', 'g') AS name);
END $$;
-- The partitions of a table, with the times of their bounds.
CREATE FUNCTION bounds(parent regclass) RETURNS TABLE (name name, since timestamptz, until timestamptz)
LANGUAGE sql AS $$
SELECT relname, gid_extract_v7_time(id[1]), gid_extract_v7_time(id[2])
FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid,
	LATERAL (SELECT regexp_match(pg_get_expr(relpartbound, c.oid), $re$FROM \('(.+)'\) TO \('(.+)'\)$re$)::uuid[] AS id) AS b
WHERE inhparent = $1 ORDER BY id
$$;

-- Two months, and rows at both ends of each.
CREATE TABLE event (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), body text) PARTITION BY RANGE (id);
CREATE TABLE event_2026_10 PARTITION OF event
  FOR VALUES FROM (gid_uuid_v7_min('2026-10-01 00:00+00')) TO (gid_uuid_v7_min('2026-11-01 00:00+00'));
CREATE TABLE event_2026_11 PARTITION OF event
  FOR VALUES FROM (gid_uuid_v7_min('2026-11-01 00:00+00')) TO (gid_uuid_v7_min('2026-12-01 00:00+00'));
SELECT * FROM bounds('event');
INSERT INTO event SELECT gid_uuid_v7_at(t::timestamptz), t
FROM unnest(ARRAY['2026-10-01 00:00+00', '2026-10-31 23:59:59.999+00', '2026-11-01 00:00+00',
	'2026-11-30 23:59:59.999999+00']) AS t;
INSERT INTO event VALUES (gid_uuid_v7_max('2026-10-31 23:59:59.999+00'), 'last'), (gid_uuid_v7_min('2026-11-01 00:00+00'), 'first');
SELECT tableoid::regclass AS partition, body FROM event ORDER BY id;

-- Pruning by a range of time, by an id, at run time and in a generic plan.
SELECT read_by($$SELECT * FROM event$$) AS all,
	read_by($$SELECT * FROM event WHERE gid_uuid_v7_between(id, '2026-10-31 12:00+00', '2026-11-01 12:00+00')$$) AS both,
	read_by($$SELECT * FROM event WHERE gid_uuid_v7_between(id, '2026-10-10 00:00+00', '2026-11-01 00:00+00')$$) AS october,
	read_by($$SELECT * FROM event WHERE gid_uuid_v7_between(id, '2026-11-01 00:00+00', '2026-12-01 00:00+00')$$) AS november,
	read_by($$SELECT * FROM event WHERE id >= gid_uuid_v7_min('2026-11-01 00:00+00')$$) AS since,
	read_by($$SELECT * FROM event WHERE id < gid_uuid_v7_min('2026-11-01 00:00+00')$$) AS until,
	read_by($$SELECT * FROM event WHERE id = '01a1df14-1e00-7000-8000-0000000000aa'$$) AS id \gx
PREPARE between(timestamptz, timestamptz) AS SELECT body FROM event WHERE gid_uuid_v7_between(id, $1, $2);
SET plan_cache_mode = force_generic_plan;
SELECT read_by($$EXECUTE between('2026-11-01 00:00+00', '2026-11-02 00:00+00')$$) AS november;
RESET plan_cache_mode;

-- One primary key over all partitions, a foreign key to it, ON CONFLICT.
INSERT INTO event VALUES ('01a1df14-1e00-7000-8000-0000000000aa', 'once');
\set VERBOSITY terse
INSERT INTO event VALUES ('01a1df14-1e00-7000-8000-0000000000aa', 'again');
\set VERBOSITY default
INSERT INTO event VALUES ('01a1df14-1e00-7000-8000-0000000000aa', 'twice') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
INSERT INTO event VALUES ('01a1df14-1e00-7000-8000-0000000000aa', 'thrice') ON CONFLICT DO NOTHING;
SELECT tableoid::regclass AS partition, body FROM event WHERE id = '01a1df14-1e00-7000-8000-0000000000aa';
CREATE TABLE note (event uuid REFERENCES event, text text);
INSERT INTO note VALUES ('01a1df14-1e00-7000-8000-0000000000aa', 'there');
\set VERBOSITY sqlstate
INSERT INTO note VALUES ('01a1df14-1e00-7000-8000-0000000000ab', 'not there');
\set VERBOSITY default
DROP TABLE note;

-- Attach the next month and detach the oldest one. Ids of that month are refused then.
CREATE TABLE event_2026_12 (LIKE event INCLUDING ALL);
ALTER TABLE event ATTACH PARTITION event_2026_12
  FOR VALUES FROM (gid_uuid_v7_min('2026-12-01 00:00+00')) TO (gid_uuid_v7_min('2027-01-01 00:00+00'));
INSERT INTO event VALUES (gid_uuid_v7_at('2026-12-31 23:59:59.999999+00'), 'december');
ALTER TABLE event DETACH PARTITION event_2026_10 CONCURRENTLY;
SELECT count(*) FROM event_2026_10;
DROP TABLE event_2026_10;
SELECT * FROM bounds('event');
INSERT INTO event VALUES ('01a13f6e-fa00-7000-8000-000000000001', 'late');
-- An id of the present goes to one of these, whatever the clock says.
CREATE TABLE event_before PARTITION OF event FOR VALUES FROM (MINVALUE) TO (gid_uuid_v7_min('2026-11-01 00:00+00'));
CREATE TABLE event_after PARTITION OF event FOR VALUES FROM (gid_uuid_v7_min('2027-01-01 00:00+00')) TO (MAXVALUE);
INSERT INTO event (body) VALUES ('now') RETURNING gid_extract_v7_time(id) > now() - interval '1 hour' AS now;
DROP TABLE event_before, event_after;

-- A bound without a time zone is in the session's zone. In Tokyo it overlaps the month
-- before, in New York it leaves a gap.
SET TimeZone = 'Asia/Tokyo';
SELECT gid_uuid_v7_min('2027-01-01') = gid_uuid_v7_min('2026-12-31 15:00+00') AS nine_hours_before;
\set VERBOSITY sqlstate
CREATE TABLE event_2027_01 PARTITION OF event
  FOR VALUES FROM (gid_uuid_v7_min('2027-01-01')) TO (gid_uuid_v7_min('2027-02-01'));
\set VERBOSITY default
-- with a zone the same session makes the right bound
CREATE TABLE event_2027_01 PARTITION OF event
  FOR VALUES FROM (gid_uuid_v7_min('2027-01-01 00:00+00')) TO (gid_uuid_v7_min('2027-02-01 00:00+00'));
DROP TABLE event_2027_01;
SET TimeZone = 'America/New_York';
CREATE TABLE event_2027_01 PARTITION OF event
  FOR VALUES FROM (gid_uuid_v7_min('2027-01-01')) TO (gid_uuid_v7_min('2027-02-01'));
\set VERBOSITY terse
INSERT INTO event VALUES (gid_uuid_v7_min('2027-01-01 04:59:59.999+00'), 'in the gap');
\set VERBOSITY default
INSERT INTO event VALUES (gid_uuid_v7_min('2027-01-01 05:00+00'), 'behind it');
-- and a month later in that zone is not the end of the month
SELECT '2026-11-01 00:00+00'::timestamptz + interval '1 month' = '2026-12-01 01:00+00' AS an_hour_late;
SET TimeZone = 'UTC';
SELECT * FROM bounds('event');

-- The other time-ordered UUIDs, and GDIDs.
CREATE TABLE ticks (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE ticks_10 PARTITION OF ticks
  FOR VALUES FROM (gid_uuid_sequential_min('2026-10-01 00:00+00')) TO (gid_uuid_sequential_min('2026-11-01 00:00+00'));
CREATE TABLE ticks_11 PARTITION OF ticks
  FOR VALUES FROM (gid_uuid_sequential_min('2026-11-01 00:00+00')) TO (gid_uuid_sequential_min('2026-12-01 00:00+00'));
INSERT INTO ticks VALUES (gid_uuid_sequential_max('2026-10-31 23:59:59.999999+00')), (gid_uuid_sequential_min('2026-11-01 00:00+00'));
CREATE TABLE shards (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE shards_10 PARTITION OF shards
  FOR VALUES FROM (gid_uuid_shard_min('2026-10-01 00:00+00')) TO (gid_uuid_shard_min('2026-11-01 00:00+00'));
CREATE TABLE shards_11 PARTITION OF shards
  FOR VALUES FROM (gid_uuid_shard_min('2026-11-01 00:00+00')) TO (gid_uuid_shard_min('2026-12-01 00:00+00'));
INSERT INTO shards VALUES (gid_make_uuid_shard('2026-10-31 23:59:59+00', '\x01a2a3a405', 16777215, 208)),
	(gid_make_uuid_shard('2026-11-01 00:00:00+00', '\x01a2a3a405', 0, 208));
CREATE TABLE docs (id gdid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE docs_0 PARTITION OF docs FOR VALUES FROM (gid_make_gdid(0, 1, 0)) TO (gid_make_gdid(0, 1, 1000));
CREATE TABLE docs_1 PARTITION OF docs FOR VALUES FROM (gid_make_gdid(0, 1, 1000)) TO (gid_make_gdid(0, 1, 2000));
INSERT INTO docs VALUES ('0:1:999'), ('0:1:1000');
SELECT tableoid::regclass AS partition, count(*) FROM ticks GROUP BY 1
UNION ALL SELECT tableoid::regclass, count(*) FROM shards GROUP BY 1
UNION ALL SELECT tableoid::regclass, count(*) FROM docs GROUP BY 1 ORDER BY 1;
SELECT read_by($$SELECT * FROM ticks WHERE gid_uuid_sequential_between(id, '2026-10-01 00:00+00', '2026-11-01 00:00+00')$$) AS ticks,
	read_by($$SELECT * FROM shards WHERE gid_uuid_shard_between(id, '2026-10-01 00:00+00', '2026-11-01 00:00+00')$$) AS shards,
	read_by($$SELECT * FROM docs WHERE id < '0:1:1000'$$) AS docs;

-- The ring of TraceIds: sixteen partitions of 2^21 seconds each.
CREATE TABLE request (id bigint PRIMARY KEY, at timestamptz) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE request_%s PARTITION OF request FOR VALUES FROM (%s) TO (%s)',
  n, n::bigint << 59, CASE n WHEN 15 THEN 'MAXVALUE' ELSE ((n + 1)::bigint << 59)::text END)
FROM generate_series(0, 15) AS n \gexec
-- Rows of a whole round, one for each hour, and at the ends of partitions.
INSERT INTO request
SELECT gid_make_trace_id(t, 65535, 4095, 1023), t
FROM generate_series(timestamptz 'epoch', timestamptz 'epoch' + interval '1 second' * (2^25 - 1), '1 hour') AS t;
INSERT INTO request SELECT gid_make_trace_id(t, 0, 0, 1), t
FROM unnest(ARRAY[timestamptz 'epoch', timestamptz 'epoch' + interval '1 second' * (2^25 - 1), timestamptz 'epoch' + interval '1 second' * 2^21]) AS t;
SELECT count(*), count(DISTINCT tableoid) AS partitions,
	count(*) FILTER (WHERE tableoid::regclass::text <> format('request_%s', floor(extract(epoch FROM at) / 2^21))) AS elsewhere
FROM request;
-- A round later ids go to the first partition again.
SELECT tableoid::regclass AS partition, count(*) FROM request WHERE id BETWEEN gid_trace_id_min(timestamptz 'epoch' + interval '1 second' * 2^25)
	AND gid_trace_id_max(timestamptz 'epoch' + interval '1 second' * (2^25 + 2^21 - 1)) GROUP BY 1;
SELECT read_by(format($$SELECT * FROM request WHERE id BETWEEN gid_trace_id_min(%L) AND gid_trace_id_max(%L)$$, since, since + interval '1 day')) AS read
FROM (VALUES (timestamptz 'epoch'), (timestamptz 'epoch' + interval '1 second' * (2^21 - 60))) AS v (since);
-- A range over the end of the ring has a first id that is greater than its last one.
SELECT gid_trace_id_min('1971-01-24 08:00+00') > gid_trace_id_max('1971-01-24 09:00+00') AS over_the_end,
	read_by($$SELECT * FROM request WHERE id >= gid_trace_id_min('1971-01-24 08:00+00') OR id <= gid_trace_id_max('1971-01-24 09:00+00')$$) AS read;

-- DecimalIds are partitioned by their counter.
CREATE TABLE ticket (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE ticket_0 PARTITION OF ticket FOR VALUES FROM (MINVALUE) TO (gid_make_decimal_id(1000000, 0, 0));
CREATE TABLE ticket_1 PARTITION OF ticket FOR VALUES FROM (gid_make_decimal_id(1000000, 0, 0)) TO (gid_make_decimal_id(2000000, 0, 0));
INSERT INTO ticket SELECT gid_make_decimal_id(c, g, 65) FROM unnest(ARRAY[1, 999999, 1000000, 1999999]) AS c, unnest(ARRAY[0, 99999]) AS g;
SELECT tableoid::regclass AS partition, min(gid_extract_decimal_counter(id)), max(gid_extract_decimal_counter(id)) FROM ticket GROUP BY 1 ORDER BY 1;

\set VERBOSITY terse
SET client_min_messages = warning;
DROP SCHEMA partitions CASCADE;
