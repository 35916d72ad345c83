-- gid_next(), gid_next_many(), gid_forget() and gid_stat_sequences: the values
-- that nextval() would give, from blocks; what a transaction does to a sequence
-- and who may draw; blocks, their sizes and their end.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
\getenv srcdir PG_ABS_SRCDIR
\set include :srcdir '/sql/include/expect.sql'
\i :include
LOAD 'gid';
CREATE SCHEMA regress_gid_mine;
CREATE SCHEMA regress_gid_theirs;
CREATE ROLE regress_gid_user;
GRANT USAGE ON SCHEMA regress_gid_mine, regress_gid_theirs TO regress_gid_user;
SET search_path = regress_gid_mine, public;

--
-- As nextval()
--

-- The value of a call, or its error.
CREATE FUNCTION pg_temp.outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	value text;
BEGIN
	EXECUTE call INTO value;
	RETURN value;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
-- Draws n times from one sequence by gid_next() and from its twin by nextval();
-- outcomes are the same until there is a difference.
CREATE FUNCTION pg_temp.compare(mine regclass, theirs regclass, n int, OUT first text, OUT last text,
	OUT differences bigint, OUT first_difference text) LANGUAGE plpgsql AS $$
DECLARE
	theirs_is text;
BEGIN
	differences := 0;
	FOR i IN 1 .. n LOOP
		last := pg_temp.outcome(format('SELECT gid_next(%s)', mine::oid));
		theirs_is := pg_temp.outcome(format('SELECT nextval(%s)', theirs::oid));
		IF last IS DISTINCT FROM theirs_is THEN
			differences := differences + 1;
			first_difference := coalesce(first_difference, format('%s: %s, %s', i, last, theirs_is));
		END IF;
		first := coalesce(first, last);
	END LOOP;
