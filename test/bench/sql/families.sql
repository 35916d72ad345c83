-- What an id costs around the call, for every family: the call, a transaction with one id,
-- the first id of a session, a connection for each id.  "old" is empty, or there is a
-- server of an earlier version, which has these procedures, too.

CREATE VIEW family AS
SELECT subject, expression, row_number() OVER (ORDER BY position) AS position,
	subject LIKE 'gid%' AND :'old' <> '' AS compared
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

INSERT INTO comparison (part, subject, measure, reference, sense, goal)
SELECT 'families', subject, measure, CASE WHEN measure = 'a connection, µs' THEN 'no id' END,
	CASE WHEN goal IS NOT NULL AND subject LIKE 'gid%' THEN '<=' END,
	CASE WHEN subject LIKE 'gid%' THEN goal END
FROM family, (VALUES (1, 'a call, ns', NULL), (2, 'a transaction, ns', NULL),
	(3, 'first of a session, preloaded, µs', 200), (4, 'first of a session, µs', 1000),
	(5, 'a connection, µs', NULL)) AS m (m, measure, goal)
ORDER BY m, position;

INSERT INTO comparison (part, subject, measure, reference, sense, goal) VALUES
('families', 'gid_next(seq)', 'a transaction, ns', 'nextval(seq)', '<=', 1.00),
('families', 'gid_next(seq)', 'a transaction, ns', 'nothing', '<=', 1.65);

INSERT INTO comparison (part, subject, measure, reference, sense, goal)
SELECT 'families', subject, measure, subject || ' of 1.1', '<=', goal
FROM family, (VALUES (1, 'a call, ns', 1.02), (2, 'a transaction, ns', 1.03),
	(3, 'first of a session, preloaded, µs', 1.05), (4, 'first of a session, µs', 1.05),
	(5, 'a connection, µs', 1.05)) AS m (m, measure, goal)
WHERE compared
ORDER BY m, position;
