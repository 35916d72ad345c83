-- New connections, and many of them.

CREATE TABLE first_call (part text, round int, subject text, x int, measure text, us float8);

-- The first id of this connection: parsed, the library loaded.
CREATE PROCEDURE measure_first(part text, round int, of_subject text, x int, measure text)
LANGUAGE plpgsql AS $$
DECLARE
	query text := (SELECT 'SELECT ' || expression FROM family WHERE subject = of_subject);
	start timestamptz;
	stop timestamptz;
BEGIN
	-- so that plpgsql itself is warm
	EXECUTE 'SELECT 1';
	start := clock_timestamp();
	EXECUTE query;
	stop := clock_timestamp();
	INSERT INTO first_call VALUES (part, round, of_subject, x, measure,
		1e6 * extract(epoch FROM stop - start));
END $$;

CREATE PROCEDURE note_first()
BEGIN ATOMIC
	INSERT INTO sample
	SELECT part, subject, x, measure, round, percentile_cont(0.5) WITHIN GROUP (ORDER BY us)
	FROM first_call GROUP BY part, subject, x, measure, round;
	DELETE FROM first_call;
END;

INSERT INTO comparison (part, subject, x, measure)
SELECT 'connections', subject, x, 'first id, µs'
FROM family, unnest('{100,1000}'::int[]) AS x
WHERE subject IN ('gen_random_uuid()', 'gid_uuid_v7()', 'gid_decimal_id()', 'gid_next(seq)')
ORDER BY subject, x;
