-- What an authority gives to other servers: gid.authority_block(), values of a
-- sequence, and gid.authority_generator(), generator numbers of DecimalIds.
\i sql/include/start.sql
LOAD 'gid';
ALTER SYSTEM SET gid.authority = 7;
\set until 'current_setting(''gid.authority'') = ''7'''
\i :reload
CREATE SCHEMA regress_gid_app;
CREATE ROLE regress_gid_user;
SET search_path = regress_gid_app, public;

-- A block begins where the sequence is, and belongs to this server's authority.
CREATE SEQUENCE orders;
SELECT * FROM gid.authority_block('regress_gid_app', 'orders', 10);
SELECT * FROM gid.authority_block(sequence => 'orders', vicinity => -9223372036854775808, size => 1, scope => 'regress_gid_app');
SELECT last_value, is_called FROM orders;
-- A NULL argument gives a row of NULLs and reserves nothing. A NULL vicinity counts as
-- no vicinity.
SELECT b.* FROM gid.authority_block(NULL, 'orders', 10) AS b
UNION ALL SELECT b.* FROM gid.authority_block('regress_gid_app', NULL, 10, 1) AS b
UNION ALL SELECT b.* FROM gid.authority_block('regress_gid_app', 'orders', NULL) AS b;
SELECT start, count FROM gid.authority_block('regress_gid_app', 'orders', 3, NULL);
-- The size, at both ends of its range and one past each.
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'orders', 0)$$) AS e;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid.authority_block('regress_gid_app', 'orders', 65537)$$) AS e;
SELECT b.count, b.start FROM unnest(ARRAY[1, 65536]) AS size, gid.authority_block('regress_gid_app', 'orders', size) AS b;

-- What blocks of a new sequence are: era, first counter and count, size by size.
CREATE FUNCTION pg_temp.blocks(options text, VARIADIC sizes int[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	b record;
	blocks text[];
BEGIN
	EXECUTE 'CREATE SEQUENCE regress_gid_app.new ' || options;
	FOR i IN 1 .. cardinality(sizes) LOOP
		BEGIN
			b := gid.authority_block('regress_gid_app', 'new', sizes[i]);
			blocks[i] := format('%s:%s+%s', b.era, b.start, b.count);
		EXCEPTION WHEN OTHERS THEN
			blocks[i] := SQLSTATE;
		END;
	END LOOP;
	DROP SEQUENCE regress_gid_app.new;
	RETURN blocks;
END $$;
SELECT options, pg_temp.blocks(options, 3, 65536, 1) AS blocks
FROM unnest(ARRAY['', 'MAXVALUE 2', 'MAXVALUE 3',
	-- never over the end of an era
	'START 1152921504606846973', 'START 1152921504606846974', 'START 1152921504606846976', 'START 9223372036854775806',
	-- with larger steps the values between are skipped
	'INCREMENT 7', 'INCREMENT 7 MAXVALUE 20', 'INCREMENT 7 START 1152921504606846970',
	-- the next cycle begins with a new block
	'MAXVALUE 10 START 9 CYCLE', 'MINVALUE 1152921504606846970 MAXVALUE 1152921504606846980 START 1152921504606846975 CYCLE',
	-- values below 1 are no counters and are skipped; a descending sequence gives nothing
	'MINVALUE 0', 'MINVALUE -4', 'INCREMENT -1', 'INCREMENT -1 MINVALUE 1 MAXVALUE 100 START 100']) AS options;
CREATE SEQUENCE low MINVALUE -1;
CREATE SEQUENCE down INCREMENT -1;
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'low', 1)$$,
	$$SELECT gid.authority_block('regress_gid_app', 'down', 1)$$) AS e;

-- Other functions draw from the same sequence meanwhile. No value comes twice.
CREATE TABLE taken (by_whom text, value bigint PRIMARY KEY);
CREATE SEQUENCE threes INCREMENT 3;
DO $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		INSERT INTO taken SELECT 'block', generate_series(start, start + count - 1)
		FROM gid.authority_block('regress_gid_app', 'threes', 1 + i % 9);
		INSERT INTO taken SELECT 'gid_next', gid_next('threes') FROM generate_series(1, 1 + i % 5);
		INSERT INTO taken SELECT 'nextval', nextval('threes');
		INSERT INTO taken SELECT 'many', gid_next_many('threes', 1 + i % 3);
		INSERT INTO taken SELECT 'gdid', gid_extract_gdid_counter(gid_next_gdid('threes'));
	END LOOP;
