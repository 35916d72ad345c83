\set ECHO none
-- Draws from a sequence that the transaction has altered, once and again, and
-- after each is rolled back: no value comes twice.  Wants pg_temp.drawn(seq, n)
-- and in variables what CREATE SEQUENCE and the two ALTER SEQUENCE say.
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
