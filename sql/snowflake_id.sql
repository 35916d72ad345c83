-- gid_snowflake_id(): milliseconds since an epoch, node and a sequence of the server
-- in 63 bits. snowflake_between.sql has ranges of time.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
LOAD 'gid';

-- Without a number for the server there are no ids. The number has ten bits.
SELECT e.* FROM pg_temp.alike('SELECT gid_snowflake_id()') AS e;
ALTER SYSTEM SET gid.node_no = 1024;
\set until 'current_setting(''gid.node_no'') = ''1024'''
\i :reload
SELECT e.* FROM pg_temp.alike('SELECT gid_snowflake_id()') AS e;
SELECT gid_trace_id() IS NOT NULL AS a_trace_id;
ALTER SYSTEM SET gid.node_no = 1023;
\set until 'current_setting(''gid.node_no'') = ''1023'''
\i :reload
SELECT gid_extract_snowflake_node(gid_snowflake_id()) AS node;
\i :numbers

-- A batch: the ids are different, strictly increasing and positive, with the node of
-- the settings and the present time.
CREATE TEMP TABLE made AS
SELECT n, gid_snowflake_id() AS id FROM generate_series(1, 50000) AS n;
SELECT count(*) AS ids, count(DISTINCT id) AS distinct_ids,
	count(*) FILTER (WHERE id <= before) AS not_increasing,
	count(*) FILTER (WHERE id < 1) AS not_positive,
	count(*) FILTER (WHERE gid_extract_snowflake_node(id)
					 IS DISTINCT FROM current_setting('gid.node_no')::int) AS wrong_node,
	count(*) FILTER (WHERE (gid_extract_snowflake_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;
-- Within a millisecond the sequence has no gap, and it begins at 0 where the clock has
-- gone on.
SELECT count(*) FILTER (WHERE id >> 22 = before >> 22 AND id <> before + 1) AS gaps,
	count(*) FILTER (WHERE id >> 22 <> before >> 22 AND gid_extract_snowflake_sequence(id) <> 0) AS not_from_0
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;

-- An id that is made after a pause has at least the millisecond in which the call
-- began, and not one after the call: ids follow the clock, not its coarse ticks.
CREATE FUNCTION pg_temp.early_and_late(calls int, OUT early int, OUT late int) LANGUAGE plpgsql AS $$
DECLARE
	before timestamptz;
	made timestamptz;
BEGIN
	early := 0;
	late := 0;
	FOR i IN 1..calls LOOP
		PERFORM pg_sleep(random() * 0.001);
		before := date_trunc('milliseconds', clock_timestamp());
		made := gid_extract_snowflake_time(gid_snowflake_id());
		early := early + (made < before)::int;
		late := late + (made > clock_timestamp())::int;
	END LOOP;
END $$;
-- what the batch has led the clock by is gone
SELECT pg_sleep(1);
-- a tick that comes late, because a hypervisor holds up the processor, makes a few early
SELECT early < 20 AS almost_never_early, late FROM pg_temp.early_and_late(2000);

-- The epoch is an argument. Ids of two epochs come from one word: the times that they
-- have are the server's, in order.
SELECT gid_extract_snowflake_time(a) <= gid_extract_snowflake_time(b, 1420070400000) AS in_order,
	a - b > (1420070400000 - 1288834974658) << 22 AS larger,
	gid_extract_snowflake_time(b, 1420070400000) < clock_timestamp() + interval '1 hour' AS now
FROM (SELECT gid_snowflake_id() AS a, gid_snowflake_id(epoch_ms => 1420070400000) AS b) AS s;
SELECT e.* FROM pg_temp.alike(
	'SELECT gid_snowflake_id(-1)',
	'SELECT gid_snowflake_id(253402300800000)',
	'SELECT gid_snowflake_id(253402300799999)') AS e;

-- Made of parts, and taken apart. Discord's documentation has the id.
SELECT id, gid_extract_snowflake_time(id, 1420070400000) AS time, gid_extract_snowflake_node(id) AS node,
	gid_extract_snowflake_sequence(id) AS sequence
FROM gid_make_snowflake_id('2016-04-30 11:18:25.796', 32, 7, 1420070400000) AS id;
SELECT gid_make_snowflake_id('2024-01-01', 42, 7) =
	gid_make_snowflake_id("at" => '2024-01-01', node => 42, sequence => 7, epoch_ms => 1288834974657) AS named;

-- Both ends of each part. The time is rounded down to the millisecond and never wraps.
SELECT t, gid_make_snowflake_id(t, 0, 1) AS id
FROM (VALUES (timestamptz '2010-11-04 01:42:54.657'), ('2010-11-04 01:42:54.657999'),
	('2010-11-04 01:42:54.658'), ('2080-07-10 17:30:30.208'), ('2080-07-10 17:30:30.208999')) AS v (t);
SELECT gid_make_snowflake_id('2010-11-04 01:42:54.657', 0, 1) AS smallest,
	gid_make_snowflake_id('2010-11-04 01:42:54.657', 1, 0) AS node_1,
	gid_make_snowflake_id('2010-11-04 01:42:54.658', 0, 0) AS next,
	gid_make_snowflake_id('2080-07-10 17:30:30.208', 1023, 4095) AS largest;
SELECT gid_make_snowflake_id('epoch', 0, 1, 0) AS epoch_0,
	gid_make_snowflake_id('9999-12-31 23:59:59.999', 0, 1, 253402300799999) AS last_epoch,
	gid_extract_snowflake_time(9223372036854775807, 0) AS ends_0,
	gid_extract_snowflake_time(9223372036854775807, 253402300799999) AS ends_last;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_snowflake_id('2010-11-04 01:42:54.656999', 0, 1)$$,
	$$SELECT gid_make_snowflake_id('2080-07-10 17:30:30.209', 0, 1)$$,
	$$SELECT gid_make_snowflake_id('1969-12-31 23:59:59.999999', 0, 1, 0)$$,
	$$SELECT gid_make_snowflake_id('-infinity', 0, 1)$$,
	$$SELECT gid_make_snowflake_id('infinity', 0, 1)$$,
	$$SELECT gid_make_snowflake_id('2024-01-01', -1, 1)$$,
	$$SELECT gid_make_snowflake_id('2024-01-01', 1024, 1)$$,
	$$SELECT gid_make_snowflake_id('2024-01-01', 0, -1)$$,
	$$SELECT gid_make_snowflake_id('2024-01-01', 0, 4096)$$,
	$$SELECT gid_make_snowflake_id('2010-11-04 01:42:54.657', 0, 0)$$,
	$$SELECT gid_make_snowflake_id('2024-01-01', 0, 1, -1)$$,
	$$SELECT gid_make_snowflake_id('2024-01-01', 0, 1, 253402300800000)$$) AS e;
SELECT e.statements, e.code, e.message FROM pg_temp.alike(
	'SELECT gid_extract_snowflake_time(1, -1)', 'SELECT gid_extract_snowflake_time(1, 253402300800000)',
	'SELECT gid_snowflake_id_min(now(), -1)', 'SELECT gid_snowflake_id_max(now(), -1)',
	'SELECT gid_snowflake_id_low(NULL, -1)', 'SELECT gid_snowflake_id_below(NULL, -1)') AS e;

-- Random ids of the whole range are taken apart into the parts that they were made of.
-- Days and milliseconds are added one by one, because a float8 would round their sum.
SELECT count(*) AS tried,
	count(*) FILTER (WHERE gid_extract_snowflake_node(id) IS DISTINCT FROM node
		OR gid_extract_snowflake_sequence(id) IS DISTINCT FROM sequence
		OR gid_extract_snowflake_time(id, epoch_ms) IS DISTINCT FROM date_trunc('milliseconds', t)
		OR id IS DISTINCT FROM (ms << 22) + (node::bigint << 12) + sequence) AS mismatches
FROM (SELECT *, gid_make_snowflake_id(t, node, sequence, epoch_ms) AS id
	  -- days by themselves: a longer interval of milliseconds would be rounded
	  FROM (SELECT *, (timestamp 'epoch' + (epoch_ms + ms) / 86400000 * interval '1 day' +
				(epoch_ms + ms) % 86400000 * interval '1 ms' +
				floor(random() * 1000) * interval '1 microsecond') AT TIME ZONE 'UTC' AS t
			FROM (SELECT floor(random() * 253402300800000)::bigint AS epoch_ms,
					  floor(random() * 2199023255552)::bigint AS ms,
					  floor(random() * 1024)::int AS node, 1 + floor(random() * 4095)::int AS sequence
				  FROM generate_series(1, 10000)) AS l) AS r) AS m;

-- The smallest and the largest id of a millisecond.
SELECT t, gid_snowflake_id_min(t), gid_snowflake_id_max(t)
FROM (VALUES (timestamptz '2010-11-04 01:42:54.657'), ('2010-11-04 01:42:54.658'),
	('2010-11-04 01:42:54.658999'), ('2080-07-10 17:30:30.208999')) AS v (t);
SELECT e.code, count(*) FROM unnest(ARRAY['min', 'max']) AS f,
	unnest(ARRAY['2010-11-04 01:42:54.656999', '2080-07-10 17:30:30.209', '-infinity', 'infinity']) AS t,
	pg_temp.expect(format('SELECT gid_snowflake_id_%s(%L)', f, t)) AS e GROUP BY 1;

-- Numbers that are no Snowflake ids: below 1.
SELECT id, gid_extract_snowflake_time(id) AS time, gid_extract_snowflake_node(id) AS node,
	gid_extract_snowflake_sequence(id) AS sequence
FROM (VALUES (0::bigint), (-1), (-9223372036854775808), (1)) AS v (id);

-- NULL in, NULL out.
SELECT num_nulls(gid_snowflake_id(NULL), gid_make_snowflake_id(NULL, 0, 1), gid_make_snowflake_id('2024-01-01', NULL, 1),
	gid_make_snowflake_id('2024-01-01', 0, NULL), gid_make_snowflake_id('2024-01-01', 0, 1, NULL),
	gid_snowflake_id_min(NULL), gid_snowflake_id_min('2024-01-01', NULL), gid_snowflake_id_max(NULL),
	gid_snowflake_id_max('2024-01-01', NULL), gid_extract_snowflake_time(NULL), gid_extract_snowflake_time(1, NULL),
	gid_extract_snowflake_node(NULL), gid_extract_snowflake_sequence(NULL)) AS nulls_of_13;

-- gid_inspect() takes such an id for one of this server's, whatever else it may be.
SELECT value ~ 'snowflake' AS snowflake FROM gid_inspect(gid_snowflake_id()) WHERE part = 'family';
SELECT * FROM gid_inspect(gid_make_snowflake_id('2024-02-29 12:00', 7, 9), 'snowflake');
\i :no_numbers
