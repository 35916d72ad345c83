-- Cache lines that a draw writes, counted in a single-user backend; "old": an earlier
-- version has it, too.  What the first one writes does not count: it also locks a table.

CREATE TABLE line_call (position int GENERATED ALWAYS AS IDENTITY, subject text, expression text, old bool);
INSERT INTO line_call (subject, expression, old) VALUES
('a constant', '(SELECT count(*) FROM pg_am)', true),
('nextval(seq)', 'nextval(''bench_nextval'')', false),
('gid_uuid_v7()', 'gid_uuid_v7()', true),
('gid_uuid_sequential()', 'gid_uuid_sequential()', true),
('gid_uuid_shard(7)', 'gid_uuid_shard(7)', true),
('gid_trace_id()', 'gid_trace_id()', true),
('gid_snowflake_id()', 'gid_snowflake_id()', true),
('gid_decimal_id()', 'gid_decimal_id()', true),
('gid_next(seq)', 'gid_next(''bench_next'')', true),
('gid_next_gdid(seq)', 'gid_next_gdid(''bench_next'')', true);

INSERT INTO comparison (part, subject, measure)
SELECT 'lines', subject || version, kind
FROM line_call, unnest('{"", " of 1.1"}'::text[]) AS version, unnest('{draws,one}'::text[]) AS kind
WHERE subject <> 'a constant'
ORDER BY version, position, kind;
