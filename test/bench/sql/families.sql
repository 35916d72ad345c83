-- What an id costs around the call, for every family: the call, a transaction
-- with one id, the first id of a session.

CREATE VIEW family AS
SELECT subject, expression, position
FROM call WHERE part = 'calls' AND (subject ~ '^gid_(uuid|trace|snowflake|decimal|next)'
	OR subject IN ('gen_random_uuid()', 'uuidv7()', 'nextval(seq)'));

-- Calls beside as many rows of a constant, a quarter at a time.
CREATE PROCEDURE measure_path(round int, of_subject text, calls int)
LANGUAGE plpgsql AS $$
DECLARE
	ns float8;
	base_ns float8;
	sum_ns float8 := 0;
	sum_base_ns float8 := 0;
BEGIN
	FOR turn IN 1..4 LOOP
		CALL time_call('calls', 'a constant', calls / 4, base_ns);
		CALL time_call('calls', of_subject, calls / 4, ns);
		sum_base_ns := sum_base_ns + base_ns;
		sum_ns := sum_ns + ns;
	END LOOP;
	INSERT INTO sample VALUES ('families', of_subject, 1, 'a call, ns', round, sum_ns / 4,
		NULL, NULL, sum_base_ns / 4);
END $$;

DO $$ BEGIN PERFORM make_transactions(subject, expression) FROM family; END $$;

INSERT INTO comparison (part, subject, measure)
SELECT 'families', subject, measure
FROM family, unnest(ARRAY['a call, ns', 'a transaction, ns', 'first of a session, preloaded, µs',
	'first of a session, µs']) WITH ORDINALITY AS m (measure, m)
ORDER BY m, position;
