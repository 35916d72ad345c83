-- The results as people read them.

CREATE FUNCTION shown(v float8) RETURNS text IMMUTABLE STRICT
RETURN CASE WHEN abs(v) >= 1000 THEN round(v::numeric)
	WHEN abs(v) >= 100 THEN round(v::numeric, 1) ELSE round(v::numeric, 2) END::text;

-- "of" what the ratio is.
CREATE VIEW shown AS
SELECT position, part, subject || CASE WHEN x > 1 THEN format(' at %s', x) ELSE '' END AS subject,
	measure, shown(value) AS value, shown(net) AS net,
	reference || CASE WHEN reference_x > 1 THEN format(' at %s', reference_x) ELSE '' END AS "of",
	shown(ratio) AS ratio,
	shown(lower_quartile) || ' to ' || shown(upper_quartile) AS "its middle half",
	CASE sense WHEN '<=' THEN 'at most ' WHEN '>=' THEN 'at least ' END || shown(goal) AS goal,
	met
FROM report;
