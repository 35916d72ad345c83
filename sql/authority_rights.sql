-- gid.authority_block(): exact names, relations that are no sequence to draw from,
-- read-only transactions, parallel plans, privileges.
\i sql/include/start.sql
\i :parallel
LOAD 'gid';
\i :numbers
CREATE SCHEMA regress_gid_app;
CREATE ROLE regress_gid_user;
SET search_path = regress_gid_app, public;
CREATE SEQUENCE orders;

-- Scope and sequence are exact names: no case folding, no quotes, no search path.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --'\";
CREATE SEQUENCE regress_gid_app."Orders" START 100;
SELECT * FROM gid.authority_block('Regress "gid"', 'Mixed.Case é; --''\', 2);
SELECT * FROM gid.authority_block('regress_gid_app', 'Orders', 2);
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'ORDERS', 1)$$) AS e;
SELECT count(*), e.code, e.message = format('sequence "%s" does not exist in scope "%s"', n.name, n.scope) AS message
FROM (VALUES ('REGRESS_GID_APP', 'orders'), ('"regress_gid_app"', 'orders'), ('regress_gid_app', '"orders"'),
	('regress_gid_app', ' orders'), ('regress_gid_app', 'orders '), ('public', 'orders'), ('', 'orders'), ('regress_gid_app', ''),
	('regress_gid_none', 'orders'), ('regress_gid_app', 'regress_gid_app.orders'), ('pg_temp', 'orders'),
	('regress_gid_app', 'none')) AS n (scope, name),
	pg_temp.expect(format('SELECT gid.authority_block(%L, %L, 1)', n.scope, n.name)) AS e GROUP BY 2, 3;

-- Relations that are no sequence, or no permanent one.
CREATE TABLE a_table (a int PRIMARY KEY);
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE unlogged;
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'a_table', 1)$$,
	$$SELECT gid.authority_block('regress_gid_app', 'a_table_pkey', 1)$$,
	$$SELECT gid.authority_block('pg_temp', 'temporary', 1)$$, $$SELECT gid.authority_block('regress_gid_app', 'unlogged', 1)$$) AS e;
DROP TABLE a_table;
DROP SEQUENCE temporary, unlogged;

-- Read-only transactions and parallel plans give the error that nextval() gives.
BEGIN READ ONLY;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid.authority_block('regress_gid_app', 'orders', 1)$$,
	'SELECT gid.authority_generator(6000)') AS e;
COMMIT;
CREATE FUNCTION mislabelled_block() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS
	$$BEGIN RETURN (SELECT start FROM gid.authority_block('regress_gid_app', 'orders', 1)); END$$;
CREATE FUNCTION mislabelled_generator() RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS
	$$BEGIN RETURN gid.authority_generator(6000); END$$;
SELECT pg_temp.force_parallel('on');
SELECT e.code, e.message FROM pg_temp.expect('SELECT mislabelled_block()', 'SELECT mislabelled_generator()') AS e;
SELECT pg_temp.force_parallel('off');
DROP FUNCTION mislabelled_block(), mislabelled_generator();

-- A caller needs USAGE on the schema, and USAGE or UPDATE on the sequence.
CREATE FUNCTION pg_temp.with_privilege(privilege text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code text;
BEGIN
	EXECUTE format('GRANT %s ON SEQUENCE orders TO regress_gid_user', privilege);
	SET LOCAL ROLE regress_gid_user;
	code := (SELECT e.code FROM pg_temp.expect('SELECT gid.authority_block(''regress_gid_app'', ''orders'', 1)') AS e);
	RESET ROLE;
	REVOKE ALL ON SEQUENCE orders FROM regress_gid_user;
	RETURN code;
END $$;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'orders', 1)$$) AS e;
RESET ROLE;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'orders', 1)$$) AS e;
RESET ROLE;
SELECT privilege, pg_temp.with_privilege(privilege)
FROM unnest(ARRAY['SELECT', 'USAGE', 'UPDATE', 'USAGE, SELECT', 'ALL']) AS privilege;
-- A SECURITY DEFINER function has its owner's privilege and does not pass it on.
CREATE FUNCTION definer() RETURNS int SECURITY DEFINER LANGUAGE sql AS
	$$SELECT count FROM gid.authority_block('regress_gid_app', 'orders', 4)$$;
SET ROLE regress_gid_user;
BEGIN;
SELECT definer();
SELECT e.code FROM pg_temp.expect($$SELECT gid.authority_block('regress_gid_app', 'orders', 1)$$) AS e;
SELECT definer();
COMMIT;
RESET ROLE;
DROP FUNCTION definer();

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app, "Regress ""gid""" CASCADE;
DROP ROLE regress_gid_user;
\i :no_numbers
