-- Readers that follow a table by id: what horizons cost, and how long a reader takes to
-- see a row.

-- Rows of a busy table, and when each was committed (track_commit_timestamp).
CREATE TABLE outbox (
	id uuid DEFAULT gid_uuid_v7(), number bigint GENERATED ALWAYS AS IDENTITY,
	xid xid8 DEFAULT pg_current_xact_id(), payload text);
CREATE INDEX ON outbox (id);
CREATE INDEX ON outbox (number);
CREATE INDEX ON outbox (xid);
CREATE TABLE outbox_seen (reader text, number bigint, at timestamptz);

-- A reader for some seconds.  The gate reads up to the oldest open transaction of the
-- server, and takes the rows by transaction.
CREATE PROCEDURE read_outbox(reader text, poll_ms int, seconds float8)
LANGUAGE plpgsql AS $$
DECLARE
	stop timestamptz := clock_timestamp() + seconds * interval '1 second';
	last_id uuid := '00000000-0000-0000-0000-000000000000';
	last_number bigint := 0;
	last_xid xid8 := '0';
	id_horizon uuid;
	number_horizon bigint;
	xid_horizon xid8;
BEGIN
	WHILE clock_timestamp() < stop LOOP
		CASE reader
		WHEN 'the greatest id' THEN
			WITH r AS (SELECT number FROM outbox WHERE number > last_number),
				i AS (INSERT INTO outbox_seen SELECT reader, number, clock_timestamp() FROM r)
			SELECT greatest(max(number), last_number) INTO last_number FROM r;
		WHEN 'the oldest transaction' THEN
			xid_horizon := pg_snapshot_xmin(pg_current_snapshot());
			INSERT INTO outbox_seen SELECT reader, number, clock_timestamp() FROM outbox
			WHERE xid >= last_xid AND xid < xid_horizon;
			last_xid := xid_horizon;
		WHEN 'gid_uuid_v7_horizon()' THEN
			id_horizon := gid_uuid_v7_horizon();
			INSERT INTO outbox_seen SELECT reader, number, clock_timestamp() FROM outbox
			WHERE id >= last_id AND id < id_horizon;
			last_id := greatest(last_id, id_horizon);
		WHEN 'gid_horizon(seq)' THEN
			number_horizon := gid_horizon('outbox_number_seq');
			INSERT INTO outbox_seen SELECT reader, number, clock_timestamp() FROM outbox
			WHERE number >= last_number AND number < number_horizon;
			last_number := greatest(last_number, number_horizon);
		END CASE;
		COMMIT;
		PERFORM pg_sleep(poll_ms / 1000.0);
	END LOOP;
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
	SELECT r.reader, o.number, pg_xact_commit_timestamp(o.xmin) AS committed, s.at
	FROM (SELECT DISTINCT reader FROM outbox_seen) AS r CROSS JOIN outbox AS o
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
		GROUP BY reader, s;
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
FROM unnest(ARRAY['the greatest id', 'the oldest transaction', 'gid_uuid_v7_horizon()', 'gid_horizon(seq)']) AS reader,
	unnest(ARRAY['lag, ms', 'rows missed']) AS measure, unnest(ARRAY[10, 1000]) AS x;
