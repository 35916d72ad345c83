-- gid.authority_node(), gid.authority_confirm(), gid.authority_resume(): the leases of
-- node numbers on their authority, without other servers. All moments are in seconds
-- from :t on, which is the second in which the test began.
\i sql/include/start.sql
\i :parallel
LOAD 'gid';
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
ALTER SYSTEM SET gid.node_lease_max = '1000s';
\set until 'current_setting(''gid.node_lease_max'') = ''1000s'''
\i :reload
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

-- The lowest free number. A second question of the same holder gets another number:
-- it has not got the first answer.
SELECT count(*) AS writers FROM gid.node_writer;
SELECT pg_temp.lease(1, 0, 30);
SELECT pg_temp.lease(2, 0, 40);
SELECT pg_temp.lease(2, 0, 50);
SELECT * FROM pg_temp.leases;
SELECT system_identifier = (SELECT system_identifier FROM pg_control_system()) AS system,
	timeline = (SELECT timeline_id FROM pg_control_checkpoint()) AS timeline,
	database = (SELECT oid FROM pg_database WHERE datname = current_database()) AS database,
	leases = 'gid.node_leases'::regclass AS leases, lease_max, begins
FROM gid.node_writer;
SELECT gid.authority_confirm();
-- Several calls in one statement give each a number of its own.
SELECT count(DISTINCT a.node) AS numbers FROM generate_series(4, 6) AS i,
	gid.authority_node(('00000000-0000-4000-8000-00000000000' || i)::uuid, NULL, NULL, pg_temp.at(0), pg_temp.at(10), 65535) AS a;
DELETE FROM gid.node_leases WHERE until = pg_temp.at(10);

-- A number is used again when its lease has ended, and not a second earlier.
SELECT pg_temp.lease(3, 29, 60);
SELECT pg_temp.lease(3, 30, 60);
SELECT pg_temp.lease(4, 45, 60, max_node => 258);
SELECT * FROM pg_temp.leases;

-- A lease is extended for its holder, who names the number and the end. The end never
-- becomes earlier, also when it has passed.
SELECT pg_temp.lease(3, 31, 70, 256, 60);
SELECT pg_temp.lease(3, 32, 45, 256, 70);
-- Not before the lease began: another holder had the seconds before.
SELECT pg_temp.lease(3, 20, 70, 256, 70);
SELECT * FROM pg_temp.leases WHERE node = 256;
SELECT pg_temp.lease(5, -1000, -900);
SELECT pg_temp.lease(5, -800, -700, 260, -900);
SELECT pg_temp.lease(5, -700, -690, 260, -700);
SELECT pg_temp.lease(5, -720, -710, 260, -690);
SELECT * FROM pg_temp.leases WHERE node = 260;

-- Another holder, another end or another number gets another lease. So does a
-- holder whose number is greater than it can use.
SELECT pg_temp.lease(6, 32, 80, 256, 70);
SELECT pg_temp.lease(3, 32, 80, 256, 60);
SELECT pg_temp.lease(3, 32, 80, 257, 70);
SELECT pg_temp.lease(3, 32, 80, 256, NULL);
SELECT pg_temp.lease(3, 32, 80, NULL, 70);
SELECT pg_temp.lease(4, 60, 90, 257, 60, max_node => 257);
SELECT pg_temp.lease(4, 90, 100, 257, 90, max_node => 256);
SELECT * FROM pg_temp.leases;

-- All numbers are leased.
SELECT e.code, replace(e.message, pg_temp.at(50)::text, 'T+50') AS message, e.detail, e.hint
FROM pg_temp.expect('SELECT pg_temp.lease(7, 49, 100, max_node => 259)', 'SELECT pg_temp.lease(7, 0, 100, max_node => 255)',
	'SELECT pg_temp.lease(3, 31, 100, 256, 70, max_node => 255)') AS e;
SELECT pg_temp.lease(7, 50, 100, max_node => 259);

