-- gid.stat_sequences: who may see a sequence's block, and which blocks the
-- view shows. Another database's sequence of the same OID is another one.
\i sql/include/start.sql
\set ECHO none
LOAD 'gid';

-- The view and the function behind it show a sequence to roles that may read
-- or use it.
CREATE ROLE regress_gid_reader;
CREATE SEQUENCE regress_gid_a CACHE 20;
CREATE SEQUENCE regress_gid_b CACHE 20 START 101;
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
\set ECHO all
SELECT gid_next('regress_gid_a'), gid_next('regress_gid_b');
SELECT * FROM pg_temp.shown();
SELECT privilege, s.* FROM unnest(ARRAY['ALL ON SCHEMA public', 'UPDATE ON SEQUENCE regress_gid_a',
	'USAGE ON SEQUENCE regress_gid_a', 'SELECT ON SEQUENCE regress_gid_a', 'pg_read_all_data', 'pg_monitor']) AS privilege,
	pg_temp.shown_to_reader(privilege) AS s;

-- A block of an earlier file of the sequence is not shown, one of a dropped
-- sequence to nobody.
BEGIN;
ALTER SEQUENCE regress_gid_a RESTART 2001;
SELECT view FROM pg_temp.shown();
SELECT gid_next('regress_gid_a');
SELECT source, next, block_size, reservations FROM gid.stat_sequences WHERE sequence = 'regress_gid_a'::regclass;
DROP SEQUENCE regress_gid_b;
SELECT view FROM pg_temp.shown();
ROLLBACK;
SELECT view FROM pg_temp.shown();
DROP SEQUENCE regress_gid_a;
SELECT * FROM pg_temp.shown();

-- Blocks of another database are not shown and not drawn from, although its
-- sequences have the same OIDs.
CREATE DATABASE gid_regression_copy TEMPLATE :"DBNAME";
SELECT :'DBNAME' AS here \gset
\c gid_regression_copy
SELECT count(*) FROM gid.stat_get_sequences();
SELECT gid_next('regress_gid_b');
SELECT sequence, next, last FROM gid.stat_sequences;
\c :"here"
SELECT sequence, next, last FROM gid.stat_sequences WHERE sequence::text ~ '^regress_gid_';
SELECT gid_next('regress_gid_b');
DROP DATABASE gid_regression_copy;

-- A launch of DecimalIds, and sequences without a block: at the end, or after
-- gid_forget().
SET gid.launch_id = 4001;
SELECT gid_decimal_id() AS id \gset
SELECT sequence, source, next - :id AS next, gid_extract_decimal_counter(last) AS last, block_size, reservations
FROM gid.stat_sequences WHERE source = 'launch 4001';
SELECT gid_forget('gid.decimal_generator');
ALTER SEQUENCE regress_gid_b MAXVALUE 122 CACHE 1;
SELECT gid_next('regress_gid_b'), gid_next('regress_gid_b');
SELECT source, next, last, block_size, reservations FROM gid.stat_sequences
WHERE sequence = 'regress_gid_b'::regclass OR source = 'launch 4001' ORDER BY source;
ALTER SEQUENCE gid.decimal_generator RESTART;
DROP SEQUENCE regress_gid_b;
DROP ROLE regress_gid_reader;
