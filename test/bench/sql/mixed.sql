-- What happens to a primary key's index when ids of another kind follow.

CREATE TABLE mixture (position int PRIMARY KEY, subject text UNIQUE, old text, new text);
INSERT INTO mixture
SELECT row_number() OVER (ORDER BY old DESC, new DESC), format('%s, then %s', old, new), old, new
FROM (VALUES ('gid_uuid_v7()', 'gid_uuid_v7()'), ('gen_random_uuid()', 'gid_uuid_v7()'),
	('gen_random_uuid()', 'gen_random_uuid()')) AS m (old, new);

CREATE TABLE mixed_began (at timestamptz);

CREATE PROCEDURE note_mixed(round int, of_subject text, state text)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM note('mixed', of_subject, 1, 'leaf density %' || state, round,
		(SELECT avg_leaf_density FROM pgstatindex('insert_mixed_pkey')));
	PERFORM note('mixed', of_subject, 1, 'index bytes a row' || state, round,
		pg_relation_size('insert_mixed_pkey')::float8 / (SELECT count(*) FROM insert_mixed));
END $$;

-- Rows of the one kind, then as many rows of the other kind. The second are measured.
CREATE PROCEDURE measure_mixed(round int, of_subject text, rows int)
LANGUAGE plpgsql AS $$
DECLARE
	m mixture;
	start timestamptz;
BEGIN
	SELECT * INTO m FROM mixture WHERE subject = of_subject;
	DROP TABLE IF EXISTS insert_mixed;
	CREATE TABLE insert_mixed (id uuid PRIMARY KEY, n int);
	EXECUTE format('INSERT INTO insert_mixed SELECT %s, n FROM generate_series(1, %s) AS n', m.old, rows);
	COMMIT;
	CHECKPOINT;
	start := clock_timestamp();
	EXECUTE format('INSERT INTO insert_mixed SELECT %s, n FROM generate_series(1, %s) AS n', m.new, rows);
	COMMIT;
	PERFORM note('mixed', of_subject, 1, 's', round, extract(epoch FROM clock_timestamp() - start)::float8);
	CALL note_mixed(round, of_subject, '');
	DELETE FROM mixed_began;
	INSERT INTO mixed_began VALUES (clock_timestamp());
END $$;

-- After REINDEX: the index, and how it grows by as many rows again.
CREATE PROCEDURE measure_reindexed(round int, of_subject text, rows int)
LANGUAGE plpgsql AS $$
DECLARE
	m mixture;
	size bigint := pg_relation_size('insert_mixed_pkey');
BEGIN
	SELECT * INTO m FROM mixture WHERE subject = of_subject;
	PERFORM note('mixed', of_subject, 1, 's of REINDEX', round,
		(SELECT extract(epoch FROM clock_timestamp() - at) FROM mixed_began)::float8);
	CALL note_mixed(round, of_subject, ' after REINDEX');
	EXECUTE format('INSERT INTO insert_mixed SELECT %s, n FROM generate_series(1, %s) AS n', m.new, rows);
	PERFORM note('mixed', of_subject, 1, 'index bytes a further row', round,
		(pg_relation_size('insert_mixed_pkey') - size) / rows::float8);
	DROP TABLE insert_mixed;
END $$;

INSERT INTO comparison (part, subject, measure, reference)
SELECT 'mixed', subject, measure, CASE WHEN measure = 's' THEN 'gen_random_uuid(), then gen_random_uuid()' END
FROM mixture, unnest(ARRAY['s', 'leaf density %', 'index bytes a row', 's of REINDEX', 'leaf density % after REINDEX',
	'index bytes a row after REINDEX', 'index bytes a further row']) WITH ORDINALITY AS m (measure, n)
ORDER BY n, position;
