-- Horizons in one session: their errors, NULLs, and sequences that are
-- dropped, altered or set back. 041_horizon.pl has several sessions.
\i sql/include/start.sql
\i :sequence

\if :library
\i :numbers
-- What was committed is below the horizon, and what comes later is not.
CREATE TABLE e (v7 uuid DEFAULT gid_uuid_v7(), sequential uuid DEFAULT gid_uuid_sequential(),
	snowflake bigint DEFAULT gid_snowflake_id(), discord bigint DEFAULT gid_snowflake_id(1420070400000),
	serial bigserial);
CREATE VIEW below AS SELECT v7 < gid_uuid_v7_horizon() AS v7, sequential < gid_uuid_sequential_horizon() AS sequential,
	snowflake < gid_snowflake_id_horizon() AS snowflake,
	discord < gid_snowflake_id_horizon(1420070400000) AS discord, serial < gid_horizon('e_serial_seq') AS serial
FROM e ORDER BY e.serial;
INSERT INTO e DEFAULT VALUES;
SELECT pg_sleep(0.002) \g /dev/null
TABLE below;
SELECT gid_uuid_v7() > gid_uuid_v7_horizon() AS v7, gid_uuid_sequential() > gid_uuid_sequential_horizon() AS sequential,
	gid_snowflake_id() >= gid_snowflake_id_horizon() AS snowflake;
-- The own transaction holds them back.
BEGIN;
INSERT INTO e DEFAULT VALUES;
TABLE below;
SELECT kind, sequence, pid = pg_backend_pid() AS mine, prepared, state, since = now() AS since,
	bound IS NULL AS no_bound
FROM gid.stat_horizon WHERE pid = pg_backend_pid() ORDER BY kind COLLATE "C";
COMMIT;
SELECT count(*) FROM gid.stat_horizon WHERE pid = pg_backend_pid();
-- A horizon is the first id of its family, and an index condition.
SELECT gid_extract_snowflake_node(h) AS node, gid_extract_snowflake_sequence(h) AS sequence
FROM gid_snowflake_id_horizon() AS h;
CREATE INDEX ON e (v7);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT FROM e WHERE v7 < gid_uuid_v7_horizon();
RESET enable_seqscan;
-- NULL, and the epoch.
SELECT gid_snowflake_id_horizon(NULL) IS NULL AS snowflake, gid_horizon(NULL) IS NULL AS sequence, gid_snowflake_id_horizon(0) > 0 AS unix;
SELECT e.* FROM pg_temp.expect('SELECT gid_snowflake_id_horizon(-1)', 'SELECT gid_snowflake_id_horizon(253402300800000)',
	'SELECT gid_snowflake_id_horizon(253402300799999)') AS e;
DROP VIEW below;
\endif

-- Sequences: what gid_next() and nextval() draw.
CREATE SEQUENCE s;
SELECT gid_horizon('s');
SELECT nextval('s'), nextval('s');
SELECT gid_horizon('s');
SELECT setval('s', 100, false);
SELECT gid_horizon('s');
SELECT setval('s', 100);
SELECT gid_horizon('s');
\if :library
-- The rest of a block holds the horizon back, until gid_forget().
SELECT gid_next('s');
SELECT gid_horizon('s');
SELECT gid_forget('s') \g /dev/null
SELECT gid_horizon('s') > 102 AS forgotten;
-- A block of which nothing was drawn for a second or two ends, if something was drawn beyond it.
INSERT INTO e (serial) SELECT gid_next('e_serial_seq');
INSERT INTO e (serial) SELECT gid_next_many('e_serial_seq', 781);
SELECT count(*) > 0 AS waits FROM e WHERE serial >= gid_horizon('e_serial_seq');
SELECT pg_sleep(2.1) \g /dev/null
SELECT count(*) FROM e WHERE serial >= gid_horizon('e_serial_seq');
\i :no_numbers
DROP TABLE e;
\endif
-- In a transaction a snapshot has one horizon.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT gid_horizon('s') AS before \gset
SELECT nextval('s') \g /dev/null
SELECT gid_horizon('s') = :before AS same;
COMMIT;
-- Set back: what the session knew is not true any more.
SELECT setval('s', 5);
SELECT gid_horizon('s');
ALTER SEQUENCE s RESTART;
SELECT gid_horizon('s');
BEGIN;
ALTER SEQUENCE s RESTART 1000;
SELECT nextval('s');
ROLLBACK;
SELECT gid_horizon('s');
-- Another sequence of the name, which descends.
DROP SEQUENCE s;
CREATE SEQUENCE s INCREMENT -1;
SELECT gid_horizon('s');
SELECT nextval('s'), gid_next('s');
SELECT gid_horizon('s');
-- The last value of all.
ALTER SEQUENCE s INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 RESTART 9223372036854775807;
SELECT nextval('s') \g /dev/null
SELECT gid_horizon('s');
ALTER SEQUENCE s INCREMENT -1 MINVALUE -9223372036854775808 MAXVALUE -1 START -1 RESTART -9223372036854775808;
SELECT nextval('s') \g /dev/null
SELECT gid_horizon('s');
DROP SEQUENCE s;

