-- gid_next_many(): batches of 1 to 65536 consecutive values, beside the open
-- block, and at the end of a sequence and of a cycle. gdid_era.sql has the
-- ends of eras, and unit/test_reserve each end of each range. With
-- gid_next_gdids() the limits of the count.
\i sql/include/start.sql
\i :sequence
\i :numbers
\i :loopback

-- The values of a batch differ by INCREMENT. The open block keeps its values.
CREATE SEQUENCE s INCREMENT -7 CACHE 3;
CREATE FUNCTION pg_temp.many(count int) RETURNS bigint[] LANGUAGE sql AS
	$$SELECT array_agg(value ORDER BY n) FROM gid_next_many('s', count) WITH ORDINALITY AS m (value, n)$$;
SELECT gid_next('s') AS a, pg_temp.many(4) AS many, gid_next('s') AS b, gid_next('s') AS c,
	gid_next('s') AS d, pg_temp.many(1) AS one, gid_next('s') AS e;

-- A batch in a list of results, in FROM, in a cursor that is closed early, and
-- in a transaction that rolls back. Values that are not fetched do not come
-- again.
CREATE SEQUENCE t;
SELECT gid_next_many('t', 65536) LIMIT 2;
SELECT id FROM gid_next_many('t', 4) AS m (id) LIMIT 2;
SELECT gid_next_many('t', 2) AS a, gid_next_many('t', 2) AS b;
SELECT n, ARRAY(SELECT gid_next_many('t', n)) AS ids FROM generate_series(1, 3) AS n;
BEGIN;
DECLARE c CURSOR FOR SELECT gid_next_many('t', 10);
FETCH 2 FROM c;
CLOSE c;
ROLLBACK;
SELECT gid_next_many('t', 1);

-- Any other count is refused before a value is reserved. A NULL gives no row.
SELECT last_value AS before FROM t \gset
SELECT e.code, e.message, e.detail, e.hint FROM pg_temp.expect('SELECT gid_next_many(''t'', 0)',
	'SELECT gid_next_many(''t'', 65537) LIMIT 1', 'SELECT gid_next_gdids(''t'', 0)') AS e;
-- Nor is an authority asked for it.
SET gid.authorities = :'uri';
SELECT e.code FROM pg_temp.expect('SELECT gid_next_gdids(''t'', 65537)') AS e;
RESET gid.authorities;
SELECT last_value - :before AS taken, (SELECT count(*) FROM gid_next_many('t', NULL)) AS many,
	(SELECT count(*) FROM gid_next_gdids('t', NULL)) AS gdids FROM t;

-- When too few values are left, gid reserves nothing. A batch does not reach
-- over the end of a cycle; it begins with the next one.
CREATE FUNCTION pg_temp.outcomes(options text, VARIADIC counts int[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	outcomes text[];
BEGIN
	EXECUTE 'CREATE SEQUENCE regress_gid_mine.new ' || options;
	FOR i IN 1 .. cardinality(counts) LOOP
		outcomes[i] := pg_temp.outcome(format('SELECT array_agg(id) FROM gid_next_many(''new'', %s) AS id', counts[i]));
	END LOOP;
	DROP SEQUENCE regress_gid_mine.new;
	RETURN array_to_string(outcomes, ', ');
END $$;
SELECT pg_temp.outcomes('MAXVALUE 5', 6, 3, 3, 2);
SELECT pg_temp.outcomes('INCREMENT -1 MINVALUE -5 CYCLE', 3, 3, 6);
-- A batch lies in one era of GDIDs.
SELECT pg_temp.outcomes('START 1152921504606846970', 3, 4, 1);

SET client_min_messages = warning;
DROP SCHEMA regress_gid_mine, regress_gid_theirs CASCADE;
DROP ROLE regress_gid_user;
\i :no_numbers