END $$;
CREATE FUNCTION pg_temp.compare_new(options text, n int, OUT first text, OUT last text,
	OUT differences bigint, OUT first_difference text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'CREATE SEQUENCE regress_gid_mine.twin ' || options;
	EXECUTE 'CREATE SEQUENCE regress_gid_theirs.twin ' || options;
	SELECT c.* INTO first, last, differences, first_difference
	FROM pg_temp.compare('regress_gid_mine.twin', 'regress_gid_theirs.twin', n) AS c;
	DROP SEQUENCE regress_gid_mine.twin, regress_gid_theirs.twin;
END $$;

SELECT options, c.* FROM unnest(ARRAY['', 'START 5', 'MINVALUE 0', 'MINVALUE -3', 'INCREMENT 7',
	'INCREMENT -1', 'INCREMENT -7', 'INCREMENT -1 MINVALUE -5 MAXVALUE 5 START 3',
	'MAXVALUE 100', 'MAXVALUE 99', 'MAXVALUE 2', 'INCREMENT 7 MAXVALUE 100', 'INCREMENT 7 MINVALUE 2 MAXVALUE 100 START 51',
	'INCREMENT -7 MINVALUE -100', 'INCREMENT 200 MAXVALUE 100',
	'MAXVALUE 10 CYCLE', 'MAXVALUE 10 START 7 CYCLE', 'INCREMENT 7 MAXVALUE 100 CYCLE', 'INCREMENT 7 MINVALUE -100 MAXVALUE 100 START 50 CYCLE',
	'INCREMENT -1 MINVALUE -10 CYCLE', 'INCREMENT -7 MINVALUE -100 MAXVALUE 100 START 50 CYCLE',
	'INCREMENT 200 MAXVALUE 100 CYCLE', 'MAXVALUE 2 CYCLE',
	'START 9223372036854775800', 'INCREMENT 7 START 9223372036854775780',
	'START 9223372036854775800 MINVALUE 9223372036854775790 CYCLE',
	'MINVALUE -9223372036854775808 START -9223372036854775800',
	'INCREMENT -1 MINVALUE -9223372036854775808 START -9223372036854775800',
	'INCREMENT -7 MINVALUE -9223372036854775808 START -9223372036854775780',
	'INCREMENT -1 MINVALUE -9223372036854775808 MAXVALUE -9223372036854775800 START -9223372036854775800 CYCLE',
	'INCREMENT 9223372036854775807 MINVALUE -9223372036854775808',
	'INCREMENT -9223372036854775808 MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807',
	'INCREMENT 4611686018427387904 MINVALUE -9223372036854775808',
	'INCREMENT -9223372036854775808 MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807 CYCLE',
	'AS smallint START 32760', 'AS smallint START 32760 CYCLE', 'AS smallint INCREMENT -1 START -32760',
	'AS int START 2147483640', 'AS int INCREMENT -7 START -2147483640 CYCLE',
	'CACHE 5', 'CACHE 5 MAXVALUE 12', 'CACHE 5 MAXVALUE 12 CYCLE', 'CACHE 10 INCREMENT 3 MAXVALUE 100 CYCLE',
	'CACHE 10 INCREMENT -3 MINVALUE -20 CYCLE', 'CACHE 1000000 MAXVALUE 20 CYCLE',
	'CACHE 9223372036854775807 START 9223372036854775800']) AS options,
	pg_temp.compare_new(options, 60) AS c;

-- After setval(), each end and each side of it.
CREATE FUNCTION pg_temp.compare_set(value bigint, is_called boolean, OUT first text, OUT last text,
	OUT differences bigint, OUT first_difference text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setval('regress_gid_mine.s', value, is_called), gid_forget('regress_gid_mine.s'),
		setval('regress_gid_theirs.s', value, is_called);
	SELECT c.* INTO first, last, differences, first_difference
	FROM pg_temp.compare('regress_gid_mine.s', 'regress_gid_theirs.s', 10) AS c;
END $$;
CREATE SEQUENCE s MAXVALUE 20;
CREATE SEQUENCE regress_gid_theirs.s MAXVALUE 20;
SELECT value, is_called, c.* FROM unnest(ARRAY[1, 5, 10, 11, 19, 20]) AS value, unnest(ARRAY[true, false]) AS is_called,
	pg_temp.compare_set(value, is_called) AS c
ORDER BY is_called DESC, value;
DROP SEQUENCE s, regress_gid_theirs.s;

-- A column's own sequence, an identity column's, strange names.
CREATE TABLE t (a serial, b smallserial, c bigint GENERATED ALWAYS AS IDENTITY (START 10 INCREMENT 5 MAXVALUE 50),
	d int GENERATED BY DEFAULT AS IDENTITY (MINVALUE 3 MAXVALUE 7 CYCLE), "E ""é""" serial);
CREATE TABLE regress_gid_theirs.t (LIKE t INCLUDING IDENTITY);
CREATE SEQUENCE regress_gid_theirs.t_a_seq;
CREATE SEQUENCE regress_gid_theirs.t_b_seq AS smallint;
CREATE SEQUENCE regress_gid_theirs."t_E ""é""_seq";
ALTER TABLE t ALTER COLUMN b SET DEFAULT NULL;
SELECT setval('t_b_seq', 32750), setval('regress_gid_theirs.t_b_seq', 32750);
SELECT a.attname AS column, c.* FROM pg_attribute AS a,
	pg_temp.compare(pg_get_serial_sequence('t', attname),
		regexp_replace(pg_get_serial_sequence('t', attname), '^regress_gid_mine', 'regress_gid_theirs'), 30) AS c
WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum;
CREATE SCHEMA "Regress ""gid"" é.";
CREATE SEQUENCE "Regress ""gid"" é."."A ""quoted"" one;--" MAXVALUE 3;
CREATE SEQUENCE regress_gid_theirs."A ""quoted"" one;--" MAXVALUE 3;
SELECT c.* FROM pg_temp.compare('"Regress ""gid"" é."."A ""quoted"" one;--"', 'regress_gid_theirs."A ""quoted"" one;--"', 5) AS c;
DROP SEQUENCE "Regress ""gid"" é."."A ""quoted"" one;--";
DROP SCHEMA "Regress ""gid"" é.";
DROP TABLE t, regress_gid_theirs.t;
DROP SEQUENCE regress_gid_theirs.t_a_seq, regress_gid_theirs.t_b_seq, regress_gid_theirs."t_E ""é""_seq",
	regress_gid_theirs."A ""quoted"" one;--";

-- Beside nextval(), each in its own block; currval() and lastval() are nextval()'s.
CREATE SEQUENCE s CACHE 4;
SELECT gid_next('s') AS a, nextval('s') AS b, gid_next('s') AS c, nextval('s') AS d,
	gid_next('s') AS e, gid_next('s') AS f, gid_next('s') AS g, currval('s') AS current, lastval() AS last;
DROP SEQUENCE s;
CREATE SEQUENCE s;
CREATE TABLE drawn (by_whom text, value bigint PRIMARY KEY);
INSERT INTO drawn SELECT CASE n % 3 WHEN 0 THEN 'gid_next' ELSE 'nextval' END,
	CASE n % 3 WHEN 0 THEN gid_next('s') ELSE nextval('s') END FROM generate_series(1, 3000) AS n;
SELECT by_whom, count(*) FROM drawn GROUP BY by_whom ORDER BY by_whom;
DROP TABLE drawn;
DROP SEQUENCE s;
CREATE SEQUENCE s;
SELECT gid_next('s');
SELECT e.code FROM pg_temp.expect($$SELECT currval('s')$$) AS e;
DROP SEQUENCE s;

--
-- Errors
--

CREATE SEQUENCE s MAXVALUE 2;
SELECT e.code FROM pg_temp.expect(VARIADIC array_fill($$SELECT gid_next('s')$$::text, ARRAY[2])) AS e;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next('s')$$, $$SELECT * FROM gid_next_many('s', 1)$$) AS e;
ALTER SEQUENCE s MAXVALUE 3;
SELECT gid_next('s');
DROP SEQUENCE s;
CREATE SEQUENCE s INCREMENT -1 MINVALUE -2;
SELECT gid_next('s'), gid_next('s');
SELECT e.* FROM pg_temp.expect($$SELECT gid_next('s')$$, $$SELECT * FROM gid_next_many('s', 1)$$) AS e;
DROP SEQUENCE s;

-- Sequences that do not survive a crash.
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE unlogged;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next('temporary')$$, $$SELECT gid_next('unlogged')$$,
	$$SELECT * FROM gid_next_many('temporary', 2)$$, $$SELECT gid_forget('unlogged')$$) AS e;
ALTER SEQUENCE unlogged SET LOGGED;
SELECT gid_next('unlogged'), gid_next('unlogged');
ALTER SEQUENCE unlogged SET UNLOGGED;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('unlogged')$$) AS e;
ALTER SEQUENCE unlogged SET LOGGED;
SELECT gid_next('unlogged') > 2 AS goes_on;
DROP SEQUENCE unlogged, temporary;

-- What is not a sequence, as nextval() has it.
CREATE TABLE regress_gid_mine.a_table (a int PRIMARY KEY);
CREATE VIEW a_view AS SELECT 1 AS a;
CREATE MATERIALIZED VIEW a_matview AS SELECT 1 AS a;
CREATE TABLE a_partitioned (a int) PARTITION BY LIST (a);
CREATE TYPE a_type AS (a int);
SELECT name, e.code, e.message, e.code = n.code AS same_code
FROM unnest(ARRAY['a_table', 'a_table_pkey', 'a_view', 'a_matview', 'a_partitioned', 'a_type', 'pg_class']) AS name,
	pg_temp.expect(format('SELECT gid_next(%L)', name)) AS e,
	pg_temp.expect(format('SELECT nextval(%L)', name)) AS n;
