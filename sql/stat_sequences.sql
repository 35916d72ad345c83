-- gid.stat_sequences: who may see a sequence's block, which blocks the view shows, how
-- many values are left and when they run out.
\i sql/include/start.sql
LOAD 'gid';

-- The view and the function behind it show a sequence to roles that may read or use
-- it.
CREATE ROLE regress_gid_reader;
CREATE SEQUENCE regress_gid_a CACHE 20;
CREATE SEQUENCE regress_gid_b CACHE 20 START 101;
CREATE SEQUENCE regress_gid_c CACHE 20 START 201;
CREATE FUNCTION pg_temp.shown(OUT view text, OUT rows text) LANGUAGE sql AS $$
	-- those of this test, and numbers that have no name
	SELECT (SELECT string_agg(sequence::text || ' ' || next, ', ' ORDER BY next) FROM gid.stat_sequences
			WHERE sequence::text ~ '^(regress_gid_|\d)'),
		(SELECT string_agg(sequence::regclass::text || ' ' || next, ', ' ORDER BY next) FROM gid.stat_get_sequences()
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
-- A block of an earlier file of the sequence is not shown. A block of a dropped
-- sequence is shown to nobody.
ALTER SEQUENCE regress_gid_a RESTART 1001;
SELECT view FROM pg_temp.shown();
SELECT gid_next('regress_gid_a');
SELECT view FROM pg_temp.shown();
BEGIN;
ALTER SEQUENCE regress_gid_a RESTART 2001;
SELECT view FROM pg_temp.shown();
SELECT gid_next('regress_gid_a');
SELECT source, next, block_size, reservations FROM gid.stat_sequences WHERE sequence = 'regress_gid_a'::regclass;
ROLLBACK;
SELECT source, next FROM gid.stat_sequences WHERE sequence = 'regress_gid_a'::regclass;
DROP SEQUENCE regress_gid_a;
SELECT * FROM pg_temp.shown();
BEGIN;
DROP SEQUENCE regress_gid_b;
SELECT * FROM pg_temp.shown();
ROLLBACK;
SELECT * FROM pg_temp.shown();
-- Blocks of another database are not shown and not drawn from, although its sequences
-- have the same OIDs.
CREATE DATABASE gid_regression_copy TEMPLATE :"DBNAME";
SELECT :'DBNAME' AS here \gset
\c gid_regression_copy
SELECT count(*) FROM gid.stat_get_sequences();
SELECT gid_next('regress_gid_c');
SELECT sequence, next, last FROM gid.stat_sequences;
SELECT count(*) FROM gid.stat_get_sequences();
\c :"here"
SELECT sequence, next, last FROM gid.stat_sequences WHERE sequence::text ~ '^regress_gid_' ORDER BY next;
SELECT gid_next('regress_gid_c');
DROP DATABASE gid_regression_copy;
DROP SEQUENCE regress_gid_b, regress_gid_c;
DROP ROLE regress_gid_reader;

-- How many values are left, and when they run out. The pace covers at least a second.
-- The times agree with the pace to a hundredth.
CREATE FUNCTION pg_temp.ends(seq regclass, OUT "left" bigint, OUT ahead bigint, OUT paced boolean,
	OUT until_end numeric, OUT until_era numeric) LANGUAGE sql AS $$
	SELECT values_left, values_ahead, pace > 0,
		round(extract(epoch FROM exhausted_at - clock_timestamp())::numeric * pace::numeric, -4),
		round(extract(epoch FROM era_ends_at - clock_timestamp())::numeric * pace::numeric, -4)
	FROM (SELECT values_left, values_ahead, pace, nullif(exhausted_at, 'infinity') AS exhausted_at,
		nullif(era_ends_at, 'infinity') AS era_ends_at FROM gid.stat_sequences WHERE sequence = seq) AS s
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
SELECT *, (SELECT num_nulls(exhausted_at, era_ends_at) FROM gid.stat_sequences WHERE sequence = 's'::regclass) AS nulls FROM pg_temp.ends('s');
-- Larger steps, and a descending sequence.
ALTER SEQUENCE s INCREMENT 5 MAXVALUE 5000000 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
ALTER SEQUENCE s INCREMENT -5 MINVALUE -5000000 START 1 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
-- An era that ends before the sequence, and one that ends after it.
ALTER SEQUENCE s INCREMENT 1 MINVALUE 1 NO MAXVALUE START 1152921504605846976 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
SELECT exhausted_at FROM gid.stat_sequences WHERE sequence = 's'::regclass;
ALTER SEQUENCE s MAXVALUE 1152921504606846975 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
ALTER SEQUENCE s MAXVALUE 1152921504606846974 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 15);
SELECT * FROM pg_temp.ends('s');
-- A sequence with CYCLE does not run out. One that has ended says so.
ALTER SEQUENCE s CYCLE RESTART;
SELECT gid_next('s') IS NOT NULL AS drawn;
SELECT exhausted_at, era_ends_at FROM gid.stat_sequences WHERE sequence = 's'::regclass;
ALTER SEQUENCE s NO CYCLE MAXVALUE 20 START 1 RESTART;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 20);
SELECT values_left, values_ahead, exhausted_at <= clock_timestamp() AS over, next FROM gid.stat_sequences WHERE sequence = 's'::regclass;
DROP SEQUENCE s;
