-- What happens to a primary key's index when ids of another kind follow.

CREATE TABLE mixture (position int PRIMARY KEY, subject text UNIQUE, old text, new text);
INSERT INTO mixture
SELECT row_number() OVER (ORDER BY old DESC, new DESC), format('%s, then %s', old, new), old, new
FROM (VALUES ('gid_uuid_v7()', 'gid_uuid_v7()'), ('gen_random_uuid()', 'gid_uuid_v7()'),
	('gen_random_uuid()', 'gen_random_uuid()')) AS m (old, new);

-- Rows of the one kind, then as many rows of the other kind, which are
-- measured; then REINDEX, and how the index grows by as many rows again.
CREATE PROCEDURE measure_mixed(round int, of_subject text, rows int)
LANGUAGE plpgsql AS $$
DECLARE
	m mixture;
	start timestamptz;
	seconds float8;
	size bigint;
BEGIN
	SELECT * INTO m FROM mixture WHERE subject = of_subject;
	CREATE TABLE insert_mixed (id uuid PRIMARY KEY, n int);
	EXECUTE format('INSERT INTO insert_mixed SELECT %s, n FROM generate_series(1, %s) AS n', m.old, rows);
	COMMIT;
	CHECKPOINT;
	start := clock_timestamp();
	EXECUTE format('INSERT INTO insert_mixed SELECT %s, n FROM generate_series(1, %s) AS n', m.new, rows);
	COMMIT;
	seconds := extract(epoch FROM clock_timestamp() - start);
	PERFORM note('mixed', of_subject, 1, 's', round, seconds),
		note('mixed', of_subject, 1, 'leaf density %', round, avg_leaf_density),
		note('mixed', of_subject, 1, 'index bytes a row', round, index_size / (2.0 * rows))
	FROM pgstatindex('insert_mixed_pkey');
	REINDEX INDEX insert_mixed_pkey;
	size := pg_relation_size('insert_mixed_pkey');
	EXECUTE format('INSERT INTO insert_mixed SELECT %s, n FROM generate_series(1, %s) AS n', m.new, rows);
	PERFORM note('mixed', of_subject, 1, 'index bytes a row after REINDEX', round, size / (2.0 * rows)),
		note('mixed', of_subject, 1, 'index bytes a further row', round,
			(pg_relation_size('insert_mixed_pkey') - size) / rows::float8);
	DROP TABLE insert_mixed;
END $$;

INSERT INTO comparison (part, subject, measure)
SELECT 'mixed', subject, measure
FROM mixture, unnest(ARRAY['s', 'leaf density %', 'index bytes a row', 'index bytes a row after REINDEX',
	'index bytes a further row']) WITH ORDINALITY AS m (measure, n)
ORDER BY n, position;
