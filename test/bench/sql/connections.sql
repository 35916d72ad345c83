-- New connections, and many of them.

CREATE TABLE first (subject text PRIMARY KEY, expression text);
INSERT INTO first VALUES
('gen_random_uuid()', 'gen_random_uuid()'),
('gid_uuid_v7()', 'gid_uuid_v7()'),
('gid_decimal_id()', 'gid_decimal_id()'),
('gid_next(seq)', 'gid_next(''bench_next'')'),
('libpq', 'set_config(''gid.authorities'', ''postgresql://u@h/d'', false), gid_next(''bench_next'')');

CREATE TABLE first_call (part text, round int, subject text, x int, us float8);

-- The first id of this connection: parsed, the library loaded.
CREATE PROCEDURE measure_first(of_part text, round int, of_subject text, connections int)
LANGUAGE plpgsql AS $$
DECLARE
	query text := (SELECT 'SELECT ' || expression FROM first WHERE subject = of_subject);
	start timestamptz;
	stop timestamptz;
BEGIN
	-- so that plpgsql itself is warm
	EXECUTE 'SELECT 1';
	start := clock_timestamp();
	EXECUTE query;
	stop := clock_timestamp();
	INSERT INTO first_call VALUES (of_part, round, of_subject, connections,
		1e6 * extract(epoch FROM stop - start));
END $$;

CREATE PROCEDURE note_first()
BEGIN ATOMIC
	INSERT INTO sample
	SELECT part, subject, x, 'first id, µs', round, percentile_cont(0.5) WITHIN GROUP (ORDER BY us)
	FROM first_call GROUP BY part, subject, x, round;
	DELETE FROM first_call;
END;

INSERT INTO comparison (part, subject, measure, sense, goal)
SELECT part, subject, 'first id, µs', CASE WHEN subject LIKE 'gid%' THEN '<=' END,
	CASE WHEN subject LIKE 'gid%' THEN goal END
FROM first, (VALUES ('first id', 1000), ('first id, preloaded', 200)) AS p (part, goal)
ORDER BY part, subject;

-- a slot and two leases
INSERT INTO comparison (part, subject, x, measure) VALUES
('connections', 'shared memory', 1, 'bytes a connection');
INSERT INTO comparison (part, subject, x, measure, reference, reference_x)
SELECT 'connections', subject, x, 'first id, µs', subject, 1
FROM first, unnest('{100,1000}'::int[]) AS x ORDER BY subject, x;
