\set ECHO none
-- Alters a sequence twice in a transaction, draws after each ALTER and after each
-- rollback, and shows that no value comes twice. Wants pg_temp.drawn(seq, n), and in
-- :created, :altered and :again the options of CREATE SEQUENCE and of both ALTER
-- SEQUENCE.
CREATE SEQUENCE s :created;
SELECT pg_temp.drawn('s', 5) AS drawn \gset a_
BEGIN;
ALTER SEQUENCE s :altered;
SELECT pg_temp.drawn('s', 20) AS drawn \gset b_
SAVEPOINT x;
ALTER SEQUENCE s :again;
SELECT pg_temp.drawn('s', 30) AS drawn \gset c_
ROLLBACK TO SAVEPOINT x;
SELECT pg_temp.drawn('s', 30) AS drawn \gset d_
ROLLBACK;
SELECT pg_temp.drawn('s', 100) AS drawn \gset e_
SELECT :'created' AS created, :'altered' AS altered, :'again' AS again, count(value) AS values, count(DISTINCT value) AS different
FROM unnest(:'a_drawn'::bigint[] || :'b_drawn' || :'c_drawn' || :'d_drawn' || :'e_drawn') AS value;
DROP SEQUENCE s;
\set ECHO all
