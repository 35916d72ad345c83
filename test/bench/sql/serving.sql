-- Point selects in sessions without gid's library, and in sessions with it and
-- gid.serve_nextval off and on.

CREATE TABLE point (id int PRIMARY KEY, n int);
INSERT INTO point SELECT i, i FROM generate_series(1, 100000) AS i;
VACUUM ANALYZE point;

INSERT INTO comparison (part, subject, measure, reference, sense, goal)
SELECT 'serving', mode || ', gid.serve_nextval = ' || setting, 'µs', mode || ', no library', '<=', goal
FROM (VALUES ('prepared', 1.01), ('simple', 1.02)) AS m (mode, goal), unnest('{off,on}'::text[]) AS setting;