-- The answer is cut to gid.node_lease_max from now on. What is left has ten seconds.
SELECT substr(pg_temp.lease(8, 80, 10000000), 1, 7);
SELECT until BETWEEN pg_temp.at(1000) AND clock_timestamp() + interval '1000 s' AS cut
FROM gid.node_leases WHERE holder::text LIKE '%8';
CREATE FUNCTION pg_temp.without_moments(text) RETURNS text LANGUAGE sql AS
	$$SELECT regexp_replace($1, '\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+]00', 'MOMENT', 'g')$$;
SELECT e.statement, e.code, pg_temp.without_moments(e.message) AS message, e.detail, e.hint
FROM pg_temp.expect('SELECT pg_temp.lease(9, 100, 109)', 'SELECT pg_temp.lease(9, 2000, 2060)', 'SELECT pg_temp.lease(9, 100, 100)',
	'SELECT pg_temp.lease(9, 100, 90)', 'SELECT pg_temp.lease(9, -16777217, 100)') AS e;
-- Nor has a lease a negative length, as great as moments allow: no other lease would end
-- after its beginning.
SELECT e.code
FROM pg_temp.expect($$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, '294276-12-31 23:59:59', '1970-01-01', 65535)$$) AS e;
SELECT pg_temp.lease(9, 100, 110);
SELECT pg_temp.lease(10, -16777216 + 600, -16777216 + 610);

-- Arguments.
SELECT e.statements, e.code, e.message, e.detail, e.hint FROM pg_temp.alike(
	$$SELECT gid.authority_node(NULL, NULL, NULL, now(), now(), 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, NULL, now(), 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, now(), NULL, 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, 'epoch', 'epoch', NULL)$$,
	'SELECT pg_temp.lease(1, 100, 120, max_node => -1)',
	'SELECT pg_temp.lease(1, 100, 120, max_node => 65536)',
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, '-infinity', now(), 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, '1969-12-31 23:59:59', now(), 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, 'epoch', 'infinity', 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), 256, 'infinity', 'epoch', 'epoch', 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, '2026-01-01 00:00:00.5', '2026-01-01', 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), NULL, NULL, '2026-01-01', '2026-01-01 00:00:00.999999', 300)$$,
	$$SELECT gid.authority_node(gid_uuid_v7(), 256, '2026-01-01 00:00:00.000001', '2026-01-01', '2026-01-01', 300)$$) AS e;

-- gid.node_first. A lease of a lower number goes on.
ALTER SYSTEM SET gid.node_first = 65534;
\set until 'current_setting(''gid.node_first'') = ''65534'''
\i :reload
SELECT pg_temp.lease(11, 0, 60);
SELECT pg_temp.lease(12, 0, 60);
SELECT e.code, replace(e.message, pg_temp.at(60)::text, 'T+60') AS message
FROM pg_temp.expect('SELECT pg_temp.lease(13, 0, 60)', 'SELECT pg_temp.lease(13, 0, 60, max_node => 65533)') AS e;
SELECT pg_temp.lease(4, 80, 95, 257, 90);
ALTER SYSTEM RESET gid.node_first;
\set until 'current_setting(''gid.node_first'') = ''256'''
\i :reload

-- A transaction that is rolled back has leased nothing.
BEGIN;
SELECT pg_temp.lease(14, 200, 220);
SELECT pg_temp.lease(15, 200, 220);
ROLLBACK;
SELECT pg_temp.lease(16, 200, 220);

-- Read-only transactions and parallel plans.
BEGIN READ ONLY;
SELECT e.statements, e.code, e.message FROM pg_temp.alike('SELECT pg_temp.lease(1, 300, 320)', 'SELECT gid.authority_confirm()',
	'SELECT gid.authority_resume()') AS e;
COMMIT;

