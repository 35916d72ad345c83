-- Sequences from which little is drawn, of nextval() and of gid, beside one from which
-- much is drawn.

CREATE TABLE quiet (id bigint);

SELECT format('CREATE SEQUENCE %I', name || '_' || n)
FROM unnest('{nextval,gid_next}'::text[]) AS name, generate_series(1, 100) AS n \gexec

INSERT INTO comparison (part, subject, measure)
SELECT 'quiet', subject || ', ' || kind, 'flushes'
FROM unnest('{no sequence,nextval(seq),gid_next(seq)}'::text[]) AS subject, unnest('{quiet,busy,first}'::text[]) AS kind;

-- Flushes of the WAL since the start.
SELECT current_setting('server_version_num')::int >= 180000 AS io \gset
\if :io
CREATE VIEW flushes AS SELECT sum(fsyncs) AS flushes FROM pg_stat_io WHERE object = 'wal';
\else
CREATE VIEW flushes AS SELECT wal_sync AS flushes FROM pg_stat_wal;
\endif
