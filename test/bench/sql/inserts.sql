-- Rows whose primary key's default is the id: by one writer in one statement,
-- by one to eight writers, and into a table much larger than shared_buffers.

CREATE TABLE kind (position int PRIMARY KEY, kind text UNIQUE, subject text, type text,
	definition text);

INSERT INTO kind VALUES
(1, 'identity', 'bigint identity', 'bigint', 'GENERATED ALWAYS AS IDENTITY'),
(2, 'random', 'gen_random_uuid()', 'uuid', 'DEFAULT gen_random_uuid()'),
(3, 'v7', 'gid_uuid_v7()', 'uuid', 'DEFAULT gid_uuid_v7()'),
(4, 'sequential', 'gid_uuid_sequential()', 'uuid', 'DEFAULT gid_uuid_sequential()'),
(5, 'shard', 'gid_uuid_shard(7)', 'uuid', 'DEFAULT gid_uuid_shard(7)'),
(6, 'trace', 'gid_trace_id()', 'bigint', 'DEFAULT gid_trace_id()'),
(7, 'snowflake', 'gid_snowflake_id()', 'bigint', 'DEFAULT gid_snowflake_id()'),
(8, 'decimal', 'gid_decimal_id()', 'bigint', 'DEFAULT gid_decimal_id()'),
(9, 'next', 'gid_next(seq)', 'bigint', 'DEFAULT gid_next(''bench_next'')'),
(10, 'gdid', 'gid_next_gdid(seq)', 'gdid', 'DEFAULT gid_next_gdid(''bench_next'')'),
(11, 'cached', 'nextval(seq), CACHE 1000', 'bigint', 'DEFAULT nextval(''bench_cached'')'),
(12, 'core', 'uuidv7()', 'uuid', 'DEFAULT uuidv7()');
-- what this server has not
DELETE FROM kind WHERE kind = 'core' AND to_regprocedure('uuidv7()') IS NULL;

INSERT INTO comparison (part, subject, measure)
SELECT 'inserts', subject, measure
FROM kind, unnest('{s,index bytes a row,ms for a range of 1 %}'::text[]) WITH ORDINALITY AS m (measure, m)
ORDER BY m, position;
INSERT INTO comparison (part, subject, x, measure, reference, reference_x)
SELECT 'writers', subject, x, measure, 'bigint identity', x
FROM kind, unnest('{1,8}'::int[]) AS x,
	unnest('{rows/s,WAL bytes a row,index bytes a row,leaf density %}'::text[]) WITH ORDINALITY AS m (measure, m)
ORDER BY m, x, position;

CREATE PROCEDURE make_table(of_kind text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('DROP TABLE IF EXISTS insert_%s', of_kind);
	EXECUTE format('CREATE TABLE insert_%s (id %s %s PRIMARY KEY, n int)', of_kind, type, definition)
	FROM kind WHERE kind = of_kind;
END $$;

-- "lsn" is the end of the WAL before the rows.
CREATE PROCEDURE note_index(part text, round int, of_kind text, writers int, lsn pg_lsn)
LANGUAGE plpgsql AS $$
DECLARE
	index regclass := format('insert_%s_pkey', of_kind);
	wal numeric := pg_current_wal_insert_lsn() - lsn;
	k kind;
	n bigint;
BEGIN
	SELECT * INTO k FROM kind WHERE kind = of_kind;
	EXECUTE format('SELECT count(*) FROM insert_%s', of_kind) INTO n;
	PERFORM note(part, k.subject, writers, 'leaf density %', round,
		(SELECT avg_leaf_density FROM pgstatindex(index)));
	PERFORM note(part, k.subject, writers, 'index bytes a row', round, pg_relation_size(index)::float8 / n),
		note(part, k.subject, writers, 'WAL bytes a row', round, (wal / n)::float8);
END $$;

-- A hundredth of the rows, a range of the key in the middle, once to set hint
-- bits and once to measure.
CREATE PROCEDURE measure_range(round int, of_kind text, rows int)
LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT count(n) FROM insert_%s', of_kind);
	bound text;
	start timestamptz;
BEGIN
	PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
	EXECUTE format('SELECT id FROM insert_%s ORDER BY id OFFSET %s LIMIT 1', of_kind, rows / 2)
		INTO bound;
	query := query || format(' WHERE id >= %L', bound);
	EXECUTE format('SELECT id FROM insert_%s ORDER BY id OFFSET %s LIMIT 1', of_kind,
		rows / 2 + rows / 100) INTO bound;
	query := query || format(' AND id < %L', bound);
	EXECUTE query;
	start := clock_timestamp();
	EXECUTE query;
	PERFORM note('inserts', (SELECT subject FROM kind WHERE kind = of_kind), 1, 'ms for a range of 1 %',
		round, 1000 * extract(epoch FROM clock_timestamp() - start));
END $$;

CREATE PROCEDURE measure_insert(round int, of_kind text, rows int)
LANGUAGE plpgsql AS $$
DECLARE
	name text := (SELECT subject FROM kind WHERE kind = of_kind);
	start timestamptz;
	stop timestamptz;
	lsn pg_lsn;
BEGIN
	CALL make_table(of_kind);
	COMMIT;
	CHECKPOINT;
	lsn := pg_current_wal_insert_lsn();
	start := clock_timestamp();
	EXECUTE format('INSERT INTO insert_%s (n) SELECT n FROM generate_series(1, %s) AS n',
		of_kind, rows);
	COMMIT;
	stop := clock_timestamp();
	CALL note_index('inserts', round, of_kind, 1, lsn);
	PERFORM note('inserts', name, 1, 's', round, extract(epoch FROM stop - start)::float8);
	CALL measure_range(round, of_kind, rows);
	COMMIT;
	EXECUTE format('DROP TABLE insert_%s', of_kind);
	COMMIT;
END $$;

-- ---- a growing table ----

CREATE PROCEDURE measure_growth(round int, of_kind text, rows int, batches int)
LANGUAGE plpgsql AS $$
DECLARE
	name text := (SELECT subject FROM kind WHERE kind = of_kind);
	batch int := rows / batches;
	start timestamptz;
BEGIN
	CALL make_table(of_kind);
	COMMIT;
	CHECKPOINT;
	FOR i IN 1..batches LOOP
		start := clock_timestamp();
		EXECUTE format('INSERT INTO insert_%s (n) SELECT n FROM generate_series(1, %s) AS n',
			of_kind, batch);
		COMMIT;
		PERFORM note('growth', name, i * batch, 'rows/s', round,
			batch / extract(epoch FROM clock_timestamp() - start)::float8);
		COMMIT;
	END LOOP;
	PERFORM note('growth', name, 1, 'size over shared_buffers', round,
		(SELECT pg_total_relation_size(format('insert_%s', of_kind)::regclass)
			/ (setting::float8 * 8192) FROM pg_settings AS s WHERE s.name = 'shared_buffers'));
	EXECUTE format('DROP TABLE insert_%s', of_kind);
	COMMIT;
END $$;

INSERT INTO comparison (part, subject, measure) VALUES
('growth', 'gid_uuid_v7()', 'size over shared_buffers');
