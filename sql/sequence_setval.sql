-- setval() beside gid_next(): the next statement that draws follows it, also when
-- setval() writes the value that the page has already.
\i sql/include/start.sql
\i :numbers
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

-- An import as frameworks do it: rows that bring their ids, then setval().
CREATE TABLE item (id bigint PRIMARY KEY, name text);
CREATE SEQUENCE item_id OWNED BY item.id CACHE 20;
ALTER TABLE item ALTER id SET DEFAULT gid_next('item_id');
INSERT INTO item (name) SELECT 'made' FROM generate_series(1, 11);
INSERT INTO item SELECT n, 'imported' FROM generate_series(12, 100) AS n;
SELECT setval('item_id', max(id)) FROM item;
INSERT INTO item (name) VALUES ('after') RETURNING id;
INSERT INTO item (name) VALUES ('after') RETURNING id;

-- A block that nobody draws from, and a setval() of the value that the block's
-- reservation has written. Only the page's LSN shows the setval().
CREATE SEQUENCE quiet CACHE 4;
SELECT gid_next('quiet');
SELECT last_value FROM quiet;
SELECT setval('quiet', 4);
SELECT gid_next('quiet');

-- Backwards, forwards, not called, descending, and twice in turn.
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

-- A rollback does not undo a setval().
BEGIN;
SELECT setval('quiet', 4000);
ROLLBACK;
SELECT gid_next('quiet');

-- A transaction that has drawn follows a setval() from its next block on. Another one
-- follows it at once.
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

-- A setval() ends a block that was reserved ahead, too.
CREATE SEQUENCE ahead CACHE 20;
SELECT max(gid_next('ahead')) FROM generate_series(1, 17);
SELECT last_value FROM ahead;
SELECT setval('ahead', 1000);
SELECT max(gid_next('ahead')) FROM generate_series(1, 24);

-- What gid itself writes does not hide a setval(): a batch, a block for another
-- server, a block that an open transaction reserves ahead.
CREATE SEQUENCE hidden CACHE 20;
SELECT gid_next('hidden');
SELECT setval('hidden', 500);
SELECT min(n), max(n) FROM gid_next_many('hidden', 3) AS n;
SELECT gid_next('hidden');
SELECT setval('hidden', 600);
SELECT start, count FROM gid.authority_block('regress_gid_app', 'hidden', 3);
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
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
\i :no_numbers
