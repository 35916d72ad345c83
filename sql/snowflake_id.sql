-- gid_snowflake_id(): milliseconds since an epoch, node and a sequence of the server
-- in 63 bits. test/unit/test_bigint.c has the layout.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

\if :library
LOAD 'gid';
-- Without a number for the server there are no ids. The number has ten bits.
SELECT e.code, e.message FROM pg_temp.alike('SELECT gid_snowflake_id()') AS e;
ALTER SYSTEM SET gid.node_no = 1024;
\set until 'current_setting(''gid.node_no'') = ''1024'''
\i :reload
SELECT e.* FROM pg_temp.alike('SELECT gid_snowflake_id()') AS e;
ALTER SYSTEM SET gid.node_no = 1023;
\set until 'current_setting(''gid.node_no'') = ''1023'''
\i :reload

-- A batch: strictly increasing, with the node of the settings and the present time.
-- Within a millisecond the sequence has no gap, and it begins at 0 where the clock has
-- gone on.
CREATE TEMP TABLE made AS SELECT n, gid_snowflake_id() AS id FROM generate_series(1, 20000) AS n;
SELECT count(*) FILTER (WHERE id <= before) AS not_increasing,
	count(*) FILTER (WHERE gid_extract_snowflake_node(id) IS DISTINCT FROM 1023) AS wrong_node,
	count(*) FILTER (WHERE (gid_extract_snowflake_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time,
	count(*) FILTER (WHERE id >> 22 = before >> 22 AND id <> before + 1) AS gaps,
	count(*) FILTER (WHERE id >> 22 <> before >> 22 AND gid_extract_snowflake_sequence(id) <> 0) AS not_from_0
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;

-- An id that is made after a pause has at least the millisecond in which the call
-- began, and not one after the call: ids follow the clock, not its coarse ticks. First
-- the batch's last id has to be past.
SELECT pg_sleep_until(max(gid_extract_snowflake_time(id)) + interval '10 ms') FROM made;
-- A tick that comes late, because something holds up the processor, makes a few early.
SELECT min(early) < 2 AS almost_never_early, max(late) AS late
FROM (SELECT count(*) FILTER (WHERE at < before) AS early, count(*) FILTER (WHERE at > after) AS late
	  FROM (SELECT n, date_trunc('milliseconds', clock_timestamp()) AS before,
				gid_extract_snowflake_time(gid_snowflake_id()) AS at, clock_timestamp() AS after
			FROM generate_series(1, 500) AS n, LATERAL pg_sleep(random() * 0.001 + 0 * n)) AS calls
	  GROUP BY n % 10) AS tens;

-- The epoch is an argument. Ids of two epochs come from one word: the times that they
-- have are the server's, in order.
SELECT gid_extract_snowflake_time(a) <= gid_extract_snowflake_time(b, 1420070400000) AS in_order,
	gid_extract_snowflake_time(b, 1420070400000) < clock_timestamp() + interval '1 hour' AS now
FROM (SELECT gid_snowflake_id() AS a, gid_snowflake_id(epoch_ms => 1420070400000) AS b) AS s;
-- Both ends of the epoch.
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_snowflake_id(253402300799999)', 'SELECT gid_snowflake_id(-1)',
	'SELECT gid_snowflake_id(253402300800000)') AS e;
\i :no_numbers
\endif

-- Both ends of each part and one past each. The time is rounded down to the millisecond
-- and never wraps.
SELECT t, gid_make_snowflake_id(t, 0, 1) AS id, gid_snowflake_id_min(t), gid_snowflake_id_max(t)
FROM (VALUES (timestamptz '2010-11-04 01:42:54.657999'), ('2080-07-10 17:30:30.208999')) AS v (t);
SELECT gid_make_snowflake_id('2080-07-10 17:30:30.208', 1023, 4095) AS largest,
	gid_make_snowflake_id('epoch', 0, 1, 0) AS epoch_0,
	gid_make_snowflake_id('9999-12-31 23:59:59.999', 0, 1, 253402300799999) AS last_epoch,
	gid_extract_snowflake_time(9223372036854775807, 253402300799999) AS ends_last;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_snowflake_id('2010-11-04 01:42:54.656999', 0, 1)$$,
	$$SELECT gid_make_snowflake_id('2080-07-10 17:30:30.209', 0, 1)$$,
	$$SELECT gid_make_snowflake_id('infinity', 0, 1)$$,
	$$SELECT gid_snowflake_id_min('2010-11-04 01:42:54.656999')$$,
	$$SELECT gid_snowflake_id_max('2080-07-10 17:30:30.209')$$,
	$$SELECT gid_make_snowflake_id('2024-01-01', 1024, 1)$$,
	$$SELECT gid_make_snowflake_id('2024-01-01', 0, 4096)$$,
	$$SELECT gid_make_snowflake_id('2010-11-04 01:42:54.657', 0, 0)$$) AS e;
SELECT e.code, count(*) FROM pg_temp.expect(
	$$SELECT gid_make_snowflake_id('2024-01-01', -1, 1)$$,
	$$SELECT gid_make_snowflake_id('2024-01-01', 0, -1)$$) AS e GROUP BY 1;
-- Both ends of the epoch, for every other function that has it.
SELECT e.code, e.message, count(*) FROM unnest(ARRAY['gid_make_snowflake_id(''2024-01-01'', 0, 1, %s)',
		'gid_extract_snowflake_time(1, %s)', 'gid_snowflake_id_min(now(), %s)', 'gid_snowflake_id_max(now(), %s)',
		'gid_snowflake_id_low(NULL, %s)', 'gid_snowflake_id_below(NULL, %s)']) AS call, unnest(ARRAY[-1, 253402300800000]) AS epoch,
	pg_temp.expect(format('SELECT ' || call, epoch)) AS e GROUP BY 1, 2 ORDER BY 2;

-- A number that is no Snowflake id.
SELECT num_nulls(gid_extract_snowflake_time(0), gid_extract_snowflake_node(0), gid_extract_snowflake_sequence(0)) AS nulls_of_3;