SELECT e.* FROM pg_temp.expect($$SELECT * FROM gid_next_many('a_view', 1)$$, $$SELECT gid_forget('a_table')$$) AS e;
DROP TABLE a_table, a_partitioned;
DROP VIEW a_view;
DROP MATERIALIZED VIEW a_matview;
DROP TYPE a_type;

-- Not there, or not any more; in the transaction that dropped it, too.
SELECT e.* FROM pg_temp.expect('SELECT gid_next(0)', 'SELECT * FROM gid_next_many(0, 1)', 'SELECT gid_forget(0)') AS e;
CREATE SEQUENCE s;
SELECT 's'::regclass::oid AS dropped, gid_next('s') \gset
DROP SEQUENCE s;
SELECT e.code, e.message = 'sequence with OID ' || :dropped || ' does not exist' AS message
FROM pg_temp.expect('SELECT gid_next(' || :dropped || ')', 'SELECT * FROM gid_next_many(' || :dropped || ', 1)',
	'SELECT gid_forget(' || :dropped || ')') AS e;
CREATE SEQUENCE s;
SELECT 's'::regclass::oid AS dropped, gid_next('s') \gset
BEGIN;
SELECT gid_next('s');
SAVEPOINT a;
DROP SEQUENCE s;
SELECT e.code FROM pg_temp.expect('SELECT gid_next(' || :dropped || ')') AS e;
ROLLBACK TO SAVEPOINT a;
SELECT gid_next('s');
COMMIT;

-- Read-only: as nextval(), warm or not.
CREATE FUNCTION pg_temp.same(mine text, theirs text)
RETURNS TABLE (code text, message text, as_nextval boolean) LANGUAGE sql AS $$
	SELECT m.code, m.message, m.code = t.code AND
		regexp_replace(m.message, 'gid_[a-z_]+', 'nextval') = t.message
	FROM pg_temp.expect(mine) AS m, pg_temp.expect(theirs) AS t
$$;
BEGIN READ ONLY;
SELECT s.* FROM pg_temp.same($$SELECT gid_next('s')$$, $$SELECT nextval('s')$$) AS s;
SELECT s.* FROM pg_temp.same($$SELECT * FROM gid_next_many('s', 2)$$, $$SELECT nextval('s')$$) AS s;
SELECT s.* FROM pg_temp.same($$SELECT gid_forget('s')$$, $$SELECT nextval('s')$$) AS s;
COMMIT;
BEGIN;
SELECT gid_next('s');
SET TRANSACTION READ ONLY;
SELECT s.* FROM pg_temp.same($$SELECT gid_next('s')$$, $$SELECT nextval('s')$$) AS s;
COMMIT;

-- Strict.
SELECT gid_next(NULL) IS NULL AS next, gid_forget(NULL) IS NULL AS forget,
	(SELECT count(*) FROM gid_next_many(NULL, 1)) AS many, (SELECT count(*) FROM gid_next_many('s', NULL)) AS many_null;

--
-- Privileges
--

-- The outcome of each privilege alone, as nextval() has it.
CREATE SEQUENCE regress_gid_theirs.s;
CREATE FUNCTION pg_temp.with_privilege(privilege text) RETURNS TABLE (code text, message text, as_nextval boolean, forget text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('GRANT %s ON SEQUENCE regress_gid_mine.s, regress_gid_theirs.s TO regress_gid_user', privilege);
	SET LOCAL ROLE regress_gid_user;
	RETURN QUERY SELECT s.*, f.code FROM pg_temp.same('SELECT gid_next(''s'')', 'SELECT nextval(''regress_gid_theirs.s'')') AS s,
		pg_temp.expect('SELECT gid_forget(''s'')') AS f;
	RESET ROLE;
	REVOKE ALL ON SEQUENCE s, regress_gid_theirs.s FROM regress_gid_user;
END $$;
SELECT privilege, p.* FROM unnest(ARRAY['SELECT', 'USAGE', 'UPDATE', 'USAGE, SELECT', 'ALL']) AS privilege,
	pg_temp.with_privilege(privilege) AS p;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next('s')$$, $$SELECT * FROM gid_next_many('s', 1)$$, $$SELECT gid_forget('s')$$) AS e;
RESET ROLE;

-- Within a transaction that has drawn: another role, a right that came and went,
-- an owner whose own right is revoked.
SELECT gid_next('s') AS before \gset
BEGIN;
SELECT gid_next('s') > :before AS drawn;
SET LOCAL ROLE regress_gid_user;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
RESET ROLE;
SELECT gid_next('s') > :before AS drawn;
GRANT USAGE ON SEQUENCE s TO regress_gid_user;
SET LOCAL ROLE regress_gid_user;
SELECT gid_next('s') > :before AS drawn;
SELECT gid_next('s') > :before AS drawn;
RESET ROLE;
SAVEPOINT a;
REVOKE USAGE ON SEQUENCE s FROM regress_gid_user;
SET LOCAL ROLE regress_gid_user;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
ROLLBACK TO SAVEPOINT a;
SET LOCAL ROLE regress_gid_user;
SELECT gid_next('s') > :before AS drawn;
COMMIT;
ALTER SEQUENCE s OWNER TO regress_gid_user;
SET ROLE regress_gid_user;
BEGIN;
SELECT gid_next('s') > :before AS drawn;
REVOKE ALL ON SEQUENCE s FROM regress_gid_user;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
GRANT USAGE ON SEQUENCE s TO regress_gid_user;
SELECT gid_next('s') > :before AS drawn;
ROLLBACK;
RESET ROLE;
ALTER SEQUENCE s OWNER TO CURRENT_USER;
REVOKE ALL ON SEQUENCE s FROM regress_gid_user;

