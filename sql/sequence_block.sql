-- The blocks of gid_next(): their sizes, when gid reserves the next block ahead, and
-- gid.max_block_size.
\i sql/include/start.sql
\i :sequence

CREATE SEQUENCE s;
CREATE VIEW state AS SELECT b.next, b.last, b.block_size, b.reservations, b.prefetched, b.waits, s.last_value
FROM gid.stat_sequences AS b, s WHERE b.sequence = 's'::regclass;
-- Draws n times. Returns the last value, and the state of the block afterwards.
CREATE FUNCTION pg_temp.draw(n int) RETURNS TABLE (drawn bigint, next bigint, last bigint, block_size bigint,
	reservations bigint, prefetched bigint, waits bigint, last_value bigint) LANGUAGE plpgsql AS $$
BEGIN
	SELECT max(gid_next('s')) INTO drawn FROM generate_series(1, n);
	RETURN QUERY SELECT drawn, b.* FROM state AS b;
END $$;

-- A sequence's CACHE is its block size. gid reserves the next block once, when less
-- than a quarter is left.
ALTER SEQUENCE s RESTART CACHE 20;
SELECT count(*) FROM state;
SELECT * FROM pg_temp.draw(1);
SELECT * FROM pg_temp.draw(14);
SELECT * FROM pg_temp.draw(1);
SELECT * FROM pg_temp.draw(4);
SELECT * FROM pg_temp.draw(1);
SELECT * FROM pg_temp.draw(979);
-- The value at which gid reserves ahead. Of blocks of seven values and fewer those of
-- two alone have one.
CREATE FUNCTION pg_temp.mark(cache int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'ALTER SEQUENCE s RESTART CACHE ' || cache;
	FOR i IN 1 .. cache LOOP
		PERFORM gid_next('s');
		IF (SELECT last_value FROM s) > cache THEN
			RETURN i;
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
SELECT cache, pg_temp.mark(cache) FROM unnest(ARRAY[2, 7, 8, 9, 100, 1000]) AS cache;
-- A quiet sequence has blocks of two values. Its next block is reserved with the second
-- value, in the transaction that draws it.
ALTER SEQUENCE s RESTART CACHE 1;
SET gid.max_block_size = 2;
SELECT * FROM pg_temp.draw(1);
SELECT * FROM pg_temp.draw(1);
SELECT * FROM pg_temp.draw(1);
-- A busy sequence's next block is larger than two, and is not reserved with the last
-- value of a small one. Without caching nothing is reserved ahead.
SET gid.max_block_size = 4;
ALTER SEQUENCE s RESTART;
SELECT * FROM pg_temp.draw(2);
SET gid.max_block_size = 1;
ALTER SEQUENCE s RESTART;
SELECT * FROM pg_temp.draw(2);
RESET gid.max_block_size;
-- At the end of the sequence gid reserves nothing ahead, and raises no error before
-- the last value.
ALTER SEQUENCE s RESTART MAXVALUE 30 CACHE 20;
SELECT * FROM pg_temp.draw(30);
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
SELECT * FROM state;
ALTER SEQUENCE s RESTART NO MAXVALUE CACHE 9223372036854775807;
SELECT * FROM pg_temp.draw(1);
ALTER SEQUENCE s RESTART 9223372036854775798;
SELECT * FROM pg_temp.draw(1);
SELECT drawn FROM pg_temp.draw(9);
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;

-- Without CACHE the size follows the pace. The first blocks have two values. A block
-- has at most four times as many as the one before, plus four.
CREATE TABLE sizes (n int, size bigint);
ALTER SEQUENCE s RESTART CACHE 1;
DO $$
BEGIN
	FOR i IN 1 .. 20000 LOOP
		PERFORM gid_next('s');
		IF i < 1000 OR i % 100 = 0 THEN
			INSERT INTO sizes SELECT i, block_size FROM gid.stat_sequences WHERE sequence = 's'::regclass;
		END IF;
	END LOOP;
END $$;
SELECT (array_agg(size ORDER BY n))[1:2] AS first, min(size) AS smallest, max(size) > 100 AS grown,
	count(*) FILTER (WHERE size > 4 * before + 4) AS too_large, max(size) <= 65536 AS bounded
FROM (SELECT *, lag(size) OVER (ORDER BY n) AS before FROM sizes) AS z;
SELECT reservations < 200 AS few, prefetched BETWEEN 1 AND reservations - 1 AS ahead FROM state;

-- With gid.max_block_size = 1 gid reserves each value for itself. CACHE takes
-- precedence.
SET gid.max_block_size = 1;
ALTER SEQUENCE s RESTART;
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		IF gid_next('s') <> i OR (SELECT last_value FROM s) <> i THEN
			RAISE 'value % is not the last one', i;
		END IF;
	END LOOP;
END $$;
SELECT * FROM state;
SET gid.max_block_size = 3;
SELECT block_size <= 3 AND last_value - 200 BETWEEN 0 AND 2 AS bounded FROM pg_temp.draw(100);
SET gid.max_block_size = 65536;
ALTER SEQUENCE s RESTART CACHE 100000;
SELECT block_size FROM pg_temp.draw(1);
RESET gid.max_block_size;
SHOW gid.max_block_size;
DROP VIEW state;
DROP SEQUENCE s;
DROP TABLE sizes;

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
