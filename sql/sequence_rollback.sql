-- Draws before, in and after a transaction that alters the sequence and rolls back, as
-- a whole or to a savepoint. Every value is larger than all values before it, because
-- the rollback ends the blocks of all files that the sequence has had.
\i sql/include/start.sql
\i :loopback
\i :numbers
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

-- One value before the transaction, one in it, and one after it.
CREATE SEQUENCE o CACHE 10;
SELECT gid_next('o') AS value \gset a_
BEGIN;
ALTER SEQUENCE o MAXVALUE 1000000;
SELECT gid_next('o') AS value \gset b_
ROLLBACK;
SELECT gid_next('o') AS value \gset c_
SELECT :a_value < :b_value AND :b_value < :c_value AS in_order;
-- To a savepoint, with and without an ALTER before it.
SELECT gid_next('o') AS value \gset a_
BEGIN;
SAVEPOINT x;
ALTER SEQUENCE o MAXVALUE 1000000;
SELECT gid_next('o') AS value \gset b_
ROLLBACK TO SAVEPOINT x;
SELECT gid_next('o') AS value \gset c_
ALTER SEQUENCE o CACHE 7;
SELECT gid_next('o') AS value \gset d_
SAVEPOINT y;
ALTER SEQUENCE o MAXVALUE 2000000;
SELECT gid_next('o') AS value \gset e_
ROLLBACK TO SAVEPOINT y;
SELECT gid_next('o') AS value \gset f_
COMMIT;
SELECT gid_next('o') AS value \gset g_
SELECT ARRAY[:a_value, :b_value, :c_value, :d_value, :e_value, :f_value, :g_value] =
	ARRAY(SELECT DISTINCT unnest(ARRAY[:a_value, :b_value, :c_value, :d_value, :e_value, :f_value, :g_value]) ORDER BY 1) AS in_order;
DROP SEQUENCE o;

-- Any number of savepoints, and any kind of draw at each place. "drawn" has all values
-- that were drawn so far, in their order, also those that were rolled back. A batch
-- does not end the open block, whose rest may come after the batch. So "drawn" has the
-- values of batches as negative numbers, which only have to be different.
CREATE TABLE alters (n int, statement text);
INSERT INTO alters VALUES (0, 'ALTER SEQUENCE o MAXVALUE 1000000'), (1, 'ALTER SEQUENCE o CACHE 20'), (2, 'ALTER SEQUENCE o AS int'),
	(3, 'ALTER SEQUENCE o START 5'), (4, 'ALTER SEQUENCE o SET LOGGED; ALTER SEQUENCE o MAXVALUE 900000');
\set ECHO none
CREATE FUNCTION pg_temp.draw(kind int, INOUT drawn bigint[]) LANGUAGE plpgsql AS $$
BEGIN
	drawn := drawn || CASE kind
		WHEN 0 THEN ARRAY[gid_next('o')]
		WHEN 1 THEN ARRAY(SELECT -gid_next_many('o', 3))
		WHEN 2 THEN ARRAY(SELECT gid_next('o') FROM generate_series(1, 12))
		WHEN 3 THEN ARRAY(SELECT -gid_next_many('o', 15))
		ELSE ARRAY(SELECT -gid_next_many('o', 1)) END;
END $$;
-- Alters, draws, goes a level deeper, and draws again. "seed" decides whether each
-- level rolls back.
CREATE FUNCTION pg_temp.deeper(level int, seed int, INOUT drawn bigint[]) LANGUAGE plpgsql AS $$
BEGIN
	BEGIN
		EXECUTE (SELECT statement FROM alters WHERE n = (seed / 3 + level) % 5);
		drawn := pg_temp.draw((seed + level) % 5, drawn);
		IF level > 0 THEN
			drawn := pg_temp.deeper(level - 1, seed / 2 + 1, drawn);
			drawn := pg_temp.draw((seed + level + 1) % 5, drawn);
		END IF;
		IF (seed + level) % 3 <> 0 THEN
			RAISE division_by_zero;
		END IF;
	EXCEPTION WHEN division_by_zero THEN
		NULL;
	END;
	drawn := pg_temp.draw((seed + 2 * level) % 4, drawn);
END $$;
CREATE FUNCTION pg_temp.verdict(drawn bigint[], OUT in_order boolean, OUT different boolean) LANGUAGE sql AS $$
	SELECT array_agg(value ORDER BY n) FILTER (WHERE value > 0) = array_agg(value ORDER BY value) FILTER (WHERE value > 0),
		count(*) = count(DISTINCT abs(value))
	FROM unnest(drawn) WITH ORDINALITY AS d (value, n)
$$;
CREATE FUNCTION pg_temp.run(seed int, OUT drawn bigint[]) LANGUAGE plpgsql AS $$
BEGIN
	CREATE SEQUENCE o CACHE 10;
	drawn := pg_temp.draw(0, '{}');
	drawn := pg_temp.deeper(4, seed, drawn);
	drawn := pg_temp.draw(2, drawn);
	DROP SEQUENCE o;
