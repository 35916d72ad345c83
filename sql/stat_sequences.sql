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

-- A launch of DecimalIds, and a sequence that has come to its end.
SET gid.launch_id = 4001;
SELECT gid_decimal_id() AS id \gset
SELECT sequence, source, next - :id AS next, gid_extract_decimal_counter(last) AS last, block_size, reservations
FROM gid.stat_sequences WHERE source = 'launch 4001';
CREATE SEQUENCE s MAXVALUE 3;
SELECT count(gid_next('s')) AS drawn FROM generate_series(1, 3);
SELECT next, last, block_size, reservations FROM gid.stat_sequences WHERE sequence = 's'::regclass;
SELECT gid_forget('s'), gid_forget('gid.decimal_generator');
SELECT source, next, last, block_size FROM gid.stat_sequences WHERE sequence = 's'::regclass OR source = 'launch 4001' ORDER BY source;
DROP SEQUENCE s;
ALTER SEQUENCE gid.decimal_generator RESTART;
