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
-- sequences, connections.
CREATE TABLE sample (part text, subject text, x int, measure text, round int, value float8);

-- What is to be reported: a figure, as a ratio to the reference's of the same
-- round if it has one; net of the base's.  The goal is for the ratio, or for the
-- figure where there is no reference.
CREATE TABLE comparison (
	position int GENERATED ALWAYS AS IDENTITY,
	part text, subject text, x int DEFAULT 1, measure text,
	reference text, reference_x int DEFAULT 1, base text,
	sense text CHECK (sense IN ('<=', '>=')), goal float8);

CREATE VIEW result AS
SELECT c.position, c.part, c.subject, c.x, c.measure,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY s.value) AS value,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY s.value - b.value) AS net,
	c.reference, c.reference_x,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY s.value / r.value) AS ratio,
	percentile_cont(0.25) WITHIN GROUP (ORDER BY s.value / r.value) AS lower_quartile,
	percentile_cont(0.75) WITHIN GROUP (ORDER BY s.value / r.value) AS upper_quartile,
	count(*) AS rounds, c.sense, c.goal
FROM comparison AS c
JOIN sample AS s USING (part, subject, x, measure)
LEFT JOIN sample AS r ON r.part = c.part AND r.measure = c.measure AND r.round = s.round
	AND r.subject = c.reference AND r.x = c.reference_x
LEFT JOIN sample AS b ON b.part = c.part AND b.measure = c.measure AND b.round = s.round
	AND b.subject = c.base AND b.x = c.x
GROUP BY c.position, c.part, c.subject, c.x, c.measure, c.reference, c.reference_x, c.sense, c.goal
-- a reference that is not there was not installed
HAVING c.reference IS NULL OR count(r.value) > 0;

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
