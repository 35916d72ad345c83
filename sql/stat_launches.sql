-- gid.stat_launches: generator numbers and leases of DecimalIds, when a launch runs
-- out, and who may see it.
\i sql/include/start.sql
LOAD 'gid';
\i :numbers
ALTER SYSTEM SET gid.launch_id = 4001;
\set until 'current_setting(''gid.launch_id'') = ''4001'''
\i :reload

SELECT gid_decimal_id() IS NOT NULL AS made;
SELECT pg_backend_pid() AS pid \gset
CREATE ROLE regress_gid_reader;
-- The sequence gives the count of generator numbers, the shared memory that of leases.
CREATE FUNCTION pg_temp.launches(OUT launch int, OUT source text, OUT used bigint, OUT "left" bigint,
	OUT held int, OUT idle int, OUT a_day numeric, OUT days numeric) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT launch, source, generators_used, generators_left, leases_held, leases_idle, generators_a_day::numeric,
		round(extract(epoch FROM exhausted_at - now()) / 86400)
	FROM gid.stat_launches ORDER BY launch
$$;
SELECT * FROM pg_temp.launches();
SET ROLE regress_gid_reader;
SELECT * FROM pg_temp.launches();
RESET ROLE;
-- A role needs a privilege on the sequence, or is a reader of statistics.
CREATE FUNCTION pg_temp.used_with(privilege text, OUT used bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('GRANT %s TO regress_gid_reader', privilege);
	SET LOCAL ROLE regress_gid_reader;
	SELECT generators_used INTO used FROM gid.stat_launches WHERE launch = 4001;
	RESET ROLE;
	EXECUTE format('REVOKE %s FROM regress_gid_reader', privilege);
END $$;
SELECT privilege, pg_temp.used_with(privilege) FROM unnest(ARRAY['SELECT ON SEQUENCE gid.decimal_generator',
	'USAGE ON SEQUENCE gid.decimal_generator', 'UPDATE ON SEQUENCE gid.decimal_generator',
	'pg_read_all_stats', 'pg_read_all_data']) AS privilege;
DROP ROLE regress_gid_reader;

-- A closed connection leaves its lease to the next one.
\c -
\set until 'NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ' :pid ')'
\i :reload

SELECT launch, leases_held, leases_idle FROM gid.stat_launches;
SELECT gid_decimal_id() IS NOT NULL AS made;
SELECT launch, leases_held, leases_idle FROM gid.stat_launches;
-- Of an earlier launch the view knows the leases alone. The next launch at both ends.
SELECT setval('gid.decimal_generator', 4002 * 100000::bigint, false);
SELECT launch, generators_used, generators_left, leases_held, generators_a_day, exhausted_at FROM gid.stat_launches ORDER BY launch;
SELECT setval('gid.decimal_generator', 4002 * 100000::bigint);
SELECT launch, generators_used, generators_left FROM gid.stat_launches WHERE launch = 4002;
SELECT setval('gid.decimal_generator', 4002 * 100000::bigint + 99999);
SELECT launch, generators_used, generators_left FROM gid.stat_launches WHERE launch = 4002;
-- A new file of the sequence has no launch yet, and none of the leases.
ALTER SEQUENCE gid.decimal_generator RESTART;
SELECT count(*) FROM gid.stat_launches;
SELECT setval('gid.decimal_generator', 4001 * 100000::bigint, false);

-- Clean up.
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
ALTER SEQUENCE gid.decimal_generator RESTART;
\i :no_numbers
