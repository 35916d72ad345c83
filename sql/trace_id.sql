-- gid_trace_id(): seconds, node and a counter of the server in 63 bits. Also the
-- functions for ids whose low 22 bits are split elsewhere.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
\i :numbers

-- A batch: the ids are different, strictly increasing and positive, with a counter
-- that is never 0, the node of the settings, and the present time.
CREATE TEMP TABLE made AS
SELECT n, gid_trace_id() AS id FROM generate_series(1, 50000) AS n;
SELECT count(*) AS ids, count(DISTINCT id) AS distinct_ids,
	count(*) FILTER (WHERE id <= before) AS not_increasing,
	count(*) FILTER (WHERE id < 1) AS not_positive,
	count(*) FILTER (WHERE (gid_extract_trace_counter(id) BETWEEN 1 AND 1023) IS NOT TRUE) AS wrong_counter,
	count(*) FILTER (WHERE gid_extract_trace_node(id)
					 IS DISTINCT FROM current_setting('gid.node_no')::int) AS wrong_node,
	count(*) FILTER (WHERE (gid_extract_trace_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;
-- Consecutive ids of a second have no gap: every thread and counter is used.
SELECT count(*) AS gaps FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS m
WHERE id >> 38 = before >> 38
	AND id <> before + CASE gid_extract_trace_counter(before) WHEN 1023 THEN 2 ELSE 1 END;

-- Made of parts, and taken apart.
SELECT id, gid_extract_trace_node(id) AS node, gid_extract_trace_thread(id) AS thread,
	gid_extract_trace_counter(id) AS counter,
	gid_extract_trace_time(id, '1970-12-31') AS time
FROM gid_make_trace_id(timestamptz 'epoch' + interval '12345678 seconds', 42, 7, 1000) AS id;
SELECT gid_make_trace_id('2024-01-01', 42, 7, 1000) =
	gid_make_trace_id("at" => '2024-01-01', node => 42, thread => 7, counter => 1000,
		thread_bits => 12) AS named;

-- Both ends of each part. The seconds are rounded down and wrap after 2^25.
SELECT t, gid_make_trace_id(t, 0, 0, 1) AS id
FROM (VALUES (timestamptz 'epoch'), ('1970-01-01 00:00:00.999999'), ('1970-01-01 00:00:01'),
	  ('1971-01-24 08:40:31.999999'), ('1971-01-24 08:40:32'), ('1971-01-24 08:40:33'),
	  ('294276-12-31 23:59:59.999999')) AS v (t);
SELECT gid_make_trace_id('epoch', 0, 0, 1) AS smallest,
	gid_make_trace_id('1971-01-24 08:40:31', 65535, 4095, 1023) AS largest,
	gid_make_trace_id('epoch', 0, 1, 0) AS counter_0;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_trace_id('1969-12-31 23:59:59.999999', 0, 0, 1)$$,
	$$SELECT gid_make_trace_id('-infinity', 0, 0, 1)$$,
	$$SELECT gid_make_trace_id('infinity', 0, 0, 1)$$,
	$$SELECT gid_make_trace_id('epoch', -1, 0, 1)$$,
	$$SELECT gid_make_trace_id('epoch', 65536, 0, 1)$$,
	$$SELECT gid_make_trace_id('epoch', 0, -1, 1)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 4096, 1)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, -1)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, 1024)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, 0)$$) AS e;

-- Every split of the low 22 bits. All ones is the largest id, one more in either part
-- is out of range, and all zeros is no id.
SELECT count(*), largest, codes FROM (SELECT gid_make_trace_id('epoch', 0, (1 << thread_bits) - 1, (1 << 22 - thread_bits) - 1,
		thread_bits) = 4194303 AS largest,
	array_agg(e.code ORDER BY e.statement) AS codes
FROM generate_series(0, 22) AS thread_bits, pg_temp.expect(
	format('SELECT gid_make_trace_id(''epoch'', 0, %s, 0, %s)', 1 << thread_bits, thread_bits),
	format('SELECT gid_make_trace_id(''epoch'', 0, 0, %s, %s)', 1 << 22 - thread_bits, thread_bits),
	format('SELECT gid_make_trace_id(''epoch'', 0, 0, 0, %s)', thread_bits)) AS e
GROUP BY thread_bits) AS split GROUP BY largest, codes;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_make_trace_id('epoch', 0, 1, 0, 0)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 1, 1, 22)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, 0, 22)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, 1, -1)$$,
	$$SELECT gid_make_trace_id('epoch', 0, 0, 1, 23)$$,
	$$SELECT gid_extract_trace_thread(1, -1)$$,
	$$SELECT gid_extract_trace_thread(1, 23)$$,
	$$SELECT gid_extract_trace_counter(1, -1)$$,
	$$SELECT gid_extract_trace_counter(1, 23)$$) AS e;

