-- gid_authority_block() and gid_authority_generator(): what a server reserves for
-- others.  gid.authorities and gid.decimal_authority: GDIDs and generator numbers
-- from foreign servers, which are this database itself here, over dblink; and from
-- functions in the place of these two that answer what no server should.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; DROP EXTENSION IF EXISTS dblink; RESET client_min_messages;
\getenv srcdir PG_ABS_SRCDIR
\set include :srcdir '/sql/include/expect.sql'
\i :include
\set reload :srcdir '/sql/include/reload.sql'
LOAD 'gid';
ALTER SYSTEM SET gid.authority = 7;
\set until 'current_setting(''gid.authority'') = ''7'''
\i :reload
CREATE SCHEMA regress_gid_app;
CREATE ROLE regress_gid_user;
SET search_path = regress_gid_app, public;

--
-- gid_authority_block()
--

-- A block begins where the sequence is, and belongs to this server's authority.
CREATE SEQUENCE orders;
SELECT * FROM gid_authority_block('regress_gid_app', 'orders', 10);
SELECT * FROM gid_authority_block('regress_gid_app', 'orders', 10, 5);
SELECT * FROM gid_authority_block(sequence => 'orders', vicinity => -9223372036854775808, size => 1, scope => 'regress_gid_app');
SELECT last_value, is_called FROM orders;
SELECT (gid_authority_block('regress_gid_app', 'orders', n)).start FROM generate_series(1, 3) AS n;
ALTER SYSTEM SET gid.authority = 15;
\set until 'current_setting(''gid.authority'') = ''15'''
\i :reload
SELECT * FROM gid_authority_block('regress_gid_app', 'orders', 1);
ALTER SYSTEM SET gid.authority = 7;
\set until 'current_setting(''gid.authority'') = ''7'''
\i :reload

-- NULLs give a row of NULLs and take nothing; a NULL vicinity is none.
SELECT last_value AS before FROM orders \gset
SELECT b.* FROM gid_authority_block(NULL, 'orders', 10) AS b
UNION ALL SELECT b.* FROM gid_authority_block('regress_gid_app', NULL, 10, 1) AS b
UNION ALL SELECT b.* FROM gid_authority_block('regress_gid_app', 'orders', NULL) AS b
UNION ALL SELECT b.* FROM gid_authority_block(NULL, NULL, NULL, NULL) AS b;
SELECT last_value - :before AS taken FROM orders;
SELECT count FROM gid_authority_block('regress_gid_app', 'orders', 3, NULL);

-- Its size.
SELECT last_value AS before FROM orders \gset
SELECT e.* FROM pg_temp.expect($$SELECT gid_authority_block('regress_gid_app', 'orders', 0)$$) AS e;
SELECT size, e.code, e.message FROM unnest(ARRAY[-2147483648, -1, 0, 65537, 2147483647]) AS size,
	pg_temp.expect(format('SELECT gid_authority_block(''regress_gid_app'', ''orders'', %s)', size)) AS e;
SELECT last_value - :before AS taken FROM orders;
SELECT b.count, b.start - :before AS since FROM unnest(ARRAY[1, 2, 65535, 65536]) AS size,
	gid_authority_block('regress_gid_app', 'orders', size) AS b;

