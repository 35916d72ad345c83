-- What it costs to wait until a standby has each reservation.

CREATE PROCEDURE measure_standbys(round int, shown text, calls int)
LANGUAGE plpgsql AS $$
DECLARE
	ns float8;
BEGIN
	CALL time_call('calls', 'gid_next(seq)', calls, ns);
	PERFORM note('standbys', shown, 1, 'ns', round, ns);
END $$;

INSERT INTO comparison (part, subject, x, measure, reference, reference_x, sense, goal) VALUES
('standbys', 'gid_next(seq), 1 standbys', 1, 'ns', 'gid_next(seq), 0 standbys', 1, '<=', 1.05),
('standbys', 'gid_next(seq), 1 standbys', 8, 'median µs', 'gid_next(seq), 0 standbys', 8, NULL, NULL),
('standbys', 'gid_next(seq), 1 standbys', 8, '99.9th percentile µs', 'gid_next(seq), 0 standbys', 8, '<=', 1.5);
