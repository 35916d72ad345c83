-- gid.authority_block(), which reserves values of a sequence for other servers: sizes,
-- eras, rollbacks, and other callers that draw from the same sequence.
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
SELECT * FROM gid.authority_block('regress_gid_app', 'orders', 10, 5);
SELECT * FROM gid.authority_block(sequence => 'orders', vicinity => -9223372036854775808, size => 1, scope => 'regress_gid_app');
SELECT last_value, is_called FROM orders;
SELECT (gid.authority_block('regress_gid_app', 'orders', n)).start FROM generate_series(1, 3) AS n;
ALTER SYSTEM SET gid.authority = 15;
\set until 'current_setting(''gid.authority'') = ''15'''
\i :reload
SELECT * FROM gid.authority_block('regress_gid_app', 'orders', 1);
ALTER SYSTEM SET gid.authority = 7;
\set until 'current_setting(''gid.authority'') = ''7'''
\i :reload

-- A NULL argument gives a row of NULLs and reserves nothing. A NULL vicinity counts as
-- no vicinity.
SELECT last_value AS before FROM orders \gset
SELECT b.* FROM gid.authority_block(NULL, 'orders', 10) AS b
UNION ALL SELECT b.* FROM gid.authority_block('regress_gid_app', NULL, 10, 1) AS b
UNION ALL SELECT b.* FROM gid.authority_block('regress_gid_app', 'orders', NULL) AS b
UNION ALL SELECT b.* FROM gid.authority_block(NULL, NULL, NULL, NULL) AS b;
SELECT last_value - :before AS taken FROM orders;
SELECT count FROM gid.authority_block('regress_gid_app', 'orders', 3, NULL);

-- The size, at both ends of its range and one past each.
SELECT last_value AS before FROM orders \gset
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'orders', 0)$$) AS e;
SELECT size, e.code, e.message FROM unnest(ARRAY[-2147483648, -1, 0, 65537, 2147483647]) AS size,
	pg_temp.expect(format('SELECT gid.authority_block(''regress_gid_app'', ''orders'', %s)', size)) AS e;
SELECT last_value - :before AS taken FROM orders;
SELECT b.count, b.start - :before AS since FROM unnest(ARRAY[1, 2, 65535, 65536]) AS size,
	gid.authority_block('regress_gid_app', 'orders', size) AS b;

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
	-- with larger steps the values between are skipped
	'INCREMENT 7', 'INCREMENT 7 MAXVALUE 20', 'INCREMENT 7 START 1152921504606846970', 'INCREMENT 1152921504606846976',
	'INCREMENT 9223372036854775807',
	-- the next cycle begins with a new block
	'MAXVALUE 10 START 9 CYCLE', 'MINVALUE 5 MAXVALUE 6 CYCLE', 'INCREMENT 7 MAXVALUE 30 START 16 CYCLE',
	'MINVALUE 1152921504606846970 MAXVALUE 1152921504606846980 START 1152921504606846975 CYCLE']) AS options;
-- Values below 1 are no counters and are skipped. A descending sequence gives and
-- reserves nothing.
SELECT options, pg_temp.blocks(options, 3, 3, 3) AS blocks
FROM unnest(ARRAY['MINVALUE 0', 'MINVALUE -2', 'MINVALUE -3', 'MINVALUE -4 MAXVALUE -1 CYCLE', 'MINVALUE -9223372036854775808',
	'INCREMENT -1', 'INCREMENT -1 MINVALUE 1 MAXVALUE 100 START 100', 'INCREMENT -9223372036854775808 MINVALUE -9223372036854775808']) AS options;
CREATE SEQUENCE low MINVALUE -1;
CREATE SEQUENCE down INCREMENT -1;
CREATE SEQUENCE short MAXVALUE 5;
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'low', 1)$$,
	$$SELECT gid.authority_block('regress_gid_app', 'down', 1)$$) AS e;
SELECT count FROM gid.authority_block('regress_gid_app', 'short', 10);
SELECT e.* FROM pg_temp.alike($$SELECT gid.authority_block('regress_gid_app', 'short', 1)$$) AS e;
DROP SEQUENCE low, down, short;

-- Other functions draw from the same sequence meanwhile. No value comes twice.
CREATE TABLE taken (by_whom text, value bigint PRIMARY KEY);
CREATE PROCEDURE pg_temp.take(seq regclass) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		INSERT INTO taken SELECT 'block', generate_series(start, start + count - 1)
		FROM gid.authority_block('regress_gid_app', seq::text, 1 + i % 9);
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

-- A rollback gives nothing back, be it of a transaction, a savepoint, an exception
-- block, a statement or an ALTER SEQUENCE.
CREATE FUNCTION pg_temp.since(size int) RETURNS bigint LANGUAGE sql AS
	$$SELECT start - 1000 FROM gid.authority_block('regress_gid_app', 'orders', size)$$;
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

-- Clean up.
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
DROP ROLE regress_gid_user;
ALTER SYSTEM RESET gid.authority;
\set until 'current_setting(''gid.authority'') = '''''
\i :reload