-- Another system, timeline or database has written the leases: none begins for
-- twice the greatest gid.node_lease_max that was ever in force. Asking again
-- does not make the pause longer.
ALTER SYSTEM RESET gid.node_lease_max;
\set until 'current_setting(''gid.node_lease_max'') = ''5min'''
\i :reload
CREATE FUNCTION pg_temp.asked(OUT refused boolean, OUT begins timestamptz) LANGUAGE sql AS $$
	SELECT node IS NULL AND until IS NULL, since
	FROM gid.authority_node('00000000-0000-4000-8000-000000000000', NULL, NULL, pg_temp.at(0), pg_temp.at(60), 65535)
$$;
CREATE FUNCTION pg_temp.pause(change text, OUT refused boolean, OUT twice boolean, OUT same boolean, OUT here boolean, OUT leases int)
LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := date_trunc('second', clock_timestamp());
	was gid.node_writer;
	is_now gid.node_writer;
	first_answer timestamptz;
BEGIN
	SELECT * INTO was FROM gid.node_writer;
	EXECUTE 'UPDATE gid.node_writer SET ' || change;
	SELECT a.refused, a.begins INTO refused, first_answer FROM pg_temp.asked() AS a;
	SELECT * INTO is_now FROM gid.node_writer;
	twice := first_answer BETWEEN start + interval '2000 s' AND clock_timestamp() + interval '2000 s';
	same := (SELECT a.refused AND a.begins = first_answer FROM pg_temp.asked() AS a) AND is_now.begins = first_answer;
	here := (is_now.system_identifier, is_now.timeline, is_now.database, is_now.leases, is_now.lease_max) =
		(was.system_identifier, was.timeline, was.database, was.leases, 1000);
	leases := (SELECT count(*) FROM gid.node_leases WHERE holder = '00000000-0000-4000-8000-000000000000');
END $$;
SELECT * FROM pg_temp.pause('timeline = timeline - 1');
SELECT gid.authority_resume();
SELECT gid.authority_resume();
SELECT begins FROM gid.node_writer;
SELECT pg_temp.lease(17, 200, 220);
SELECT * FROM pg_temp.pause('system_identifier = system_identifier + 1');
SELECT gid.authority_resume();
SELECT * FROM pg_temp.pause('database = 1');
SELECT gid.authority_resume();
-- A dump was loaded into the same database.
SELECT * FROM pg_temp.pause('leases = 1');
-- A lease that the tables know is not extended before that moment, either.
SELECT gid.authority_resume();
UPDATE gid.node_writer SET begins = pg_temp.at(250);
SELECT a.node, pg_temp.from(a.since) AS begins, a.until FROM gid.node_leases AS l, gid.authority_node(l.holder, l.node, l.until,
	pg_temp.at(249), pg_temp.at(290), 65535) AS a WHERE l.holder::text LIKE '%17';
SELECT pg_temp.lease(18, 250, 260);
-- The pause is over here, and not for a server whose clock is behind.
UPDATE gid.node_writer SET begins = pg_temp.at(-10);
SELECT gid.authority_resume();
SELECT gid.authority_resume();

-- When the setting was lowered, and all leases that may run end within the new limit,
-- the pause is as short as the new setting says. Not while an unknown lease may run.
DELETE FROM gid.node_leases WHERE until > clock_timestamp() + interval '290 s';
UPDATE gid.node_writer SET lease_max = 1000, begins = clock_timestamp() + interval '1 hour';
SELECT refused FROM pg_temp.asked();
SELECT lease_max FROM gid.node_writer;
UPDATE gid.node_writer SET begins = '-infinity';
SELECT pg_temp.lease(18, 251, 261) IS NOT NULL AS leased;
SELECT lease_max FROM gid.node_writer;
UPDATE gid.node_writer SET lease_max = 1000;
INSERT INTO gid.node_leases VALUES (9999, gid_uuid_v7(), clock_timestamp(), clock_timestamp() + interval '900 s', '', '');
SELECT pg_temp.lease(18, 252, 262) IS NOT NULL AS leased;
SELECT lease_max FROM gid.node_writer;
DELETE FROM gid.node_leases WHERE node = 9999;
SELECT pg_temp.lease(18, 253, 263) IS NOT NULL AS leased;
SELECT lease_max FROM gid.node_writer;
UPDATE gid.node_writer SET timeline = timeline - 1;
SELECT begins BETWEEN pg_temp.at(600) AND clock_timestamp() + interval '600 s' AS ten_minutes FROM pg_temp.asked();
SELECT gid.authority_resume();

