-- nextval() beside gid_next(): from the next statement on what one of them gives is
-- greater than what the other has given. No value comes twice, and few are lost.
\i sql/include/start.sql
LOAD 'gid';
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

-- Both in turn, several times each, in one transaction and in several.
CREATE SEQUENCE mixed;
CREATE TABLE drawn (n serial, by_whom text, id bigint PRIMARY KEY);
\set ECHO none
DO $$
BEGIN
	FOR i IN 1..500 LOOP
		FOR k IN 0..i % 4 LOOP
			INSERT INTO drawn (by_whom, id) VALUES ('nextval', nextval('mixed'));
		END LOOP;
		IF i % 3 = 0 THEN
			COMMIT;
		END IF;
		FOR k IN 0..i % 5 LOOP
			INSERT INTO drawn (by_whom, id) VALUES ('gid_next', gid_next('mixed'));
		END LOOP;
	END LOOP;
END
$$;
\set ECHO all
SELECT count(*), max(id) <= 10000 AS few, bool_and(n = rank) AS in_order
FROM (SELECT n, id, row_number() OVER (ORDER BY id) AS rank FROM drawn) AS d;

-- A COPY, which calls nextval(), among inserts: rows that come later have greater ids.
CREATE TABLE rows (id serial PRIMARY KEY, n int);
ALTER TABLE rows ALTER id SET DEFAULT gid_next('rows_id_seq');
INSERT INTO rows (n) SELECT g FROM generate_series(1, 10) AS g;
ALTER TABLE rows ALTER id SET DEFAULT nextval('rows_id_seq');
COPY rows (n) FROM stdin;
11
12
13
\.
ALTER TABLE rows ALTER id SET DEFAULT gid_next('rows_id_seq');
INSERT INTO rows (n) SELECT g FROM generate_series(14, 20) AS g;
INSERT INTO rows (n) VALUES (21);
SELECT array_agg(n ORDER BY id) AS in_order FROM rows;

-- An import with ids of its own, then setval(), then inserts, in one message of the client
-- and with a trigger that draws. A plan that is kept draws, too.
CREATE TABLE imported (id bigint PRIMARY KEY, n int);
CREATE SEQUENCE imported_seq;
CREATE FUNCTION regress_gid_app.draw() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.id := coalesce(NEW.id, gid_next('regress_gid_app.imported_seq'));
	RETURN NEW;
END $$;
CREATE TRIGGER draw BEFORE INSERT ON imported FOR EACH ROW EXECUTE FUNCTION regress_gid_app.draw();
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
SELECT count(*), bool_and(rank_n = rank_id) AS in_order
FROM (SELECT row_number() OVER (ORDER BY n) AS rank_n, row_number() OVER (ORDER BY id) AS rank_id FROM imported) AS i;

-- INSERT and setval() by turns use up few numbers.
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

-- A burst reserves no large part of a small range.
CREATE SEQUENCE burst AS smallint;
SELECT count(gid_next('burst')) FROM generate_series(1, 16000);
SELECT last_value - 16000 <= 640 FROM burst;

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
