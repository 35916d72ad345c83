-- gdid in joins, in indexes of every kind, and as a partition key.
\i sql/include/start.sql

\i :gdids
\i :plan
CREATE TABLE twin AS SELECT DISTINCT id FROM made;
ANALYZE made, twin;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT pg_temp.plan('SELECT FROM made JOIN twin USING (id)') ~ 'Hash Join' AS hash_join;
SELECT count(*) FROM made JOIN twin USING (id);
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT pg_temp.plan('SELECT FROM made JOIN twin USING (id)') ~ 'Merge Join' AS merge_join;
SELECT count(*) FROM made JOIN twin USING (id);
RESET enable_hashjoin;
RESET enable_nestloop;
SET enable_sort = off;
SELECT pg_temp.plan('SELECT id FROM made GROUP BY id') ~ 'HashAggregate' AS hash_aggregate;
RESET enable_sort;

-- Ids that grow, as a table gets them.
CREATE TABLE item (id gdid PRIMARY KEY, body text);
INSERT INTO item SELECT gid_make_gdid(0, 1, n), 'body ' || n FROM generate_series(1, 20000) AS n;
SELECT e.code, e.detail FROM pg_temp.expect($$INSERT INTO item VALUES ('0:1:1')$$) AS e;
CREATE INDEX item_hash ON item USING hash (id);
CREATE INDEX item_brin ON item USING brin (id) WITH (pages_per_range = 1);
ANALYZE item;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT p.plan ~ 'Index (Only )?Scan using item_pkey' AND p.plan ~ 'Index Cond: [^\n]*>=[^\n]*<' AS btree
FROM pg_temp.plan($$SELECT id FROM item WHERE id >= '0:1:100' AND id < '0:1:200'$$) AS p (plan);
SELECT count(*), min(id), max(id) FROM item WHERE id >= '0:1:100' AND id < '0:1:200';
SELECT pg_temp.plan('SELECT max(id) FROM item') ~ 'Index Only Scan Backward using item_pkey' AS max_by_index;
SELECT min(id), max(id) FROM item;
ALTER TABLE item DROP CONSTRAINT item_pkey;
SELECT pg_temp.plan($$SELECT FROM item WHERE id = '0:1:5'$$) ~ 'Index Scan using item_hash' AS hash;
SELECT body FROM item WHERE id = '0:1:5';
SET enable_indexscan = off;
RESET enable_bitmapscan;
SELECT pg_temp.plan($$SELECT FROM item WHERE id BETWEEN '0:1:100' AND '0:1:199'$$)
	~ 'Bitmap Index Scan on item_brin' AS brin;
SELECT count(*) FROM item WHERE id BETWEEN '0:1:100' AND '0:1:199';
SELECT (SELECT count(*) FROM item WHERE id < '0:1:100') AS lt, (SELECT count(*) FROM item WHERE id <= '0:1:100') AS le,
	(SELECT count(*) FROM item WHERE id = '0:1:100') AS eq, (SELECT count(*) FROM item WHERE id >= '0:1:19901') AS ge,
	(SELECT count(*) FROM item WHERE id > '0:1:19901') AS gt;
RESET enable_indexscan;
RESET enable_seqscan;
PREPARE by_id(gdid) AS SELECT body FROM item WHERE id = $1;
EXECUTE by_id('0:1:7');
DEALLOCATE by_id;

-- A B-tree stores equal ids once. It may do so because equal ids have equal bytes.
CREATE TABLE few AS SELECT gid_make_gdid(0, 1, n % 10) AS id FROM generate_series(1, 20000) AS n;
CREATE INDEX few_id ON few (id);
CREATE INDEX few_plain ON few (id) WITH (deduplicate_items = off);
SELECT pg_relation_size('few_id') < pg_relation_size('few_plain') / 2 AS deduplicated;

-- Partitions by range and by hash.
CREATE TABLE part (id gdid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE part_0 PARTITION OF part FOR VALUES FROM (MINVALUE) TO ('1:0:0');
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM ('1:0:0') TO (MAXVALUE) PARTITION BY HASH (id);
CREATE TABLE part_1_0 PARTITION OF part_1 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1_1 PARTITION OF part_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO part SELECT id FROM twin;
SELECT (SELECT count(*) FROM part) = (SELECT count(*) FROM twin) AS complete,
	(SELECT count(*) FROM part_0 WHERE id >= '1:0:0') AS misplaced,
	(SELECT count(*) FROM part_1_0) > 0 AND (SELECT count(*) FROM part_1_1) > 0 AS both_hashes;
SELECT pg_temp.plan($$SELECT FROM part WHERE id = '0:1:1'$$) !~ 'part_1' AS pruned;
DROP TABLE made, twin, item, few, part;