-- What a new sequence gives, size by size: era, first counter, how many.
CREATE FUNCTION pg_temp.blocks(options text, VARIADIC sizes int[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	b record;
	blocks text[];
BEGIN
	EXECUTE 'CREATE SEQUENCE regress_gid_app.new ' || options;
	FOR i IN 1 .. cardinality(sizes) LOOP
		BEGIN
			b := gid_authority_block('regress_gid_app', 'new', sizes[i]);
			blocks[i] := format('%s:%s+%s', b.era, b.start, b.count);
		EXCEPTION WHEN OTHERS THEN
			blocks[i] := SQLSTATE;
		END;
	END LOOP;
	blocks := blocks || (SELECT format('last %s%s', last_value, CASE WHEN NOT is_called THEN ' not called' END)
		FROM regress_gid_app.new);
	DROP SEQUENCE regress_gid_app.new;
	RETURN blocks;
END $$;
SELECT options, pg_temp.blocks(options, 3, 65536, 1) AS blocks
FROM unnest(ARRAY['', 'START 100', 'CACHE 50', 'MINVALUE 0 START 1', 'MAXVALUE 2', 'MAXVALUE 3', 'MAXVALUE 4', 'AS smallint START 32767',
	-- never over the end of an era
	'START 1152921504606846971', 'START 1152921504606846973', 'START 1152921504606846974', 'START 1152921504606846975',
	'START 1152921504606846976', 'START 8070450532247928829',
	-- up to the end of the numbers
	'START 9223372036854775800', 'START 9223372036854775806', 'START 9223372036854775807',
	-- larger steps: what lies between them is passed over
	'INCREMENT 7', 'INCREMENT 7 MAXVALUE 20', 'INCREMENT 7 START 1152921504606846970', 'INCREMENT 1152921504606846976',
	'INCREMENT 9223372036854775807',
	-- the next cycle begins a block of its own
	'MAXVALUE 10 START 9 CYCLE', 'MINVALUE 5 MAXVALUE 6 CYCLE', 'INCREMENT 7 MAXVALUE 30 START 16 CYCLE',
	'MINVALUE 1152921504606846970 MAXVALUE 1152921504606846980 START 1152921504606846975 CYCLE']) AS options;
-- Values below 1 are no counters, and are passed over; downwards nothing is given
-- or taken.
SELECT options, pg_temp.blocks(options, 3, 3, 3) AS blocks
FROM unnest(ARRAY['MINVALUE 0', 'MINVALUE -2', 'MINVALUE -3', 'MINVALUE -4 MAXVALUE -1 CYCLE', 'MINVALUE -9223372036854775808',
	'INCREMENT -1', 'INCREMENT -1 MINVALUE 1 MAXVALUE 100 START 100', 'INCREMENT -9223372036854775808 MINVALUE -9223372036854775808']) AS options;
CREATE SEQUENCE low MINVALUE -1;
CREATE SEQUENCE down INCREMENT -1;
CREATE SEQUENCE short MAXVALUE 5;
SELECT e.* FROM pg_temp.expect($$SELECT gid_authority_block('regress_gid_app', 'low', 1)$$,
	$$SELECT gid_authority_block('regress_gid_app', 'down', 1)$$) AS e;
SELECT count FROM gid_authority_block('regress_gid_app', 'short', 10);
SELECT e.* FROM pg_temp.expect($$SELECT gid_authority_block('regress_gid_app', 'short', 1)$$) AS e;
DROP SEQUENCE low, down, short;

-- Beside all else that draws from the sequence: no value comes twice.
CREATE TABLE taken (by_whom text, value bigint PRIMARY KEY);
CREATE PROCEDURE pg_temp.take(seq regclass) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		INSERT INTO taken SELECT 'block', generate_series(start, start + count - 1)
		FROM gid_authority_block('regress_gid_app', seq::text, 1 + i % 9);
		INSERT INTO taken SELECT 'gid_next', gid_next(seq) FROM generate_series(1, 1 + i % 5);
		INSERT INTO taken SELECT 'nextval', nextval(seq);
		INSERT INTO taken SELECT 'many', gid_next_many(seq, 1 + i % 3);
		INSERT INTO taken SELECT 'gdid', gid_extract_gdid_counter(gid_next_gdid(seq));
	END LOOP;
END $$;
CREATE SEQUENCE ones;
CREATE SEQUENCE threes INCREMENT 3;
CALL pg_temp.take('ones');
SELECT by_whom, count(*) FROM taken GROUP BY by_whom ORDER BY by_whom;
TRUNCATE taken;
CALL pg_temp.take('threes');
SELECT by_whom, count(*) FROM taken GROUP BY by_whom ORDER BY by_whom;
DROP TABLE taken;
DROP SEQUENCE ones, threes;

-- Nothing comes back with a rollback: of a transaction, a savepoint, an exception
-- block, a statement, an ALTER SEQUENCE.
CREATE FUNCTION pg_temp.since(size int) RETURNS bigint LANGUAGE sql AS
	$$SELECT start - 1000 FROM gid_authority_block('regress_gid_app', 'orders', size)$$;
SELECT setval('orders', 1000, false);
BEGIN;
SELECT pg_temp.since(10);
SAVEPOINT a;
SELECT pg_temp.since(10);
ROLLBACK TO SAVEPOINT a;
SELECT pg_temp.since(10);
ROLLBACK;
SELECT pg_temp.since(10);
DO $$
BEGIN
	BEGIN
		PERFORM pg_temp.since(10);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		NULL;
	END;
	PERFORM pg_temp.since(10);
END $$;
SELECT e.code FROM pg_temp.expect('SELECT 1 / (pg_temp.since(10) - pg_temp.since(10) + 10)') AS e;
SELECT pg_temp.since(10);
BEGIN;
ALTER SEQUENCE orders INCREMENT 5;
SELECT pg_temp.since(10);
ROLLBACK;
SELECT pg_temp.since(10);

-- Scope and sequence are exact names: no folding, no quotes, no search path.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --'\";
CREATE SEQUENCE regress_gid_app."Orders" START 100;
SELECT * FROM gid_authority_block('Regress "gid"', 'Mixed.Case é; --''\', 2);
SELECT * FROM gid_authority_block('regress_gid_app', 'Orders', 2);
SELECT e.* FROM pg_temp.expect($$SELECT gid_authority_block('regress_gid_app', 'ORDERS', 1)$$) AS e;
SELECT n.scope, n.name, e.code, e.message = format('sequence "%s" does not exist in scope "%s"', n.name, n.scope) AS message
FROM (VALUES ('REGRESS_GID_APP', 'orders'), ('"regress_gid_app"', 'orders'), ('regress_gid_app', '"orders"'),
	('regress_gid_app', ' orders'), ('regress_gid_app', 'orders '), ('public', 'orders'), ('', 'orders'), ('regress_gid_app', ''),
	('regress_gid_none', 'orders'), ('regress_gid_app', 'regress_gid_app.orders'), ('pg_temp', 'orders'),
	('regress_gid_app', 'none')) AS n (scope, name),
	pg_temp.expect(format('SELECT gid_authority_block(%L, %L, 1)', n.scope, n.name)) AS e;

-- What is no sequence to draw from.
CREATE TABLE a_table (a int PRIMARY KEY);
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE unlogged;
SELECT e.* FROM pg_temp.expect($$SELECT gid_authority_block('regress_gid_app', 'a_table', 1)$$,
	$$SELECT gid_authority_block('regress_gid_app', 'a_table_pkey', 1)$$,
	$$SELECT gid_authority_block('pg_temp', 'temporary', 1)$$, $$SELECT gid_authority_block('regress_gid_app', 'unlogged', 1)$$) AS e;
DROP TABLE a_table;
DROP SEQUENCE temporary, unlogged;

-- Read-only, and in a parallel plan: as nextval().
BEGIN READ ONLY;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_authority_block('regress_gid_app', 'orders', 1)$$,
	'SELECT gid_authority_generator(6000)') AS e;
COMMIT;
CREATE FUNCTION mislabelled_block() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS
	$$BEGIN RETURN (SELECT start FROM gid_authority_block('regress_gid_app', 'orders', 1)); END$$;
CREATE FUNCTION mislabelled_generator() RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS
	$$BEGIN RETURN gid_authority_generator(6000); END$$;
CREATE FUNCTION pg_temp.force_parallel(value text) RETURNS void LANGUAGE sql AS $$
	-- named force_parallel_mode before 16
	SELECT set_config(name, value, false) FROM pg_settings
	WHERE name IN ('force_parallel_mode', 'debug_parallel_query')
$$;
SELECT pg_temp.force_parallel('on');
SELECT e.code, e.message FROM pg_temp.expect('SELECT mislabelled_block()', 'SELECT mislabelled_generator()') AS e;
SELECT pg_temp.force_parallel('off');
DROP FUNCTION mislabelled_block(), mislabelled_generator();

-- Privileges: USAGE on the schema, USAGE or UPDATE on the sequence.
CREATE FUNCTION pg_temp.with_privilege(privilege text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code text;
BEGIN
	EXECUTE format('GRANT %s ON SEQUENCE orders TO regress_gid_user', privilege);
	SET LOCAL ROLE regress_gid_user;
	code := (SELECT e.code FROM pg_temp.expect('SELECT gid_authority_block(''regress_gid_app'', ''orders'', 1)') AS e);
	RESET ROLE;
	REVOKE ALL ON SEQUENCE orders FROM regress_gid_user;
	RETURN code;
END $$;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.expect($$SELECT gid_authority_block('regress_gid_app', 'orders', 1)$$) AS e;
RESET ROLE;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.expect($$SELECT gid_authority_block('regress_gid_app', 'orders', 1)$$) AS e;
RESET ROLE;
SELECT privilege, pg_temp.with_privilege(privilege)
FROM unnest(ARRAY['SELECT', 'USAGE', 'UPDATE', 'USAGE, SELECT', 'ALL']) AS privilege;
-- A SECURITY DEFINER function has its owner's right and does not pass it on.
CREATE FUNCTION definer() RETURNS int SECURITY DEFINER LANGUAGE sql AS
	$$SELECT count FROM gid_authority_block('regress_gid_app', 'orders', 4)$$;
SET ROLE regress_gid_user;
BEGIN;
SELECT definer();
SELECT e.code FROM pg_temp.expect($$SELECT gid_authority_block('regress_gid_app', 'orders', 1)$$) AS e;
SELECT definer();
COMMIT;
RESET ROLE;
DROP FUNCTION definer();

--
-- gid_authority_generator()
--

-- Not for everybody: a number that is taken is gone.
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.expect('SELECT gid_authority_generator(6000)') AS e;
RESET ROLE;
SELECT last_value < 600000000 AS untouched FROM gid_decimal_generator;
GRANT EXECUTE ON FUNCTION gid_authority_generator(int) TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid_authority_generator(6000) AS a, gid_authority_generator(6000) AS b, gid_authority_generator(NULL) AS none;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION gid_authority_generator(int) FROM regress_gid_user;
SELECT last_value, is_called FROM gid_decimal_generator;
SELECT e.* FROM pg_temp.expect('SELECT gid_authority_generator(-1)', 'SELECT gid_authority_generator(100000)',
	'SELECT gid_authority_generator(5999)', 'SELECT gid_authority_generator(0)') AS e;
SELECT last_value FROM gid_decimal_generator;
-- gid.launch_id need not be set here; where it is, the numbers are the same ones.
SHOW gid.launch_id;
ALTER SYSTEM SET gid.launch_id = 6000;
\set until 'current_setting(''gid.launch_id'') = ''6000'''
\i :reload
SELECT gid_decimal_id() AS own, gid_authority_generator(6000) AS for_another, gid_decimal_id() AS own_again;
-- A rollback gives nothing back, not even that of an ALTER SEQUENCE; one that
-- would make numbers come twice is refused.
BEGIN;
SELECT gid_authority_generator(6000);
SAVEPOINT a;
SELECT gid_authority_generator(6000);
ROLLBACK TO SAVEPOINT a;
SELECT gid_authority_generator(6000);
ROLLBACK;
SELECT gid_authority_generator(6000);
BEGIN;
ALTER SEQUENCE gid_decimal_generator INCREMENT 5;
SELECT gid_authority_generator(6000);
ROLLBACK;
SELECT gid_authority_generator(6000);
ALTER SEQUENCE gid_decimal_generator CYCLE;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_authority_generator(6000)') AS e;
ALTER SEQUENCE gid_decimal_generator NO CYCLE;
-- The last one, and none after it; the next launch begins anew and puts this one
-- out of use, for this server's own ids, too.
SELECT setval('gid_decimal_generator', 600099998);
SELECT gid_authority_generator(6000);
SELECT e.* FROM pg_temp.expect('SELECT gid_authority_generator(6000)') AS e;
SELECT gid_authority_generator(6001);
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid_authority_generator(6000)') AS e;
SELECT gid_authority_generator(99999);
SELECT setval('gid_decimal_generator', 9999999999);
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_authority_generator(99999)') AS e;
ALTER SEQUENCE gid_decimal_generator RESTART;
SELECT gid_authority_generator(0);

--
-- gid.authorities and gid.decimal_authority
--

SELECT name, setting, boot_val, vartype, context FROM pg_settings
WHERE name IN ('gid.authorities', 'gid.decimal_authority') ORDER BY name;
-- Names as in SQL, with commas between them.
SELECT value, a.code AS authorities, d.code AS decimal_authority
FROM unnest(ARRAY['', 'a', 'A', ' a ', 'a, b', 'a,b,a', '"A b"', '"A ""b"""', '"a,b"', '"é", é', 'a23456789b23456789c23456789d23456789e23456789f23456789g23456789h',
	' ', 'a,', ',a', 'a,,b', 'a b', '"a', 'a"', '""', 'a;b', 'a.b', '1', '''a''']) WITH ORDINALITY AS v (value, n),
	pg_temp.expect(format('SET gid.authorities = %L', value)) AS a,
	pg_temp.expect(format('SET gid.decimal_authority = %L', value)) AS d ORDER BY n;
SELECT e.* FROM pg_temp.expect($$SET gid.authorities = 'a b'$$, $$SET gid.decimal_authority = 'a, b'$$) AS e;
SET gid.authorities = '"A b", c';
SHOW gid.authorities;
-- A wrong value leaves the one before in place.
SET gid.authorities = 'a,,b';
SHOW gid.authorities;
SET gid.authorities = a, b;
SHOW gid.authorities;
RESET gid.authorities;
RESET gid.decimal_authority;
-- For superusers, and whom they let: in a session, for a role, for a database.
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.code, e.message FROM pg_temp.expect('SET gid.authorities = a', 'SET gid.decimal_authority = a', 'SET gid.authorities = DEFAULT',
	'ALTER ROLE regress_gid_user SET gid.authorities = a', 'ALTER ROLE regress_gid_user SET gid.decimal_authority = a') AS e;
RESET SESSION AUTHORIZATION;
GRANT SET ON PARAMETER gid.authorities TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.code FROM pg_temp.expect('SET gid.authorities = a', 'SET gid.decimal_authority = a') AS e;
RESET SESSION AUTHORIZATION;
RESET gid.authorities;
REVOKE SET ON PARAMETER gid.authorities FROM regress_gid_user;
-- Before the library is loaded, too: what any user has set then comes to nothing,
-- what the database has is in force for everybody.
\c -
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.authorities = regress_gid_none;
SET gid.decimal_authority = regress_gid_none;
SELECT gid_extract_gdid_era('0:0:0') AS loaded;
SELECT current_setting('gid.authorities') AS authorities, current_setting('gid.decimal_authority') AS decimal_authority;
RESET SESSION AUTHORIZATION;
ALTER DATABASE :"DBNAME" SET gid.authorities = 'regress_gid_none';
\c -
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_extract_gdid_era('0:0:0') AS loaded;
SHOW gid.authorities;
SET gid.authorities = '';
SHOW gid.authorities;
RESET SESSION AUTHORIZATION;
ALTER DATABASE :"DBNAME" RESET gid.authorities;
\c -
\i :include
SET search_path = regress_gid_app, public;

--
-- Without dblink, without servers
--

CREATE SEQUENCE ids;
SET gid.authorities = 'regress_gid_none';
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$,
	$$SELECT gid_next_gdid('regress_gid_app', 'ids')$$) AS e;
SET gid.decimal_authority = 'Regress_gid_none';
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
CREATE FOREIGN DATA WRAPPER regress_gid_wrapper;
CREATE SERVER regress_gid_none FOREIGN DATA WRAPPER regress_gid_wrapper;
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
DROP FOREIGN DATA WRAPPER regress_gid_wrapper CASCADE;
RESET gid.decimal_authority;

-- In a schema of its own, on which nobody else has a right.
CREATE SCHEMA "Regress gid ""dblink""";
CREATE EXTENSION dblink SCHEMA "Regress gid ""dblink""";
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$) AS e;
SET gid.authorities = 'regress_gid_none, "Regress gid none", "Regress ""gid""", REGRESS_GID_NONE';
SELECT e.code, e.detail FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$) AS e;
-- The caller has to have the right to the sequence here, whoever would answer;
-- and the sequence has to be one to draw from.
CREATE UNLOGGED SEQUENCE unlogged;
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$) AS e;
RESET ROLE;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('unlogged')$$, $$SELECT gid_next_gdids('unlogged', 1)$$,
	$$SELECT gid_next_gdid('regress_gid_app', 'none')$$, $$SELECT gid_next_gdids('ids', 0)$$, $$SELECT gid_next_gdids('ids', 65537)$$) AS e;
