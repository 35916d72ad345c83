-- gid_trace_id(): seconds, node and a counter of the server in 63 bits.
-- test/unit/test_bigint.c has the layout, vectors_made.sql ids whose low 22 bits are split
-- elsewhere.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

\if :library
\i :numbers
-- A batch: strictly increasing, with a counter that is never 0, the node of the settings,
-- and the present time. Ids of a second have no gap: every thread and counter is used.
SELECT count(*) FILTER (WHERE id <= before) AS not_increasing,
	count(*) FILTER (WHERE (gid_extract_trace_counter(id) BETWEEN 1 AND 1023) IS NOT TRUE) AS wrong_counter,
	count(*) FILTER (WHERE gid_extract_trace_node(id) IS DISTINCT FROM 0) AS wrong_node,
	count(*) FILTER (WHERE (gid_extract_trace_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time,
	count(*) FILTER (WHERE id >> 38 = before >> 38
		AND id <> before + CASE gid_extract_trace_counter(before) WHEN 1023 THEN 2 ELSE 1 END) AS gaps
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before
	FROM (SELECT n, gid_trace_id() AS id FROM generate_series(1, 20000) AS n) AS made) AS m;
\i :no_numbers
\endif

-- Both ends of each part and one past each. The seconds are rounded down and wrap after
-- 2^25.
SELECT t, gid_make_trace_id(t, 0, 0, 1) AS id, gid_trace_id_min(t), gid_trace_id_max(t)
FROM (VALUES (timestamptz '1970-01-01 00:00:00.999999'), ('1971-01-24 08:40:31.999999'),
	  ('1971-01-24 08:40:32'), ('294276-12-31 23:59:59.999999')) AS v (t);
SELECT gid_make_trace_id('1971-01-24 08:40:31', 65535, 4095, 1023) AS largest;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_trace_id('1969-12-31 23:59:59.999999', 0, 0, 1)$$,
	$$SELECT gid_make_trace_id('infinity', 0, 0, 1)$$,
	$$SELECT gid_trace_id_min('1969-12-31 23:59:59.999999')$$,
	$$SELECT gid_trace_id_max('infinity')$$,
	$$SELECT gid_make_trace_id('epoch', -1, 0, 1)$$,
	$$SELECT gid_make_trace_id('epoch', 65536, 0, 1)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 4096, 1)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, 1024)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, 0)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, 1, 23)$$,
	$$SELECT gid_extract_trace_thread(1, 23)$$,
	$$SELECT gid_extract_trace_counter(1, 23)$$) AS e;
SELECT e.code, count(*) FROM pg_temp.expect(
	$$SELECT gid_make_trace_id('epoch', 0, -1, 1)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, -1)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, 1, -1)$$,
	$$SELECT gid_extract_trace_thread(1, -1)$$,
	$$SELECT gid_extract_trace_counter(1, -1)$$) AS e GROUP BY 1;
-- Every split of the low 22 bits. All ones is the largest id, one more in either part
-- is out of range, and all zeros is no id.
SELECT e.code, count(*), count(*) FILTER (WHERE gid_make_trace_id('epoch', 0, (1 << bits) - 1, (1 << 22 - bits) - 1, bits) = 4194303) AS largest
FROM generate_series(0, 22) AS bits, pg_temp.expect(
	format('SELECT gid_make_trace_id(''epoch'', 0, %s, 0, %s)', 1 << bits, bits),
	format('SELECT gid_make_trace_id(''epoch'', 0, 0, %s, %s)', 1 << 22 - bits, bits),
	format('SELECT gid_make_trace_id(''epoch'', 0, 0, 0, %s)', bits)) AS e GROUP BY 1;

-- The time of an id is the latest moment, up to "near", whose seconds agree modulo
-- 2^25 (388.36 days). "near" defaults to a day from now, so that the time is right also
-- when the clock of the maker is a little ahead.
SELECT near, gid_extract_trace_time(gid_make_trace_id('2024-01-01 00:00:05', 0, 0, 1), near)
FROM (VALUES (timestamptz '2024-01-01 00:00:04.999999'), ('2024-01-01 00:00:05'),
	  ('2025-01-23 08:40:36.999999'), ('2025-01-23 08:40:37'), ('1960-01-01'), ('294276-12-31 23:59:59')) AS v (near);
SELECT ahead, gid_extract_trace_time(gid_make_trace_id(now() + ahead::interval, 0, 0, 1))
	= date_trunc('second', now() + ahead::interval) AS as_made
FROM (VALUES ('23:59:58'), ('1 day 00:00:02'), ('-387 days'), ('-388 days')) AS v (ahead);
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_extract_trace_time(1, 'infinity')$$,
	$$SELECT gid_extract_trace_time(1, '-infinity')$$,
	$$SELECT gid_extract_trace_time(1, '4714-11-24 00:00:00+00 BC')$$) AS e;

-- A number that is no TraceId.
SELECT num_nulls(gid_extract_trace_node(id), gid_extract_trace_thread(id), gid_extract_trace_counter(id),
	gid_extract_trace_time(id), gid_extract_trace_time(id, '2024-01-01')) AS nulls_of_5
FROM CAST(4194304 AS bigint) AS id;
