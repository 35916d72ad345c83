-- setval() and gid_forget() beside gid_next(): the next statement that draws
-- follows a setval(), also when setval() writes the value that the page has
-- already. gid_forget() ends the blocks.
\i sql/include/start.sql
\i :sequence
\i :numbers

-- A setval() of the value that the block's reservation has written. Only the
-- page's LSN shows it.
CREATE SEQUENCE s CACHE 4;
SELECT gid_next('s');
SELECT last_value FROM s;
SELECT setval('s', 4);
SELECT gid_next('s');
-- Backwards, not called, and twice in turn.
SELECT setval('s', 2);
SELECT gid_next('s');
SELECT setval('s', 1000, false);
SELECT gid_next('s');
SELECT setval('s', 2000), setval('s', 3000);
SELECT gid_next('s');
-- In a transaction that has drawn, and in one that has not.
BEGIN;
SELECT gid_next('s');
SELECT setval('s', 5000);
SELECT gid_next('s');
COMMIT;
BEGIN;
SELECT setval('s', 6000);
SELECT gid_next('s');
\set ECHO none
COMMIT;

-- Each kind of call within one statement of the client: what it draws after a
-- setval() of this session, which an earlier draw of the call site precedes.
CREATE SEQUENCE k CACHE 20;
CREATE TABLE made (id bigint DEFAULT gid_next('k'));
CREATE FUNCTION by_sql() RETURNS bigint LANGUAGE sql AS $$SELECT gid_next('k')$$;
CREATE FUNCTION pg_temp.kinds() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	id bigint;
	code text;
BEGIN
	FOR i IN 1..2 LOOP
		PERFORM setval('k', 100 * i);
		id := gid_next('k');
		RETURN NEXT 'expression ' || id;
		PERFORM setval('k', 100 * i);
		SELECT gid_next('k') INTO id FROM (VALUES (1)) AS one;
		RETURN NEXT 'plan ' || id;
		PERFORM setval('k', 100 * i);
		EXECUTE 'SELECT gid_next(''k'')' INTO id;
		RETURN NEXT 'EXECUTE ' || id;
		PERFORM setval('k', 100 * i);
		INSERT INTO made DEFAULT VALUES RETURNING made.id INTO id;
		RETURN NEXT 'default ' || id;
		PERFORM setval('k', 100 * i);
		id := by_sql();
		RETURN NEXT 'SQL function ' || id;
		PERFORM setval('k', 100 * i);
		code := gid_next_code('k', '1000', 'numeric');
		RETURN NEXT 'code ' || code;
	END LOOP;
END $$;
BEGIN ISOLATION LEVEL READ COMMITTED;
\set ECHO all
SELECT * FROM pg_temp.kinds();
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM pg_temp.kinds();
COMMIT;
-- The setval() is all that the session has written since the expression drew last.
CREATE FUNCTION pg_temp.alone(OUT ids bigint[]) LANGUAGE plpgsql AS $$
DECLARE
	id bigint;
BEGIN
	FOR i IN 1..4 LOOP
		IF i = 4 THEN
			PERFORM setval('k', 500);
		END IF;
		id := gid_next('k');
		ids := ids || id;
	END LOOP;
END $$;
SELECT * FROM pg_temp.alone();

-- A setval() ends a block that was reserved ahead, too.
CREATE SEQUENCE ahead CACHE 20;
SELECT max(gid_next('ahead')) FROM generate_series(1, 17);
SELECT last_value FROM ahead;
SELECT setval('ahead', 1000);
SELECT max(gid_next('ahead')) FROM generate_series(1, 24);

-- What gid itself writes does not hide a setval(): a batch, a block for
-- another server, a block that an open transaction reserves ahead.
CREATE SEQUENCE hidden CACHE 20;
SELECT gid_next('hidden');
SELECT setval('hidden', 500);
SELECT min(n), max(n) FROM gid_next_many('hidden', 3) AS n;
SELECT gid_next('hidden');
SELECT setval('hidden', 600);
SELECT start, count FROM gid.authority_block('regress_gid_mine', 'hidden', 3);
SELECT gid_next('hidden');
BEGIN;
SELECT setval('hidden', 700);
SELECT max(gid_next('hidden')) FROM generate_series(1, 15);
COMMIT;
SELECT last_value FROM hidden;
SELECT gid_next('hidden');

-- gid_forget() loses the values that are left, those of the next block, too.
-- It does nothing where there is no block.
CREATE SEQUENCE f CACHE 20;
SELECT gid_forget('f');
SELECT max(gid_next('f')) FROM generate_series(1, 18);
SELECT next, last, last_value FROM gid.stat_sequences, f WHERE sequence = 'f'::regclass;
SELECT gid_forget('f');
SELECT next, last, last_value FROM gid.stat_sequences, f WHERE sequence = 'f'::regclass;
SELECT gid_next('f');
SELECT gid_next('f') AS a, gid_forget('f') AS forgotten, gid_next('f') AS b;

SET client_min_messages = warning;
DROP SCHEMA regress_gid_mine, regress_gid_theirs CASCADE;
DROP ROLE regress_gid_user;
\i :no_numbers
