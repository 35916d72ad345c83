-- Draws from many sequences, of PostgreSQL's nextval() and of the one that gid serves.

-- In pieces, for max_locks_per_transaction.
CREATE PROCEDURE make_many(n int)
LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		CONTINUE WHEN to_regclass('served_' || i) IS NOT NULL;
		EXECUTE format('CREATE SEQUENCE plain_%s', i);
		EXECUTE format('CREATE SEQUENCE served_%s', i);
		IF i % 1000 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END $$;

INSERT INTO comparison (part, subject, x, measure, reference, reference_x)
SELECT 'many', subject, x, measure, CASE measure WHEN 'draws/s' THEN 'plain' END, x
FROM unnest(string_to_array(:'many', ' ')::int[]) AS x, (VALUES ('plain', 'draws/s'), ('served', 'draws/s'),
	('served', 'lost, %')) AS m (subject, measure);
