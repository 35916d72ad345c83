-- Errors of gid_next(), gid_next_many() and gid_forget(), which are those of
-- nextval(): the end of a sequence, relations that are no permanent sequence,
-- dropped sequences, privileges, read-only transactions, parallel plans.
\i sql/include/start.sql
\i :sequence
\i :parallel

CREATE SEQUENCE s MAXVALUE 2;
SELECT gid_next('s'), gid_next('s');
SELECT e.* FROM pg_temp.alike('SELECT gid_next(''s'')', 'SELECT gid_next_many(''s'', 1)') AS e;
ALTER SEQUENCE s INCREMENT -1 MINVALUE 1 RESTART 1;
SELECT gid_next('s');
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_next(''s'')') AS e;
ALTER SEQUENCE s INCREMENT 1 NO MAXVALUE;

-- A crash resets temporary and unlogged sequences.
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE unlogged;
SELECT e.* FROM pg_temp.alike('SELECT gid_next(''temporary'')', 'SELECT gid_next(''unlogged'')',
	'SELECT gid_next_many(''temporary'', 2)', 'SELECT gid_forget(''unlogged'')') AS e;
ALTER SEQUENCE unlogged SET LOGGED;
SELECT gid_next('unlogged');
ALTER SEQUENCE unlogged SET UNLOGGED;
SELECT e.code FROM pg_temp.expect('SELECT gid_next(''unlogged'')') AS e;

-- Relations that are no sequence, a sequence that never was, one that is
-- dropped.
CREATE TABLE a_table (a int PRIMARY KEY);
SELECT e.statements, e.code, e.message, e.detail FROM pg_temp.alike('SELECT gid_next(''a_table'')',
	'SELECT gid_next_many(''a_table'', 1)', 'SELECT gid_forget(''a_table'')', 'SELECT gid_next(''a_table_pkey'')',
	'SELECT gid_next(0)', 'SELECT gid_next_many(0, 1)', 'SELECT gid_forget(0)') AS e;
CREATE SEQUENCE dropped;
SELECT 'dropped'::regclass::oid AS dropped \gset
BEGIN;
SELECT gid_next(:dropped);
SAVEPOINT a;
DROP SEQUENCE dropped;
SELECT e.code, count(*) FROM pg_temp.expect('SELECT gid_next(' || :dropped || ')', 'SELECT gid_forget(' || :dropped || ')',
	'SELECT gid_next_many(' || :dropped || ', 1)') AS e GROUP BY 1;
ROLLBACK TO SAVEPOINT a;
SELECT gid_next(:dropped);
\set ECHO none
COMMIT;