-- What has no horizon.
CREATE SEQUENCE cached CACHE 2;
CREATE SEQUENCE cycling CYCLE;
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE unlogged;
CREATE TABLE e ();
CREATE VIEW below AS TABLE e;
SELECT e.* FROM pg_temp.alike($$SELECT gid_horizon('cached')$$, $$SELECT gid_horizon('cycling')$$, $$SELECT gid_horizon('temporary')$$,
	$$SELECT gid_horizon('unlogged')$$, $$SELECT gid_horizon('e')$$, $$SELECT gid_horizon('below')$$, 'SELECT gid_horizon(0)') AS e;
SELECT 'cached'::regclass::oid AS dropped \gset
DROP SEQUENCE cached, cycling, temporary, unlogged;
SELECT e.code FROM pg_temp.expect('SELECT gid_horizon(' || :dropped || ')') AS e;

-- SELECT or USAGE is needed, for the wait, too, and in a view of somebody who has it.
CREATE SEQUENCE s;
CREATE VIEW of_s AS SELECT gid_horizon('s');
GRANT SELECT ON of_s TO regress_gid_user;
CREATE FUNCTION pg_temp.granted(VARIADIC privileges text[]) RETURNS TABLE (privilege text, code text, message text, detail text, hint text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH privilege IN ARRAY privileges LOOP
		EXECUTE format('REVOKE ALL ON SEQUENCE s FROM regress_gid_user; GRANT %s ON SEQUENCE s TO regress_gid_user', privilege);
		SET LOCAL ROLE regress_gid_user;
		SELECT e.code, e.message, e.detail, e.hint INTO code, message, detail, hint FROM pg_temp.expect('TABLE of_s') AS e;
		RESET ROLE;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM pg_temp.granted('SELECT', 'USAGE', 'UPDATE');
SET ROLE regress_gid_user;
\set VERBOSITY sqlstate
CALL gid_horizon_wait('s', '1 min');
SELECT count(*) FROM gid.stat_horizon;
RESET ROLE;

-- The wait: a statement of its own, with a time.
SELECT nextval('s');
CALL gid_horizon_wait('s', '1 min');
SELECT gid_horizon('s');
CALL gid_horizon_wait('s');
-- Set back before a wait.
SELECT setval('s', 1000);
SELECT gid_horizon('s');
SELECT setval('s', 1);
CALL gid_horizon_wait('s', '1 min');
SELECT gid_horizon('s');
-- The limits of the time.
CALL gid_horizon_wait('s', '2147483647 ms');
CALL gid_horizon_wait('s', '2147483648 ms');
CALL gid_horizon_wait('s', '999 us');
CALL gid_horizon_wait('s', '-178000000 years');
CALL gid_horizon_wait('s', NULL);
CALL gid_horizon_wait(NULL, '1 s');
CALL gid_horizon_wait('e', '1 s');
\set VERBOSITY default
\set SHOW_CONTEXT never
CALL gid_horizon_wait('s', '0');
\set SHOW_CONTEXT errors
\if :library
BEGIN;
CALL gid_horizon_wait('s', '1 s');
ROLLBACK;
\endif
\set VERBOSITY sqlstate
SET default_transaction_isolation = 'repeatable read';
CALL gid_horizon_wait('s', '1 s');
RESET default_transaction_isolation;
\if :library
SELECT e.code FROM pg_temp.expect($$CALL gid_horizon_wait('s', '1 s')$$) AS e;
\set VERBOSITY default
CREATE PROCEDURE waits() LANGUAGE plpgsql AS $$ BEGIN CALL gid_horizon_wait('s', '1 s'); END $$;
CALL waits();
-- The own draw is not settled.
DO $$ BEGIN PERFORM gid_next('s'); CALL gid_horizon_wait('s', '1 s'); END $$;
DROP PROCEDURE waits();
\endif

DROP VIEW below;
DROP TABLE e;
DROP VIEW of_s;
DROP SEQUENCE s;
RESET search_path;
DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
