-- gid.authorities: how many GDIDs gid asks for, when, and which server it asks. A
-- function stands in for gid.authority_block() and notes each question. The other
-- servers are this server.
\i sql/include/fleet.sql
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

\i :answers

CREATE SEQUENCE only_2 CACHE 2;
SET gid.authorities = :'one';

-- gid asks for as many values as the sequence's CACHE says. Without CACHE the pace and
-- gid.max_block_size decide. It never asks for more than a block can have.
CREATE SEQUENCE large CACHE 100000;
CREATE SEQUENCE paced;
INSERT INTO answer VALUES ('large', 1, 0, 1, NULL), ('paced', 1, 0, 1, NULL);
SELECT pg_temp.drawn('large', 1), gid_next_gdids('large', 65536) LIMIT 1;
SELECT pg_temp.asked();
SELECT pg_temp.drawn('paced', 3);
SELECT (array_agg(size ORDER BY n))[1] AS first, max(size) BETWEEN 2 AND 4 * 2 + 4 AS second FROM asked;
TRUNCATE asked;
SET gid.max_block_size = 1;
SELECT gid_forget('paced'), pg_temp.drawn('paced', 2);
RESET gid.max_block_size;
SELECT pg_temp.asked();
-- gid asks nobody while a block is open. It asks for the next block once, ahead of
-- need.
CREATE SEQUENCE ahead CACHE 20;
INSERT INTO answer VALUES ('ahead', 1, 0, 1, NULL);
SELECT pg_temp.drawn('ahead', 15) IS NOT NULL AS drawn, pg_temp.asked();
SELECT pg_temp.drawn('ahead', 1) IS NOT NULL AS drawn, pg_temp.asked();
SELECT pg_temp.drawn('ahead', 19) IS NOT NULL AS drawn, pg_temp.asked();
SELECT reservations, prefetched FROM gid.stat_sequences WHERE sequence = 'ahead'::regclass;
-- While nobody answers, gid gives out the values that it still has. The first value
-- that is missing raises the error.
SELECT gid_forget('ahead'), pg_temp.drawn('ahead', 1) IS NOT NULL AS drawn;
SET gid.authorities = :'gone';
SELECT pg_temp.drawn('ahead', 19);
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ahead')$$) AS e;
SET gid.authorities = :'one';
SELECT pg_temp.drawn('ahead', 1);
UPDATE answer SET era = 99 WHERE sequence = 'ahead';
SELECT pg_temp.drawn('ahead', 19);
SELECT e.code FROM pg_temp.expect($$SELECT gid_next_gdid('ahead')$$) AS e;
-- When a server refuses, gid asks the next one. It shows the first line of the
-- server's error.
TRUNCATE asked;
INSERT INTO answer VALUES ('only_2', 2, 0, 1, NULL);
SELECT e.code, pg_temp.plain(e.detail) AS detail FROM pg_temp.expect($$SELECT gid_next_gdid('only_2')$$) AS e;
SELECT :'gone' || ' ' || :'one' || ' ' || :'two' AS list \gset
SET gid.authorities = :'list';
SELECT pg_temp.drawn('only_2', 3);
SELECT gid_next_gdids('only_2', 2);
SELECT pg_temp.asked();

-- Clean up.
DROP FUNCTION gid.authority_block(text, text, int, bigint);
ALTER FUNCTION gid.regress_gid_away(text, text, int, bigint) RENAME TO authority_block;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
