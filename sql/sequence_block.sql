-- The blocks of gid_next(): their sizes, when gid reserves the next block
-- ahead, and gid.max_block_size. unit/test_block_size has the sizes that
-- follow the pace.
\i sql/include/start.sql
\i :sequence

CREATE SEQUENCE s CACHE 20;
-- Draws n times. Returns the last value, and the state of the block
-- afterwards.
CREATE FUNCTION pg_temp.draw(n int) RETURNS TABLE (drawn bigint, next bigint, last bigint, block_size bigint,
	reservations bigint, prefetched bigint, waits bigint, last_value bigint) LANGUAGE plpgsql AS $$
BEGIN
	SELECT max(gid_next('s')) INTO drawn FROM generate_series(1, n);
	RETURN QUERY SELECT drawn, b.next, b.last, b.block_size, b.reservations, b.prefetched, b.waits, s.last_value
		FROM gid.stat_sequences AS b, s WHERE b.sequence = 's'::regclass;
END $$;

-- A sequence's CACHE is its block size. gid reserves the next block once, when
-- less than a quarter is left.
SELECT * FROM pg_temp.draw(15);
SELECT * FROM pg_temp.draw(1);
SELECT * FROM pg_temp.draw(5);
SELECT * FROM pg_temp.draw(979);
-- The value at which gid reserves ahead. Of blocks of seven values and fewer
-- those of two alone have one.
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
SELECT cache, pg_temp.mark(cache) FROM unnest(ARRAY[2, 3, 7, 8, 9, 1000]) AS cache;

-- Without CACHE gid.max_block_size is the largest size. A quiet sequence has
-- blocks of two values, and reserves the next one with the second value.
ALTER SEQUENCE s RESTART CACHE 1;
SET gid.max_block_size = 2;
SELECT * FROM pg_temp.draw(1);
SELECT * FROM pg_temp.draw(1);
-- A busy sequence's next block is larger than two, and is not reserved with
-- the last value of a small one. Without caching gid reserves each value for
-- itself.
SET gid.max_block_size = 4;
ALTER SEQUENCE s RESTART;
SELECT * FROM pg_temp.draw(2);
SET gid.max_block_size = 1;
ALTER SEQUENCE s RESTART;
SELECT * FROM pg_temp.draw(100);
-- A CACHE takes precedence, up to 2^30 - 1 values.
ALTER SEQUENCE s RESTART CACHE 3000000000;
SELECT block_size FROM pg_temp.draw(1);
RESET gid.max_block_size;
-- The blocks of a busy sequence grow, and are reserved ahead.
ALTER SEQUENCE s RESTART CACHE 1;
SELECT drawn, reservations < 200 AS few, prefetched BETWEEN 1 AND reservations - 1 AS ahead FROM pg_temp.draw(20000);

-- At the end of the sequence gid reserves nothing ahead, and raises no error
-- before the last value.
ALTER SEQUENCE s RESTART MAXVALUE 30 CACHE 20;
SELECT * FROM pg_temp.draw(30);
SELECT e.code FROM pg_temp.expect('SELECT gid_next(''s'')') AS e;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_mine, regress_gid_theirs CASCADE;
DROP ROLE regress_gid_user;
