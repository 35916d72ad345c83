-- The type gdid: its errors, its casts, its order and its indexes. test/unit/test_gdid.c
-- has its texts and its packed form.
\i sql/include/start.sql
\i :plan

-- Each form of the largest value.
SELECT id, gid_gdid_hex(id) AS hex, gid_gdid_hex(id)::gdid = id AS read, id::bytea AS bytes, gdid_send(id) = id::bytea AS sent,
	gid_gdid_unpack(gid_gdid_pack(id)) = id AS packed, id = gid_make_gdid(gid_extract_gdid_era(id), gid_extract_gdid_authority(id),
		gid_extract_gdid_counter(id)) AS parts
FROM CAST(' 4294967295 : 15 : 1152921504606846975 ' AS gdid) AS id;
-- Texts: one of each fault.
SELECT t, e.code, e.detail FROM unnest(ARRAY['0:16:0', '', '1', '1:2', '1::3', '-1:2:3', 'hello']) AS t,
	pg_temp.expect(format('SELECT %L::gdid', t)) AS e;
SELECT e.message, e.hint FROM pg_temp.expect($$SELECT '1:16:3'::gdid$$) AS e;
-- Soft errors, where the server has them. Elsewhere an exception gives the same.
DO $do$ BEGIN
	IF to_regprocedure('pg_catalog.pg_input_error_info(text, text)') IS NULL THEN
		CREATE FUNCTION pg_temp.detail_of(value text) RETURNS text LANGUAGE sql
		RETURN (SELECT detail FROM pg_temp.expect(format('SELECT %L::gdid', value)));
	ELSE
		CREATE FUNCTION pg_temp.detail_of(value text) RETURNS text LANGUAGE sql AS
			$$SELECT detail FROM pg_input_error_info(value, 'gdid')$$;
	END IF;
END $do$;
SELECT t, pg_temp.detail_of(t) FROM unnest(ARRAY['1:2:3', '1:16:3']) AS t;
-- Parts: one past each end.
SELECT e.* FROM pg_temp.alike('SELECT gid_make_gdid(4294967296, 0, 0)',
	'SELECT gid_make_gdid(0, 16, 0)', 'SELECT gid_make_gdid(0, 0, 1152921504606846976)') AS e;
SELECT e.code, count(*) FROM pg_temp.expect('SELECT gid_make_gdid(-1, 0, 0)', 'SELECT gid_make_gdid(0, -1, 0)',
	'SELECT gid_make_gdid(0, 0, -1)') AS e GROUP BY 1;
-- The packed form: one of each fault.
SELECT b, e.code, e.message, e.detail
FROM unnest(ARRAY['\x', '\x8000', '\x00800100', '\xffffffff1f00']::bytea[]) AS b,
	pg_temp.expect(format('SELECT gid_gdid_unpack(%L)', b)) AS e;

-- Casts to and from bytea are explicit, and take 12 bytes, as does binary COPY.
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast
WHERE 'gdid'::regtype IN (castsource, casttarget) ORDER BY castsource::regtype::text;
SELECT e.* FROM pg_temp.alike($$SELECT '\x0000000120000000000000'::bytea::gdid$$,
	$$SELECT '\x00000001200000000000000300'::bytea::gdid$$) AS e;
\i :gdids
SELECT current_setting('data_directory') || '/gid_gdid_copy' AS file \gset
CREATE TABLE target (id gdid);
COPY made (id) TO :'file' (FORMAT binary);
COPY target FROM :'file' (FORMAT binary);
SELECT count(*) AS lost FROM (SELECT id FROM made EXCEPT ALL TABLE target) AS m;
COPY (SELECT '\x0000000120000000000000'::bytea) TO :'file' (FORMAT binary);
SELECT e.code, e.message, e.detail FROM pg_temp.expect(format('COPY target FROM %L (FORMAT binary)', :'file')) AS e;
COPY (SELECT WHERE false) TO PROGRAM 'cat >/dev/null; rm -f gid_gdid_copy';