DROP SEQUENCE unlogged;
BEGIN READ ONLY;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ids')$$, $$SELECT gid_next_gdids('ids', 2)$$) AS e;
COMMIT;
-- Nothing of this reaches the sequence; what does not make GDIDs does not ask.
SELECT last_value, is_called FROM ids;
SELECT gid_next('ids'), gid_next_many('ids', 1), gid_next_code('ids', '0') IS NOT NULL AS code;
SELECT sequence, source, next IS NOT NULL AS open, reservations FROM gid_stat_sequences
WHERE sequence = 'ids'::regclass AND source <> 'local';
RESET gid.authorities;
SELECT gid_extract_gdid_authority(gid_next_gdid('ids')) AS own;
DROP SEQUENCE ids;

--
-- This database as its own authority
--

CREATE PROCEDURE server(name text, options text DEFAULT ', connect_timeout ''30''', host text DEFAULT NULL, dbname text DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER dblink_fdw OPTIONS (host %L, port %L, dbname %L, application_name %L%s)',
		name, coalesce(host, btrim(split_part(current_setting('unix_socket_directories'), ',', 1))), current_setting('port'),
		coalesce(dbname, current_database()), name, options);
	EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER %I OPTIONS (user %L)', name, current_user);
END $$;
CALL server('regress_gid_1');
CALL server('Regress "gid" 2');
-- nobody is there
CALL server('regress_gid_gone', host => '/nonexistent');
CREATE FUNCTION pg_temp.connections() RETURNS int LANGUAGE sql AS
	$$SELECT coalesce(cardinality("Regress gid ""dblink""".dblink_get_connections()), 0)$$;

