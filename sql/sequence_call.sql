-- gid_next() wherever a statement may call it, in transactions that roll back,
-- with many sequences in turn, and with sequences that come and go.
\i sql/include/start.sql
\i :sequence

-- A rollback gives nothing back, to a savepoint either.
CREATE SEQUENCE s;
CREATE TABLE made (n serial, id bigint DEFAULT gid_next('s'), how text);
BEGIN;
INSERT INTO made SELECT FROM generate_series(1, 100000);
SELECT min(id), max(id), count(DISTINCT id) FROM made;
SAVEPOINT a;
INSERT INTO made DEFAULT VALUES RETURNING id;
ROLLBACK TO SAVEPOINT a;
INSERT INTO made DEFAULT VALUES RETURNING id;
ROLLBACK;
SELECT gid_next('s');

-- Every kind of statement.
INSERT INTO made VALUES (DEFAULT), (DEFAULT), (DEFAULT);
COPY made (how) FROM stdin;
copied
copied
\.
SET plan_cache_mode = force_generic_plan;
PREPARE add AS INSERT INTO made DEFAULT VALUES;
EXECUTE add;
EXECUTE add;
CREATE FUNCTION number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.id := gid_next('s');
	RETURN NEW;
END $$;
ALTER TABLE made ALTER id DROP DEFAULT;
CREATE TRIGGER number BEFORE INSERT ON made FOR EACH ROW EXECUTE FUNCTION number();
INSERT INTO made SELECT FROM generate_series(1, 3);
DO $$
DECLARE
	a bigint;
	b bigint;
BEGIN
	FOR i IN 1..10 LOOP
		a := gid_next('s');
		INSERT INTO made DEFAULT VALUES RETURNING id INTO b;
		ASSERT b = a + 1, format('%s after %s', b, a);
	END LOOP;
END $$;
SELECT count(*), count(DISTINCT id), bool_and(id > before) AS in_order
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;

-- Many sequences in turn, in one transaction and in the next.
DO $$
BEGIN
	FOR i IN 1..200 LOOP
		EXECUTE format('CREATE SEQUENCE many_%s', i);
	END LOOP;
END $$;
CREATE VIEW turns AS SELECT turn, value, count(*)
FROM (SELECT turn, gid_next(('many_' || i)::regclass) AS value
	FROM generate_series(1, 3) AS turn, generate_series(1, 200) AS i) AS d
GROUP BY turn, value ORDER BY turn, value;
SELECT issued AS before FROM gid.stat_backends WHERE pid = pg_backend_pid() AND family = 'next' \gset
SELECT * FROM turns;
SELECT * FROM turns;
SELECT issued - :before AS issued FROM gid.stat_backends WHERE pid = pg_backend_pid() AND family = 'next';

-- Another sequence of the same name has values of its own. After a rollback
-- the earlier one goes on.
CREATE SEQUENCE named START 100 CACHE 10;
PREPARE named AS SELECT gid_next('named');
EXECUTE named;
BEGIN;
DROP SEQUENCE named;
CREATE SEQUENCE named START 500;
EXECUTE named;
ROLLBACK;
EXECUTE named;

-- Sequences that come and go leave nothing behind: no row in the view, no
-- memory.
CREATE FUNCTION pg_temp.memory() RETURNS bigint LANGUAGE sql AS
	$$SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE name = 'gid sequences'$$;
SELECT count(*) AS before FROM gid.stat_sequences \gset
DO $$
DECLARE
	before bigint;
BEGIN
	FOR i IN 1 .. 200 LOOP
		CREATE SEQUENCE regress_gid_mine.round;
		ASSERT ARRAY[gid_next('round'), gid_next('round'), gid_next('round')] = '{1,2,3}';
		ASSERT EXISTS (SELECT FROM gid.stat_sequences WHERE sequence = 'round'::regclass);
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
	RAISE NOTICE 'memory is there: %, more memory: %', before > 0, pg_temp.memory() > before;
END $$;
SELECT count(*) - :before AS more FROM gid.stat_sequences;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_mine, regress_gid_theirs CASCADE;
DROP ROLE regress_gid_user;