-- A SECURITY DEFINER function draws as its owner; what calls it does not get the
-- right, in whichever order.
CREATE FUNCTION definer() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS $$SELECT gid_next('regress_gid_mine.s')$$;
CREATE FUNCTION pg_temp.directly(after bigint) RETURNS text LANGUAGE sql AS
	$$SELECT pg_temp.outcome('SELECT gid_next(''s'')')$$;
SET ROLE regress_gid_user;
BEGIN;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
SELECT definer() > :before AS drawn, pg_temp.directly(definer()) AS directly, definer() > :before AS drawn_again;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
COMMIT;
RESET ROLE;
DROP FUNCTION definer();

-- Right to a column's DEFAULT: that of who inserts.
CREATE TABLE t (id bigint DEFAULT gid_next('s'), n int);
GRANT INSERT ON t TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.expect('INSERT INTO t (n) VALUES (1)') AS e;
RESET ROLE;
DROP TABLE t;
DROP SEQUENCE s, regress_gid_theirs.s;

--
-- Rollback
--

-- A million values rolled back, a savepoint, an error: none comes again, and the
-- next ones go on above.
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
-- In the transaction that makes the sequence, the second time after a rollback.
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

--
-- Wherever it is called
--

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
-- As the key of a table that is inserted into by many statements.
CREATE TABLE keyed (id bigint PRIMARY KEY DEFAULT gid_next('s'), n int UNIQUE);
INSERT INTO keyed (n) SELECT n % 10 FROM generate_series(1, 100) AS n ON CONFLICT (n) DO NOTHING;
INSERT INTO keyed (n) VALUES (1), (10) ON CONFLICT (n) DO UPDATE SET id = gid_next('s');
SELECT count(*), count(DISTINCT id) FROM keyed;
DROP TABLE keyed;
DROP FUNCTION number();
DROP VIEW drawn;
DROP TABLE made;

-- Labels, and plans: never in a parallel worker.
SELECT oid::regprocedure AS function, provolatile AS volatile, proisstrict AS strict, proparallel AS parallel,
	proretset AS set, prosecdef AS definer, proleakproof AS leakproof
FROM pg_proc WHERE proname IN ('gid_next', 'gid_next_many', 'gid_forget') ORDER BY proname;
CREATE FUNCTION pg_temp.force_parallel(value text) RETURNS void LANGUAGE sql AS $$
	-- named force_parallel_mode before 16
	SELECT set_config(name, value, false) FROM pg_settings
	WHERE name IN ('force_parallel_mode', 'debug_parallel_query')