-- Random ids of the whole range and every split are taken apart into the parts that
-- they were made of.
SELECT count(*) AS tried, count(DISTINCT bits) AS splits,
	count(*) FILTER (WHERE gid_extract_trace_node(id) IS DISTINCT FROM node
		OR gid_extract_trace_thread(id, bits) IS DISTINCT FROM thread
		OR gid_extract_trace_counter(id, bits) IS DISTINCT FROM counter
		OR gid_extract_trace_time(id, t) IS DISTINCT FROM date_trunc('second', t)
		OR id IS DISTINCT FROM (seconds % 33554432 << 38) + (node::bigint << 22) + low) AS mismatches
FROM (SELECT *, gid_make_trace_id(t, node, thread, counter, bits) AS id
	  FROM (SELECT *, timestamptz 'epoch' + seconds * interval '1 second' +
				floor(random() * 1000000) * interval '1 microsecond' AS t,
			low >> (22 - bits) AS thread, low & (1 << 22 - bits) - 1 AS counter
			FROM (SELECT n % 23 AS bits, floor(random() * 250000000000)::bigint AS seconds,
					  floor(random() * 65536)::int AS node,
					  1 + floor(random() * 4194303)::int AS low
				  FROM generate_series(1, 9200) AS n) AS l) AS r) AS m;

-- The smallest and the largest id of a second.
SELECT t, gid_trace_id_min(t), gid_trace_id_max(t)
FROM (VALUES (timestamptz 'epoch'), ('1970-01-01 00:00:01'), ('1970-01-01 00:00:01.999999'),
	  ('1971-01-24 08:40:31'), ('1971-01-24 08:40:32')) AS v (t);
SELECT e.* FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT gid_trace_id_%s(%L)', f, t)
	FROM unnest(ARRAY['min', 'max']) AS f,
		unnest(ARRAY['1969-12-31 23:59:59.999999', '-infinity', 'infinity']) AS t)) AS e;

-- The time of an id is the latest moment, up to "near", whose seconds agree modulo
-- 2^25 (388.36 days).
SELECT near, gid_extract_trace_time(gid_make_trace_id('2024-01-01 00:00:05', 0, 0, 1), near)
FROM (VALUES (timestamptz '2024-01-01 00:00:04.999999'), ('2024-01-01 00:00:05'),
	  ('2024-01-01 00:00:05.000001'), ('2025-01-23 08:40:36.999999'), ('2025-01-23 08:40:37'),
	  ('1970-01-01'), ('1960-01-01'), ('294276-12-31 23:59:59.999999')) AS v (near);
SELECT count(*) AS tried, count(*) FILTER (WHERE time > near
	OR near - time >= interval '33554432 seconds'
	OR (extract(epoch FROM time) - seconds) % 33554432 <> 0) AS mismatches
FROM (SELECT seconds, near, gid_extract_trace_time(seconds << 38 | 1, near) AS time
	  FROM (SELECT floor(random() * 33554432)::bigint AS seconds,
			timestamptz '1600-01-01' + random() * interval '1000 years' AS near
			FROM generate_series(1, 5000)) AS r) AS m;
-- "near" defaults to a day from now, so that the time is right also when the clock of
-- the maker is a little ahead.
SELECT ahead, gid_extract_trace_time(gid_make_trace_id(now() + ahead::interval, 0, 0, 1))
	= date_trunc('second', now() + ahead::interval) AS as_made
FROM (VALUES ('0 seconds'), ('23:59:58'), ('1 day 00:00:02'), ('-1 day'), ('-387 days'),
	  ('-388 days')) AS v (ahead);
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_extract_trace_time(1, 'infinity')$$,
	$$SELECT gid_extract_trace_time(1, '-infinity')$$,
	$$SELECT gid_extract_trace_time(1, '4714-11-24 00:00:00+00 BC')$$) AS e;

-- Numbers that are no TraceIds: below 1, or with 0 in the low 22 bits.
SELECT id, gid_extract_trace_node(id) AS node, gid_extract_trace_thread(id) AS thread,
	gid_extract_trace_counter(id) AS counter, gid_extract_trace_time(id) AS time,
	gid_extract_trace_time(id, '2024-01-01') AS time_near
FROM (VALUES (0::bigint), (-1), (-9223372036854775808), (4194304), (274877906944),
	  (9223372036850581504)) AS v (id);
SELECT gid_extract_trace_node(9223372036854775807) AS node,
	gid_extract_trace_thread(9223372036854775807) AS thread,
	gid_extract_trace_counter(9223372036854775807) AS counter;

-- NULL in, NULL out.
SELECT num_nulls(gid_make_trace_id(NULL, 0, 0, 1), gid_make_trace_id('epoch', NULL, 0, 1),
	gid_make_trace_id('epoch', 0, NULL, 1), gid_make_trace_id('epoch', 0, 0, NULL),
	gid_make_trace_id('epoch', 0, 0, 1, NULL), gid_trace_id_min(NULL), gid_trace_id_max(NULL),
	gid_extract_trace_node(NULL), gid_extract_trace_thread(NULL), gid_extract_trace_thread(1, NULL),
	gid_extract_trace_counter(NULL), gid_extract_trace_counter(1, NULL),
	gid_extract_trace_time(NULL), gid_extract_trace_time(1, NULL),
	gid_extract_trace_time(NULL, now())) AS nulls_of_15;
\i :no_numbers