END $$;
\set ECHO all
SELECT count(*) AS runs, min(cardinality(drawn)) > 20 AS drawn_enough,
	count(*) FILTER (WHERE NOT v.in_order) AS not_in_order, count(*) FILTER (WHERE NOT v.different) AS not_different
FROM (SELECT pg_temp.run(seed) AS drawn FROM generate_series(0, 99) AS seed OFFSET 0) AS r, pg_temp.verdict(drawn) AS v;
-- The same with a sequence that is committed, where the transaction as a whole ends.
CREATE SEQUENCE o CACHE 10;
SELECT pg_temp.draw(2, '{}') AS drawn \gset
BEGIN;
SELECT pg_temp.deeper(3, 7, :'drawn') AS drawn \gset
ROLLBACK;
SELECT pg_temp.draw(2, :'drawn') AS drawn \gset
BEGIN;
SELECT pg_temp.deeper(3, 8, :'drawn') AS drawn \gset
COMMIT;
SELECT pg_temp.draw(2, :'drawn') AS drawn \gset
SELECT cardinality(:'drawn'::bigint[]) > 40 AS drawn_enough, v.* FROM pg_temp.verdict(:'drawn') AS v;
DROP SEQUENCE o;

-- A batch after the ALTER that is larger than the former block.
CREATE SEQUENCE o CACHE 10;
SELECT gid_next('o') AS value \gset a_
BEGIN;
ALTER SEQUENCE o MAXVALUE 1000000;
SELECT min(value) AS first, max(value) AS last FROM gid_next_many('o', 100) AS value \gset b_
SELECT gid_next('o') AS value \gset c_
SELECT min(value) AS first, max(value) AS last FROM gid_next_many('o', 3) AS value \gset d_
ROLLBACK;
SELECT gid_next('o') AS value \gset e_
SELECT min(value) AS first FROM gid_next_many('o', 2) AS value \gset f_
SELECT ARRAY[:a_value, :b_first, :b_last, :c_value, :d_first, :d_last, :e_value, :f_first] =
	ARRAY(SELECT DISTINCT unnest(ARRAY[:a_value, :b_first, :b_last, :c_value, :d_first, :d_last, :e_value, :f_first]) ORDER BY 1) AS in_order;
-- GDIDs of this server.
SELECT gid_next_gdid('o') AS id \gset a_
BEGIN;
ALTER SEQUENCE o MAXVALUE 1000000;
SELECT gid_next_gdid('o') AS id \gset b_
SELECT max(id) AS id FROM gid_next_gdids('o', 20) AS id \gset c_
ROLLBACK;
SELECT gid_next_gdid('o') AS id \gset d_
SELECT :'a_id'::gdid < :'b_id' AND :'b_id'::gdid < :'c_id' AND :'c_id'::gdid < :'d_id' AS in_order;
-- GDIDs of an authority, which is this database. Its values are those of another
-- sequence, because the altered one is locked.
CREATE SEQUENCE elsewhere;
ALTER FUNCTION gid.authority_block(text, text, int, bigint) RENAME TO regress_gid_away;
CREATE FUNCTION gid.authority_block(scope text, sequence text, size int, vicinity bigint)
RETURNS TABLE (authority int, era bigint, start bigint, count int) LANGUAGE sql AS
	$$SELECT * FROM gid.regress_gid_away('regress_gid_app', 'elsewhere', size, vicinity)$$;
SET gid.authorities = :'uri';
SELECT gid_next_gdid('o') AS id \gset a_
BEGIN;
ALTER SEQUENCE o MAXVALUE 1000000;
SELECT gid_next_gdid('o') AS id \gset b_
SAVEPOINT x;
ALTER SEQUENCE o MAXVALUE 2000000;
SELECT gid_next_gdid('o') AS id \gset c_
ROLLBACK TO SAVEPOINT x;
SELECT gid_next_gdid('o') AS id \gset d_
SAVEPOINT y;
ALTER SEQUENCE o MAXVALUE 3000000;
SELECT max(id) AS id FROM gid_next_gdids('o', 20) AS id \gset e_
ROLLBACK TO SAVEPOINT y;
ROLLBACK;
SELECT gid_next_gdid('o') AS id \gset f_
SELECT :'a_id'::gdid < :'b_id' AND :'b_id'::gdid < :'c_id' AND :'c_id'::gdid < :'d_id' AND :'d_id'::gdid < :'e_id'
	AND :'e_id'::gdid < :'f_id' AS in_order;
RESET gid.authorities;

-- Clean up.
DROP FUNCTION gid.authority_block(text, text, int, bigint);
ALTER FUNCTION gid.regress_gid_away(text, text, int, bigint) RENAME TO authority_block;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
