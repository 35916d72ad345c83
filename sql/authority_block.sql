-- What an authority gives to other servers: gid.authority_block(), values of a sequence,
-- and gid.authority_generator(), generator numbers of DecimalIds. decimal_launch.sql has
-- what an owner may do to the sequence of the latter.
\i sql/include/start.sql
\i :numbers
CREATE SCHEMA regress_gid_app;
CREATE ROLE regress_gid_user;
SET search_path = regress_gid_app, public;

-- A block begins where the sequence is, and belongs to this server's authority.
CREATE SEQUENCE orders;
SELECT * FROM gid.authority_block('regress_gid_app', 'orders', 10);
SELECT * FROM gid.authority_block(sequence => 'orders', vicinity => -9223372036854775808, size => 1, scope => 'regress_gid_app');
-- A NULL argument gives a row of NULLs and reserves nothing. A NULL vicinity counts as
-- no vicinity.
SELECT b.* FROM gid.authority_block(NULL, 'orders', 10) AS b
UNION ALL SELECT b.* FROM gid.authority_block('regress_gid_app', NULL, 10, 1) AS b
UNION ALL SELECT b.* FROM gid.authority_block('regress_gid_app', 'orders', NULL) AS b
UNION ALL SELECT b.* FROM gid.authority_block('regress_gid_app', 'orders', 3, NULL) AS b;
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'orders', 0)$$,
	$$SELECT gid.authority_block('regress_gid_app', 'orders', 65537)$$) AS e;

-- What blocks of a new sequence are: era, first counter and count, size by size.
\set ECHO none
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
\set ECHO all
SELECT options, pg_temp.blocks(options, 3, 65536, 1) AS blocks
FROM unnest(ARRAY['', 'MAXVALUE 2',
	-- never over the end of an era
	'START 1152921504606846973', 'START 1152921504606846974', 'START 9223372036854775806',
	-- with larger steps the values between are skipped
	'INCREMENT 7', 'INCREMENT 7 START 1152921504606846970',
	-- the next cycle begins with a new block
	'MAXVALUE 10 START 9 CYCLE',
	-- values below 1 are no counters and are skipped; a descending sequence gives nothing
	'MINVALUE 0', 'INCREMENT -1 MINVALUE 1 MAXVALUE 100 START 100']) AS options;
CREATE SEQUENCE low MINVALUE -1;
CREATE SEQUENCE down INCREMENT -1;
CREATE UNLOGGED SEQUENCE unlogged;
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'low', 1)$$,
	$$SELECT gid.authority_block('regress_gid_app', 'down', 1)$$, $$SELECT gid.authority_block('regress_gid_app', 'unlogged', 1)$$,
	$$SELECT gid.authority_block('regress_gid_app', 'ORDERS', 1)$$) AS e;

-- A caller needs USAGE on the schema, and USAGE or UPDATE on the sequence. Generator
-- numbers need EXECUTE, because each call uses up a number.
CREATE FUNCTION pg_temp.refused() RETURNS TABLE (code text, message text) LANGUAGE sql AS
	$$SELECT e.code, e.message FROM pg_temp.expect('SELECT gid.authority_block(''regress_gid_app'', ''orders'', 1)', 'SELECT gid.authority_generator(6000)') AS e$$;
SET ROLE regress_gid_user;
SELECT * FROM pg_temp.refused();
RESET ROLE;
GRANT USAGE ON SCHEMA regress_gid_app TO regress_gid_user;
GRANT SELECT ON SEQUENCE orders TO regress_gid_user;
GRANT EXECUTE ON FUNCTION gid.authority_generator(int) TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT * FROM pg_temp.refused();
RESET ROLE;
GRANT USAGE ON SEQUENCE orders TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT * FROM pg_temp.refused();
RESET ROLE;
REVOKE EXECUTE ON FUNCTION gid.authority_generator(int) FROM regress_gid_user;
BEGIN READ ONLY;
SELECT * FROM pg_temp.refused();
COMMIT;

-- Generator numbers. This server's own DecimalIds take them from the same sequence.
SELECT e.* FROM pg_temp.alike('SELECT gid.authority_generator(-1)', 'SELECT gid.authority_generator(100000)',
	'SELECT gid.authority_generator(5999)') AS e;
SET gid.launch_id = 6000;
SELECT gid_decimal_id() AS own, gid.authority_generator(6000) AS for_another, gid_decimal_id() AS own_again, gid.authority_generator(NULL) AS none;
-- After the last number of a launch there is an error. The next launch begins with its
-- first number and ends the launch before, for this server's own ids too.
SELECT setval('gid.decimal_generator', 600099998);
SELECT gid.authority_generator(6000);
SELECT e.* FROM pg_temp.alike('SELECT gid.authority_generator(6000)') AS e;
SELECT gid.authority_generator(6001);
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()', 'SELECT gid.authority_generator(6000)') AS e;

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
DROP ROLE regress_gid_user;
ALTER SEQUENCE gid.decimal_generator RESTART;
\i :no_numbers
