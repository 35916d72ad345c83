-- What a connection of its own costs a transaction with one id, beside a function of
-- the same library that makes none.

INSERT INTO comparison (part, subject, x, measure, reference, reference_x, sense, goal)
SELECT 'pool', 'gid_uuid_v7()' || preload, x, 'tps', 'gid_extract_v7_time()' || preload, x,
	CASE WHEN preload <> '' THEN '>=' END, CASE WHEN preload <> '' THEN 1 / 1.05 END
FROM unnest('{1,8}'::int[]) AS x, unnest(ARRAY['', ', preloaded']) AS preload;