-- The order is that of the bytes, by each operator and support function.
SELECT count(*) AS pairs, count(*) FILTER (WHERE
	(a.id < b.id) <> (a.id::bytea < b.id::bytea) OR (a.id <= b.id) <> (a.id::bytea <= b.id::bytea)
	OR (a.id = b.id) <> (a.id::bytea = b.id::bytea) OR (a.id <> b.id) <> (a.id::bytea <> b.id::bytea)
	OR (a.id >= b.id) <> (a.id::bytea >= b.id::bytea) OR (a.id > b.id) <> (a.id::bytea > b.id::bytea)
	OR gdid_cmp(a.id, b.id) <> (a.id > b.id)::int - (a.id < b.id)::int
	OR gdid_smaller(a.id, b.id) <> least(a.id, b.id) OR gdid_larger(a.id, b.id) <> greatest(a.id, b.id)
	OR (a.id = b.id) AND (gdid_hash(a.id) <> gdid_hash(b.id)
		OR gdid_hash_extended(a.id, 7) <> gdid_hash_extended(b.id, 7))) AS mismatches
FROM made AS a, made AS b WHERE a.n <= 150 AND b.n <= 150;
SELECT count(*) FILTER (WHERE gdid_hash_extended(id, 0) & 4294967295 <> gdid_hash(id)::bigint & 4294967295) AS mismatches,
	count(DISTINCT gdid_hash(id)) > count(DISTINCT id) * 0.99 AS spread,
	min(id)::bytea = min(id::bytea::text)::bytea AS min, max(id)::bytea = max(id::bytea::text)::bytea AS max FROM made;
-- Commutators, negators and estimators of the operators. amvalidate() raises a message if
-- an operator class does not satisfy its access method.
SELECT o.oprname AS operator, c.oprname AS commutator, n.oprname AS negator, o.oprrest, o.oprjoin,
	o.oprcanhash, o.oprcanmerge
FROM pg_operator AS o LEFT JOIN pg_operator AS c ON c.oid = o.oprcom
	LEFT JOIN pg_operator AS n ON n.oid = o.oprnegate
WHERE o.oprleft = 'gdid'::regtype ORDER BY o.oprname COLLATE "C";
SELECT amname, opcname, opcdefault, amvalidate(c.oid)
FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = c.opcmethod
WHERE opcintype = 'gdid'::regtype ORDER BY amname;

-- Sorts: of era 0 alone, of others, and beyond the memory.
SET work_mem = '64kB';
SELECT least_era, count(*) > 1000 AS many, count(*) FILTER (WHERE id::bytea < before::bytea) AS misplaced
FROM unnest(ARRAY[0, 1, 0], ARRAY[0, 4294967295, 4294967295]) AS e (least_era, last_era),
	LATERAL (SELECT id, lag(id) OVER () AS before
		FROM (SELECT id FROM made WHERE era BETWEEN least_era AND last_era ORDER BY id) AS s) AS m
GROUP BY least_era, last_era ORDER BY 1, last_era;
RESET work_mem;
-- Indexes of each access method.
CREATE TABLE item AS SELECT gid_make_gdid(0, 1, n) AS id FROM generate_series(1, 20000) AS n;
SET enable_seqscan = off;
CREATE FUNCTION pg_temp.by(method text, query text, OUT used boolean, OUT rows bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE INDEX item_id ON item USING %s (id)', method);
	used := pg_temp.plan(query) ~ 'item_id';
	EXECUTE query INTO rows;
	DROP INDEX item_id;
END $$;
SELECT method, operator, b.* FROM (VALUES ('btree', 'BETWEEN ''0:1:100'' AND'), ('brin', '<'), ('brin', '<='),
	('brin', '='), ('brin', '>='), ('brin', '>'), ('hash', '=')) AS m (method, operator),
	pg_temp.by(method, format('SELECT count(*) FROM item WHERE id %s ''0:1:199''', operator)) AS b;
RESET enable_seqscan;
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
INSERT INTO part SELECT DISTINCT id FROM made;
SELECT tableoid::regclass::text AS partition, count(*) > 100 AS many, bool_or(id < '1:0:0') AS below, bool_or(id >= '1:0:0') AS above
FROM part GROUP BY 1 ORDER BY 1;
SELECT pg_temp.plan($$SELECT FROM part WHERE id = '0:1:1'$$) !~ 'part_1' AS pruned;
DROP TABLE made, target, item, few, part;
