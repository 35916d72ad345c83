-- Readers that follow a table by id: what horizons cost, and how long a reader takes to
-- see a row.

-- Rows of a busy table, and when each was committed (track_commit_timestamp).  Each reader
-- has a column of its own, because those of one sequence share what they find.  The oldest
-- transaction serves as long as each transaction inserts one row.
CREATE TABLE outbox (
	number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid UNIQUE DEFAULT gid_uuid_v7(),
	session bigint GENERATED ALWAYS AS IDENTITY UNIQUE, repeatable bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
	pooled bigint GENERATED ALWAYS AS IDENTITY UNIQUE, connected bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
	xid xid8 UNIQUE DEFAULT pg_current_xact_id(), payload text);
CREATE VIEW outbox_v7 AS SELECT * FROM outbox WHERE id < (SELECT gid_uuid_v7_horizon());
CREATE VIEW outbox_session AS SELECT * FROM outbox WHERE session < (SELECT gid_horizon('outbox_session_seq'));
CREATE VIEW outbox_repeatable AS SELECT * FROM outbox WHERE repeatable < (SELECT gid_horizon('outbox_repeatable_seq'));
CREATE VIEW outbox_pooled AS SELECT * FROM outbox WHERE pooled < (SELECT gid_horizon('outbox_pooled_seq'));
CREATE VIEW outbox_connected AS SELECT * FROM outbox WHERE connected < (SELECT gid_horizon('outbox_connected_seq'));
CREATE VIEW outbox_oldest AS SELECT * FROM outbox WHERE xid < pg_snapshot_xmin(pg_current_snapshot());

-- The readers: what each reads, by which column, from where on; how many sessions take
-- turns, and how pgbench runs them; drawn: it is in the picture.
CREATE TABLE outbox_reader (
	position int GENERATED ALWAYS AS IDENTITY, reader text PRIMARY KEY, source name, key name, type text, last text,
	sessions int DEFAULT 1, isolation text DEFAULT 'READ COMMITTED', options text DEFAULT '', drawn boolean DEFAULT false);
INSERT INTO outbox_reader (reader, source, key, type, drawn) VALUES
	('the greatest id', 'outbox', 'number', 'bigint', true),
	('the oldest transaction', 'outbox_oldest', 'xid', 'xid8', true),
	('gid_uuid_v7_horizon()', 'outbox_v7', 'id', 'uuid', true),
	('gid_horizon(seq)', 'outbox_session', 'session', 'bigint', true);
INSERT INTO outbox_reader (reader, source, key, type, sessions, isolation, options) VALUES
	('gid_horizon(seq), REPEATABLE READ', 'outbox_repeatable', 'repeatable', 'bigint', 1, 'REPEATABLE READ', ''),
	('gid_horizon(seq), a pool', 'outbox_pooled', 'pooled', 'bigint', 4, 'READ COMMITTED', ''),
	('gid_horizon(seq), new connections', 'outbox_connected', 'connected', 'bigint', 1, 'READ COMMITTED', '-C');
CREATE TABLE outbox_seen (reader text, number bigint, at timestamptz);

-- One poll: pages, up to one that is not full.
CREATE FUNCTION read_outbox(name text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	r outbox_reader;
	rows int;
BEGIN
	SELECT * INTO STRICT r FROM outbox_reader WHERE reader = name FOR UPDATE;
	LOOP
		EXECUTE format('WITH page AS MATERIALIZED (SELECT number, %1$I AS key FROM %2$I WHERE %1$I > $1::%3$s ORDER BY %1$I LIMIT 100),
				seen AS (INSERT INTO outbox_seen SELECT $2, number, clock_timestamp() FROM page)
			SELECT (SELECT count(*) FROM page), coalesce((SELECT key::text FROM page ORDER BY key DESC LIMIT 1), $1)',
			r.key, r.source, r.type)
		INTO rows, r.last USING r.last, name;
		EXIT WHEN rows < 100;
	END LOOP;
	UPDATE outbox_reader SET last = r.last WHERE reader = name;
END $$;

-- An empty table, and readers at its beginning.
CREATE PROCEDURE begin_outbox()
LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE outbox, outbox_seen RESTART IDENTITY;
	UPDATE outbox_reader SET last = CASE type WHEN 'uuid' THEN '00000000-0000-0000-0000-000000000000' ELSE '0' END;
END $$;

-- For each reader the lag, at polls of so many milliseconds, the rows that it has missed,
-- and how many rows it is behind in each second.
CREATE PROCEDURE note_outbox(round int, poll_ms int)
LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
	seconds int;
BEGIN
	CREATE TEMP TABLE row_of ON COMMIT DROP AS
	SELECT r.reader, r.drawn, o.number, pg_xact_commit_timestamp(o.xmin) AS committed, s.at
	FROM outbox_reader AS r CROSS JOIN outbox AS o
	LEFT JOIN outbox_seen AS s ON s.reader = r.reader AND s.number = o.number;
	SELECT min(committed), extract(epoch FROM max(committed) - min(committed)) INTO start, seconds FROM row_of;

	INSERT INTO sample (part, subject, x, measure, round, value)
	SELECT 'reading', reader, poll_ms, 'lag, ms', round,
		1e3 * percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM at - committed))
	FROM row_of WHERE at IS NOT NULL GROUP BY reader
	UNION ALL
	SELECT 'reading', reader, poll_ms, 'rows missed', round, count(*) FILTER (WHERE at IS NULL)
	FROM row_of GROUP BY reader;
	IF poll_ms < 100 THEN
		INSERT INTO sample (part, subject, x, measure, round, value)
		SELECT 'reading', reader, s, 'rows behind', round,
			count(*) FILTER (WHERE committed < m AND at > m)
		FROM row_of, generate_series(1, seconds) AS s,
			LATERAL (VALUES (start + s * interval '1 second')) AS v (m)
		WHERE drawn GROUP BY reader, s;
	END IF;
END $$;

DO $$ BEGIN
	PERFORM make_transactions('gid_uuid_v7_horizon()', 'gid_uuid_v7_horizon()'),
		make_transactions('gid_horizon(seq)', 'gid_horizon(''bench_next'')');
END $$;
INSERT INTO comparison (part, subject, x, measure)
SELECT 'reading', call, x, 'a transaction, ns'
FROM unnest(ARRAY['gid_uuid_v7_horizon()', 'gid_horizon(seq)']) AS call, unnest(ARRAY[10, 500]) AS x;
INSERT INTO comparison (part, subject, x, measure)
SELECT 'reading', reader, x, measure
FROM outbox_reader, unnest(ARRAY['lag, ms', 'rows missed']) AS measure, unnest(ARRAY[10, 1000]) AS x
ORDER BY position;