-- A row that stands beside the extension's own, as after loading a dump, makes a pause,
-- whatever it says. It can neither end a pause nor hide what the own row says.
CREATE TEMP TABLE own AS SELECT * FROM gid.node_writer;
CREATE FUNCTION pg_temp.beside(row_changes text, OUT refused boolean, OUT pause text, OUT rows int, OUT equal boolean) LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := date_trunc('second', clock_timestamp());
	begins timestamptz;
BEGIN
	CREATE TEMP TABLE other AS SELECT * FROM pg_temp.own;
	EXECUTE 'UPDATE pg_temp.other SET ' || row_changes;
	INSERT INTO gid.node_writer SELECT * FROM pg_temp.other;
	SELECT a.refused, a.begins INTO refused, begins FROM pg_temp.asked() AS a;
	pause := (SELECT string_agg(s::text, ' ') FROM unnest(ARRAY[600, 1800, 172800]) AS s
		WHERE begins BETWEEN start + make_interval(secs => s) AND clock_timestamp() + make_interval(secs => s));
	SELECT count(*), bool_and((w.system_identifier, w.timeline, w.database, w.leases) = (o.system_identifier, o.timeline, o.database, o.leases))
	INTO rows, equal FROM gid.node_writer AS w, pg_temp.own AS o;
	DROP TABLE pg_temp.other;
	DELETE FROM gid.node_writer;
	INSERT INTO gid.node_writer SELECT * FROM pg_temp.own;
END $$;
SELECT changes, b.* FROM unnest(ARRAY['begins = begins', 'lease_max = 900, system_identifier = 1', 'lease_max = 0', 'lease_max = -5',
	'lease_max = 2147483647', 'begins = ''-infinity'', timeline = timeline + 1', 'begins = ''infinity'', database = 1']) AS changes,
	pg_temp.beside(changes) AS b;
INSERT INTO gid.node_writer SELECT * FROM pg_temp.own;
SELECT gid.authority_resume();
SELECT gid.authority_resume();
SELECT count(*) FROM gid.node_writer;

-- Before the first lease: the row of CREATE EXTENSION, and that of another timeline and
-- server. Leases of an extension that was dropped end before a lease begins.
SELECT pg_temp.lease(22, 260, 270) IS NOT NULL AS leased;
SELECT max(until) AS last FROM gid.node_leases \gset
CREATE FUNCTION pg_temp.first_row(row_changes text, OUT begins timestamptz, OUT resumed boolean, OUT resumed_again boolean) LANGUAGE plpgsql AS $$
BEGIN
	UPDATE gid.node_writer SET database = 0, leases = 0, begins = '-infinity';
	EXECUTE 'UPDATE gid.node_writer SET ' || row_changes;
	SELECT a.begins INTO begins FROM pg_temp.asked() AS a;
	UPDATE gid.node_writer SET database = 0, leases = 0, begins = '-infinity';
	EXECUTE 'UPDATE gid.node_writer SET ' || row_changes;
	resumed := gid.authority_resume();
	resumed_again := gid.authority_resume();
END $$;
SELECT changes, f.begins >= :'last' AS after_the_last,
	changes = 'begins = begins' OR f.begins BETWEEN pg_temp.at(600) AND clock_timestamp() + interval '600 s' AS ten_minutes,
	resumed, resumed_again
FROM unnest(ARRAY['begins = begins', 'timeline = timeline + 1', 'system_identifier = 0, timeline = 0']) AS changes,
	pg_temp.first_row(changes) AS f;
-- No row: a superuser has deleted it. On the first timeline nothing was lost.
DELETE FROM gid.node_writer;
SELECT gid.authority_resume();
SELECT begins FROM gid.node_writer;