$$;
CREATE FUNCTION pg_temp.gathers(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Gather' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) AS n;
ANALYZE source;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT pg_temp.force_parallel('on');
SELECT pg_temp.gathers('SELECT n FROM source') AS without, pg_temp.gathers('SELECT gid_next(''s'') FROM source') AS next,
	pg_temp.gathers('SELECT gid_next_many(''s'', 2) FROM source') AS many,
	pg_temp.gathers('SELECT n FROM source, gid_next_many(''s'', 2)') AS many_in_from;
SELECT count(*), count(DISTINCT id), max(id) - min(id) AS span FROM (SELECT gid_next('s') AS id FROM source) AS d;
CREATE FUNCTION mislabelled() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN RETURN gid_next('s'); END$$;
CREATE FUNCTION theirs() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN RETURN nextval('s'); END$$;
CREATE FUNCTION mislabelled_many() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS
	$$BEGIN RETURN (SELECT count(*) FROM gid_next_many('s', 2)); END$$;
CREATE FUNCTION mislabelled_forget() RETURNS void LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN PERFORM gid_forget('s'); END$$;
SELECT mine, s.* FROM unnest(ARRAY['mislabelled()', 'mislabelled_many()', 'mislabelled_forget()']) AS mine,
	pg_temp.same('SELECT ' || mine, 'SELECT theirs()') AS s;
SELECT pg_temp.force_parallel('off');
RESET max_parallel_workers_per_gather;
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
DROP FUNCTION mislabelled(), mislabelled_many(), mislabelled_forget(), theirs();
DROP TABLE source;
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
BEGIN;
INSERT INTO drawn SELECT number, turn, gid_next(seq) FROM generate_series(1, 3) AS turn, many ORDER BY turn, number;
SELECT turn, value, count(*) FROM drawn GROUP BY turn, value ORDER BY turn, value;
INSERT INTO drawn SELECT number, turn, gid_next(seq) FROM generate_series(4, 6) AS turn, many ORDER BY turn, -number;
COMMIT;
INSERT INTO drawn SELECT number, turn, gid_next(seq) FROM generate_series(7, 9) AS turn, many ORDER BY number, turn;
SELECT turn, value, count(*) FROM drawn WHERE turn > 3 GROUP BY turn, value ORDER BY turn, value;
SELECT family, issued > 0 AS issued FROM gid_stat_backends WHERE pid = pg_backend_pid() AND family = 'next';
DO $$
BEGIN
	FOR i IN 1..200 LOOP
		EXECUTE format('DROP SEQUENCE many_%s', i);
	END LOOP;
END $$;
DROP TABLE many, drawn;

--
-- gid_next_many()
--

-- A new sequence, instead of the one before.
CREATE FUNCTION pg_temp.new(options text) RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL client_min_messages = warning;
	DROP SEQUENCE IF EXISTS regress_gid_mine.new;
	EXECUTE 'CREATE SEQUENCE regress_gid_mine.new ' || options;
	RETURN 'regress_gid_mine.new';
END $$;
CREATE FUNCTION pg_temp.many(seq regclass, count int) RETURNS text LANGUAGE sql AS
	$$SELECT array_agg(value ORDER BY n)::text FROM gid_next_many(seq, count) WITH ORDINALITY AS m (value, n)$$;

-- Consecutive by INCREMENT, beside the block that is open.
CREATE SEQUENCE s CACHE 3;
SELECT gid_next('s') AS a, pg_temp.many('s', 5) AS many, gid_next('s') AS b, gid_next('s') AS c,
	gid_next('s') AS d, pg_temp.many('s', 1) AS one, gid_next('s') AS e;
SELECT options, pg_temp.many(seq, 4) AS many, pg_temp.many(seq, 1) AS one, gid_next(seq) AS next
FROM unnest(ARRAY['', 'START 100', 'INCREMENT 7', 'INCREMENT -1', 'INCREMENT -7', 'MAXVALUE 6', 'CACHE 100',
	'START 1152921504606846976']) AS options, pg_temp.new(options) AS seq;
-- A large batch, and what of it is not fetched is not given again.
SELECT count(*), min(id), max(id), count(DISTINCT id), bool_and(id = n + (SELECT last_value FROM s) - 65536) AS in_order
FROM gid_next_many('s', 65536) WITH ORDINALITY AS m (id, n);
CREATE SEQUENCE in_list;
SELECT gid_next_many('in_list', 5) LIMIT 3;
SELECT gid_next_many('in_list', 65536) LIMIT 3;
SELECT last_value = 65536 + 5 AS all_taken FROM in_list;
SELECT id FROM gid_next_many('in_list', 4) AS m (id) LIMIT 2;
SELECT gid_next_many('in_list', 3) AS a, gid_next_many('in_list', 3) AS b;
SELECT n, gid_next_many('in_list', n) FROM generate_series(1, 3) AS n;
SELECT n, id FROM generate_series(1, 3) AS n, gid_next_many('in_list', n) AS m (id);
SELECT n, ARRAY(SELECT gid_next_many('in_list', n)) AS ids FROM generate_series(1, 3) AS n;
PREPARE many(int) AS SELECT gid_next_many('in_list', $1);
EXECUTE many(2);
EXECUTE many(1);
DEALLOCATE many;
-- A cursor that is closed early, a rollback.
BEGIN;
DECLARE c CURSOR FOR SELECT gid_next_many('in_list', 10);
FETCH 2 FROM c;
CLOSE c;
ROLLBACK;
SELECT gid_next_many('in_list', 1);
DROP SEQUENCE in_list;

-- A count that is none.
SELECT e.* FROM pg_temp.expect($$SELECT * FROM gid_next_many('s', 0)$$, $$SELECT gid_next_many('s', -1)$$,
	$$SELECT gid_next_many('s', -2147483648)$$) AS e;

-- As many nextval() as the batches have values.
CREATE FUNCTION pg_temp.compare_many(options text, OUT "values" bigint, OUT refused bigint, OUT differences bigint)
LANGUAGE plpgsql AS $$
DECLARE
	mine bigint[];
	their bigint[];
BEGIN
	EXECUTE 'CREATE SEQUENCE regress_gid_theirs.new ' || options;
	PERFORM pg_temp.new(options);
	"values" := 0;
	refused := 0;
	differences := 0;
	FOR size IN 1 .. 30 LOOP
		BEGIN
			mine := ARRAY(SELECT gid_next_many('regress_gid_mine.new', size));
			their := ARRAY(SELECT nextval('regress_gid_theirs.new') FROM generate_series(1, size));
			IF mine IS DISTINCT FROM their THEN
				differences := differences + 1;
			END IF;
			"values" := "values" + cardinality(mine);
		EXCEPTION WHEN sequence_generator_limit_exceeded THEN
			refused := refused + 1;
		END;
	END LOOP;
	DROP SEQUENCE regress_gid_theirs.new;
END $$;
SELECT options, c.* FROM unnest(ARRAY['', 'INCREMENT 7', 'INCREMENT -1', 'INCREMENT -7', 'START 500', 'MAXVALUE 100',
	'INCREMENT 7 MAXVALUE 1000', 'INCREMENT -3 MINVALUE -500', 'AS smallint INCREMENT 100', 'CACHE 7 MAXVALUE 300',
	'INCREMENT -1000 START -1152921504606836976 MINVALUE -1152921504606846976']) AS options,
	pg_temp.compare_many(options) AS c;

-- Too few left: nothing is taken.
CREATE FUNCTION pg_temp.outcomes(seq regclass, VARIADIC counts int[]) RETURNS text[] LANGUAGE sql AS
	$$SELECT array_agg(pg_temp.outcome(format(
		'SELECT min(id) || '' to '' || max(id) FROM gid_next_many(%s, %s) AS m (id)', seq::oid, count)) ORDER BY n)
	FROM unnest(counts) WITH ORDINALITY AS c (count, n)$$;
SELECT o FROM pg_temp.new('MAXVALUE 10') AS seq, unnest(pg_temp.outcomes(seq, 11, 7, 4, 3, 1)) AS o;
SELECT o FROM pg_temp.new('INCREMENT -7 MINVALUE -100') AS seq, unnest(pg_temp.outcomes(seq, 16, 15, 1)) AS o;
SELECT o FROM pg_temp.new('START 9223372036854775000') AS seq, unnest(pg_temp.outcomes(seq, 65536, 809, 807, 2, 1, 1)) AS o;
SELECT last_value, is_called FROM new;
-- Never over the end of a cycle: it starts anew, and what was left is passed over.
SELECT o FROM pg_temp.new('MAXVALUE 10 CYCLE') AS seq, unnest(pg_temp.outcomes(seq, 7, 4, 6, 1, 10, 11)) AS o;
SELECT o FROM pg_temp.new('MINVALUE 5 MAXVALUE 10 START 9 CYCLE') AS seq, unnest(pg_temp.outcomes(seq, 2, 2, 5, 6, 7)) AS o;
SELECT o FROM pg_temp.new('INCREMENT -7 MINVALUE -100 MAXVALUE 3 START -86 CYCLE') AS seq, unnest(pg_temp.outcomes(seq, 3, 14, 2, 15, 16)) AS o;
-- Nor over the end of an era of 2^60 values, upwards and down.
SELECT o FROM pg_temp.new('START 1152921504606846970') AS seq, unnest(pg_temp.outcomes(seq, 3, 4, 1)) AS o;
SELECT o FROM pg_temp.new('START 1152921504606846970') AS seq, unnest(pg_temp.outcomes(seq, 6, 6)) AS o;
SELECT o FROM pg_temp.new('INCREMENT 7 START 1152921504606846966') AS seq, unnest(pg_temp.outcomes(seq, 3, 3)) AS o;
SELECT o FROM pg_temp.new('INCREMENT -1 MAXVALUE 9223372036854775807 START 1152921504606846979 MINVALUE -10') AS seq,
	unnest(pg_temp.outcomes(seq, 3, 2, 1)) AS o;
SELECT o FROM pg_temp.new('MINVALUE -5') AS seq, unnest(pg_temp.outcomes(seq, 4, 4, 4)) AS o;
SELECT o FROM pg_temp.new('MINVALUE 1152921504606846970 MAXVALUE 1152921504606846990 START 1152921504606846985 CYCLE') AS seq,
	unnest(pg_temp.outcomes(seq, 7, 10, 2, 6, 15, 16)) AS o;
SELECT o FROM pg_temp.new('INCREMENT 1152921504606846976') AS seq, unnest(pg_temp.outcomes(seq, 2, 1, 1)) AS o;
SELECT o FROM pg_temp.new('START 9223372036854775800 MINVALUE 9223372036854775790 CYCLE') AS seq, unnest(pg_temp.outcomes(seq, 8, 9, 10)) AS o;
DROP SEQUENCE new;

--
-- Blocks
--

-- A sequence's CACHE is its block size; at the low-water mark the next one is
-- reserved ahead, once.
CREATE VIEW state AS SELECT b.next, b.last, b.block_size, b.reservations, b.prefetched, b.waits, s.last_value
FROM gid_stat_sequences AS b, s WHERE b.sequence = 's'::regclass;
CREATE FUNCTION pg_temp.draw(n int) RETURNS bigint LANGUAGE sql AS
	$$SELECT max(gid_next('s')) FROM generate_series(1, n)$$;
ALTER SEQUENCE s RESTART CACHE 20;
SELECT count(*) FROM state;
SELECT pg_temp.draw(1);
SELECT * FROM state;
SELECT pg_temp.draw(14);
SELECT * FROM state;
SELECT pg_temp.draw(1);
SELECT * FROM state;
SELECT pg_temp.draw(4);
SELECT * FROM state;
SELECT pg_temp.draw(1);
SELECT * FROM state;
SELECT pg_temp.draw(979);
SELECT * FROM state;
-- The mark leaves less than a quarter; blocks of seven and less have none.
CREATE FUNCTION pg_temp.mark(cache int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'ALTER SEQUENCE s RESTART CACHE ' || cache;
	FOR i IN 1 .. cache LOOP
		PERFORM gid_next('s');
		IF (SELECT last_value FROM s) > cache THEN
			RETURN i;
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
SELECT cache, pg_temp.mark(cache) FROM unnest(ARRAY[2, 7, 8, 9, 100, 1000]) AS cache;
-- At the end of the sequence there is nothing to reserve ahead, and no error
-- before its last value.
ALTER SEQUENCE s RESTART MAXVALUE 30 CACHE 20;
SELECT pg_temp.draw(30);
SELECT * FROM state;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
SELECT * FROM state;
ALTER SEQUENCE s RESTART NO MAXVALUE CACHE 9223372036854775807;
SELECT pg_temp.draw(1);
SELECT * FROM state;
ALTER SEQUENCE s RESTART 9223372036854775798;
SELECT pg_temp.draw(1);
SELECT * FROM state;
SELECT pg_temp.draw(9);
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;

-- Without CACHE the size follows the pace: two at first, never more than four
-- times the one before plus four.
CREATE TABLE sizes (n int, size bigint);
ALTER SEQUENCE s RESTART CACHE 1;
DO $$
BEGIN
	FOR i IN 1 .. 20000 LOOP
		PERFORM gid_next('s');
		IF i < 1000 OR i % 100 = 0 THEN
			INSERT INTO sizes SELECT i, block_size FROM gid_stat_sequences WHERE sequence = 's'::regclass;
		END IF;
	END LOOP;
END $$;
SELECT (array_agg(size ORDER BY n))[1:2] AS first, min(size) AS smallest, max(size) > 100 AS grown,
	count(*) FILTER (WHERE size > 4 * before + 4) AS too_large, max(size) <= 65536 AS bounded
FROM (SELECT *, lag(size) OVER (ORDER BY n) AS before FROM sizes) AS z;
SELECT reservations < 200 AS few, prefetched BETWEEN 1 AND reservations - 1 AS ahead FROM state;

-- gid.max_block_size: 1 reserves each value for itself; CACHE goes before it.
SET gid.max_block_size = 1;
ALTER SEQUENCE s RESTART;
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		IF gid_next('s') <> i OR (SELECT last_value FROM s) <> i THEN
			RAISE 'value % is not the last one', i;
		END IF;
	END LOOP;
END $$;
SELECT * FROM state;
SET gid.max_block_size = 3;
SELECT pg_temp.draw(100);
SELECT block_size <= 3 AND last_value - 200 BETWEEN 0 AND 2 AS bounded FROM state;
SET gid.max_block_size = 65536;
ALTER SEQUENCE s RESTART CACHE 100000;
SELECT pg_temp.draw(1);
SELECT block_size FROM state;
RESET gid.max_block_size;
SHOW gid.max_block_size;
SELECT e.code, e.message FROM pg_temp.expect('SET gid.max_block_size = 0', 'SET gid.max_block_size = 65537') AS e;
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.expect('SET gid.max_block_size = 1') AS e;
RESET ROLE;

-- gid_forget(): the values left are lost, the next one comes from behind
-- last_value; also when the next block is there already, and when there is none.
ALTER SEQUENCE s RESTART CACHE 20;
SELECT pg_temp.draw(1);
SELECT gid_forget('s');
SELECT * FROM state;
SELECT pg_temp.draw(1);
SELECT pg_temp.draw(17);
SELECT * FROM state;
SELECT gid_forget('s');
SELECT pg_temp.draw(1);
SELECT gid_forget('s'), gid_forget('s');
SELECT pg_temp.draw(1);
CREATE SEQUENCE never;
SELECT gid_forget('never');
SELECT gid_next('never');
DROP SEQUENCE never;

-- setval() in a transaction that has drawn: at the next reservation, or with
-- gid_forget() at once; forwards, backwards, and what a rollback does not undo.
-- Beyond that see sequence_setval.sql.
ALTER SEQUENCE s RESTART CACHE 3;
SELECT gid_next('s') AS a, setval('s', 100) AS set, gid_next('s') AS b, gid_next('s') AS c, gid_next('s') AS d;
SELECT setval('s', 200) AS set, gid_forget('s') AS forgotten, gid_next('s') AS a, gid_next('s') AS b;
SELECT setval('s', 300, false) AS set, gid_forget('s') AS forgotten, gid_next('s') AS a, gid_next('s') AS b;
SELECT setval('s', 50) AS set, gid_forget('s') AS forgotten, gid_next('s') AS a, gid_next('s') AS b;
BEGIN;
SELECT setval('s', 400) AS set, gid_forget('s') AS forgotten;
ROLLBACK;
SELECT gid_next('s');
-- The view shows the sequences that one may read or use, as they are now.
SET ROLE regress_gid_user;
SELECT count(*) FROM gid_stat_sequences;
RESET ROLE;
GRANT UPDATE ON SEQUENCE s TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT count(*) FROM gid_stat_sequences;
RESET ROLE;
GRANT USAGE ON SEQUENCE s TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT sequence, source, block_size FROM gid_stat_sequences;
RESET ROLE;
BEGIN;
ALTER SEQUENCE s RESTART;
SELECT count(*) AS altered FROM gid_stat_sequences WHERE sequence = 's'::regclass;
SELECT pg_temp.draw(2);
SELECT next, reservations FROM gid_stat_sequences WHERE sequence = 's'::regclass;
ROLLBACK;
SELECT next FROM gid_stat_sequences WHERE sequence = 's'::regclass;
SELECT count(*) AS before FROM gid_stat_sequences \gset
SELECT 's'::regclass::oid AS dropped \gset
DROP VIEW state;
DROP SEQUENCE s;
SELECT :before - count(*) AS gone, count(*) FILTER (WHERE sequence = :dropped) AS dropped FROM gid_stat_sequences;
DROP TABLE sizes;

--
-- Altered
--

-- Draws three values by OID before a statement, after it, after its rollback,
-- and after it was done again.
CREATE TABLE owner (id int, other int);
CREATE FUNCTION pg_temp.three(seq oid) RETURNS bigint[] LANGUAGE sql AS
	$$SELECT ARRAY(SELECT gid_next(seq) FROM generate_series(1, 3))$$;
CREATE FUNCTION pg_temp.altered(statement text, OUT before bigint[], OUT altered bigint[], OUT rolled_back bigint[],
	OUT altered_again bigint[]) LANGUAGE plpgsql AS $$
DECLARE
	seq oid;
BEGIN
	CREATE SEQUENCE s CACHE 10;
	seq := 's'::regclass;
	before := pg_temp.three(seq);
	BEGIN
		EXECUTE statement;
		altered := pg_temp.three(seq);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		rolled_back := pg_temp.three(seq);
	END;
	EXECUTE statement;
	altered_again := pg_temp.three(seq);
	EXECUTE 'DROP SEQUENCE ' || seq::regclass;
END $$;
SELECT statement, a.* FROM unnest(ARRAY['ALTER SEQUENCE s RESTART', 'ALTER SEQUENCE s RESTART 500',
	'ALTER SEQUENCE s INCREMENT 5', 'ALTER SEQUENCE s MAXVALUE 40',
	'ALTER SEQUENCE s CACHE 3', 'ALTER SEQUENCE s AS int', 'ALTER SEQUENCE s START 700', 'ALTER SEQUENCE s START 700 RESTART',
	'ALTER SEQUENCE s RESTART 11 MAXVALUE 12 CYCLE', 'ALTER SEQUENCE s SET UNLOGGED; ALTER SEQUENCE s SET LOGGED',
	'ALTER SEQUENCE s RESTART; ALTER SEQUENCE s RESTART 20',
	'ALTER SEQUENCE s RESTART 900; SELECT gid_next(''s''); ALTER SEQUENCE s RESTART 800',
	'ALTER SEQUENCE s OWNED BY owner.id; TRUNCATE owner RESTART IDENTITY',
	'SELECT setval(''s'', 600)', 'SELECT gid_forget(''s'')']) AS statement,
	pg_temp.altered(statement) AS a;
-- What leaves the values alone: none comes again, and there is no gap but for the
-- rest of a block.
SELECT statement, (SELECT count(DISTINCT value) FROM unnest(before || altered || rolled_back || altered_again) AS value) AS different,
	before || altered || rolled_back || altered_again =
		ARRAY(SELECT unnest(before || altered || rolled_back || altered_again) ORDER BY 1) AS in_order,
	altered_again[3] <= 43 AS near
FROM unnest(ARRAY['ALTER SEQUENCE s RENAME TO renamed', 'ALTER SEQUENCE s OWNER TO regress_gid_user',
	'ALTER SEQUENCE s SET SCHEMA regress_gid_theirs', 'ALTER SEQUENCE s OWNED BY owner.id', 'ALTER SEQUENCE s OWNED BY NONE',
	'GRANT ALL ON SEQUENCE s TO PUBLIC', 'REVOKE ALL ON SEQUENCE s FROM PUBLIC', 'COMMENT ON SEQUENCE s IS ''a comment''',
	'ALTER TABLE owner ADD COLUMN more int DEFAULT gid_next(''s''); ALTER TABLE owner DROP COLUMN more',
	'ANALYZE owner', 'SELECT 1']) AS statement,
	pg_temp.altered(statement) AS a;

-- What is drawn after an ALTER in the same transaction does not come again when
-- that is rolled back, altogether or to a savepoint.
CREATE FUNCTION pg_temp.drawn(seq regclass, n int) RETURNS bigint[] LANGUAGE sql VOLATILE AS
	'SELECT ARRAY(SELECT gid_next(seq) FROM generate_series(1, n))';
\set include :srcdir '/sql/include/altered.sql'
\set created 'CACHE 1' \set altered 'CACHE 3' \set again 'CACHE 7'
\i :include
\set created 'CACHE 10' \set altered 'MAXVALUE 1000' \set again 'INCREMENT 7'
\i :include
\set created 'INCREMENT -1 CACHE 3' \set altered 'INCREMENT -2' \set again 'INCREMENT -3'
\i :include
\set created 'AS int' \set altered 'AS bigint' \set again 'START 5'
\i :include
\set created 'CACHE 5' \set altered 'RESTART 500' \set again 'RESTART 1000'
\i :include
\set created 'MAXVALUE 1000' \set altered 'NO MAXVALUE' \set again 'AS int MAXVALUE 900'
\i :include
-- In the transaction that creates the sequence.
BEGIN;
CREATE SEQUENCE s CACHE 10;
SELECT pg_temp.drawn('s', 5) AS drawn \gset a_
SAVEPOINT x;
ALTER SEQUENCE s CACHE 3;
SELECT pg_temp.drawn('s', 50) AS drawn \gset b_
ROLLBACK TO SAVEPOINT x;
SELECT pg_temp.drawn('s', 50) AS drawn \gset c_
SELECT count(value) AS values, count(DISTINCT value) AS different
FROM unnest(:'a_drawn'::bigint[] || :'b_drawn' || :'c_drawn') AS value;
COMMIT;
DROP SEQUENCE s;
-- Where the sequence as it was cannot follow.
CREATE SEQUENCE s MAXVALUE 10;
BEGIN;
ALTER SEQUENCE s MAXVALUE 20 CACHE 5;
SELECT array_length(pg_temp.drawn('s', 10), 1) AS drawn;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next('s')$$, $$SELECT * FROM gid_next_many('s', 2)$$) AS e;
COMMIT;
SELECT gid_next('s') > 10 AS beyond;
BEGIN;
ALTER SEQUENCE s INCREMENT -1;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
COMMIT;
SELECT gid_next('s') BETWEEN 1 AND 20 AS downwards;
DROP SEQUENCE s;

-- What is wound back and drawn comes no third time: a block that holds it is ended.
CREATE SEQUENCE s CACHE 50;
SELECT pg_temp.drawn('s', 5) AS drawn;
BEGIN;
ALTER SEQUENCE s RESTART 30;
SELECT pg_temp.drawn('s', 2) AS drawn;
ROLLBACK;
SELECT pg_temp.drawn('s', 2) AS drawn;
DROP SEQUENCE s;
-- An unlogged sequence whose SET LOGGED is undone.
CREATE UNLOGGED SEQUENCE s;
BEGIN;
ALTER SEQUENCE s SET LOGGED;
SELECT max(value) AS greatest FROM unnest(pg_temp.drawn('s', 20)) AS value \gset
ROLLBACK;
ALTER SEQUENCE s SET LOGGED;
SELECT gid_next('s') > :greatest AS beyond;
DROP SEQUENCE s;

-- The same from one transaction to the next.
CREATE SEQUENCE s CACHE 10 OWNED BY owner.id;
ALTER TABLE owner ALTER COLUMN id SET DEFAULT gid_next('s');
INSERT INTO owner VALUES (DEFAULT, 1), (DEFAULT, 2) RETURNING id;
TRUNCATE owner RESTART IDENTITY;
INSERT INTO owner VALUES (DEFAULT, 1), (DEFAULT, 2) RETURNING id;
ALTER SEQUENCE s RESTART 100;
INSERT INTO owner VALUES (DEFAULT, 3) RETURNING id;
ALTER SEQUENCE s INCREMENT 5;
INSERT INTO owner VALUES (DEFAULT, 4) RETURNING id;
ALTER SEQUENCE s RENAME TO renamed;
INSERT INTO owner VALUES (DEFAULT, 5) RETURNING id;
BEGIN;
TRUNCATE owner RESTART IDENTITY;
INSERT INTO owner VALUES (DEFAULT, 1), (DEFAULT, 2) RETURNING id;
ROLLBACK;
INSERT INTO owner VALUES (DEFAULT, 6) RETURNING id;
SELECT e.code, e.detail FROM pg_temp.expect('DROP SEQUENCE renamed') AS e;
DROP TABLE owner;
SELECT to_regclass('renamed');

-- Another sequence of the same name.
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

-- Sequences that come and go leave nothing behind: a session's memory stays as
-- it is, and the view has none of them.
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
		rounds := rounds + (SELECT count(*) FROM gid_stat_sequences WHERE sequence = 'round'::regclass);
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
SELECT :before - 1 - count(*) AS more FROM gid_stat_sequences;

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
