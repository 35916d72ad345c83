-- gid_forget(), which ends a sequence's block, alone and together with setval().
\i sql/include/start.sql
\i :sequence

CREATE SEQUENCE s;
CREATE FUNCTION pg_temp.draw(n int) RETURNS bigint LANGUAGE sql AS
	$$SELECT max(gid_next('s')) FROM generate_series(1, n)$$;

-- The values that are left are lost. The next value comes after last_value, also when
-- the next block is reserved already, and when there is no block.
ALTER SEQUENCE s RESTART CACHE 20;
SELECT pg_temp.draw(1);
SELECT gid_forget('s');
SELECT next, last, last_value FROM gid.stat_sequences, s WHERE sequence = 's'::regclass;
SELECT pg_temp.draw(1);
SELECT pg_temp.draw(17);
SELECT next, last, last_value FROM gid.stat_sequences, s WHERE sequence = 's'::regclass;
SELECT gid_forget('s');
SELECT pg_temp.draw(1);
SELECT gid_forget('s'), gid_forget('s');
SELECT pg_temp.draw(1);
CREATE SEQUENCE never;
SELECT gid_forget('never');
SELECT gid_next('never');
DROP SEQUENCE never;

-- setval() in a transaction that has drawn takes effect at the next reservation, or
-- with gid_forget() at once: forwards, backwards, and in a transaction that is rolled
-- back. sequence_setval.sql has the other cases.
ALTER SEQUENCE s RESTART CACHE 3;
SELECT gid_next('s') AS a, setval('s', 100) AS set, gid_next('s') AS b, gid_next('s') AS c, gid_next('s') AS d;
SELECT setval('s', 200) AS set, gid_forget('s') AS forgotten, gid_next('s') AS a, gid_next('s') AS b;
SELECT setval('s', 300, false) AS set, gid_forget('s') AS forgotten, gid_next('s') AS a, gid_next('s') AS b;
SELECT setval('s', 50) AS set, gid_forget('s') AS forgotten, gid_next('s') AS a, gid_next('s') AS b;
BEGIN;
SELECT setval('s', 400) AS set, gid_forget('s') AS forgotten;
ROLLBACK;
SELECT gid_next('s');
DROP SEQUENCE s;

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
