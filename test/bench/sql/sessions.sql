-- Several sessions at once; the driver runs the queries by pgbench.

INSERT INTO comparison (part, subject, x, measure, reference, sense, goal)
SELECT 'sessions', subject, 2, 'million/s', subject, CASE WHEN g.goal IS NOT NULL THEN '>=' END, g.goal
FROM call LEFT JOIN (VALUES ('gid_decimal_id()', 1.9), ('gid_uuid_v7()', 1.5),
	('gid_uuid_sequential()', 1.5), ('gid_uuid_shard(7)', 1.5), ('gid_trace_id()', 1.5),
	('gid_snowflake_id()', 1.5), ('gid_next(seq)', 1.05)) AS g (subject, goal) USING (subject)
WHERE part = 'calls' AND (subject LIKE 'gid%()' OR subject LIKE 'gid_uuid_shard%'
	OR subject LIKE 'gid_next%' OR subject IN ('clock_timestamp()', 'gen_random_uuid()',
	'nextval(seq)', 'nextval(seq), CACHE 1000', 'uuidv7()'))
ORDER BY call.position;
