-- gid_next_many(): batches of consecutive values, beside the open block, and at the
-- end of a sequence, a cycle and an era. batch_limit.sql has the limits of the count.
\i sql/include/start.sql
\i :sequence

-- A new sequence in place of the former one.
CREATE FUNCTION pg_temp.new(options text) RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL client_min_messages = warning;
	DROP SEQUENCE IF EXISTS regress_gid_mine.new;
	EXECUTE 'CREATE SEQUENCE regress_gid_mine.new ' || options;
	RETURN 'regress_gid_mine.new';
END $$;
CREATE FUNCTION pg_temp.many(seq regclass, count int) RETURNS text LANGUAGE sql AS
	$$SELECT array_agg(value ORDER BY n)::text FROM gid_next_many(seq, count) WITH ORDINALITY AS m (value, n)$$;

-- The values of a batch differ by INCREMENT. The open block keeps its values.
CREATE SEQUENCE s CACHE 3;
SELECT gid_next('s') AS a, pg_temp.many('s', 5) AS many, gid_next('s') AS b, gid_next('s') AS c,
	gid_next('s') AS d, pg_temp.many('s', 1) AS one, gid_next('s') AS e;
SELECT options, pg_temp.many(seq, 4) AS many, pg_temp.many(seq, 1) AS one, gid_next(seq) AS next
FROM unnest(ARRAY['', 'START 100', 'INCREMENT 7', 'INCREMENT -1', 'INCREMENT -7', 'MAXVALUE 6', 'CACHE 100',
	'START 1152921504606846976']) AS options, pg_temp.new(options) AS seq;
-- A large batch. Values that are not fetched do not come again.
SELECT count(*), min(id), max(id), count(DISTINCT id), bool_and(id = n + (SELECT last_value FROM s) - 65536) AS in_order
FROM gid_next_many('s', 65536) WITH ORDINALITY AS m (id, n);
CREATE SEQUENCE in_list;
SELECT gid_next_many('in_list', 5) LIMIT 3;
SELECT gid_next_many('in_list', 65536) LIMIT 3;
SELECT last_value = 65536 + 5 AS all_taken FROM in_list;
SELECT id FROM gid_next_many('in_list', 4) AS m (id) LIMIT 2;
SELECT gid_next_many('in_list', 3) AS a, gid_next_many('in_list', 3) AS b;
SELECT n, gid_next_many('in_list', n) FROM generate_series(1, 3) AS n;
SELECT n, id FROM generate_series(1, 3) AS n, gid_next_many('in_list', n) AS m (id);
SELECT n, ARRAY(SELECT gid_next_many('in_list', n)) AS ids FROM generate_series(1, 3) AS n;
PREPARE many(int) AS SELECT gid_next_many('in_list', $1);
EXECUTE many(2);
EXECUTE many(1);
DEALLOCATE many;
-- A cursor that is closed early, and a rollback.
BEGIN;
DECLARE c CURSOR FOR SELECT gid_next_many('in_list', 10);
FETCH 2 FROM c;
CLOSE c;
ROLLBACK;
SELECT gid_next_many('in_list', 1);
DROP SEQUENCE in_list;

-- The batches have the values that as many calls of nextval() give.
CREATE FUNCTION pg_temp.compare_many(options text, OUT "values" bigint, OUT refused bigint, OUT differences bigint)
LANGUAGE plpgsql AS $$
DECLARE
	mine bigint[];
	their bigint[];
BEGIN
	EXECUTE 'CREATE SEQUENCE regress_gid_theirs.new ' || options;
	PERFORM pg_temp.new(options);
	"values" := 0;
	refused := 0;
	differences := 0;
	FOR size IN 1 .. 30 LOOP
		BEGIN
			mine := ARRAY(SELECT gid_next_many('regress_gid_mine.new', size));
			their := ARRAY(SELECT nextval('regress_gid_theirs.new') FROM generate_series(1, size));
			IF mine IS DISTINCT FROM their THEN
				differences := differences + 1;
			END IF;
			"values" := "values" + cardinality(mine);
		EXCEPTION WHEN sequence_generator_limit_exceeded THEN
			refused := refused + 1;
		END;
	END LOOP;
	DROP SEQUENCE regress_gid_theirs.new;
END $$;
SELECT string_agg(c."values" || '/' || c.refused, ' ') AS values_refused, sum(c.differences) AS differences FROM unnest(ARRAY['', 'INCREMENT 7', 'INCREMENT -1', 'INCREMENT -7', 'START 500', 'MAXVALUE 100',
	'INCREMENT 7 MAXVALUE 1000', 'INCREMENT -3 MINVALUE -500', 'AS smallint INCREMENT 100', 'CACHE 7 MAXVALUE 300',
	'INCREMENT -1000 START -1152921504606836976 MINVALUE -1152921504606846976']) AS options,
	pg_temp.compare_many(options) AS c;

-- When too few values are left, gid reserves nothing.
CREATE FUNCTION pg_temp.outcomes(seq regclass, VARIADIC counts int[]) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(regexp_replace(pg_temp.outcome(format(
		'SELECT min(id) || '' to '' || max(id) FROM gid_next_many(%s, %s) AS m (id)', seq::oid, count)),
		' nextval: reached (\w+) value of sequence "new"', ' \1'), ', ' ORDER BY n)
	FROM unnest(counts) WITH ORDINALITY AS c (count, n)$$;
SELECT options, pg_temp.outcomes(pg_temp.new(options), VARIADIC counts) AS outcomes FROM (VALUES
	(1, 'MAXVALUE 10', ARRAY[11, 7, 4, 3, 1]),
	(2, 'INCREMENT -7 MINVALUE -100', ARRAY[16, 15, 1]),
	(3, 'START 9223372036854775000', ARRAY[65536, 809, 807, 2, 1, 1])) AS v (n, options, counts) ORDER BY n;
SELECT last_value, is_called FROM new;
-- A batch does not reach over the end of a cycle. It begins with the next cycle, and
-- skips what is left. Nor does it reach over the end of an era of 2^60 values, up or
-- down.
SELECT options, pg_temp.outcomes(pg_temp.new(options), VARIADIC counts) AS outcomes FROM (VALUES
	(1, 'MAXVALUE 10 CYCLE', ARRAY[7, 4, 6, 1, 10, 11]),
	(2, 'MINVALUE 5 MAXVALUE 10 START 9 CYCLE', ARRAY[2, 2, 5, 6, 7]),
	(3, 'INCREMENT -7 MINVALUE -100 MAXVALUE 3 START -86 CYCLE', ARRAY[3, 14, 2, 15, 16]),
	(4, 'START 1152921504606846970', ARRAY[3, 4, 1]),
	(5, 'START 1152921504606846970', ARRAY[6, 6]),
	(6, 'INCREMENT 7 START 1152921504606846966', ARRAY[3, 3]),
	(7, 'INCREMENT -1 MAXVALUE 9223372036854775807 START 1152921504606846979 MINVALUE -10', ARRAY[3, 2, 1]),
	(8, 'MINVALUE -5', ARRAY[4, 4, 4]),
	(9, 'MINVALUE 1152921504606846970 MAXVALUE 1152921504606846990 START 1152921504606846985 CYCLE', ARRAY[7, 10, 2, 6, 15, 16]),
	(10, 'INCREMENT 1152921504606846976', ARRAY[2, 1, 1]),
	(11, 'START 9223372036854775800 MINVALUE 9223372036854775790 CYCLE', ARRAY[8, 9, 10])) AS v (n, options, counts) ORDER BY n;
DROP SEQUENCE new, s;

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
