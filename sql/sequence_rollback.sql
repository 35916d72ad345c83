-- A rollback of what gave a sequence a new file brings back the earlier file: its own
-- values go on, and none of them comes twice. The values of the new file come again.
\i sql/include/start.sql
LOAD 'gid';
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

CREATE SEQUENCE o CACHE 10;
SELECT gid_next('o') AS before;
BEGIN;
ALTER SEQUENCE o RESTART 1000;
SELECT gid_next('o') AS in_it;
SAVEPOINT x;
ALTER SEQUENCE o RESTART 2000;
SELECT gid_next('o'), gid_next('o') AS deeper;
SELECT min(v), max(v) FROM gid_next_many('o', 5) AS v;
ROLLBACK TO SAVEPOINT x;
SELECT gid_next('o') AS in_it_again;
ROLLBACK;
SELECT gid_next('o') AS after;
-- Draws that leave the file alone are not given back, to a savepoint either.
BEGIN;
SELECT gid_next('o');
SAVEPOINT x;
SELECT gid_next('o');
ROLLBACK TO SAVEPOINT x;
SELECT gid_next('o');
ROLLBACK;
SELECT gid_next('o');

-- Rounds of TRUNCATE ... RESTART IDENTITY that are rolled back use up no numbers of the
-- table that stays.
CREATE TABLE t (id bigint PRIMARY KEY);
CREATE SEQUENCE t_seq OWNED BY t.id;
DO $$
BEGIN
	FOR i IN 1..100 LOOP
		BEGIN
			TRUNCATE t RESTART IDENTITY;
			INSERT INTO t SELECT gid_next('t_seq') FROM generate_series(1, 1000);
			RAISE EXCEPTION 'back';
		EXCEPTION WHEN raise_exception THEN
		END;
		INSERT INTO t VALUES (gid_next('t_seq'));
	END LOOP;
END $$;
SELECT count(*), max(id) <= 200 AS few FROM t;

-- A GRANT on the database ends no block.
SELECT gid_next('o') AS before \gset
DO $$
BEGIN
	FOR i IN 1..20 LOOP
		EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO PUBLIC', current_database());
	END LOOP;
END $$;
SELECT gid_next('o') - :before AS step;

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
