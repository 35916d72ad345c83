-- The results as tables for people.

\set QUIET on
\pset border 1
\pset linestyle ascii
\pset numericlocale off
\echo

\set title 'SELECT count(f()) FROM generate_series(1, ' :calls '), median of ' :rounds ' rounds'
\pset title :title
SELECT function AS "f()", round(ns_a_row::numeric, 1) AS "ns a row",
	round(net_ns::numeric, 1) AS "less the constant",
	round(ratio::numeric, 2) AS "ratio to clock_timestamp()",
	format('%s to %s', round(ratio_lower_quartile::numeric, 2),
		round(ratio_upper_quartile::numeric, 2)) AS "its middle half"
FROM function_result ORDER BY position;

\set backends :cpus ' backends'
\set title 'The same in several backends at once, million ids a second'
\pset title :title
SELECT one.function AS "f()", round((one.ids_a_second / 1e6)::numeric, 2) AS "1 backend",
	round((several.ids_a_second / 1e6)::numeric, 2) AS :"backends",
	round((several.ids_a_second / one.ids_a_second)::numeric, 2) AS "times as many"
FROM backend_result AS one JOIN backend_result AS several USING (position)
WHERE one.backends = 1 AND several.backends = :cpus
ORDER BY position;

\set title 'Single calls by ' :latency_clients ' backends at once on one sequence, microseconds'
\pset title :title
SELECT function AS "f()", round(median_us::numeric, 1) AS "median",
	round(p999_us::numeric, 1) AS "99.9th percentile",
	round(p999_ratio::numeric, 2) AS "its ratio to nextval(), CACHE 1000"
FROM latency_result ORDER BY position;

\set writers_s :writers ' writers: s'
\set title 'INSERT of ' :rows ' rows, the id as primary key DEFAULT'
\pset title :title
SELECT one.primary_key AS "primary key", round(one.seconds::numeric, 2) AS "1 writer: s",
	round((one.index_bytes / 1048576)::numeric, 1) AS "index, MB",
	round(one.leaf_density::numeric, 0) AS "leaf density, %",
	round(several.seconds::numeric, 2) AS :"writers_s",
	round((several.index_bytes / 1048576)::numeric, 1) AS "index, MB",
	round(several.leaf_density::numeric, 0) AS "leaf density, %"
FROM insert_result AS one JOIN insert_result AS several USING (position)
WHERE one.writers = 1 AND several.writers = :writers
ORDER BY position;

\pset title
\pset tuples_only on
\pset format unaligned
WITH goal (name, value, at_most) AS (
	SELECT 'gid_uuid_v7() to gen_random_uuid()', of_gen_random_uuid, 0.25
	FROM function_result WHERE function = 'gid_uuid_v7()'
	UNION ALL
	SELECT 'gid_trace_id() to clock_timestamp()', ratio, 1.1
	FROM function_result WHERE function = 'gid_trace_id()'
	UNION ALL
	SELECT format('%s to %s', a.function, b.function), a.ns_a_row / b.ns_a_row, at_most
	FROM (VALUES
		('gid_next(seq)', 'nextval(), CACHE 1', 0.5),
		('gid_next(seq)', 'nextval(), CACHE 1000', 1),
		('gid_next_gdid(seq)', 'gid_next(seq)', 1.2)) AS g (f, reference, at_most)
	JOIN function_result AS a ON a.function = f
	JOIN function_result AS b ON b.function = reference
	UNION ALL
	SELECT format('99.9th percentile of %s to nextval(), CACHE 1000', function), p999_ratio, 3
	FROM latency_result WHERE function = 'gid_next(seq)'
)
SELECT format('%s: %s; the goal is at most %s: %s', name, round(value::numeric, 2),
	at_most, CASE WHEN value <= at_most THEN 'reached' ELSE 'not reached' END)
FROM goal;
\echo
