-- What "make bench" measures, and where it keeps what it found.

CREATE EXTENSION gid;
CREATE EXTENSION pgstattuple;
CREATE SEQUENCE bench_sequence;
CREATE SEQUENCE bench_cached CACHE 1000;
CREATE SEQUENCE bench_next;

-- ---- functions ----

CREATE TABLE function (position int PRIMARY KEY, call text NOT NULL UNIQUE);

INSERT INTO function VALUES
(1, '1'),
(2, 'clock_timestamp()'),
(3, 'gen_random_uuid()'),
(4, 'nextval(''bench_sequence'')'),
(5, 'gid_uuid_v7()'),
(6, 'gid_uuid_sequential()'),
(7, 'gid_uuid_shard(7)'),
(8, 'gid_trace_id()'),
(9, 'gid_decimal_id()'),
(10, 'nextval(''bench_cached'')'),
(11, 'gid_next(''bench_next'')'),
(12, 'gid_next_gdid(''bench_next'')'),
(13, 'gid_next_code(''bench_next'', ''00A000'', ''alphanumeric'', true)');

-- As the reports show it.
CREATE FUNCTION function_name(call text) RETURNS text IMMUTABLE
RETURN CASE call WHEN '1' THEN '(a constant)'
	WHEN 'nextval(''bench_sequence'')' THEN 'nextval(), CACHE 1'
	WHEN 'nextval(''bench_cached'')' THEN 'nextval(), CACHE 1000'
	ELSE replace(call, quote_literal('bench_next'), 'seq') END;

CREATE TABLE function_run (round int, position int REFERENCES function, calls int, ms float8);

-- The ids of one query; in its own transaction, and without the time to start.
CREATE PROCEDURE measure_function(round int, "position" int, call text, calls int)
LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT count(%s) FROM generate_series(1, $1)', call);
	n bigint;
	start timestamptz;
	stop timestamptz;
BEGIN
	-- the first call of a backend loads the library
	EXECUTE query INTO n USING least(1000, calls);
	start := clock_timestamp();
	EXECUTE query INTO n USING calls;
	stop := clock_timestamp();
	IF n <> calls THEN
		RAISE 'only % of % calls', n, calls;
	END IF;
	INSERT INTO function_run
	VALUES (round, "position", calls, 1000 * extract(epoch FROM stop - start));
	COMMIT;
END $$;

-- Each run beside those of the same round; shown as what a reader looks for.
CREATE VIEW function_result AS
SELECT f.position, function_name(call) AS function,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY r.ms * 1e6 / r.calls) AS ns_a_row,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY r.ms / clock.ms) AS ratio,
	percentile_cont(0.25) WITHIN GROUP (ORDER BY r.ms / clock.ms) AS ratio_lower_quartile,
	percentile_cont(0.75) WITHIN GROUP (ORDER BY r.ms / clock.ms) AS ratio_upper_quartile,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY (r.ms - constant.ms) * 1e6 / r.calls) AS net_ns,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY r.ms / random.ms) AS of_gen_random_uuid
FROM function AS f
JOIN function_run AS r USING (position)
JOIN function_run AS constant ON constant.round = r.round AND constant.position = 1
JOIN function_run AS clock ON clock.round = r.round AND clock.position = 2
JOIN function_run AS random ON random.round = r.round AND random.position = 3
GROUP BY f.position, call
ORDER BY f.position;

-- ---- several backends ----

CREATE TABLE backend_run (round int, position int REFERENCES function, backends int,
	ids_a_second float8);

CREATE VIEW backend_result AS
SELECT f.position, function_name(call) AS function, backends,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY ids_a_second) AS ids_a_second
FROM function AS f JOIN backend_run USING (position)
GROUP BY f.position, call, backends
ORDER BY f.position, backends;

-- ---- latency ----

CREATE TABLE latency_call (round int, position int REFERENCES function, us float8);

-- One client: each call in a transaction of its own.
CREATE PROCEDURE measure_latency(round int, of_position int, calls int)
LANGUAGE plpgsql AS $$
DECLARE
	query text := format(
		'SELECT extract(epoch FROM clock_timestamp() - $1) * 1e6 FROM (SELECT %s OFFSET 0) AS call',
		(SELECT call FROM function WHERE position = of_position));
	us float8;
	all_us float8[] := '{}';
