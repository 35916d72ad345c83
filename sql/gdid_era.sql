-- gid_next_gdid() and gid_next_gdids(): eras of 2^60 values, batches at the ends of
-- eras, and values that are no counter.
\i sql/include/start.sql
LOAD 'gid';
\i :numbers
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;
CREATE SEQUENCE orders;

-- A new sequence in place of the former one.
CREATE FUNCTION pg_temp.at(options text) RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL client_min_messages = warning;
	DROP SEQUENCE IF EXISTS regress_gid_app.at;
	EXECUTE 'CREATE SEQUENCE regress_gid_app.at ' || options;
	RETURN 'regress_gid_app.at';
END $$;
SELECT setval('orders', 1152921504606846975, false), gid_forget('orders');
SELECT gid_next_gdid('orders') AS last, gid_next_gdid('orders') AS first, gid_next_gdid('orders') AS second;
SELECT options, gid_next_gdid(seq) AS a, gid_next_gdid(seq) AS b, gid_next_gdid(seq) AS c
FROM unnest(ARRAY['', 'START 2305843009213693950', 'CACHE 10 START 3458764513820540927', 'INCREMENT 1152921504606846976',
	'INCREMENT -1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1152921504606846977',
	'INCREMENT -1 MINVALUE 1 MAXVALUE 9223372036854775807', 'START 9223372036854775805']) AS options,
	pg_temp.at(options) AS seq;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('at')$$) AS e;
-- The ids have the order of the values, also over the end of an era.
SELECT count(*) AS tried, count(*) FILTER (WHERE id <= before) AS not_in_order,
	count(DISTINCT gid_extract_gdid_era(id)) AS eras
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before
	FROM (SELECT n, gid_next_gdid(seq) AS id
		FROM pg_temp.at('START 1152921504606845976') AS seq, generate_series(1, 2000) AS n) AS d) AS m;

-- A batch has one era, and consecutive counters.
CREATE FUNCTION pg_temp.outcomes(seq regclass, VARIADIC counts int[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	ids gdid[];
BEGIN
	FOR i IN 1 .. cardinality(counts) LOOP
		BEGIN
			ids := ARRAY(SELECT gid_next_gdids(seq, counts[i]));
			RETURN NEXT format('%s: %s to %s', cardinality(ids), ids[1], ids[cardinality(ids)]);
		EXCEPTION WHEN OTHERS THEN
			RETURN NEXT format('%s: %s', SQLSTATE, SQLERRM);
		END;
	END LOOP;
END $$;
SELECT string_agg(o, ', ') FROM pg_temp.at('START 1152921504606846970') AS seq, pg_temp.outcomes(seq, 3, 3, 1) AS o;
SELECT string_agg(o, ', ') FROM pg_temp.at('START 9223372036854775801') AS seq, pg_temp.outcomes(seq, 8, 5, 3, 2, 1) AS o;
SELECT string_agg(o, ', ') FROM pg_temp.at('INCREMENT -1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1152921504606846979') AS seq,
	pg_temp.outcomes(seq, 3, 2, 1) AS o;
SELECT string_agg(o, ', ') FROM pg_temp.at('MINVALUE 1152921504606846970 MAXVALUE 1152921504606846990 START 1152921504606846985 CYCLE') AS seq,
	pg_temp.outcomes(seq, 7, 10, 6) AS o;
SELECT count(*), min(id), max(id), count(DISTINCT id), bool_and(gid_extract_gdid_counter(id) = n) AS in_order
FROM pg_temp.at('') AS seq, gid_next_gdids(seq, 65536) WITH ORDINALITY AS m (id, n);
-- Values that are no counter.
SELECT pg_temp.at('MINVALUE -1') \gset
SELECT e.* FROM pg_temp.alike(VARIADIC array_fill($$SELECT gid_next_gdid('at')$$::text, ARRAY[3])) AS e;
SELECT string_agg(o, ', ') FROM pg_temp.at('MINVALUE 0') AS seq, pg_temp.outcomes(seq, 3, 3) AS o;
SELECT string_agg(o, ', ') FROM pg_temp.at('INCREMENT -1 MAXVALUE 3 START 3 MINVALUE -10') AS seq, pg_temp.outcomes(seq, 2, 3, 1) AS o;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
