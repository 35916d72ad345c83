-- gid.authority_node(), gid.authority_confirm(), gid.authority_resume(): the leases of
-- node numbers on their authority, without other servers. All moments are in seconds
-- from :t on, which is the second in which the test began. extension.sql has who may call
-- the functions and read the tables.
\i sql/include/start.sql
LOAD 'gid';
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
ALTER SYSTEM SET gid.node_lease_max = '1000s';
\set until 'current_setting(''gid.node_lease_max'') = ''1000s'''
\i :reload
\set ECHO none
DELETE FROM gid.node_leases;
DELETE FROM gid.node_writer;
SELECT date_trunc('second', clock_timestamp()) AS t \gset
SELECT set_config('regress_gid.t', :'t', false) IS NOT NULL AS t \gset

-- at(seconds): a moment, and from(moment): its seconds. lease(): a call for holder
-- number n. leases: the table of leases.
CREATE FUNCTION pg_temp.at(seconds float8) RETURNS timestamptz LANGUAGE sql AS
	$$SELECT current_setting('regress_gid.t')::timestamptz + make_interval(secs => seconds)$$;
CREATE FUNCTION pg_temp.from(moment timestamptz) RETURNS int LANGUAGE sql AS
	$$SELECT extract(epoch FROM moment - current_setting('regress_gid.t')::timestamptz)::int$$;
CREATE FUNCTION pg_temp.lease(n int, since float8, until float8, held_node int DEFAULT NULL, held_until float8 DEFAULT NULL,
	max_node int DEFAULT 65535) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s [%s, %s)', a.node, pg_temp.from(a.since), pg_temp.from(a.until))
	FROM gid.authority_node(('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, held_node, pg_temp.at(held_until),
		pg_temp.at(since), pg_temp.at(until), max_node) AS a
$$;
CREATE TEMP VIEW leases AS
SELECT node, substr(holder::text, 36) AS holder, pg_temp.from(since) AS since, pg_temp.from(until) AS until
FROM gid.node_leases ORDER BY node;
\set ECHO all

-- The lowest free number. A second question of the same holder gets another number:
-- it has not got the first answer. Several calls of one statement, too.
SELECT pg_temp.lease(1, 0, 30);
SELECT pg_temp.lease(2, 0, 40), pg_temp.lease(2, 0, 50);
SELECT gid.authority_confirm();
-- A number is used again when its lease has ended, and not a second earlier.
SELECT pg_temp.lease(3, 29, 60), pg_temp.lease(3, 30, 60), pg_temp.lease(4, 45, 60, max_node => 258);
SELECT * FROM pg_temp.leases;
-- A lease is extended for its holder, who names the number and the end. The end never
-- becomes earlier, also when it has passed, nor does the beginning.
SELECT pg_temp.lease(3, 31, 70, 256, 60), pg_temp.lease(3, 32, 45, 256, 70), pg_temp.lease(3, 20, 70, 256, 70);
SELECT pg_temp.lease(5, -1000, -900), pg_temp.lease(5, -800, -700, 260, -900);
SELECT * FROM pg_temp.leases WHERE node IN (256, 260);
-- Another holder, another end or another number gets another lease. So does a
-- holder whose number is greater than it can use.
SELECT pg_temp.lease(6, 32, 80, 256, 70), pg_temp.lease(3, 32, 80, 256, 60), pg_temp.lease(3, 32, 80, 257, 70),
	pg_temp.lease(3, 32, 80, 256, NULL), pg_temp.lease(4, 90, 100, 258, 60, max_node => 257);
-- All numbers are leased: the error names the moment when the first lease ends.
SELECT e.code, replace(e.message, pg_temp.at(60)::text, 'T+60') AS message, e.detail, e.hint
FROM pg_temp.expect('SELECT pg_temp.lease(7, 59, 100, max_node => 257)') AS e;

-- The answer is cut to gid.node_lease_max from now on. What is left has ten seconds.
SELECT substr(pg_temp.lease(8, 120, 10000000), 1, 3);
SELECT until BETWEEN pg_temp.at(1000) AND clock_timestamp() + interval '1000 s' AS cut
FROM gid.node_leases WHERE holder::text LIKE '%8';
SELECT pg_temp.lease(9, 100, 110), pg_temp.lease(10, -16777216 + 600, -16777216 + 610);
-- Nor has a lease a negative length, as great as moments allow: no other lease would end
-- after its beginning.
SELECT e.statements, e.code, regexp_replace(e.message, '\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d[+]00', 'MOMENT', 'g') AS message, e.detail, e.hint
FROM pg_temp.alike('SELECT pg_temp.lease(9, 100, 109)', 'SELECT pg_temp.lease(9, 2000, 2060)', 'SELECT pg_temp.lease(9, -16777217, 100)',
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, '294276-12-31 23:59:59', '1970-01-01', 65535)$$) AS e;
SELECT e.statements, e.code, e.message, e.detail, e.hint FROM pg_temp.alike(
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, 'epoch', 'epoch', NULL)$$,
	'SELECT pg_temp.lease(1, 100, 120, max_node => -1)',
	'SELECT pg_temp.lease(1, 100, 120, max_node => 65536)',
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, '1969-12-31 23:59:59', now(), 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, 'epoch', 'infinity', 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), 256, '2026-01-01 00:00:00.000001', '2026-01-01', '2026-01-01', 300)$$) AS e;
-- gid.node_first. A lease of a lower number goes on.
ALTER SYSTEM SET gid.node_first = 65535;
\set until 'current_setting(''gid.node_first'') = ''65535'''
\i :reload
SELECT pg_temp.lease(11, 0, 60);
SELECT e.code FROM pg_temp.expect('SELECT pg_temp.lease(13, 0, 60)') AS e;
SELECT pg_temp.lease(9, 105, 120, 257, 110);
ALTER SYSTEM RESET gid.node_first;
\set until 'current_setting(''gid.node_first'') = ''256'''
\i :reload
-- A transaction that is rolled back has leased nothing.
BEGIN;
SELECT pg_temp.lease(14, 200, 220);
ROLLBACK;
SELECT pg_temp.lease(16, 200, 220);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT e.code, e.message, e.hint FROM pg_temp.expect('SELECT pg_temp.lease(1, 300, 320)') AS e;
COMMIT;
BEGIN READ ONLY;
SELECT e.message FROM pg_temp.expect('SELECT pg_temp.lease(1, 300, 320)', 'SELECT gid.authority_confirm()', 'SELECT gid.authority_resume()') AS e;
COMMIT;

