-- gid.authorities: which server of the list gid asks, and how long a connection lives.
-- The other servers are this database.
\i sql/include/fleet.sql
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

--
-- One server after the other
--

-- gid asks a server that refuses again each time. It passes over a server that cannot
-- be reached for a while. The detail has a line for each server, in the order of the
-- list.
CREATE FUNCTION pg_temp.details(call text, OUT code text, OUT detail text) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT e.code, d FROM pg_temp.expect(call) AS e, regexp_split_to_table(pg_temp.plain(e.detail), '\n') AS d
$$;
CREATE SEQUENCE other;
SELECT pg_temp.uri('bare', dbname => 'template1') AS bare, pg_temp.uri(dbname => 'regress gid "none"') AS none \gset
SELECT :'bare' || ' ' || :'gone' AS list \gset
SET gid.authorities = :'list';
SELECT * FROM pg_temp.details($$SELECT gid_next_gdid('other')$$);
SELECT * FROM pg_temp.details($$SELECT gid_next_gdids('other', 2)$$);
-- A database that does not exist, and the same server twice in the list.
SELECT :'none' || ' ' || :'gone' || ' ' || :'gone' AS list \gset
SET gid.authorities = :'list';
SELECT * FROM pg_temp.details($$SELECT gid_next_gdid('other')$$);
-- Neither the message nor a view shows more of a URI than host, port and database.
SELECT bool_or(e.detail ~ 'application_name|connect_timeout|postgresql://|@') AS more
FROM pg_temp.expect($$SELECT gid_next_gdid('other')$$, $$SELECT gid_next_gdids('other', 2)$$) AS e;
-- The first server that answers gives the block.
SELECT :'gone' || ' ' || :'bare' || E'\n\t' || :'one' || ' ' || :'two' AS list \gset
SET gid.authorities = :'list';
SELECT gid_next_gdid('other'), gid_next_gdid('other');
SELECT gid_next_gdids('other', 2);
-- When a URI has several hosts, the first one that can be reached is asked.
SELECT replace(:'one', '@', '@%2Fnonexistent:1,') AS hosts, replace(:'gone', '@', '@%2Fnonexistent:2,') AS gone_hosts \gset
SET gid.authorities = :'hosts';
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SET gid.authorities = :'gone_hosts';
SELECT detail FROM pg_temp.details($$SELECT gid_next_gdids('other', 1)$$);

--
-- The connection
--

-- There is one connection, and it lives as long as the transaction. The server at the
-- other end notices the end somewhat later, so the test waits.
CREATE FUNCTION pg_temp.connections(OUT names text, OUT pid int) LANGUAGE sql AS $$
	SELECT string_agg(application_name, ' '), max(pid) FROM pg_stat_activity
	WHERE application_name IN ('gid', 'one', 'two') AND datname = current_database()
$$;
CREATE FUNCTION pg_temp.left_open() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 200 LOOP
		PERFORM pg_stat_clear_snapshot();
		EXIT WHEN (SELECT names IS NULL FROM pg_temp.connections());
		PERFORM pg_sleep(0.05);
	END LOOP;
	RETURN coalesce((SELECT names FROM pg_temp.connections()), 'none');
END $$;
SET gid.authorities = :'uri';
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SELECT pg_temp.left_open();
BEGIN;
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SELECT names, pid FROM pg_temp.connections() \gset
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SELECT pg_stat_clear_snapshot();
SELECT :'names' AS first, names AS then, pid = :pid AS same FROM pg_temp.connections();
COMMIT;
SELECT pg_temp.left_open();
BEGIN;
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SELECT names FROM pg_temp.connections();
ROLLBACK;
SELECT pg_temp.left_open();
BEGIN;
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SELECT 1 / 0;
COMMIT;
SELECT pg_temp.left_open();
-- A connection to another server takes the place of the one before.
BEGIN;
SET LOCAL gid.authorities = :'one';
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SET LOCAL gid.authorities = :'two';
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SELECT names ~ 'two' AS two FROM pg_temp.connections();
COMMIT;
SELECT pg_temp.left_open();
-- Each transaction of a procedure closes its connection, and so does one in which the
-- server refuses.
CREATE PROCEDURE in_parts() LANGUAGE plpgsql AS $$
BEGIN
	PERFORM gid_next_gdids('other', 1);
	COMMIT;
	RAISE NOTICE 'left open: %', pg_temp.left_open();
	PERFORM gid_next_gdids('other', 1);
	ROLLBACK;
	RAISE NOTICE 'left open: %', pg_temp.left_open();
END $$;
CALL in_parts();
CREATE SEQUENCE fewer CACHE 2 MAXVALUE 2;
SELECT gid_next_gdid('fewer') AS a, gid_next_gdid('fewer') AS b;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('fewer')$$) AS e;
SELECT pg_temp.left_open();
DROP SEQUENCE fewer;
-- gid connects again when the connection was lost within the transaction.
BEGIN;
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 10000)) AS ended FROM pg_temp.connections();
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
COMMIT;
SELECT pg_temp.left_open();

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