BEGIN
	-- the first call of a backend loads the library
	EXECUTE query INTO us USING clock_timestamp();
	COMMIT;
	FOR i IN 1..calls LOOP
		EXECUTE query INTO us USING clock_timestamp();
		COMMIT;
		all_us := all_us || us;
	END LOOP;
	INSERT INTO latency_call SELECT round, of_position, unnest(all_us);
END $$;

CREATE VIEW latency_run AS
SELECT round, position, count(*) AS calls,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY us) AS median_us,
	percentile_cont(0.999) WITHIN GROUP (ORDER BY us) AS p999_us
FROM latency_call GROUP BY round, position;

CREATE VIEW latency_result AS
SELECT f.position, function_name(call) AS function,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY r.median_us) AS median_us,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY r.p999_us) AS p999_us,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY r.p999_us / cached.p999_us) AS p999_ratio
FROM function AS f JOIN latency_run AS r USING (position)
JOIN latency_run AS cached ON cached.round = r.round AND cached.position = 10
GROUP BY f.position, call
ORDER BY f.position;

-- ---- inserts ----

CREATE TABLE insert_kind (position int PRIMARY KEY, kind text UNIQUE, name text, definition text);

INSERT INTO insert_kind VALUES
(1, 'identity', 'bigint identity', 'bigint GENERATED ALWAYS AS IDENTITY'),
(2, 'random', 'gen_random_uuid()', 'uuid DEFAULT gen_random_uuid()'),
(3, 'v7', 'gid_uuid_v7()', 'uuid DEFAULT gid_uuid_v7()'),
(4, 'sequential', 'gid_uuid_sequential()', 'uuid DEFAULT gid_uuid_sequential()'),
(5, 'shard', 'gid_uuid_shard(7)', 'uuid DEFAULT gid_uuid_shard(7)'),
(6, 'trace', 'gid_trace_id()', 'bigint DEFAULT gid_trace_id()'),
(7, 'decimal', 'gid_decimal_id()', 'bigint DEFAULT gid_decimal_id()'),
(8, 'next', 'gid_next(seq)', 'bigint DEFAULT gid_next(''bench_next'')'),
(9, 'gdid', 'gid_next_gdid(seq)', 'gdid DEFAULT gid_next_gdid(''bench_next'')');

CREATE TABLE insert_run (round int, position int, writers int, seconds float8, rows bigint,
	index_bytes bigint, leaf_density float8);

CREATE PROCEDURE make_table(of_kind text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('DROP TABLE IF EXISTS insert_%s', of_kind);
	EXECUTE format('CREATE TABLE insert_%s (id %s PRIMARY KEY, n int)', of_kind,
		(SELECT definition FROM insert_kind WHERE kind = of_kind));
END $$;

CREATE PROCEDURE note_insert(round int, of_kind text, writers int, seconds float8)
LANGUAGE plpgsql AS $$
DECLARE
	index regclass := format('insert_%s_pkey', of_kind);
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM insert_%s', of_kind) INTO n;
	INSERT INTO insert_run SELECT round, position, writers, seconds, n, pg_relation_size(index),
		(SELECT avg_leaf_density FROM pgstatindex(index))
	FROM insert_kind WHERE kind = of_kind;
END $$;

CREATE PROCEDURE measure_insert(round int, of_kind text, rows int)
LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
	stop timestamptz;
BEGIN
	CALL make_table(of_kind);
	COMMIT;
	CHECKPOINT;
	start := clock_timestamp();
	EXECUTE format('INSERT INTO insert_%s (n) SELECT n FROM generate_series(1, %s) AS n',
		of_kind, rows);
	COMMIT;
	stop := clock_timestamp();
	CALL note_insert(round, of_kind, 1, extract(epoch FROM stop - start)::float8);
	COMMIT;
END $$;

CREATE VIEW insert_result AS
SELECT position, name AS primary_key, writers, max(rows) AS rows,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS seconds,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY rows / seconds) AS rows_a_second,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY index_bytes) AS index_bytes,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY leaf_density) AS leaf_density
FROM insert_kind JOIN insert_run USING (position)
GROUP BY position, name, writers
ORDER BY position, writers;