-- Leases may be missing here: another system, timeline or database has written the leases,
-- a dump was loaded, or a row stands beside the extension's own. No lease begins for twice
-- the greatest gid.node_lease_max that was in force. Asking again does not make the pause
-- longer. A superuser ends it.
ALTER SYSTEM RESET gid.node_lease_max;
\set until 'current_setting(''gid.node_lease_max'') = ''5min'''
\i :reload
-- The moment from which on numbers are leased, if the answer is that alone.
\set ECHO none
CREATE FUNCTION pg_temp.begins() RETURNS timestamptz LANGUAGE sql AS $$
	SELECT since FROM gid.authority_node('00000000-0000-4000-8000-000000000000', NULL, NULL, pg_temp.at(0), pg_temp.at(60), 65535)
	WHERE node IS NULL AND until IS NULL
$$;
CREATE FUNCTION pg_temp.pause(change text, OUT pause int, OUT same boolean, OUT resumed boolean[]) LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := date_trunc('second', clock_timestamp());
	own gid.node_writer;
	begins timestamptz;
BEGIN
	SELECT * INTO own FROM gid.node_writer;
	EXECUTE change;
	begins := pg_temp.begins();
	SELECT s INTO pause FROM unnest(ARRAY[2000, 172800]) AS s
	WHERE begins BETWEEN start + make_interval(secs => s) AND clock_timestamp() + make_interval(secs => s);
	same := pg_temp.begins() = begins;
	resumed := ARRAY[gid.authority_resume(), gid.authority_resume()];
	DELETE FROM gid.node_writer;
	INSERT INTO gid.node_writer SELECT own.*;
END $$;
\set ECHO all
SELECT change, p.* FROM unnest(ARRAY['UPDATE gid.node_writer SET timeline = timeline - 1', 'UPDATE gid.node_writer SET system_identifier = 1',
	'UPDATE gid.node_writer SET database = 1', 'UPDATE gid.node_writer SET leases = 1', 'INSERT INTO gid.node_writer TABLE gid.node_writer',
	'INSERT INTO gid.node_writer SELECT 1, 1, 1, 1, 2147483647, ''infinity''']) AS change, pg_temp.pause(change) AS p;
SELECT pg_temp.lease(17, 200, 220);
-- A lease that the table knows is not extended before the end of the pause, either. The
-- pause that is over here is not over for a server whose clock is behind.
UPDATE gid.node_writer SET begins = pg_temp.at(250);
SELECT a.node, pg_temp.from(a.since) AS begins, a.until FROM gid.node_leases AS l, gid.authority_node(l.holder, l.node, l.until,
	pg_temp.at(249), pg_temp.at(290), 65535) AS a WHERE l.holder::text LIKE '%17';