-- Privileges. The functions need none for the tables.
CREATE ROLE regress_gid_user;
CREATE ROLE regress_gid_monitor IN ROLE pg_monitor;
SET ROLE regress_gid_user;
SELECT e.statements, e.code, e.message, e.detail, e.hint FROM pg_temp.alike('SELECT pg_temp.lease(1, 200, 220)', 'SELECT gid.authority_confirm()',
	'SELECT gid.authority_resume()', 'SELECT FROM gid.node_leases', 'SELECT FROM gid.node_writer', 'SELECT FROM gid.stat_node_leases') AS e;
RESET ROLE;
GRANT EXECUTE ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int),
	gid.authority_confirm(), gid.authority_resume() TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT pg_temp.lease(19, 280, 299);
SELECT gid.authority_confirm();
SELECT e.code, e.message, e.detail, e.hint FROM pg_temp.expect('SELECT gid.authority_resume()') AS e;
SET ROLE regress_gid_monitor;
SELECT count(*) > 0 AS leases, bool_or(is_held) AS some_held, bool_and(is_held) AS all_held FROM gid.stat_node_leases;
SELECT e.code, e.message FROM pg_temp.expect('SELECT FROM gid.node_leases', 'DELETE FROM gid.stat_node_leases') AS e;
RESET ROLE;
-- The owner of the database has what a dump and a restore need, and nobody has more.
SELECT c.oid::regclass AS relation, a.grantee::regrole, string_agg(a.privilege_type, ' ' ORDER BY a.privilege_type) AS privileges
FROM pg_class AS c, aclexplode(c.relacl) AS a
WHERE c.oid IN ('gid.node_leases'::regclass, 'gid.node_writer'::regclass, 'gid.decimal_generator'::regclass) AND a.grantee <> c.relowner
GROUP BY 1, 2 ORDER BY 1::text;
REVOKE ALL ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int),
	gid.authority_confirm(), gid.authority_resume() FROM regress_gid_user;
DROP ROLE regress_gid_user, regress_gid_monitor;

-- The client's name and address are those of the last request.
SET application_name = 'one';
SELECT pg_temp.lease(20, -500, -490);
SET application_name = '';
SELECT client_name, client_address <> '' AS address FROM gid.stat_node_leases WHERE holder::text LIKE '%20';
SELECT pg_temp.lease(20, -490, -480, (SELECT node FROM gid.node_leases WHERE holder::text LIKE '%20'), -490) IS NOT NULL AS extended;
SELECT client_name FROM gid.stat_node_leases WHERE holder::text LIKE '%20';
RESET application_name;