END $$;
SELECT by_whom, count(*) FROM taken GROUP BY by_whom ORDER BY by_whom;
-- A rollback gives nothing back, but for that of an ALTER SEQUENCE.
SELECT setval('orders', 1000, false);
BEGIN;
SELECT start FROM gid.authority_block('regress_gid_app', 'orders', 10);
ALTER SEQUENCE orders INCREMENT 5;
SELECT start FROM gid.authority_block('regress_gid_app', 'orders', 10);
ROLLBACK;
SELECT start FROM gid.authority_block('regress_gid_app', 'orders', 10);

-- Scope and sequence are exact names. The sequence is a permanent one.
CREATE SCHEMA "Regress ""gid""";
CREATE SEQUENCE "Regress ""gid"""."Mixed.Case é; --'\";
CREATE TABLE a_table (a int);
CREATE UNLOGGED SEQUENCE unlogged;
SELECT * FROM gid.authority_block('Regress "gid"', 'Mixed.Case é; --''\', 2);
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'ORDERS', 1)$$, $$SELECT gid.authority_block('regress_gid_app', 'a_table', 1)$$,
	$$SELECT gid.authority_block('regress_gid_app', 'unlogged', 1)$$) AS e;
-- A caller needs USAGE on the schema, and USAGE or UPDATE on the sequence.
SET ROLE regress_gid_user;
SELECT e.code, e.message, e.hint FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'orders', 1)$$) AS e;
RESET ROLE;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
GRANT SELECT ON SEQUENCE orders TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'orders', 1)$$) AS e;
RESET ROLE;
GRANT USAGE ON SEQUENCE orders TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT count FROM gid.authority_block('regress_gid_app', 'orders', 1);
RESET ROLE;
BEGIN READ ONLY;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid.authority_block('regress_gid_app', 'orders', 1)$$,
	'SELECT gid.authority_generator(6000)') AS e;
COMMIT;

--
-- gid.authority_generator()
--

-- The function needs a privilege, because each call uses up a number.
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.alike('SELECT gid.authority_generator(6000)') AS e;
RESET ROLE;
GRANT EXECUTE ON FUNCTION gid.authority_generator(int) TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT gid.authority_generator(6000) AS a, gid.authority_generator(6000) AS b, gid.authority_generator(NULL) AS none;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION gid.authority_generator(int) FROM regress_gid_user;
SELECT e.* FROM pg_temp.alike('SELECT gid.authority_generator(-1)', 'SELECT gid.authority_generator(100000)',
	'SELECT gid.authority_generator(5999)') AS e;
-- This server's own DecimalIds take numbers from the same sequence.
ALTER SYSTEM SET gid.launch_id = 6000;
\set until 'current_setting(''gid.launch_id'') = ''6000'''
\i :reload
SELECT gid_decimal_id() AS own, gid.authority_generator(6000) AS for_another, gid_decimal_id() AS own_again;
-- A rollback gives nothing back, so a transaction that has altered the sequence is
-- refused, and a sequence that could give a number twice.
BEGIN;
SELECT gid.authority_generator(6000);
ALTER SEQUENCE gid.decimal_generator INCREMENT 5;
SELECT e.code, e.message, e.detail, e.hint FROM pg_temp.expect('SELECT gid.authority_generator(6000)') AS e;
ROLLBACK;
SELECT gid.authority_generator(6000);
ALTER SEQUENCE gid.decimal_generator CYCLE;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid.authority_generator(6000)') AS e;
ALTER SEQUENCE gid.decimal_generator NO CYCLE;
-- After the last number of a launch there is an error. The next launch begins with its
-- first number and ends the launch before, for this server's own ids too.
SELECT setval('gid.decimal_generator', 600099998);
SELECT gid.authority_generator(6000);
SELECT e.* FROM pg_temp.alike('SELECT gid.authority_generator(6000)') AS e;
SELECT gid.authority_generator(6001);
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid.authority_generator(6000)') AS e;

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app, "Regress ""gid""" CASCADE;
DROP ROLE regress_gid_user;
ALTER SEQUENCE gid.decimal_generator RESTART;
ALTER SYSTEM RESET gid.authority;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.authority'') = ''-1'' AND current_setting(''gid.launch_id'') = '''''
\i :reload