SELECT pg_temp.lease(18, 250, 260);
UPDATE gid.node_writer SET begins = pg_temp.at(-10);
SELECT gid.authority_resume(), gid.authority_resume();
-- When the setting was lowered, and all leases that may run end within the new limit,
-- the pause is as short as the new setting says.
SELECT lease_max FROM gid.node_writer;
DELETE FROM gid.node_leases WHERE until > clock_timestamp() + interval '290 s';
SELECT pg_temp.lease(18, 251, 261) IS NOT NULL AS leased;
SELECT lease_max FROM gid.node_writer;
-- No row. On the first timeline nothing was lost.
DELETE FROM gid.node_writer;
SELECT gid.authority_resume();
-- The view shows the leases that run, and the client of the last request.
SET application_name = 'one';
SELECT pg_temp.lease(20, -5, 250) IS NOT NULL AS held, pg_temp.lease(20, -500, -490) IS NOT NULL AS ended;
SELECT count(*) > 0 AS leases, bool_or(is_held) AS some_held, bool_and(is_held) AS all_held, count(DISTINCT client_address) AS addresses,
	max(client_name) FILTER (WHERE holder::text LIKE '%20') AS client
FROM gid.stat_node_leases;

-- A table that was changed is an error, and whatever another owner puts on it, his code
-- does not run: his function says who calls it. The calls below name gid's functions by
-- their OIDs, so they go on when the schema is renamed.
\set ECHO none
CREATE ROLE regress_gid_user;
CREATE ROLE regress_gid_super SUPERUSER;
CREATE SCHEMA regress_gid_trap;
GRANT ALL ON SCHEMA regress_gid_trap TO regress_gid_user;
SET ROLE regress_gid_user;
CREATE FUNCTION regress_gid_trap.run(node int DEFAULT 0) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF current_user <> 'regress_gid_user' THEN
		RAISE 'code of the other owner runs as %', current_user;
	END IF;
	RETURN node;
END $$;
CREATE FUNCTION regress_gid_trap.fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM regress_gid_trap.run(); RETURN NEW; END';
RESET ROLE;
CREATE FUNCTION pg_temp.bound_lease() RETURNS int VOLATILE BEGIN ATOMIC
	SELECT a.node FROM gid.authority_node('00000000-0000-4000-8000-000000000021', NULL, NULL, pg_temp.at(-2000), pg_temp.at(-1990), 65535) AS a;
END;
CREATE FUNCTION pg_temp.bound_resume() RETURNS boolean VOLATILE BEGIN ATOMIC
	SELECT gid.authority_resume();
END;
CREATE TEMP VIEW bound_view AS SELECT * FROM gid.stat_node_leases;
-- The results of a lease, of a resumption and of the view, and how many leases of the call
-- the view shows.
CREATE FUNCTION pg_temp.call(OUT codes text, OUT leased bigint) LANGUAGE plpgsql AS $$
BEGIN
	SELECT string_agg(e.code || CASE WHEN e.message ~ 'the other owner' THEN ' ' || e.message ELSE '' END, ' ') INTO codes
	FROM pg_temp.expect('SELECT pg_temp.bound_lease()', 'SELECT pg_temp.bound_resume()', 'TABLE bound_view') AS e;
	IF codes ~ '00000$' THEN
		SELECT count(*) INTO leased FROM bound_view WHERE holder::text LIKE '%21';
	END IF;
END $$;
-- The same after a change, which is undone then.
CREATE FUNCTION pg_temp.changed(changes text[]) RETURNS TABLE (change text, codes text, leased bigint) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH change IN ARRAY changes LOOP
		BEGIN
			EXECUTE replace(change, 'TRAP', 'regress_gid_trap.run(0)');
			RESET ROLE;
			SELECT c.codes, c.leased INTO codes, leased FROM pg_temp.call() AS c;
			RAISE 'roll back' USING ERRCODE = 'ZZ000';
		EXCEPTION WHEN SQLSTATE 'ZZ000' THEN
			RETURN NEXT;
		END;
	END LOOP;