-- Blocks and batches come from the sequence of the same names, with the authority
-- of the server that reserved them.
CREATE SEQUENCE ids CACHE 20;
SET gid.authorities = 'regress_gid_1';
SELECT gid_next_gdid('ids') AS regclass, gid_next_gdid('regress_gid_app', 'ids') AS named;
SELECT sequence, source, next, last, block_size, reservations, prefetched FROM gid_stat_sequences WHERE sequence = 'ids'::regclass;
-- When an authority's sequence ends is not known here.
SELECT values_left = last - next + 1 AS "left", pace > 0 AS paced, exhausted_at, era_ends_at FROM gid_stat_sequences WHERE sequence = 'ids'::regclass;
SELECT last_value FROM ids;
SELECT gid_next_gdids('ids', 3);
SELECT gid_next_gdid('ids') AS next_of_block, gid_next('ids') AS own_block;
SELECT sequence, source, next, last FROM gid_stat_sequences WHERE sequence = 'ids'::regclass ORDER BY source;
-- It is everybody's block who may draw from the sequence.
GRANT USAGE ON SEQUENCE ids TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid_next_gdid('ids') AS next_of_block;
RESET ROLE;
-- A block is done when it is done, whatever is set meanwhile.
ALTER SYSTEM SET gid.authority = 8;
\set until 'current_setting(''gid.authority'') = ''8'''
\i :reload
SELECT gid_next_gdid('ids') AS of_authority_7;
SET gid.authorities = 'regress_gid_none';
SELECT gid_next_gdid('ids') AS from_the_block;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdids('ids', 3)$$) AS e;
RESET gid.authorities;
SELECT gid_next_gdid('ids') AS own;
ALTER SYSTEM SET gid.authority = 7;
\set until 'current_setting(''gid.authority'') = ''7'''
\i :reload
-- gid_forget() ends the blocks of both kinds, ALTER SEQUENCE here, too.
SET gid.authorities = '"Regress ""gid"" 2", regress_gid_none';
SELECT gid_forget('ids');
SELECT source, next IS NULL AS no_block FROM gid_stat_sequences WHERE sequence = 'ids'::regclass ORDER BY source;
SELECT last_value AS before FROM ids \gset
SELECT gid_extract_gdid_counter(gid_next_gdid('ids')) - :before AS next, gid_extract_gdid_counter(gid_next_gdid('ids')) - :before AS after;
ALTER SEQUENCE ids RESTART 1000;
SELECT gid_next_gdid('ids') AS a, gid_next_gdid('ids') AS b;
SELECT gid_next_gdids('ids', 1) AS a, gid_next_gdids('ids', 2) AS b, gid_next_gdids('ids', 2) AS c;
DROP SEQUENCE ids;