-- Somebody has changed a table, or it belongs to somebody who is no superuser.
CREATE FUNCTION pg_temp.each_changed(VARIADIC changes text[]) RETURNS TABLE (change text, lease text, resume text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH change IN ARRAY changes LOOP
		BEGIN
			EXECUTE change;
			SELECT e.code INTO lease FROM pg_temp.expect('SELECT pg_temp.lease(21, -2000, -1990)') AS e;
			SELECT e.code INTO resume FROM pg_temp.expect('SELECT gid.authority_resume()') AS e;
			RAISE 'roll back' USING ERRCODE = 'ZZ000';
		EXCEPTION WHEN SQLSTATE 'ZZ000' THEN
			RETURN NEXT;
		END;
	END LOOP;
END $$;
-- The numbers of the changes with each outcome.
CREATE FUNCTION pg_temp.changed(VARIADIC text[]) RETURNS TABLE (changes text, lease text, resume text) LANGUAGE sql AS $$
	SELECT string_agg(n::text, ' ' ORDER BY n), lease, resume FROM pg_temp.each_changed(VARIADIC $1) WITH ORDINALITY AS c (change, lease, resume, n)
	GROUP BY 2, 3 ORDER BY min(n)
$$;
CREATE ROLE regress_gid_owner;
CREATE DOMAIN regress_gid_domain AS int;
CREATE SCHEMA regress_gid_other;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'a trigger'; END$$;
SELECT * FROM pg_temp.changed('ALTER TABLE gid.node_leases ADD more int', 'ALTER TABLE gid.node_leases ALTER holder DROP NOT NULL',
	'ALTER TABLE gid.node_leases RENAME TO others', 'ALTER TABLE gid.node_leases SET UNLOGGED',
	'ALTER TABLE gid.node_leases DROP CONSTRAINT node_leases_pkey',
	'ALTER TABLE gid.node_leases DROP CONSTRAINT node_leases_pkey, ADD PRIMARY KEY (node) DEFERRABLE',
	'CREATE INDEX ON gid.node_leases (holder)',
	'ALTER TABLE gid.node_leases DROP CONSTRAINT node_leases_pkey; CREATE UNIQUE INDEX ON gid.node_leases ((node + 0))',
	'ALTER TABLE gid.node_leases DROP CONSTRAINT node_leases_pkey; CREATE UNIQUE INDEX ON gid.node_leases (node) WHERE node > 256',
	'ALTER TABLE gid.node_leases DROP CONSTRAINT node_leases_pkey; CREATE UNIQUE INDEX ON gid.node_leases (node, holder)',
	'ALTER TABLE gid.node_leases DROP CONSTRAINT node_leases_pkey; CREATE INDEX ON gid.node_leases (node)');
-- REINDEX CONCURRENTLY makes a second index of the key. If it is cancelled, that index stays and is not valid.
SELECT * FROM pg_temp.changed('CREATE UNIQUE INDEX again ON gid.node_leases (node); UPDATE pg_index SET indisvalid = false WHERE indexrelid = ''gid.again''::regclass',
	'CREATE UNIQUE INDEX again ON gid.node_writer (timeline)',
	'UPDATE pg_index SET indisvalid = false WHERE indexrelid = ''gid.node_leases_pkey''::regclass');
SELECT * FROM pg_temp.changed('ALTER TABLE gid.node_leases RENAME TO others; CREATE VIEW gid.node_leases AS SELECT * FROM gid.others',
	'ALTER TABLE gid.node_leases RENAME TO others; CREATE TABLE gid.node_leases (LIKE gid.others INCLUDING ALL) PARTITION BY RANGE (node)',
	'ALTER TABLE gid.node_writer ADD more int', 'ALTER TABLE gid.node_writer ALTER begins TYPE timestamp',
	'ALTER TABLE gid.node_writer SET UNLOGGED', 'CREATE INDEX ON gid.node_writer (timeline)',
	'CREATE UNIQUE INDEX ON gid.node_writer (timeline) WHERE timeline = 1',
	'ALTER EXTENSION gid DROP TABLE gid.node_writer; DROP TABLE gid.node_writer',
	'ALTER EXTENSION gid DROP SCHEMA gid; ALTER SCHEMA gid OWNER TO regress_gid_owner', 'ALTER TABLE gid.node_leases SET SCHEMA regress_gid_other',
	'CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON gid.node_leases FOR EACH ROW EXECUTE FUNCTION refuse()',
	'CREATE RULE refuse AS ON INSERT TO gid.node_leases DO INSTEAD NOTHING',
	'ALTER TABLE gid.node_leases ENABLE ROW LEVEL SECURITY', 'ALTER TABLE gid.node_writer FORCE ROW LEVEL SECURITY',
	'ALTER TABLE gid.node_leases ADD CHECK (node > 0) NOT VALID',
	'ALTER TABLE gid.node_writer ALTER lease_max TYPE regress_gid_domain',
	'ALTER TABLE gid.node_writer DROP begins, ADD begins timestamptz NOT NULL GENERATED ALWAYS AS (''infinity'') STORED',
	'CREATE TABLE child () INHERITS (gid.node_leases)', 'CREATE TABLE parent (node int); ALTER TABLE gid.node_leases INHERIT parent',
	'CREATE TABLE parent (LIKE gid.node_leases) PARTITION BY RANGE (node); ALTER TABLE parent ATTACH PARTITION gid.node_leases DEFAULT',
	'ALTER TABLE gid.node_leases OWNER TO regress_gid_owner', 'ALTER TABLE gid.node_writer OWNER TO regress_gid_owner',
	'GRANT SELECT ON gid.node_leases TO pg_monitor', 'GRANT UPDATE (lease_max) ON gid.node_writer TO pg_database_owner');
-- What leaves the form as it is does not end leases.
SELECT * FROM pg_temp.changed('CREATE TRIGGER gone BEFORE INSERT ON gid.node_leases FOR EACH ROW EXECUTE FUNCTION refuse(); DROP TRIGGER gone ON gid.node_leases',
	'CREATE RULE gone AS ON INSERT TO gid.node_leases DO INSTEAD NOTHING; DROP RULE gone ON gid.node_leases',
	'CREATE TABLE child () INHERITS (gid.node_leases); DROP TABLE child', 'ANALYZE gid.node_leases, gid.node_writer',
	'CREATE STATISTICS s ON node, holder FROM gid.node_leases',
	'GRANT SELECT ON gid.node_leases TO pg_monitor; REVOKE SELECT ON gid.node_leases FROM pg_monitor',
	'ALTER TABLE gid.node_leases SET (fillfactor = 50)',
	'ALTER EXTENSION gid DROP TABLE gid.node_leases', 'REINDEX TABLE gid.node_leases');
SELECT e.message, e.detail, e.hint FROM pg_temp.expect('DO $do$ BEGIN ALTER TABLE gid.node_leases ADD more int;
	PERFORM pg_temp.lease(21, -2000, -1990); END $do$') AS e;
SELECT e.message, e.detail, e.hint FROM pg_temp.expect('DO $do$ BEGIN ALTER TABLE gid.node_leases OWNER TO regress_gid_owner;
	PERFORM gid.authority_resume(); END $do$', 'DO $do$ BEGIN ALTER TABLE gid.node_leases OWNER TO regress_gid_owner;
	PERFORM FROM gid.stat_node_leases; END $do$') AS e;
-- A null, although the catalog says that there is none.
SELECT e.statements, e.code, e.message, e.detail, e.hint FROM pg_temp.alike($q$DO $do$ BEGIN ALTER TABLE gid.node_leases ALTER holder DROP NOT NULL;
	INSERT INTO gid.node_leases VALUES (300, NULL, 'epoch', 'epoch', '', '');
	UPDATE pg_attribute SET attnotnull = true WHERE attrelid = 'gid.node_leases'::regclass AND attname = 'holder';
	PERFORM pg_temp.lease(21, -2000, -1990); END $do$$q$, $q$DO $do$ BEGIN ALTER TABLE gid.node_leases ALTER client_name DROP NOT NULL;
	INSERT INTO gid.node_leases VALUES (300, gid_uuid_v7(), 'epoch', 'epoch', NULL, '');
	UPDATE pg_attribute SET attnotnull = true WHERE attrelid = 'gid.node_leases'::regclass AND attname = 'client_name';
	PERFORM FROM gid.stat_node_leases; END $do$$q$, $q$DO $do$ BEGIN ALTER TABLE gid.node_writer ALTER begins DROP NOT NULL;
	UPDATE gid.node_writer SET begins = NULL;
	UPDATE pg_attribute SET attnotnull = true WHERE attrelid = 'gid.node_writer'::regclass AND attname = 'begins';
	PERFORM gid.authority_resume(); END $do$$q$) AS e;
DROP FUNCTION refuse();
DROP DOMAIN regress_gid_domain;
DROP SCHEMA regress_gid_other;
DROP ROLE regress_gid_owner;

-- A dump has the row of gid.node_writer, and no leases.
SELECT c.oid::regclass AS table, condition FROM pg_extension, unnest(extconfig, extcondition) AS c (oid, condition)
WHERE extname = 'gid' AND c.oid::regclass::text ~ 'node';

-- Clean up.
DELETE FROM gid.node_leases;
DELETE FROM gid.node_writer;