--
-- Privileges
--
-- Each alone, with gid_next(), nextval() and gid_forget().
CREATE SEQUENCE regress_gid_theirs.s;
CREATE FUNCTION pg_temp.with_privilege(privilege text)
RETURNS TABLE (code text, message text, as_nextval boolean, forget text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('GRANT %s ON SEQUENCE s, regress_gid_theirs.s TO regress_gid_user', privilege);
	SET LOCAL ROLE regress_gid_user;
	RETURN QUERY SELECT s.*, f.code FROM pg_temp.expect('SELECT gid_forget(''s'')') AS f,
		pg_temp.same('SELECT gid_next(''s'')', 'SELECT nextval(''regress_gid_theirs.s'')') AS s;
	RESET ROLE;
	REVOKE ALL ON SEQUENCE s, regress_gid_theirs.s FROM regress_gid_user;
END $$;
\set ECHO all
SELECT privilege, p.* FROM unnest(ARRAY['SELECT', 'USAGE', 'UPDATE']) AS privilege,
	pg_temp.with_privilege(privilege) AS p;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.alike('SELECT gid_next(''s'')', 'SELECT gid_next_many(''s'', 1)', 'SELECT gid_forget(''s'')') AS e;
RESET ROLE;
-- Changes in a transaction that has drawn: another role, a privilege that is
-- granted and revoked.
CREATE FUNCTION pg_temp.as_user() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL ROLE regress_gid_user;
	RETURN (SELECT code FROM pg_temp.expect('SELECT gid_next(''s'')'));
END $$;
BEGIN;
SELECT gid_next('s') > 0 AS drawn, pg_temp.as_user();
RESET ROLE;
GRANT USAGE ON SEQUENCE s TO regress_gid_user;
SELECT gid_next('s') > 0 AS drawn, pg_temp.as_user();
RESET ROLE;
SAVEPOINT a;
REVOKE USAGE ON SEQUENCE s FROM regress_gid_user;
SELECT pg_temp.as_user();
ROLLBACK TO SAVEPOINT a;
SELECT pg_temp.as_user();
ROLLBACK;
-- A SECURITY DEFINER function draws with its owner's privilege. Its caller
-- does not get that, before or after.
CREATE FUNCTION definer() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS $$SELECT gid_next('regress_gid_mine.s')$$;
CREATE FUNCTION pg_temp.directly(after bigint) RETURNS text LANGUAGE sql AS
	$$SELECT code FROM pg_temp.expect('SELECT gid_next(''s'')')$$;
SET ROLE regress_gid_user;
SELECT pg_temp.directly(0) AS before, pg_temp.directly(definer()) AS after, definer() > 0 AS drawn_again;
RESET ROLE;

--
-- Read-only transactions, with or without an open block, and NULL
--
BEGIN READ ONLY;
SELECT mine, s.* FROM unnest(ARRAY['gid_next(''s'')', 'gid_next_many(''s'', 2)', 'gid_forget(''s'')']) AS mine,
	pg_temp.same('SELECT ' || mine, 'SELECT nextval(''s'')') AS s;
COMMIT;
BEGIN;
SELECT gid_next('s') > 0 AS drawn;
SET TRANSACTION READ ONLY;
SELECT e.code FROM pg_temp.expect('SELECT gid_next(''s'')') AS e;
COMMIT;
SELECT num_nulls(gid_next(NULL), gid_forget(NULL)) AS nulls, (SELECT count(*) FROM gid_next_many(NULL, 1)) AS many;

--
-- Parallel plans: a worker never draws
--
CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) AS n;
ANALYZE source;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT pg_temp.force_parallel('on');
SELECT query, pg_temp.gathers('SELECT ' || query) FROM unnest(ARRAY['n FROM source',
	'gid_next(''s'') FROM source', 'gid_next_many(''s'', 2) FROM source', 'n FROM source, gid_next_many(''s'', 2)']) AS query;
-- Nor does a function that is labelled PARALLEL SAFE.
CREATE FUNCTION safe(call text) RETURNS void LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN EXECUTE call; END$$;
SELECT s.* FROM unnest(ARRAY['gid_next(''s'')', 'gid_next_many(''s'', 2)', 'gid_forget(''s'')']) AS mine,
	pg_temp.same(format('SELECT safe(%L)', 'SELECT ' || mine), 'SELECT safe(''SELECT nextval(''''s'''')'')') AS s;
-- Nor does a cursor that has given a value before the parallel operation.
CREATE FUNCTION fetch_one(c refcursor) RETURNS bigint LANGUAGE plpgsql PARALLEL RESTRICTED AS
	$$DECLARE id bigint; BEGIN FETCH c INTO id; RETURN id; END$$;
BEGIN;
DECLARE c CURSOR FOR SELECT gid_next('s') FROM generate_series(1, 10);
FETCH c \g /dev/null
SELECT fetch_one('c') FROM (SELECT n % 7 FROM source GROUP BY 1 OFFSET 0) AS d;
ROLLBACK;
SELECT pg_temp.force_parallel('off');

SET client_min_messages = warning;
DROP SCHEMA regress_gid_mine, regress_gid_theirs CASCADE;
DROP ROLE regress_gid_user;
