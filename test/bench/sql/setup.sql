-- What "make bench" needs in its database, and where it keeps what it found.

CREATE EXTENSION gid;
CREATE EXTENSION pgstattuple;
CREATE SEQUENCE bench_nextval;
CREATE SEQUENCE bench_cached CACHE 1000;
CREATE SEQUENCE bench_next;

-- other makers of ids, where they are installed
SELECT format('CREATE EXTENSION %I', name) FROM pg_available_extensions
WHERE name IN ('uuid-ossp', 'pg_uuidv7') \gexec

-- One figure of one round.  x is what varies within a part: sessions, rows,
-- sequences, connections.  Where a reference and a base were measured right beside
-- it, their figures are here too.
CREATE TABLE sample (part text, subject text, x int, measure text, round int, value float8,
	reference text, reference_value float8, base_value float8);

-- What is to be reported: a figure, as a ratio to the reference's if it has one; net
-- of the base's.  Of these those right beside it count, or else those of the same
-- round.  The goal is for the ratio, or for the figure where there is no reference.
CREATE TABLE comparison (
	position int GENERATED ALWAYS AS IDENTITY,
	part text, subject text, x int DEFAULT 1, measure text,
	reference text, reference_x int DEFAULT 1, base text,
	sense text CHECK (sense IN ('<=', '>=')), goal float8);

-- A subject's figure in a round, of however many samples it has there.
CREATE VIEW figure AS
SELECT part, subject, x, measure, round, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS value
FROM sample GROUP BY part, subject, x, measure, round;

CREATE VIEW result AS
SELECT c.position, c.part, c.subject, c.x, c.measure,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY s.value) AS value,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY s.value - coalesce(s.base_value, b.value)) AS net,
	c.reference, c.reference_x,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY s.value / r.value) AS ratio,
	percentile_cont(0.25) WITHIN GROUP (ORDER BY s.value / r.value) AS lower_quartile,
	percentile_cont(0.75) WITHIN GROUP (ORDER BY s.value / r.value) AS upper_quartile,
	count(*) AS rounds, c.sense, c.goal
FROM comparison AS c
JOIN sample AS s ON s.part = c.part AND s.subject = c.subject AND s.x = c.x AND s.measure = c.measure
	AND (s.reference IS NULL OR s.reference = c.reference)
LEFT JOIN figure AS b ON b.part = c.part AND b.measure = c.measure AND b.round = s.round
	AND b.subject = c.base AND b.x = c.x
LEFT JOIN figure AS f ON f.part = c.part AND f.measure = c.measure AND f.round = s.round
	AND f.subject = c.reference AND f.x = c.reference_x
CROSS JOIN LATERAL (VALUES (coalesce(s.reference_value, f.value))) AS r (value)
GROUP BY c.position, c.part, c.subject, c.x, c.measure, c.reference, c.reference_x, c.sense, c.goal;

CREATE VIEW report AS
SELECT *, CASE WHEN goal IS NULL THEN NULL
	WHEN sense = '<=' THEN CASE WHEN coalesce(ratio, value) <= goal THEN 'yes' ELSE 'no' END
	ELSE CASE WHEN coalesce(ratio, value) >= goal THEN 'yes' ELSE 'no' END END AS met
FROM result;

-- The median of the figures over x, for the plots.
CREATE VIEW curve AS
SELECT part, measure, subject, x, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS value
FROM sample GROUP BY part, measure, subject, x;

CREATE FUNCTION note(part text, subject text, x int, measure text, round int, value float8)
RETURNS void
BEGIN ATOMIC
	INSERT INTO sample VALUES (part, subject, x, measure, round, value);
END;
