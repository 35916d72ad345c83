-- ALTER SEQUENCE and TRUNCATE ... RESTART IDENTITY: which values gid_next()
-- gives after them, after their rollback, and after they are done again.
\i sql/include/start.sql
\i :sequence

-- Draws three values before a statement, after it, after its rollback, and
-- after it is done again. It draws by OID, because a statement may rename the
-- sequence.
\set ECHO none
CREATE TABLE owner (id int);
CREATE FUNCTION pg_temp.three(seq oid) RETURNS bigint[] LANGUAGE sql AS
	$$SELECT ARRAY(SELECT gid_next(seq) FROM generate_series(1, 3))$$;
CREATE FUNCTION pg_temp.altered(statement text, OUT before bigint[], OUT altered bigint[],
	OUT rolled_back bigint[], OUT altered_again bigint[]) LANGUAGE plpgsql AS $$
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
\set ECHO all
SELECT statement, a.* FROM unnest(ARRAY['ALTER SEQUENCE s RESTART 500',
	'ALTER SEQUENCE s INCREMENT 5', 'ALTER SEQUENCE s MAXVALUE 40', 'ALTER SEQUENCE s CACHE 3',
	'ALTER SEQUENCE s RESTART 11 MAXVALUE 12 CYCLE',
	'ALTER SEQUENCE s SET UNLOGGED; ALTER SEQUENCE s SET LOGGED',
	'ALTER SEQUENCE s RESTART 900; SELECT gid_next(''s''); ALTER SEQUENCE s RESTART 800',
	'ALTER SEQUENCE s OWNED BY owner.id; TRUNCATE owner RESTART IDENTITY',
	'SELECT setval(''s'', 600)', 'SELECT gid_forget(''s'')']) AS statement,
	pg_temp.altered(statement) AS a;
-- Statements that leave the values alone. No value comes twice, and at most
-- the rest of a block is missing.
SELECT statement, count(DISTINCT value), bool_and(value > earlier) AS in_order, max(value) <= 43 AS near
FROM unnest(ARRAY['ALTER SEQUENCE s RENAME TO renamed', 'ALTER SEQUENCE s OWNER TO regress_gid_user',
	'ALTER SEQUENCE s SET SCHEMA regress_gid_theirs', 'GRANT ALL ON SEQUENCE s TO PUBLIC']) AS statement,
	pg_temp.altered(statement) AS a,
	LATERAL (SELECT value, lag(value) OVER (ORDER BY n) AS earlier
		FROM unnest(a.before || altered || rolled_back || altered_again) WITH ORDINALITY AS u (value, n)) AS v
GROUP BY statement ORDER BY statement COLLATE "C";

-- A rollback brings back each earlier file, whose own values go on. The values
-- of the new file come again.
CREATE SEQUENCE o CACHE 10;
SELECT gid_next('o');
BEGIN;
ALTER SEQUENCE o RESTART 1000;
SELECT gid_next('o');
SAVEPOINT x;
ALTER SEQUENCE o RESTART 2000;
SELECT gid_next('o');
SELECT min(v), max(v) FROM gid_next_many('o', 5) AS v;
ROLLBACK TO SAVEPOINT x;
SELECT gid_next('o');
ROLLBACK;
SELECT gid_next('o');
-- Rounds of TRUNCATE ... RESTART IDENTITY that are rolled back use up no
-- numbers of the table that stays.
\set ECHO none
CREATE TABLE t (id bigint PRIMARY KEY);
CREATE SEQUENCE t_seq OWNED BY t.id;
DO $$
BEGIN
	FOR i IN 1..100 LOOP
		BEGIN
			TRUNCATE t RESTART IDENTITY;
			INSERT INTO t SELECT gid_next('t_seq') FROM generate_series(1, 1000);
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
		END;
		INSERT INTO t VALUES (gid_next('t_seq'));
	END LOOP;
END $$;
\set ECHO all
SELECT count(*), max(id) <= 200 AS few FROM t;
-- A GRANT on the database ends no block.
DO $$
BEGIN
	FOR i IN 1..20 LOOP
		EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO PUBLIC', current_database());
	END LOOP;
END $$;
SELECT gid_next('o');

-- PostgreSQL locks no object of class pg_class, and no advisory lock of class 3. gid alone
-- does, while it asks other servers.
BEGIN;
CREATE TABLE locked (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n serial);
COMMENT ON SEQUENCE locked_n_seq IS 'locked';
GRANT ALL ON SEQUENCE locked_n_seq TO PUBLIC;
ALTER SEQUENCE locked_n_seq OWNED BY NONE RESTART 5 CACHE 3;
ALTER SEQUENCE locked_n_seq OWNER TO regress_gid_user;
ALTER SEQUENCE locked_n_seq SET SCHEMA regress_gid_theirs;
TRUNCATE locked RESTART IDENTITY;
SELECT setval('regress_gid_theirs.locked_n_seq', 9), nextval('regress_gid_theirs.locked_n_seq') AS next,
	pg_advisory_xact_lock(1), pg_advisory_xact_lock(1, 2);
ALTER TABLE locked ALTER n DROP DEFAULT, ALTER id DROP IDENTITY;
DROP SEQUENCE regress_gid_theirs.locked_n_seq;
SELECT bool_or(classid = 'pg_namespace'::regclass) AS schema, bool_or(classid = 'pg_class'::regclass) AS relation
FROM pg_locks WHERE locktype = 'object' AND pid = pg_backend_pid();
SELECT DISTINCT objsubid AS class FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY class;
ROLLBACK;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_mine, regress_gid_theirs CASCADE;
DROP ROLE regress_gid_user;
