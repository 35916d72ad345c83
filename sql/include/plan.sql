\set ECHO none
-- What the plan of a query shows.
--
-- pg_temp.plan(query, options): the plan as a text.
-- pg_temp.shows(query): whether the plan has both bounds of a range in an index
-- condition, and a filter; which partitions "part_..." it names; how many partitions
-- it removes when it starts.
CREATE FUNCTION pg_temp.plan(query text, options text DEFAULT 'COSTS OFF') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN plan;
END $$;
CREATE FUNCTION pg_temp.shows(query text, OUT index_cond boolean, OUT filter boolean,
	OUT partitions text, OUT removed_at_run_time text) LANGUAGE sql AS $$
	SELECT p.plan ~ 'Index Cond: [^\n]*>=[^\n]*<', p.plan ~ 'Filter: ',
		(SELECT string_agg(DISTINCT m[1], ' ' ORDER BY m[1])
		 FROM regexp_matches(replace(p.plan, '_pkey', ''), ' on (part_[a-z0-9_]+)', 'g') AS m),
		substring(p.plan FROM 'Subplans Removed: ([0-9]+)')
	FROM pg_temp.plan(query) AS p (plan)
$$;
\set ECHO all
