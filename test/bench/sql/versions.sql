-- An earlier version beside this one.

\ir timed.sql

CREATE TABLE version_call (position int GENERATED ALWAYS AS IDENTITY, expression text);
INSERT INTO version_call (expression)
SELECT unnest('{gid_uuid_v7(),gid_uuid_sequential(),gid_uuid_shard(7),gid_trace_id(),gid_snowflake_id(),gid_next(seq)}'::text[]);

INSERT INTO comparison (part, subject, measure, reference, sense, goal)
SELECT 'versions', kind || expression, 'ns', kind || expression || ' of 1.1', '<=', goal
FROM (VALUES ('', 1.02), ('a transaction with ', 1.03)) AS k (kind, goal), version_call
ORDER BY kind, position;
