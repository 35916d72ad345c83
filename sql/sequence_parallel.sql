-- gid_next(), gid_next_many() and gid_forget() in parallel plans: a worker never runs
-- them.
\i sql/include/start.sql
\i :sequence
\i :parallel

CREATE SEQUENCE s;
CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) AS n;
ANALYZE source;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT pg_temp.force_parallel('on');
SELECT pg_temp.gathers('SELECT n FROM source') AS without, pg_temp.gathers('SELECT gid_next(''s'') FROM source') AS next,
	pg_temp.gathers('SELECT gid_next_many(''s'', 2) FROM source') AS many,
	pg_temp.gathers('SELECT n FROM source, gid_next_many(''s'', 2)') AS many_in_from;
SELECT count(*), count(DISTINCT id), max(id) - min(id) AS span FROM (SELECT gid_next('s') AS id FROM source) AS d;
CREATE FUNCTION mislabelled() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN RETURN gid_next('s'); END$$;
CREATE FUNCTION theirs() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN RETURN nextval('s'); END$$;
CREATE FUNCTION mislabelled_many() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS
	$$BEGIN RETURN (SELECT count(*) FROM gid_next_many('s', 2)); END$$;
CREATE FUNCTION mislabelled_forget() RETURNS void LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN PERFORM gid_forget('s'); END$$;
SELECT mine, s.* FROM unnest(ARRAY['mislabelled()', 'mislabelled_many()', 'mislabelled_forget()']) AS mine,
	pg_temp.same('SELECT ' || mine, 'SELECT theirs()') AS s;

-- Nor does a cursor that has given a value before the parallel operation.
CREATE FUNCTION fetch_one(c refcursor) RETURNS bigint LANGUAGE plpgsql PARALLEL RESTRICTED AS
	$$DECLARE id bigint; BEGIN FETCH c INTO id; RETURN id; END$$;
BEGIN;
DECLARE c CURSOR FOR SELECT gid_next('s') FROM generate_series(1, 10);
FETCH c \g /dev/null
SELECT pg_temp.gathers('SELECT fetch_one(''c'') FROM (SELECT n % 7 FROM source GROUP BY 1 OFFSET 0) AS d');
SELECT fetch_one('c') FROM (SELECT n % 7 FROM source GROUP BY 1 OFFSET 0) AS d;
ROLLBACK;
DROP FUNCTION fetch_one(refcursor);

SELECT pg_temp.force_parallel('off');
RESET max_parallel_workers_per_gather;
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
DROP FUNCTION mislabelled(), mislabelled_many(), mislabelled_forget(), theirs();
DROP TABLE source;
DROP SEQUENCE s;

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
