-- A transaction with one value: its lock on the sequence, its check of the
-- privilege and, for gid_next(), its look at the page.

CREATE PROCEDURE measure_transactions(round int, calls int)
LANGUAGE plpgsql AS $$
DECLARE
	call record;
	start timestamptz;
	stop timestamptz;
BEGIN
	-- plpgsql does not replan a CASE for each of them
	FOR call IN SELECT subject FROM comparison WHERE part = 'transactions'
		GROUP BY subject ORDER BY (min(position) + round) % 4 LOOP
		start := clock_timestamp();
		CASE call.subject
		WHEN 'nothing' THEN
			FOR i IN 1..calls LOOP PERFORM 1; COMMIT; END LOOP;
		WHEN 'gid_uuid_v7()' THEN
			FOR i IN 1..calls LOOP PERFORM gid_uuid_v7(); COMMIT; END LOOP;
		WHEN 'nextval(seq)' THEN
			FOR i IN 1..calls LOOP PERFORM nextval('bench_nextval'); COMMIT; END LOOP;
		WHEN 'gid_next(seq)' THEN
			FOR i IN 1..calls LOOP PERFORM gid_next('bench_next'); COMMIT; END LOOP;
		END CASE;
		stop := clock_timestamp();
		PERFORM note('transactions', call.subject, 1, 'ns', round,
			1e9 * extract(epoch FROM stop - start) / calls);
		COMMIT;
	END LOOP;
END $$;

INSERT INTO comparison (part, subject, measure, reference, base, sense, goal) VALUES
('transactions', 'nothing', 'ns', 'nextval(seq)', 'nothing', NULL, NULL),
('transactions', 'gid_uuid_v7()', 'ns', 'nextval(seq)', 'nothing', NULL, NULL),
('transactions', 'nextval(seq)', 'ns', 'nextval(seq)', 'nothing', NULL, NULL),
('transactions', 'gid_next(seq)', 'ns', 'nextval(seq)', 'nothing', '<=', 1.00),
('transactions', 'gid_next(seq)', 'ns', 'nothing', 'nothing', '<=', 1.65);
