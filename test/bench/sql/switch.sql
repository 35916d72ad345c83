-- How long the recipes of doc/tables-with-rows.md lock tables that get new keys.

INSERT INTO comparison (part, subject, measure)
SELECT 'switch', subject, measure
FROM unnest(ARRAY['with one lock', 'without a long lock']) WITH ORDINALITY AS s (subject, n),
	unnest(ARRAY['locked, ms', 's in all']) AS measure
ORDER BY measure, n;
