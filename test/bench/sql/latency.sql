-- Single calls of several clients at once, each a statement and a transaction.

CREATE TABLE latency_call (part text, round int, subject text, us float8);

-- "shown" is the subject in the report.
CREATE PROCEDURE measure_latency(of_part text, round int, of_subject text, calls int, shown text)
LANGUAGE plpgsql AS $$
DECLARE
	query text := format(
		'SELECT extract(epoch FROM clock_timestamp() - $1) * 1e6 FROM (SELECT %s OFFSET 0) AS call',
		(SELECT expression FROM call WHERE part = 'calls' AND subject = of_subject));
	us float8;
	all_us float8[] := '{}';
BEGIN
	-- the first call of a backend loads the library
	EXECUTE query INTO us USING clock_timestamp();
	COMMIT;
	FOR i IN 1..calls LOOP
		EXECUTE query INTO us USING clock_timestamp();
		COMMIT;
		all_us := all_us || us;
	END LOOP;
	INSERT INTO latency_call SELECT of_part, round, shown, unnest(all_us);
END $$;

CREATE PROCEDURE note_latency(of_part text)
BEGIN ATOMIC
	INSERT INTO sample
	SELECT part, subject, 8, measure, round,
		percentile_cont(fraction) WITHIN GROUP (ORDER BY us)
	FROM latency_call, (VALUES ('median µs', 0.5), ('99.9th percentile µs', 0.999)) AS m (measure, fraction)
	WHERE part = of_part GROUP BY part, subject, measure, fraction, round;
END;

INSERT INTO comparison (part, subject, x, measure, reference, reference_x, sense, goal)
SELECT 'latency', subject, 8, measure, 'nextval(seq), CACHE 1000', 8,
	CASE WHEN subject = 'gid_next(seq)' AND measure LIKE '99%' THEN '<=' END,
	CASE WHEN subject = 'gid_next(seq)' AND measure LIKE '99%' THEN 1.3 END
FROM unnest('{"median µs","99.9th percentile µs"}'::text[]) AS measure,
	unnest('{"nextval(seq)","nextval(seq), CACHE 1000",gid_next(seq),gid_next_gdid(seq)}'::text[]) AS subject;
