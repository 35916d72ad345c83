-- Sequences that are dropped, and other sequences of the same name. Each has its own
-- values, and leaves nothing behind.
\i sql/include/start.sql
\i :sequence

-- A prepared statement and a function look up the name at each call.
CREATE SEQUENCE s START 100 CACHE 10;
CREATE FUNCTION by_name() RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RETURN gid_next('s'); END$$;
PREPARE by_name AS SELECT gid_next('s') AS prepared, by_name();
EXECUTE by_name;
DROP SEQUENCE s;
CREATE SEQUENCE s CACHE 10;
EXECUTE by_name;
BEGIN;
EXECUTE by_name;
SAVEPOINT a;
DROP SEQUENCE s;
CREATE SEQUENCE s START 500;
EXECUTE by_name;
ROLLBACK TO SAVEPOINT a;
EXECUTE by_name;
ALTER SEQUENCE s RENAME TO away;
CREATE SEQUENCE s START 1000;
EXECUTE by_name;
SELECT gid_next('away');
COMMIT;
EXECUTE by_name;
DEALLOCATE by_name;
DROP FUNCTION by_name();
DROP SEQUENCE s, away;

-- Sequences that come and go leave nothing behind. The session's memory stays as it
-- is, and the view shows none of them.
SELECT count(*) AS before FROM gid.stat_sequences \gset
CREATE FUNCTION pg_temp.memory() RETURNS bigint LANGUAGE sql AS
	$$SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE name = 'gid sequences'$$;
DO $$
DECLARE
	before bigint;
	rounds int := 0;
BEGIN
	FOR i IN 1 .. 320 LOOP
		CREATE SEQUENCE regress_gid_mine.round;
		IF gid_next('round') <> 1 OR gid_next('round') <> 2 OR gid_next('round') <> 3 THEN
			RAISE 'round % does not begin with 1, 2, 3', i;
		END IF;
		rounds := rounds + (SELECT count(*) FROM gid.stat_sequences WHERE sequence = 'round'::regclass);
		IF i % 10 = 0 THEN
			ROLLBACK;
		ELSE
			DROP SEQUENCE regress_gid_mine.round;
			COMMIT;
		END IF;
		IF i = 20 THEN
			before := pg_temp.memory();
		END IF;
	END LOOP;
	RAISE NOTICE 'rounds: %, memory is there: %, more memory: %', rounds, before > 0, pg_temp.memory() > before;
END $$;
SELECT count(*) - :before AS more FROM gid.stat_sequences;

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
