-- gid_next() gives the values that nextval() gives, for each kind of sequence.
-- Where both draw, also by COPY, and after setval(), the next statement's
-- values are greater than all before. No value comes twice, and few are lost.
\i sql/include/start.sql
\i :sequence

-- Sixty values or errors of a sequence and of its twin. unit/test_reserve has
-- each end of each range.
CREATE FUNCTION pg_temp.drawn(call text) RETURNS text[] LANGUAGE sql AS
	$$SELECT ARRAY(SELECT pg_temp.outcome('SELECT ' || call) FROM generate_series(1, 60))$$;
CREATE FUNCTION pg_temp.compare(options text, OUT mine text[], OUT theirs text[]) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'CREATE SEQUENCE regress_gid_mine.twin ' || options;
	EXECUTE 'CREATE SEQUENCE regress_gid_theirs.twin ' || options;
	mine := pg_temp.drawn('gid_next(''regress_gid_mine.twin'')');
	theirs := pg_temp.drawn('nextval(''regress_gid_theirs.twin'')');
	DROP SEQUENCE regress_gid_mine.twin, regress_gid_theirs.twin;
END $$;
SELECT options, mine[1], mine[60], mine = theirs AS equal FROM unnest(ARRAY['',
	'INCREMENT 7 MINVALUE -100 MAXVALUE 100 START 50 CYCLE', 'INCREMENT -7 MINVALUE -100',
	'INCREMENT 200 MAXVALUE 100 CYCLE', 'START 9223372036854775800',
	'START 9223372036854775800 MINVALUE 9223372036854775790 CYCLE',
	'INCREMENT -1 MINVALUE -9223372036854775808 START -9223372036854775800',
	'INCREMENT 9223372036854775807 MINVALUE -9223372036854775808',
	'INCREMENT -9223372036854775808 MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807',
	'AS smallint START 32760', 'AS int INCREMENT -7 START -2147483640 CYCLE',
	'CACHE 5 MAXVALUE 12 CYCLE', 'CACHE 9223372036854775807 START 9223372036854775800']) AS options,
	pg_temp.compare(options);

-- Beside nextval(), each function in its own block. currval() and lastval()
-- know nextval() alone.
CREATE SEQUENCE s CACHE 4;
SELECT gid_next('s') AS a, nextval('s') AS b, gid_next('s') AS c, nextval('s') AS d,
	gid_next('s') AS e, gid_next('s') AS f, gid_next('s') AS g, currval('s') AS current, lastval() AS last;
-- nextval() keeps its lock to the end of the transaction, also when a savepoint is
-- rolled back. Horizons rest on that.
BEGIN;
SAVEPOINT a;
SELECT nextval('s') > 0 AS drawn;
ROLLBACK TO SAVEPOINT a;
SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 's'::regclass;
COMMIT;
-- Both in turn, several times each, in one transaction and in several.
CREATE SEQUENCE mixed;
CREATE TABLE drawn (n serial, id bigint PRIMARY KEY);
DO $$
BEGIN
	FOR i IN 1..500 LOOP
		FOR k IN 0..i % 4 LOOP
			INSERT INTO drawn (id) VALUES (nextval('mixed'));
		END LOOP;
		IF i % 3 = 0 THEN
			COMMIT;
		END IF;
		FOR k IN 0..i % 5 LOOP
			INSERT INTO drawn (id) VALUES (gid_next('mixed'));
		END LOOP;
	END LOOP;
END $$;
SELECT count(*), max(id) <= 10000 AS few, bool_and(n = rank) AS in_order
FROM (SELECT n, id, row_number() OVER (ORDER BY id) AS rank FROM drawn) AS d;
-- A COPY, which calls nextval(), among inserts.
CREATE TABLE rows (id bigint PRIMARY KEY DEFAULT nextval('mixed'), n int);
INSERT INTO rows SELECT gid_next('mixed'), n FROM generate_series(1, 10) AS n;
COPY rows (n) FROM stdin;
11
12
\.
INSERT INTO rows SELECT gid_next('mixed'), n FROM generate_series(13, 20) AS n;
INSERT INTO rows VALUES (gid_next('mixed'), 21);
SELECT array_agg(n ORDER BY id) AS in_order FROM rows;

-- An import with ids of its own, then setval(), then inserts, in one message
-- of the client and with a trigger that draws. A plan that is kept draws, too.
CREATE TABLE imported (id bigint PRIMARY KEY, n int);
CREATE SEQUENCE imported_seq;
CREATE FUNCTION draw() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.id := coalesce(NEW.id, gid_next('imported_seq'));
	RETURN NEW;
END $$;
CREATE TRIGGER draw BEFORE INSERT ON imported FOR EACH ROW EXECUTE FUNCTION draw();
INSERT INTO imported (n) SELECT g FROM generate_series(1, 40) AS g;
INSERT INTO imported (n) VALUES (41)\; INSERT INTO imported SELECT g, g FROM generate_series(42, 60) AS g\;
SELECT setval('imported_seq', max(id)) FROM imported\; INSERT INTO imported (n) VALUES (61);
DO $$
BEGIN
	FOR i IN 1..20 LOOP
		INSERT INTO imported SELECT max(id) + 5, 100 + 2 * i FROM imported;
		PERFORM setval('imported_seq', max(id)) FROM imported;
		INSERT INTO imported (n) VALUES (101 + 2 * i);
	END LOOP;
END $$;
SELECT count(*), bool_and(n > before) AS in_order
FROM (SELECT n, lag(n) OVER (ORDER BY id) AS before FROM imported) AS i;

-- INSERT and setval() by turns use up few numbers. A burst reserves no large
-- part of a small range.
CREATE TABLE small (id smallint PRIMARY KEY);
CREATE SEQUENCE small_seq AS smallint;
DO $$
BEGIN
	FOR i IN 1..1000 LOOP
		INSERT INTO small VALUES (gid_next('small_seq'));
		PERFORM setval('small_seq', max(id)) FROM small;
	END LOOP;
END $$;
SELECT count(*), max(id) FROM small;
CREATE SEQUENCE burst AS smallint;
SELECT count(gid_next('burst')) FROM generate_series(1, 16000);
SELECT last_value - 16000 <= 640 AS few FROM burst;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_mine, regress_gid_theirs CASCADE;
DROP ROLE regress_gid_user;