-- In order, each once: in a DEFAULT, a COPY, a loop, over many blocks.
CREATE SEQUENCE ids;
SET gid.authorities = 'regress_gid_1';
CREATE TABLE made (n int, id gdid DEFAULT gid_next_gdid('ids'));
INSERT INTO made SELECT n FROM generate_series(1, 1000) AS n;
COPY made (n) FROM stdin;
1001
1002
1003
\.
INSERT INTO made SELECT 1003 + n, id FROM gid_next_gdids('ids', 100) WITH ORDINALITY AS m (id, n);
DO $$
BEGIN
	FOR i IN 1104 .. 1200 LOOP
		INSERT INTO made VALUES (i, gid_next_gdid('regress_gid_app', 'ids'));
	END LOOP;
END $$;
SELECT count(*), count(DISTINCT id), min(id),
	count(*) FILTER (WHERE id <= before AND n NOT BETWEEN 1004 AND 1104) AS not_in_order,
	count(*) FILTER (WHERE n BETWEEN 1005 AND 1103 AND
		gid_extract_gdid_counter(id) <> gid_extract_gdid_counter(before) + 1) AS not_consecutive,
	count(*) FILTER (WHERE gid_extract_gdid_authority(id) <> 7) AS foreign
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made) AS m;
-- What is rolled back does not come again: transaction, savepoint, exception block.
TRUNCATE made;
SELECT gid_forget('ids');
BEGIN;
INSERT INTO made SELECT n FROM generate_series(1201, 1300) AS n;
SELECT max(id) AS most FROM made \gset
SAVEPOINT a;
INSERT INTO made VALUES (1301) RETURNING id > :'most' AS after;
SELECT max(id) AS most FROM made \gset
ROLLBACK TO SAVEPOINT a;
INSERT INTO made VALUES (1301) RETURNING id > :'most' AS after;
SELECT max(id) AS most FROM made \gset
ROLLBACK;
INSERT INTO made VALUES (1301) RETURNING id > :'most' AS after;
DO $$
BEGIN
	FOR i IN 1302 .. 1400 LOOP
		BEGIN
			INSERT INTO made SELECT i FROM generate_series(1, 5);
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
			INSERT INTO made VALUES (i);
		END;
	END LOOP;
END $$;
SELECT count(*), count(DISTINCT id), bool_and(id > before) AS in_order, bool_and(id > :'most') AS after
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made WHERE n > 1300) AS m;
DROP TABLE made;

-- In a transaction of any isolation, with a snapshot before and after.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM gid_next_gdids('ids', 10);
SELECT gid_next_gdid('ids') < gid_next_gdid('ids') AS in_order FROM generate_series(1, 3);
COMMIT;

-- Nothing that this transaction has done and not committed is known there.
BEGIN;
CREATE SEQUENCE fresh;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('fresh')$$) AS e;
ROLLBACK;
-- The end of the sequence there, or values that are none.
CREATE SEQUENCE short MAXVALUE 10;
CREATE SEQUENCE low MINVALUE -1;
CREATE SEQUENCE down INCREMENT -1;
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdids('short', 11)$$, $$SELECT gid_next_gdid('short')$$,
	$$SELECT gid_next_gdid('low')$$, $$SELECT gid_next_gdid('down')$$) AS e;
