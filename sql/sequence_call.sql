-- gid_next() wherever a statement may call it: transactions that roll back, column
-- DEFAULTs, COPY, prepared statements, PL/pgSQL, triggers, CTEs, views, and many
-- sequences in turn.
\i sql/include/start.sql
\i :sequence

-- A transaction, a savepoint and an exception block roll back, after a million values.
-- No value comes again, and the next values are larger.
CREATE SEQUENCE s;
CREATE TABLE made (n int, id bigint DEFAULT gid_next('s'));
BEGIN;
INSERT INTO made SELECT n FROM generate_series(1, 1000000) AS n;
SELECT min(id), max(id), count(DISTINCT id) FROM made;
SAVEPOINT a;
INSERT INTO made VALUES (1000001);
ROLLBACK TO SAVEPOINT a;
INSERT INTO made VALUES (1000002) RETURNING id;
ROLLBACK;
SELECT gid_next('s');
DO $$
BEGIN
	FOR i IN 1..100 LOOP
		BEGIN
			INSERT INTO made SELECT n FROM generate_series(1, 10) AS n;
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
			INSERT INTO made VALUES (i);
		END;
	END LOOP;
END $$;
SELECT count(*), min(id), max(id), bool_and(id = 1000003 + n * 11) AS in_order FROM made;
TRUNCATE made;
-- The transaction that creates the sequence rolls back, and the next one creates it
-- again.
BEGIN;
CREATE SEQUENCE fresh;
SELECT gid_next('fresh'), gid_next('fresh'), gid_next('fresh');
ROLLBACK;
BEGIN;
SAVEPOINT a;
CREATE SEQUENCE fresh START 100;
SELECT gid_next('fresh'), gid_next('fresh'), gid_next('fresh');
ROLLBACK TO SAVEPOINT a;
CREATE SEQUENCE fresh;
SELECT gid_next('fresh'), gid_next('fresh'), gid_next('fresh');
COMMIT;
SELECT gid_next('fresh'), gid_next('fresh'), gid_next('fresh');
DROP SEQUENCE fresh;

-- Every kind of statement.
INSERT INTO made (n) VALUES (1), (2), (3);
COPY made (n) FROM stdin;
4
5
6
\.
SET plan_cache_mode = force_generic_plan;
PREPARE add(int) AS INSERT INTO made VALUES ($1) RETURNING id > 0 AS made;
EXECUTE add(7);
EXECUTE add(8);
EXECUTE add(9);
DEALLOCATE add;
RESET plan_cache_mode;
DO $$
DECLARE
	a bigint;
	b bigint;
BEGIN
	FOR i IN 10..100 LOOP
		a := gid_next('s');
		b := gid_next('s');
		IF b <> a + 1 THEN
			RAISE 'not in order';
		END IF;
		INSERT INTO made VALUES (i);
	END LOOP;
END $$;
CREATE FUNCTION number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.id := gid_next('s');
	RETURN NEW;
END $$;
CREATE TRIGGER number BEFORE INSERT ON made FOR EACH ROW EXECUTE FUNCTION number();
INSERT INTO made VALUES (101), (102), (103);
DROP TRIGGER number ON made;
WITH drawn AS (SELECT n, gid_next('s') AS id FROM generate_series(104, 110) AS n), twice AS (TABLE drawn UNION TABLE drawn)
INSERT INTO made TABLE twice ORDER BY n;
WITH added AS (INSERT INTO made VALUES (111), (112) RETURNING n) SELECT count(*) FROM added;
UPDATE made SET id = gid_next('s') WHERE n = 112;
CREATE VIEW drawn AS SELECT gid_next('s') AS id;
INSERT INTO made SELECT 113, id FROM drawn UNION ALL SELECT 114, id FROM drawn;
SELECT count(*), count(DISTINCT id), bool_and(id > before) AS in_order
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;
SELECT count(DISTINCT gid_next('s')) FROM generate_series(1, 100);
-- The key of a table that several statements insert into.
CREATE TABLE keyed (id bigint PRIMARY KEY DEFAULT gid_next('s'), n int UNIQUE);
INSERT INTO keyed (n) SELECT n % 10 FROM generate_series(1, 100) AS n ON CONFLICT (n) DO NOTHING;
INSERT INTO keyed (n) VALUES (1), (10) ON CONFLICT (n) DO UPDATE SET id = gid_next('s');
SELECT count(*), count(DISTINCT id) FROM keyed;
DROP TABLE keyed;
DROP FUNCTION number();
DROP VIEW drawn;
DROP TABLE made;
DROP SEQUENCE s;

-- Many sequences in turn, in one transaction and in the next.
CREATE TABLE many (number int, seq regclass);
DO $$
BEGIN
	FOR i IN 1..200 LOOP
		EXECUTE format('CREATE SEQUENCE many_%s', i);
		INSERT INTO many VALUES (i, format('many_%s', i));
	END LOOP;
END $$;
CREATE TABLE drawn (number int, turn int, value bigint);
SELECT issued AS before FROM gid.stat_backends WHERE pid = pg_backend_pid() AND family = 'next' \gset
BEGIN;
INSERT INTO drawn SELECT number, turn, gid_next(seq) FROM generate_series(1, 3) AS turn, many ORDER BY turn, number;
SELECT turn, value, count(*) FROM drawn GROUP BY turn, value ORDER BY turn, value;
INSERT INTO drawn SELECT number, turn, gid_next(seq) FROM generate_series(4, 6) AS turn, many ORDER BY turn, -number;
COMMIT;
INSERT INTO drawn SELECT number, turn, gid_next(seq) FROM generate_series(7, 9) AS turn, many ORDER BY number, turn;
SELECT turn, value, count(*) FROM drawn WHERE turn > 3 GROUP BY turn, value ORDER BY turn, value;
SELECT family, issued - :before AS issued FROM gid.stat_backends WHERE pid = pg_backend_pid() AND family = 'next';
DO $$
BEGIN
	FOR i IN 1..200 LOOP
		EXECUTE format('DROP SEQUENCE many_%s', i);
	END LOOP;
END $$;
DROP TABLE many, drawn;

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
