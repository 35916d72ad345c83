-- gid_stat_backends, gid_stat_clock, gid_stat_launches and gid_stat_sequences: what
-- the generators have done, when something runs out, and who may see it.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
LOAD 'gid';
\getenv srcdir PG_ABS_SRCDIR
\set numbers :srcdir '/sql/include/numbers.sql'
\set reload :srcdir '/sql/include/reload.sql'
\i :numbers
ALTER SYSTEM SET gid.launch_id = 4001;
\set until 'current_setting(''gid.launch_id'') = ''4001'''
\i :reload

-- A session has a row for each family that it has used, with the exact count,
-- the time of its last id, and the generator of its DecimalIds.
SELECT count(*) AS before FROM gid_stat_backends WHERE pid = pg_backend_pid();
CREATE TEMP TABLE made AS
SELECT gid_uuid_v7() AS v7, gid_uuid_sequential() AS sequential, gid_uuid_sequential_mssql() AS mssql,
	gid_uuid_shard(1) AS shard, gid_trace_id() AS trace, gid_decimal_id() AS decimal
FROM generate_series(1, 1000);
SELECT family, issued, generator = (SELECT min(gid_extract_decimal_generator(decimal)) FROM made) AS generator,
	last_time = CASE family
		WHEN 'uuid_sequential' THEN (SELECT max(gid_extract_sequential_time(gid_uuid_from_mssql(mssql))) FROM made)
		WHEN 'uuid_shard' THEN (SELECT max(gid_extract_shard_time(shard)) FROM made)
		WHEN 'trace_id' THEN (SELECT max(gid_extract_trace_time(trace)) FROM made) END AS last_time,
	CASE family WHEN 'uuid_v7' THEN date_trunc('milliseconds', last_time) =
		(SELECT max(gid_extract_v7_time(v7)) FROM made) END AS last_v7_time
FROM gid_stat_backends WHERE pid = pg_backend_pid() ORDER BY family;
-- Not counted: ids put together, and those for a given moment.
SELECT num_nonnulls(gid_uuid_v7_at(now()), gid_make_decimal_id(1, 0, 0)) AS made;
SELECT sum(issued) AS issued FROM gid_stat_backends WHERE pid = pg_backend_pid();
-- What is rolled back was issued.
BEGIN;
SELECT gid_trace_id() IS NOT NULL AS made;
ROLLBACK;
SELECT issued FROM gid_stat_backends WHERE pid = pg_backend_pid() AND family = 'trace_id';

-- The clock: the bound on disk lies ahead of every id, by some seconds.
SELECT family, last_time < durable_bound AS below_bound,
	durable_bound - last_time < interval '10 seconds' AS bound_is_near,
	num_nulls(lead, steps_back, waits) AS nulls
FROM gid_stat_clock ORDER BY family;
-- Seconds that wrap: 25 bits of a TraceId, 32 of a shard-key UUID.
SELECT family, wraps_at = to_timestamp((floor(extract(epoch FROM last_time) / cycle) + 1) * cycle) AS wraps,
	extract(epoch FROM repeats_at) = floor(extract(epoch FROM last_time)) + cycle AS repeats
FROM gid_stat_clock JOIN (VALUES ('trace_id', 1 << 25), ('uuid_shard', 1::bigint << 32)) AS c (family, cycle) USING (family)
ORDER BY family;
SELECT family, wraps_at = '10000-01-01 00:00:00+00' AS wraps, repeats_at
FROM gid_stat_clock WHERE family IN ('uuid_v7', 'uuid_sequential') ORDER BY family;

-- Another user sees no more of a session than its pid and slot, as in
-- pg_stat_activity; pg_read_all_stats sees all.
SELECT pg_backend_pid() AS pid \gset
CREATE ROLE regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT count(*) AS rows, count(slot) AS slot, count(family) AS family, count(generator) AS generator,
	count(last_time) AS last_time, count(issued) AS issued
FROM gid_stat_backends WHERE pid = :pid;
SELECT count(*) FROM gid_stat_clock;
RESET ROLE;
GRANT pg_read_all_stats TO regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT count(*) AS rows, count(slot) AS slot, count(family) AS family, count(generator) AS generator,
	count(last_time) AS last_time, count(issued) AS issued
FROM gid_stat_backends WHERE pid = :pid;
RESET ROLE;
REVOKE pg_read_all_stats FROM regress_gid_reader;
-- So does who has the rights of the session's role.
SELECT usename AS owner FROM pg_stat_activity WHERE pid = :pid \gset
GRANT :"owner" TO regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT count(*) AS rows, count(family) AS family, count(issued) AS issued
FROM gid_stat_backends WHERE pid = :pid;
RESET ROLE;
REVOKE :"owner" FROM regress_gid_reader;