DROP SEQUENCE short, low, down;
-- A batch where an era ends begins the next one.
CREATE SEQUENCE era START 1152921504606846973;
SELECT gid_next_gdids('era', 4);
CREATE SEQUENCE border CACHE 5 START 1152921504606846973;
SELECT gid_next_gdid('border') FROM generate_series(1, 5);
DROP SEQUENCE era, border;
-- Strange names.
SELECT gid_next_gdid('Regress "gid"', 'Mixed.Case é; --''\') AS id;

-- One server after the other.  Those that refuse are asked each time, one that is
-- not there is passed over for a while; what was said stands in the detail.
CALL server('regress_gid_patient', '');
CALL server('regress_gid_zero', ', connect_timeout ''0''');
CALL server('regress_gid_bare', dbname => 'template1');
CREATE SERVER regress_gid_unmapped FOREIGN DATA WRAPPER dblink_fdw OPTIONS (connect_timeout '2');
CREATE FUNCTION pg_temp.details(call text, OUT code text, OUT detail text) RETURNS SETOF record LANGUAGE sql AS $$
	-- the rest differs from version to version, and from the first time to the next
	SELECT e.code, regexp_replace(regexp_replace(d, ' not found for .*', ' not found'),
		': (passed over after: )?could not establish connection.*', ': not there')
	FROM pg_temp.expect(call) AS e, regexp_split_to_table(e.detail, '\n') AS d
$$;
CREATE SEQUENCE other;
SET gid.authorities = 'regress_gid_patient, regress_gid_zero, regress_gid_bare, regress_gid_unmapped, regress_gid_none, regress_gid_gone, regress_gid_gone';
SELECT * FROM pg_temp.details($$SELECT gid_next_gdid('other')$$);
SELECT detail FROM pg_temp.details($$SELECT gid_next_gdids('other', 2)$$);
SET gid.authorities = 'regress_gid_gone, regress_gid_none, regress_gid_zero, regress_gid_1, regress_gid_2';
SELECT gid_next_gdid('other'), gid_next_gdid('other');
SELECT gid_next_gdids('other', 2);
ALTER SERVER regress_gid_patient OPTIONS (ADD connect_timeout '30');
SET gid.authorities = 'regress_gid_patient';
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SET client_min_messages = warning;
DROP SERVER regress_gid_patient, regress_gid_zero, regress_gid_bare, regress_gid_unmapped CASCADE;
RESET client_min_messages;

-- No connection is left in a superuser's session, in which code of many users
-- may run.
\c -
\i :include
SET search_path = regress_gid_app, public;
CREATE FUNCTION pg_temp.connections() RETURNS int LANGUAGE sql AS
	$$SELECT coalesce(cardinality("Regress gid ""dblink""".dblink_get_connections()), 0)$$;
SET gid.authorities = 'regress_gid_1';
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers, pg_temp.connections() AS left_open;
SELECT gid_next_gdid('other') IS NOT NULL AS answers, pg_temp.connections() AS left_open;
-- Whoever calls, the connection is the owner's; it is closed when the caller goes
-- on, who could not close it.
GRANT USAGE ON SEQUENCE other TO regress_gid_user;
SET gid.authorities = 'regress_gid_gone, regress_gid_1';
SET ROLE regress_gid_user;
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
RESET ROLE;
SELECT pg_temp.connections() AS left_open;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_next_gdid('other') IS NOT NULL AS answers;
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
RESET SESSION AUTHORIZATION;
SELECT pg_temp.connections() AS left_open;
-- The same when a server refuses, and when one is not there.
SET client_min_messages = warning;
DROP SERVER regress_gid_gone CASCADE;
RESET client_min_messages;
CALL server('regress_gid_gone', host => '/nonexistent');
CREATE SEQUENCE fewer CACHE 2 MAXVALUE 2;
GRANT USAGE ON SEQUENCE fewer TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT gid_next_gdids('other', 1) IS NOT NULL AS answers;
SELECT gid_next_gdid('fewer') AS a, gid_next_gdid('fewer') AS b;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdid('fewer')$$) AS e;
RESET SESSION AUTHORIZATION;
SELECT pg_temp.connections() AS left_open;
DROP SEQUENCE fewer;
-- Nothing of the caller's runs with the owner's rights: neither what the search
-- path finds nor what the temporary schema has.
CREATE SCHEMA regress_gid_evil AUTHORIZATION regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
CREATE FUNCTION regress_gid_evil.who(pg_catalog.text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF current_user <> 'regress_gid_user' THEN
		RAISE 'called as another user';
	END IF;
	RETURN true;
END $$;
GRANT USAGE ON SCHEMA regress_gid_evil TO PUBLIC;
CREATE DOMAIN regress_gid_evil.text AS pg_catalog.text CHECK (regress_gid_evil.who(VALUE::pg_catalog.text));
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (regress_gid_evil.who(VALUE::pg_catalog.text));
CREATE FUNCTION regress_gid_evil.equal(pg_catalog.text, pg_catalog.text) RETURNS boolean LANGUAGE sql AS 'SELECT regress_gid_evil.who($1)';
CREATE OPERATOR regress_gid_evil.= (FUNCTION = regress_gid_evil.equal, LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text);
CREATE FUNCTION regress_gid_evil.quote_ident(pg_catalog.text) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT regress_gid_evil.who($1)::pg_catalog.text';
SELECT gid_next_gdids('regress_gid_app.other', 1) IS NOT NULL AS with_temporary_schema;
SET search_path = regress_gid_evil, pg_catalog, public, pg_temp;
SELECT gid_next_gdids('regress_gid_app.other', 1) IS NOT NULL AS with_search_path;
DROP DOMAIN pg_temp.text;
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_evil CASCADE;
RESET client_min_messages;
SET search_path = regress_gid_app, public;
-- A SECURITY DEFINER function draws for a caller who may not.
CREATE FUNCTION definer() RETURNS boolean SECURITY DEFINER LANGUAGE sql AS
	$$SELECT count(*) = 3 FROM gid_next_gdids('regress_gid_app.other', 3)$$;
REVOKE USAGE ON SEQUENCE other FROM regress_gid_user;
SET ROLE regress_gid_user;
SELECT definer();
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next_gdids('other', 1)$$) AS e;
SELECT definer();
RESET ROLE;
DROP FUNCTION definer();

-- An owner who is no superuser connects with the owner's mapping and rights.
CREATE SEQUENCE theirs;
ALTER SEQUENCE theirs OWNER TO regress_gid_user;
SET gid.authorities = 'regress_gid_1';
CREATE FUNCTION pg_temp.says(pattern text) RETURNS boolean LANGUAGE sql AS
	$$SELECT e.code = '08001' AND e.detail ~ pattern FROM pg_temp.expect('SELECT gid_next_gdid(''theirs'')') AS e$$;
SELECT pg_temp.says('^regress_gid_1: permission denied for schema ') AS no_right_to_dblink;
GRANT USAGE ON SCHEMA "Regress gid ""dblink""" TO regress_gid_user;
SELECT pg_temp.says('^regress_gid_1: user mapping not found for ') AS no_mapping;
CREATE USER MAPPING FOR regress_gid_user SERVER regress_gid_1;
SELECT pg_temp.says('^regress_gid_1: permission denied for foreign server regress_gid_1$') AS no_right_to_server;
GRANT USAGE ON FOREIGN SERVER regress_gid_1 TO regress_gid_user;
SELECT pg_temp.says('^regress_gid_1: password .*required') AS no_password;
SELECT pg_temp.connections() AS left_open;
DROP SEQUENCE theirs;
REVOKE ALL ON SCHEMA "Regress gid ""dblink""" FROM regress_gid_user;
REVOKE ALL ON FOREIGN SERVER regress_gid_1 FROM regress_gid_user;
DROP USER MAPPING FOR regress_gid_user SERVER regress_gid_1;

--
-- Answers of any kind
--

-- In the place of gid_authority_block(): what a table has for the sequence, and a
-- note of who was asked for how many.
ALTER FUNCTION gid_authority_block(text, text, int, bigint) RENAME TO regress_gid_away;
CREATE TABLE asked (n int GENERATED ALWAYS AS IDENTITY, server text, sequence text, size int);
CREATE TABLE answer (sequence text, authority text, era text, start text, count text);
CREATE FUNCTION public.gid_authority_block(scope text, sequence text, size int, vicinity bigint)
RETURNS TABLE (authority text, era text, start text, count text) LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO regress_gid_app.asked (server, sequence, size)
	VALUES (current_setting('application_name'), gid_authority_block.sequence, size);
	IF gid_authority_block.sequence = 'only_2' AND current_setting('application_name') = 'regress_gid_1' THEN
		RAISE 'not from me' USING DETAIL = E'First line.\nSecond line.';
	END IF;
	RETURN QUERY SELECT a.authority, a.era, a.start, coalesce(a.count, size::text)
	FROM regress_gid_app.answer AS a WHERE a.sequence = gid_authority_block.sequence;
