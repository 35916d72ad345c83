-- Cache lines that a draw writes, counted in a single-user backend.  What the
-- first one writes does not count: it also locks a table.

CREATE TABLE line_call (position int GENERATED ALWAYS AS IDENTITY, subject text, expression text);
INSERT INTO line_call (subject, expression)
VALUES ('a constant', '(SELECT count(*) FROM pg_am)');
INSERT INTO line_call (subject, expression)
SELECT subject, expression FROM call
WHERE part = 'calls' AND (subject = 'nextval(seq)' OR subject ~ '^gid_(uuid|trace|snowflake|decimal|next)'
	AND subject !~ 'code')
ORDER BY position;

INSERT INTO comparison (part, subject, measure)
SELECT 'lines', subject, kind
FROM line_call, unnest('{draws,one}'::text[]) AS kind
WHERE subject <> 'a constant'
ORDER BY position, kind;
