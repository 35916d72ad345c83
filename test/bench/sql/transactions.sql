-- Transactions with one call each, for the parts "families" and "reading".

-- Makes a procedure that measures them beside empty ones.  Each part of a tenth is some
-- milliseconds, so that both meet the machine in the same mood; the first is not counted.
-- The call stands in the text, because plpgsql would parse a dynamic one each time.
CREATE FUNCTION make_transactions(subject text, expression text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($create$
		CREATE PROCEDURE %I(part text, x int, round int, calls int)
		LANGUAGE plpgsql AS $procedure$
		DECLARE
			n int := greatest(calls / 10, 1);
			start timestamptz;
			stop timestamptz;
			empty interval := '0';
			took interval := '0';
			ns float8;
			empty_ns float8;
		BEGIN
			FOR turn IN 0..10 LOOP
				start := clock_timestamp();
				FOR i IN 1..n LOOP PERFORM 1; COMMIT; END LOOP;
				stop := clock_timestamp();
				IF turn > 0 THEN
					empty := empty + (stop - start);
				END IF;
				start := clock_timestamp();
				FOR i IN 1..n LOOP PERFORM %s; COMMIT; END LOOP;
				stop := clock_timestamp();
				IF turn > 0 THEN
					took := took + (stop - start);
				END IF;
			END LOOP;
			ns := 1e8 * extract(epoch FROM took) / n;
			empty_ns := 1e8 * extract(epoch FROM empty) / n;
			INSERT INTO sample VALUES
				(part, %L, x, 'a transaction, ns', round, ns, NULL, NULL, empty_ns);
		END $procedure$ $create$, 'transactions of ' || subject, expression, subject);
END $$;
