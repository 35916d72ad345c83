-- setval() and nextval() beside gid_next(): the next transaction that draws
-- obeys, also when setval() writes the value that stands there already.

SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
\getenv srcdir PG_ABS_SRCDIR
\set numbers :srcdir '/sql/include/numbers.sql'
\i :numbers
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

-- An import as frameworks do it: rows with ids of their own, then setval().
CREATE TABLE item (id bigint PRIMARY KEY, name text);
CREATE SEQUENCE item_id OWNED BY item.id CACHE 20;
ALTER TABLE item ALTER id SET DEFAULT gid_next('item_id');
INSERT INTO item (name) SELECT 'made' FROM generate_series(1, 11);
INSERT INTO item SELECT n, 'imported' FROM generate_series(12, 100) AS n;
SELECT setval('item_id', max(id)) FROM item;
INSERT INTO item (name) VALUES ('after') RETURNING id;
INSERT INTO item (name) VALUES ('after') RETURNING id;

-- A quiet block, and a setval() of the value that its reservation has put
-- there already: only the page's LSN tells of it.
CREATE SEQUENCE quiet CACHE 4;
SELECT gid_next('quiet');
SELECT last_value FROM quiet;
SELECT setval('quiet', 4);
SELECT gid_next('quiet');

-- Backwards, forwards, not called, descending, and more than once.
SELECT setval('quiet', 2);
SELECT gid_next('quiet');
SELECT setval('quiet', 1000, false);
SELECT gid_next('quiet');
SELECT setval('quiet', 2000), setval('quiet', 3000);
SELECT gid_next('quiet');
SELECT gid_next('quiet');
CREATE SEQUENCE down INCREMENT -1 CACHE 4;
SELECT gid_next('down');
SELECT setval('down', -4);
SELECT gid_next('down');
SELECT setval('down', -100, false);
SELECT gid_next('down');

-- A setval() that a rollback does not undo.
BEGIN;
SELECT setval('quiet', 4000);
ROLLBACK;
SELECT gid_next('quiet');

-- In the transaction that has drawn, from its next block on; in one that has not,
-- at once.
BEGIN;
SELECT gid_next('quiet');
SELECT setval('quiet', 5000);
SELECT gid_next('quiet');
COMMIT;
SELECT gid_next('quiet');
BEGIN;
SELECT setval('quiet', 6000);
SELECT gid_next('quiet');
COMMIT;

-- A block that was written ahead is overtaken, too.
CREATE SEQUENCE ahead CACHE 20;
SELECT max(gid_next('ahead')) FROM generate_series(1, 17);
SELECT last_value FROM ahead;
SELECT setval('ahead', 1000);
SELECT max(gid_next('ahead')) FROM generate_series(1, 24);

-- What gid writes itself does not hide a setval(): a batch, a block for another
-- server, a write-ahead of a transaction that goes on.
CREATE SEQUENCE hidden CACHE 20;
SELECT gid_next('hidden');
SELECT setval('hidden', 500);
SELECT min(n), max(n) FROM gid_next_many('hidden', 3) AS n;
SELECT gid_next('hidden');
SELECT setval('hidden', 600);
SELECT start, count FROM gid_authority_block('regress_gid_app', 'hidden', 3);
SELECT gid_next('hidden');
BEGIN;
SELECT gid_next('hidden');
SELECT setval('hidden', 700);
SELECT max(gid_next('hidden')) FROM generate_series(1, 15);	-- the block that stands
COMMIT;
SELECT last_value FROM hidden;								-- 720, by the write-ahead
SELECT gid_next('hidden');

-- A batch alone does not end the block.
SELECT gid_next('hidden');
SELECT count(*) FROM gid_next_many('hidden', 3);
SELECT gid_next('hidden');

-- nextval() beside it takes the values behind the blocks, also at the end of
-- the sequence; none comes twice, and what is lost is little.
CREATE SEQUENCE mixed;
CREATE TABLE drawn (id bigint PRIMARY KEY);
DO $$
BEGIN
	FOR i IN 1..1500 LOOP
		INSERT INTO drawn VALUES (nextval('mixed'));
		COMMIT;
		INSERT INTO drawn VALUES (gid_next('mixed'));
		COMMIT;
	END LOOP;
END
$$;
SELECT count(*), max(id) <= 100000 AS few FROM drawn;
-- nextval() has seen to it that records are ahead of the page.
SELECT log_cnt > 0 AS ahead FROM mixed;


-- At the end of the range records are as far ahead as there are values, and
-- both functions give every value once, up and down.
SET gid.max_block_size = 2;
CREATE SEQUENCE short MAXVALUE 10;
CREATE SEQUENCE short_down INCREMENT -3 MINVALUE -28 START -1;
DO $$
BEGIN
	FOR i IN 1..2 LOOP		-- nextval() is seen at the second look
		RAISE NOTICE '% %', nextval('short'), nextval('short_down');
		COMMIT;
		RAISE NOTICE '% %', gid_next('short'), gid_next('short_down');
		COMMIT;
	END LOOP;
END
$$;
SELECT 'short', last_value, log_cnt FROM short
UNION ALL SELECT 'short_down', last_value, log_cnt FROM short_down;
SELECT nextval('short'), nextval('short_down');		-- without a record, so
SELECT gid_next('short'), gid_next('short_down');	-- the blocks go on
SELECT nextval('short') FROM generate_series(1, 2);
SELECT gid_next('short');
SELECT nextval('short');
SELECT gid_next('short');
RESET gid.max_block_size;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
