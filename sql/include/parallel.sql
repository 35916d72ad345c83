\set ECHO none
-- pg_temp.gathers(query): whether the plan of the query is parallel.
-- pg_temp.force_parallel('on' or 'off'): every plan that may be parallel is so.
CREATE FUNCTION pg_temp.gathers(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Gather' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
CREATE FUNCTION pg_temp.force_parallel(value text) RETURNS void LANGUAGE sql AS $$
	-- the name was force_parallel_mode before 16
	SELECT set_config(name, value, false) FROM pg_settings
	WHERE name IN ('force_parallel_mode', 'debug_parallel_query')
$$;
\set ECHO all
