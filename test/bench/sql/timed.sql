-- What "versions" and "reading" time, in the servers of both versions.

-- Microseconds are enough for a million calls.  The first call loads the library.
CREATE PROCEDURE time_draws(call text, calls int, INOUT ns float8)
LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
BEGIN
	EXECUTE format('SELECT count(%s) FROM generate_series(1, 10)', call);
	COMMIT;
	start := clock_timestamp();
	EXECUTE format('SELECT count(%s) FROM generate_series(1, %s)', call, calls);
	ns := 1e9 * extract(epoch FROM clock_timestamp() - start) / calls;
END $$;

CREATE PROCEDURE time_transactions(call text, calls int, INOUT ns float8)
LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
	n int;
BEGIN
	-- a CASE in the loop would be measured, too
	FOREACH n IN ARRAY ARRAY[10, calls] LOOP
		start := clock_timestamp();
		CASE call
		WHEN 'nothing' THEN
			FOR i IN 1..n LOOP PERFORM 1; COMMIT; END LOOP;
		WHEN 'nextval(seq)' THEN
			FOR i IN 1..n LOOP PERFORM nextval('bench_nextval'); COMMIT; END LOOP;
		WHEN 'gid_uuid_v7()' THEN
			FOR i IN 1..n LOOP PERFORM gid_uuid_v7(); COMMIT; END LOOP;
		WHEN 'gid_uuid_sequential()' THEN
			FOR i IN 1..n LOOP PERFORM gid_uuid_sequential(); COMMIT; END LOOP;
		WHEN 'gid_uuid_shard(7)' THEN
			FOR i IN 1..n LOOP PERFORM gid_uuid_shard(7); COMMIT; END LOOP;
		WHEN 'gid_trace_id()' THEN
			FOR i IN 1..n LOOP PERFORM gid_trace_id(); COMMIT; END LOOP;
		WHEN 'gid_snowflake_id()' THEN
			FOR i IN 1..n LOOP PERFORM gid_snowflake_id(); COMMIT; END LOOP;
		WHEN 'gid_next(seq)' THEN
			FOR i IN 1..n LOOP PERFORM gid_next('bench_next'); COMMIT; END LOOP;
		WHEN 'gid_uuid_v7_horizon()' THEN
			FOR i IN 1..n LOOP PERFORM gid_uuid_v7_horizon(); COMMIT; END LOOP;
		WHEN 'gid_horizon(seq)' THEN
			FOR i IN 1..n LOOP PERFORM gid_horizon('bench_next'); COMMIT; END LOOP;
		END CASE;
		ns := 1e9 * extract(epoch FROM clock_timestamp() - start) / n;
	END LOOP;
END $$;