END $$;
CREATE FUNCTION pg_temp.asked() RETURNS text LANGUAGE sql AS $$
	WITH gone AS (DELETE FROM asked RETURNING *)
	SELECT string_agg(format('%s %s of %s', sequence, size, server), ', ' ORDER BY n) FROM gone
$$;
INSERT INTO answer (sequence, authority, era, start, count) VALUES
	('least', 0, 0, 1, 1), ('most', 15, 7, 1152921504606846975, 1), ('whole', 3, 5, 0, NULL), ('fewer', 3, 5, 100, 1),
	('authority_16', 16, 0, 1, 1), ('authority_below', -1, 0, 1, 1), ('era_8', 0, 8, 1, 1), ('era_below', 0, -1, 1, 1),
	('counter_0', 0, 0, 0, 1), ('counter_below', 0, 1, -1, 1), ('counter_beyond', 0, 0, 1152921504606846976, 1),
	('end_beyond', 0, 0, 1152921504606846975, 2), ('end_far_beyond', 0, 0, 9223372036854775807, 2),
	('count_0', 0, 0, 1, 0), ('count_below', 0, 0, 1, -1), ('count_more', 0, 0, 1, 65537),
	('null_authority', NULL, 0, 1, 1), ('null_start', 0, 0, NULL, 1), ('a_word', 0, 'word', 1, 1), ('empty', 0, 0, '', 1),
	('too_large', 0, 0, 9223372036854775808, 1), ('two_rows', 0, 0, 1, 1), ('two_rows', 0, 0, 2, 1);
DO $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT DISTINCT sequence FROM answer LOOP
		EXECUTE format('CREATE SEQUENCE %I CACHE 2', name);
	END LOOP;
	CREATE SEQUENCE no_row;
	CREATE SEQUENCE only_2 CACHE 2;
END $$;
SET gid.authorities = 'regress_gid_1';
CREATE FUNCTION pg_temp.drawn(seq regclass, n int) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(id::text, ' ' ORDER BY i) FROM (SELECT i, gid_next_gdid(seq) AS id FROM generate_series(1, n) AS i) AS d$$;
SELECT pg_temp.drawn('least', 1) AS least, pg_temp.drawn('most', 1) AS most, pg_temp.drawn('whole', 3) AS whole, pg_temp.drawn('fewer', 2) AS fewer;
SELECT pg_temp.asked();
-- What is no block is refused, and nothing of it is used.
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdid('authority_16')$$) AS e;
SELECT s.sequence, e.code, e.detail FROM (SELECT DISTINCT sequence FROM answer UNION SELECT 'no_row') AS s,
	pg_temp.expect(format('SELECT gid_next_gdid(%L)', sequence)) AS e
WHERE sequence NOT IN ('least', 'most', 'whole', 'fewer') ORDER BY sequence;
SELECT count(*) FROM gid_stat_sequences WHERE source <> 'local' AND next IS NOT NULL
	AND sequence::text ~ '^(authority|era|counter|end|count|null)_';
TRUNCATE asked;
-- A refused batch is tried again where fewer came, and that is all.
SELECT gid_next_gdids('whole', 3);
SELECT e.* FROM pg_temp.expect($$SELECT gid_next_gdids('fewer', 2)$$) AS e;
SELECT pg_temp.asked();
-- How many are asked for: a sequence's CACHE, else by the pace and
-- gid.max_block_size, never more than there can be.
CREATE SEQUENCE large CACHE 100000;
CREATE SEQUENCE paced;
INSERT INTO answer VALUES ('large', 1, 0, 1, NULL), ('paced', 1, 0, 1, NULL);
SELECT pg_temp.drawn('large', 1), gid_next_gdids('large', 65536) LIMIT 1;
SELECT pg_temp.asked();
SELECT pg_temp.drawn('paced', 3);
SELECT (array_agg(size ORDER BY n))[1] AS first, max(size) BETWEEN 2 AND 4 * 2 + 4 AS second FROM asked;
TRUNCATE asked;
SET gid.max_block_size = 1;
SELECT gid_forget('paced'), pg_temp.drawn('paced', 2);
RESET gid.max_block_size;
SELECT pg_temp.asked();
-- No question while there is a block; the next one ahead of need, once.
CREATE SEQUENCE ahead CACHE 20;
INSERT INTO answer VALUES ('ahead', 1, 0, 1, NULL);
SELECT pg_temp.drawn('ahead', 15) IS NOT NULL AS drawn, pg_temp.asked();
SELECT pg_temp.drawn('ahead', 1) IS NOT NULL AS drawn, pg_temp.asked();
SELECT pg_temp.drawn('ahead', 19) IS NOT NULL AS drawn, pg_temp.asked();
SELECT reservations, prefetched FROM gid_stat_sequences WHERE sequence = 'ahead'::regclass;
-- While nobody answers, what is left is given out; the error comes with the first
-- one that is missing.
SELECT gid_forget('ahead'), pg_temp.drawn('ahead', 1) IS NOT NULL AS drawn;
SET gid.authorities = 'regress_gid_none';
SELECT pg_temp.drawn('ahead', 19);
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ahead')$$) AS e;
SET gid.authorities = 'regress_gid_1';
SELECT pg_temp.drawn('ahead', 1);
UPDATE answer SET era = 99 WHERE sequence = 'ahead';
SELECT pg_temp.drawn('ahead', 19);
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ahead')$$) AS e;
-- The next server is asked when one refuses; of an error's detail the first line
-- is told.
TRUNCATE asked;
INSERT INTO answer VALUES ('only_2', 2, 0, 1, NULL);
SELECT e.code, e.detail FROM pg_temp.expect($$SELECT gid_next_gdid('only_2')$$) AS e;
SET gid.authorities = 'regress_gid_gone, regress_gid_1, "Regress ""gid"" 2"';
SELECT pg_temp.drawn('only_2', 3);
SELECT gid_next_gdids('only_2', 2);
SELECT pg_temp.asked();
-- An answer of other columns.
DROP FUNCTION gid_authority_block(text, text, int, bigint);
CREATE FUNCTION public.gid_authority_block(scope text, sequence text, size int, vicinity bigint) RETURNS int LANGUAGE sql AS 'SELECT 1';
SET gid.authorities = 'regress_gid_1';
SELECT e.code, e.detail ~ '^regress_gid_1: .* rowtype' AS detail
FROM pg_temp.expect($$SELECT gid_next_gdid('no_row')$$) AS e;
DROP FUNCTION gid_authority_block(text, text, int, bigint);
SELECT e.code, e.detail ~ '^regress_gid_1: function .* does not exist' AS detail
FROM pg_temp.expect($$SELECT gid_next_gdid('no_row')$$) AS e;
ALTER FUNCTION regress_gid_away(text, text, int, bigint) RENAME TO gid_authority_block;
SELECT gid_next_gdid('no_row');

