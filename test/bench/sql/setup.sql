-- What "make bench" needs in its database, and where it keeps what it found.

CREATE EXTENSION gid;
CREATE EXTENSION pgstattuple;
CREATE SEQUENCE bench_nextval;
CREATE SEQUENCE bench_cached CACHE 1000;
CREATE SEQUENCE bench_next;

-- other makers of ids, where they are installed
SELECT format('CREATE EXTENSION %I', name) FROM pg_available_extensions
WHERE name IN ('uuid-ossp', 'pg_uuidv7', 'snowflake') \gexec

-- One figure of one round.  x is what varies within a part: sessions, rows,
-- connections.  Where a reference and a base were measured right beside it,
-- their figures are here too.
CREATE TABLE sample (part text, subject text, x int, measure text, round int, value float8,
	reference text, reference_value float8, base_value float8);

-- What is to be reported: a figure, as a ratio to the reference's if it has
-- one; net of the base's.  Of these those right beside it count, or else those
-- of the same round.
CREATE TABLE comparison (
	position int GENERATED ALWAYS AS IDENTITY,
	part text, subject text, x int DEFAULT 1, measure text,
	reference text, reference_x int DEFAULT 1, base text);

CREATE VIEW report AS
SELECT c.position, c.part, c.subject, c.x, c.measure,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY s.value) AS value,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY s.value - coalesce(s.base_value, b.value)) AS net,
	c.reference, c.reference_x,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY s.value / coalesce(s.reference_value, r.value)) AS ratio
FROM comparison AS c
JOIN sample AS s ON s.part = c.part AND s.subject = c.subject AND s.x = c.x AND s.measure = c.measure
	AND (s.reference IS NULL OR s.reference = c.reference)
LEFT JOIN sample AS b ON b.part = c.part AND b.measure = c.measure AND b.round = s.round
	AND b.subject = c.base AND b.x = c.x AND s.base_value IS NULL
LEFT JOIN sample AS r ON r.part = c.part AND r.measure = c.measure AND r.round = s.round
	AND r.subject = c.reference AND r.x = c.reference_x AND s.reference_value IS NULL
GROUP BY c.position, c.part, c.subject, c.x, c.measure, c.reference, c.reference_x;

-- The median of the figures over x, for the plots.
CREATE VIEW curve AS
SELECT part, measure, subject, x, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS value
FROM sample GROUP BY part, measure, subject, x;

CREATE FUNCTION note(part text, subject text, x int, measure text, round int, value float8)
RETURNS void
BEGIN ATOMIC
	INSERT INTO sample VALUES (part, subject, x, measure, round, value);
END;

-- As people read it.
CREATE FUNCTION shown(v float8) RETURNS text IMMUTABLE STRICT
RETURN CASE WHEN abs(v) >= 1000 THEN round(v::numeric)
	WHEN abs(v) >= 100 THEN round(v::numeric, 1) ELSE round(v::numeric, 2) END::text;

-- How long the recipes of doc/tables-with-rows.md lock tables that get new
-- keys.
INSERT INTO comparison (part, subject, measure)
SELECT 'switch', subject, measure
FROM unnest(ARRAY['with one lock', 'without a long lock']) AS subject, unnest(ARRAY['locked, ms', 's in all']) AS measure
ORDER BY measure, subject;
