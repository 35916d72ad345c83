-- gid_next_gdid() and gid_next_gdids(): eras of 2^60 values, batches at the ends of
-- eras, and values that are no counter. test/unit/test_reserve.c has the arithmetic.
\i sql/include/start.sql
LOAD 'gid';
\i :numbers
\set ECHO none
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

-- What a new sequence gives in batches of these sizes, or singly for 0.
CREATE FUNCTION pg_temp.outcomes(options text, VARIADIC counts int[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	ids gdid[];
	outcomes text[];
BEGIN
	EXECUTE 'CREATE SEQUENCE at ' || options;
	FOR i IN 1 .. cardinality(counts) LOOP
		BEGIN
			ids := CASE counts[i] WHEN 0 THEN ARRAY[gid_next_gdid('at')] ELSE ARRAY(SELECT gid_next_gdids('at', counts[i])) END;
			outcomes := outcomes || CASE counts[i] WHEN 0 THEN ids[1]::text ELSE format('%s to %s', ids[1], ids[cardinality(ids)]) END;
		EXCEPTION WHEN OTHERS THEN
			outcomes := outcomes || format('%s: %s', SQLSTATE, SQLERRM);
		END;
	END LOOP;
	DROP SEQUENCE at;
	RETURN array_to_string(outcomes, ', ');
END $$;
\set ECHO all
-- Single ids: from each side of the end of an era, and at the end of all.
SELECT pg_temp.outcomes('CACHE 10 START 1152921504606846974', 0, 0, 0);
SELECT pg_temp.outcomes('INCREMENT -1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1152921504606846977', 0, 0, 0);
SELECT pg_temp.outcomes('INCREMENT 1152921504606846976', 0, 0);
SELECT pg_temp.outcomes('START 9223372036854775807', 0, 0);
-- A batch has one era, and consecutive counters.
SELECT pg_temp.outcomes('START 1152921504606846970', 3, 3, 1);
SELECT pg_temp.outcomes('START 9223372036854775801', 8, 5, 3, 2);
SELECT pg_temp.outcomes('INCREMENT -1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1152921504606846979', 3, 2);
SELECT pg_temp.outcomes('MINVALUE 1152921504606846970 MAXVALUE 1152921504606846990 START 1152921504606846985 CYCLE', 7, 10, 6);
-- Values that are no counter.
SELECT pg_temp.outcomes('MINVALUE -1', 0, 0, 0);
SELECT pg_temp.outcomes('MINVALUE 0', 3, 3);
SELECT pg_temp.outcomes('INCREMENT -1 MAXVALUE 3 START 3 MINVALUE -10', 2, 3);
CREATE SEQUENCE below MINVALUE -1;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('below')$$) AS e;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