--
-- gid.decimal_authority
--

RESET gid.authorities;
ALTER SYSTEM SET gid.launch_id = 6002;
\set until 'current_setting(''gid.launch_id'') = ''6002'''
\i :reload
-- A server that does not exist is an error even where there is a lease; a launch
-- that this server has begun by itself goes on so.
SELECT gid_decimal_id() AS own;
SET gid.decimal_authority = regress_gid_none;
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SET gid.decimal_authority = regress_gid_1;
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid_authority_generator(6002)') AS e;
RESET gid.decimal_authority;
SELECT gid_decimal_id() AS own;
-- Nothing is taken of the next launch as long as nobody answers.  That the
-- sequence is put to its begin does not begin it.
SELECT setval('gid_decimal_generator', 600300000, false);
ALTER SYSTEM SET gid.launch_id = 6003;
\set until 'current_setting(''gid.launch_id'') = ''6003'''
\i :reload
SET gid.decimal_authority = regress_gid_gone;
SELECT e.code, e.message, e.detail ~ '^regress_gid_gone: .*could not establish connection' AS detail, e.hint
FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SELECT last_value, is_called FROM gid_decimal_generator;
-- From this database itself no number can come, since it is one of its own.
SET gid.decimal_authority = regress_gid_1;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;

-- Anything in the place of gid_authority_generator().
ALTER FUNCTION gid_authority_generator(int) RENAME TO regress_gid_away;
CREATE TABLE given (generator text, asked int DEFAULT 0, own bigint);
INSERT INTO given VALUES (500);
CREATE FUNCTION public.gid_authority_generator(launch int) RETURNS text LANGUAGE sql AS
	'UPDATE regress_gid_app.given SET asked = asked + 1 RETURNING generator';
ALTER SYSTEM SET gid.launch_id = 6004;
\set until 'current_setting(''gid.launch_id'') = ''6004'''
\i :reload
SET gid.decimal_authority = regress_gid_1;
SELECT gid_decimal_id() AS a, gid_decimal_id() AS b;
-- The first one closes the launch for this server's own numbers.
SELECT last_value, asked FROM gid_decimal_generator, given;
SELECT launch, source, generators_used, generators_left, leases_held, leases_idle FROM gid_stat_launches
WHERE launch = 6004 ORDER BY source;
RESET gid.decimal_authority;
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SET gid.decimal_authority = regress_gid_1;
-- The lease goes on, in each transaction and in the next session, and nobody is
-- asked.
SELECT gid_decimal_id() AS again;
SELECT pg_backend_pid() AS pid \gset
\c -
\i :include
SET search_path = regress_gid_app, public;
\set until 'NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ' :pid ')'
\i :reload
SET gid.decimal_authority = regress_gid_1;
SELECT gid_decimal_id() AS idle_lease;
SELECT asked FROM given;
-- Numbers come in any order, one of them for whoever calls.
UPDATE given SET generator = 7;
ALTER SEQUENCE gid_decimal_generator CACHE 1;
SET ROLE regress_gid_user;
SELECT gid_decimal_id() AS id;
RESET ROLE;
SELECT last_value, asked FROM gid_decimal_generator, given;
-- The first and the last number; what is none is not taken.
ALTER SYSTEM SET gid.launch_id = 6005;
\set until 'current_setting(''gid.launch_id'') = ''6005'''
\i :reload
UPDATE given SET generator = -1;
SELECT e.* FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
UPDATE given SET generator = 100000;
SELECT e.code, e.detail FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
UPDATE given SET generator = NULL;
SELECT e.code, e.detail FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
SELECT last_value FROM gid_decimal_generator;
UPDATE given SET generator = 99999;
SELECT gid_decimal_id() AS last;
UPDATE given SET generator = 0;
ALTER SEQUENCE gid_decimal_generator CACHE 1;
SELECT gid_decimal_id() AS first;
-- While the authority is asked another session of this server begins the launch
-- without it: the number that comes then is not used.
CREATE OR REPLACE FUNCTION public.gid_authority_generator(launch int) RETURNS text LANGUAGE sql AS
	'UPDATE regress_gid_app.given SET own = public.gid_decimal_id() RETURNING generator';
ALTER SYSTEM SET gid.launch_id = 6006;
\set until 'current_setting(''gid.launch_id'') = ''6006'''
\i :reload
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid_decimal_id()') AS e;
SELECT own, last_value FROM given, gid_decimal_generator;
-- Those of a launch before are behind.
ALTER SYSTEM SET gid.launch_id = 6004;
\set until 'current_setting(''gid.launch_id'') = ''6004'''
\i :reload
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
DROP FUNCTION gid_authority_generator(int);
ALTER FUNCTION regress_gid_away(int) RENAME TO gid_authority_generator;

-- What was fetched goes on being given out when dblink is gone, too.
RESET gid.decimal_authority;
SET gid.authorities = 'regress_gid_1';
SELECT gid_forget('ahead');
SELECT gid_next_gdid('ahead') AS first;
SET client_min_messages = warning;
DROP EXTENSION dblink CASCADE;
SELECT min(id), max(id), count(*) FROM (SELECT gid_next_gdid('ahead') AS id FROM generate_series(1, 19)) AS d;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ahead')$$) AS e;

-- As it was.
DROP SCHEMA regress_gid_app, "Regress ""gid""", "Regress gid ""dblink""" CASCADE;
DROP ROLE regress_gid_user;
ALTER SEQUENCE gid_decimal_generator RESTART;
ALTER SYSTEM RESET gid.launch_id;
ALTER SYSTEM RESET gid.authority;
\set until 'current_setting(''gid.authority'') = ''0'' AND current_setting(''gid.launch_id'') = '''''
\i :reload