-- A launch: its generator numbers are counted on the sequence, its leases in
-- memory.
CREATE FUNCTION pg_temp.launches(OUT launch int, OUT source text, OUT used bigint, OUT "left" bigint,
	OUT held int, OUT idle int, OUT a_day numeric, OUT days numeric) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT launch, source, generators_used, generators_left, leases_held, leases_idle, generators_a_day::numeric,
		round(extract(epoch FROM exhausted_at - now()) / 86400)
	FROM gid_stat_launches ORDER BY launch
$$;
SELECT * FROM pg_temp.launches();
SET ROLE regress_gid_reader;
SELECT * FROM pg_temp.launches();
RESET ROLE;
-- With a right on the sequence, or as a reader of statistics.
CREATE FUNCTION pg_temp.used_with(privilege text, OUT used bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('GRANT %s TO regress_gid_reader', privilege);
	SET LOCAL ROLE regress_gid_reader;
	SELECT generators_used INTO used FROM gid_stat_launches WHERE launch = 4001;
	RESET ROLE;
	EXECUTE format('REVOKE %s FROM regress_gid_reader', privilege);
END $$;
SELECT privilege, pg_temp.used_with(privilege) FROM unnest(ARRAY['SELECT ON SEQUENCE gid_decimal_generator',
	'USAGE ON SEQUENCE gid_decimal_generator', 'UPDATE ON SEQUENCE gid_decimal_generator',
	'pg_read_all_stats', 'pg_read_all_data']) AS privilege;
DROP ROLE regress_gid_reader;

-- A connection that is gone has no rows; a new one begins at 0.
\c -
\set until 'NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ' :pid ')'
\i :reload
SELECT count(*) FROM gid_stat_backends WHERE pid = :pid;
SELECT gid_trace_id() IS NOT NULL AS made;
SELECT family, issued FROM gid_stat_backends WHERE pid = pg_backend_pid();
-- Its lease waits for the next one.
SELECT launch, leases_held, leases_idle FROM gid_stat_launches;
SELECT gid_decimal_id() IS NOT NULL AS made;
SELECT launch, leases_held, leases_idle FROM gid_stat_launches;
-- Of a launch that is behind only its leases are known; both ends of the next.
SELECT setval('gid_decimal_generator', 4002 * 100000::bigint, false);
SELECT launch, generators_used, generators_left, leases_held, generators_a_day, exhausted_at FROM gid_stat_launches ORDER BY launch;
SELECT setval('gid_decimal_generator', 4002 * 100000::bigint);
SELECT launch, generators_used, generators_left FROM gid_stat_launches WHERE launch = 4002;
SELECT setval('gid_decimal_generator', 4002 * 100000::bigint + 99999);
SELECT launch, generators_used, generators_left FROM gid_stat_launches WHERE launch = 4002;
-- Another file of the sequence has no launch yet, and none of the leases.
ALTER SEQUENCE gid_decimal_generator RESTART;
SELECT count(*) FROM gid_stat_launches;
SELECT setval('gid_decimal_generator', 4001 * 100000::bigint, false);

-- Sequences show to those who may read or use them, in the rows behind the view, too.
CREATE ROLE regress_gid_reader;
CREATE SEQUENCE regress_gid_a CACHE 20;
CREATE SEQUENCE regress_gid_b CACHE 20 START 101;
CREATE SEQUENCE regress_gid_c CACHE 20 START 201;
CREATE FUNCTION pg_temp.shown(OUT view text, OUT rows text) LANGUAGE sql AS $$
	-- those of this test, and numbers without a name
	SELECT (SELECT string_agg(sequence::text || ' ' || next, ', ' ORDER BY next) FROM gid_stat_sequences
			WHERE sequence::text ~ '^(regress_gid_|\d)'),
		(SELECT string_agg(sequence::regclass::text || ' ' || next, ', ' ORDER BY next) FROM gid_stat_get_sequences()
			WHERE sequence::regclass::text ~ '^(regress_gid_|\d)')
$$;
CREATE FUNCTION pg_temp.shown_to_reader(privilege text, OUT view text, OUT rows text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('GRANT %s TO regress_gid_reader', privilege);
	SET LOCAL ROLE regress_gid_reader;
	SELECT s.* INTO view, rows FROM pg_temp.shown() AS s;
	RESET ROLE;
	EXECUTE format('REVOKE %s FROM regress_gid_reader', privilege);
END $$;
SELECT gid_next('regress_gid_a'), gid_next('regress_gid_b'), gid_next('regress_gid_c');
SELECT * FROM pg_temp.shown();
SELECT privilege, s.* FROM unnest(ARRAY['ALL ON SCHEMA public', 'UPDATE ON SEQUENCE regress_gid_a', 'USAGE ON SEQUENCE regress_gid_a', 'SELECT ON SEQUENCE regress_gid_a',
	'SELECT ON SEQUENCE regress_gid_a, regress_gid_c', 'pg_read_all_data', 'pg_read_all_stats', 'pg_monitor']) AS privilege,
	pg_temp.shown_to_reader(privilege) AS s;
ALTER SEQUENCE regress_gid_b OWNER TO regress_gid_reader;
SET ROLE regress_gid_reader;
SELECT * FROM pg_temp.shown();
RESET ROLE;
ALTER SEQUENCE regress_gid_b OWNER TO CURRENT_USER;
-- A block of an earlier file is not the sequence's any more; one of a sequence
-- that was dropped shows to nobody.
ALTER SEQUENCE regress_gid_a RESTART 1001;
SELECT view FROM pg_temp.shown();
SELECT gid_next('regress_gid_a');
SELECT view FROM pg_temp.shown();
DROP SEQUENCE regress_gid_a;
SELECT * FROM pg_temp.shown();
BEGIN;
DROP SEQUENCE regress_gid_b;
SELECT * FROM pg_temp.shown();
ROLLBACK;
SELECT * FROM pg_temp.shown();
-- Blocks of another database do not show, though its sequences have the same
-- numbers, and are not drawn from.
CREATE DATABASE gid_regression_copy TEMPLATE :"DBNAME";
SELECT :'DBNAME' AS here \gset
\c gid_regression_copy
SELECT count(*) FROM gid_stat_get_sequences();
SELECT gid_next('regress_gid_c');
SELECT sequence, next, last FROM gid_stat_sequences;
SELECT count(*) FROM gid_stat_get_sequences();
\c :"here"
SELECT sequence, next, last FROM gid_stat_sequences WHERE sequence::text ~ '^regress_gid_' ORDER BY next;
SELECT gid_next('regress_gid_c');
DROP DATABASE gid_regression_copy;
DROP SEQUENCE regress_gid_b, regress_gid_c;
DROP ROLE regress_gid_reader;

-- What is left, and when it runs out.  The pace is of a second at least; what it
-- says of the end agrees with it to a hundredth.
CREATE FUNCTION pg_temp.ends(seq regclass, OUT "left" bigint, OUT ahead bigint, OUT paced boolean,
	OUT until_end numeric, OUT until_era numeric) LANGUAGE sql AS $$
	SELECT values_left, values_ahead, pace > 0,
		round(extract(epoch FROM exhausted_at - clock_timestamp())::numeric * pace::numeric, -4),
		round(extract(epoch FROM era_ends_at - clock_timestamp())::numeric * pace::numeric, -4)
	FROM (SELECT values_left, values_ahead, pace, nullif(exhausted_at, 'infinity') AS exhausted_at,
		nullif(era_ends_at, 'infinity') AS era_ends_at FROM gid_stat_sequences WHERE sequence = seq) AS s
$$;
CREATE SEQUENCE s CACHE 20 MAXVALUE 1000000;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
SELECT gid_next('s');
SELECT * FROM pg_temp.ends('s');
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 4);
SELECT * FROM pg_temp.ends('s');
SELECT gid_next('s');
SELECT * FROM pg_temp.ends('s');
SELECT gid_forget('s');
SELECT *, (SELECT num_nulls(exhausted_at, era_ends_at) FROM gid_stat_sequences WHERE sequence = 's'::regclass) AS nulls FROM pg_temp.ends('s');
-- Steps, and the other direction.
ALTER SEQUENCE s INCREMENT 5 MAXVALUE 5000000 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
ALTER SEQUENCE s INCREMENT -5 MINVALUE -5000000 START 1 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
-- An era that ends before the sequence, and the other way round.
ALTER SEQUENCE s INCREMENT 1 MINVALUE 1 NO MAXVALUE START 1152921504605846976 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
SELECT exhausted_at FROM gid_stat_sequences WHERE sequence = 's'::regclass;
ALTER SEQUENCE s MAXVALUE 1152921504606846975 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
ALTER SEQUENCE s MAXVALUE 1152921504606846974 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
-- One that goes round does not end; one that has ended says so.
ALTER SEQUENCE s CYCLE RESTART;
SELECT gid_next('s') IS NOT NULL AS drawn;
SELECT exhausted_at, era_ends_at FROM gid_stat_sequences WHERE sequence = 's'::regclass;
ALTER SEQUENCE s NO CYCLE MAXVALUE 20 START 1 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 20);
SELECT values_left, values_ahead, exhausted_at <= clock_timestamp() AS over, next FROM gid_stat_sequences WHERE sequence = 's'::regclass;
DROP SEQUENCE s;

-- As it was.
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
ALTER SEQUENCE gid_decimal_generator RESTART;
\i :no_numbers