END $$;
\set ECHO all
SELECT c.change, c.codes, c.leased FROM pg_temp.changed(ARRAY[
	'ALTER TABLE gid.node_leases OWNER TO regress_gid_super',
	'ALTER TABLE gid.node_leases OWNER TO regress_gid_user',
	'ALTER TABLE gid.node_writer OWNER TO regress_gid_user',
	'ALTER TABLE gid.node_leases OWNER TO regress_gid_super; REASSIGN OWNED BY regress_gid_super TO regress_gid_user',
	'ALTER ROLE regress_gid_super NOSUPERUSER; ALTER TABLE gid.node_leases OWNER TO regress_gid_super',
	'ALTER SCHEMA gid RENAME TO gid_other; CREATE SCHEMA gid AUTHORIZATION regress_gid_user; SET ROLE regress_gid_user; CREATE TABLE gid.node_leases (node int CHECK (TRAP = 0)); CREATE TABLE gid.node_writer (node int)',
	'ALTER TABLE gid.node_leases RENAME TO other',
	'ALTER EXTENSION gid DROP TABLE gid.node_leases',
	'ALTER EXTENSION gid DROP TABLE gid.node_writer',
	'ALTER EXTENSION gid DROP TABLE gid.node_writer; DROP TABLE gid.node_writer',
	'ALTER EXTENSION gid DROP TABLE gid.node_leases; CREATE TABLE node_leases (LIKE gid.node_leases INCLUDING ALL); ALTER TABLE node_leases OWNER TO regress_gid_user; ALTER EXTENSION gid ADD TABLE node_leases',
	'CREATE TRIGGER t BEFORE INSERT ON gid.node_writer FOR EACH ROW EXECUTE FUNCTION regress_gid_trap.fire()',
	'ALTER TABLE gid.node_leases ADD CHECK (TRAP = 0) NOT VALID, ALTER client_name SET DEFAULT TRAP, ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY p ON gid.node_leases USING (TRAP = 0)',
	'ALTER TABLE gid.node_leases DROP CONSTRAINT node_leases_pkey',
	'ALTER TABLE gid.node_leases DROP CONSTRAINT node_leases_pkey, ADD PRIMARY KEY (node) DEFERRABLE',
	'CREATE UNIQUE INDEX ON gid.node_leases (node)',
	'CREATE INDEX ON gid.node_leases (until)',
	'CREATE UNIQUE INDEX ON gid.node_leases (node) WHERE node < 0',
	'CREATE INDEX ON gid.node_writer (timeline)',
	'ALTER TABLE gid.node_leases SET UNLOGGED',
	'ALTER TABLE gid.node_leases ADD more int',
	'ALTER TABLE gid.node_leases ALTER client_name TYPE varchar',
	'ALTER TABLE gid.node_leases ALTER client_name DROP NOT NULL; UPDATE gid.node_leases SET client_name = NULL',
	'ALTER TABLE gid.node_writer ALTER begins DROP NOT NULL; UPDATE gid.node_writer SET begins = NULL']) AS c;
-- What the other owner has left when a superuser has the table again.
\set mine 'ALTER TABLE gid.node_leases OWNER TO regress_gid_user; SET ROLE regress_gid_user; '
\set back '; RESET ROLE; ALTER TABLE gid.node_leases OWNER TO CURRENT_USER'
SELECT c.change, c.codes, c.leased FROM unnest(ARRAY[
	'CREATE RULE r AS ON INSERT TO gid.node_leases DO ALSO SELECT TRAP',
	'CREATE TRIGGER t BEFORE UPDATE ON gid.node_leases FOR EACH ROW EXECUTE FUNCTION regress_gid_trap.fire()',
	'CREATE POLICY p ON gid.node_leases USING (TRAP = 0); ALTER TABLE gid.node_leases FORCE ROW LEVEL SECURITY, ENABLE ROW LEVEL SECURITY',
	'CREATE TABLE regress_gid_trap.child (CHECK (TRAP = 0)) INHERITS (gid.node_leases)']) AS one(change),
	LATERAL pg_temp.changed(ARRAY[:'mine' || one.change || :'back']) AS w (whole, codes, leased), LATERAL (SELECT one.change, w.codes, w.leased) AS c;
-- Indexes are committed: a session that has made one keeps its expression as evaluated.
GRANT CREATE ON SCHEMA gid TO regress_gid_user;
ALTER TABLE gid.node_leases OWNER TO regress_gid_user;
SET ROLE regress_gid_user;
CREATE UNIQUE INDEX partial ON gid.node_leases (node) WHERE node > regress_gid_trap.run(0);
CREATE INDEX expression ON gid.node_leases ((node + regress_gid_trap.run(0)));
RESET ROLE;
ALTER TABLE gid.node_leases OWNER TO CURRENT_USER;
SELECT * FROM pg_temp.call();
DROP INDEX gid.expression;
SELECT * FROM pg_temp.call();
DROP INDEX gid.partial;
REVOKE CREATE ON SCHEMA gid FROM regress_gid_user;
SELECT * FROM pg_temp.call();
BEGIN;
ALTER TABLE gid.node_leases OWNER TO regress_gid_user;
SELECT e.message, e.detail, e.hint FROM pg_temp.expect('SELECT pg_temp.bound_lease()') AS e;
ROLLBACK;

-- Clean up.
DELETE FROM gid.node_leases;
DELETE FROM gid.node_writer;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_trap CASCADE;
DROP ROLE regress_gid_user, regress_gid_super;
