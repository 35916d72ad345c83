-- The cost of a value when it comes from one of many sequences, in turn; of
-- a large CACHE, so that it is that of finding the sequence.

CREATE TABLE sequence (n int PRIMARY KEY, id regclass);

CREATE PROCEDURE make_sequences(many int)
LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..many LOOP
		EXECUTE format('CREATE SEQUENCE many_%s CACHE 1000000', i);
		INSERT INTO sequence VALUES (i, format('many_%s', i));
		-- each is locked until the transaction ends
		IF i % 500 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END $$;

-- All rounds in this backend: it looks up each sequence once.
CREATE PROCEDURE measure_sequences(rounds int, most int, calls int)
LANGUAGE plpgsql AS $$
DECLARE
	function text;
	many int;
	ids regclass[] := (SELECT array_agg(id ORDER BY s.n) FROM sequence AS s);
	n bigint;
	start timestamptz;
	stop timestamptz;
BEGIN
	-- round 0 makes the first blocks
	FOR round IN 0..rounds LOOP
		FOR many IN SELECT unnest('{1,10,100,1000,10000}'::int[]) LOOP
			CONTINUE WHEN many > most;
			FOREACH function IN ARRAY '{gid_next,nextval}'::text[] LOOP
				start := clock_timestamp();
				EXECUTE format('SELECT count(%I($1[g %% %s + 1])) FROM generate_series(1, %s) AS g',
					function, many, calls) INTO n USING ids;
				stop := clock_timestamp();
				COMMIT;
				IF round > 0 THEN
					PERFORM note('sequences', function || '(seq)', many, 'ns', round,
						1e9 * extract(epoch FROM stop - start) / n);
				END IF;
			END LOOP;
		END LOOP;
	END LOOP;
END $$;

INSERT INTO comparison (part, subject, x, measure, reference, reference_x)
SELECT 'sequences', 'gid_next(seq)', x, 'ns', 'nextval(seq)', x
FROM unnest('{1,10,100,1000,10000}'::int[]) AS x;
