-- gdid: text, hexadecimal, binary and packed form, its order in operators,
-- sorts, joins and indexes, its parts.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
\getenv srcdir PG_ABS_SRCDIR
\set include :srcdir '/sql/include/expect.sql'
\i :include

--
-- Text
--

-- Both ends of each part, leading zeros, blanks of every kind.
SELECT quote_literal(t) AS text, t::gdid AS id, gid_gdid_hex(t::gdid) AS hex
FROM unnest(ARRAY['0:0:0', '4294967295:0:0', '0:15:0', '0:0:1152921504606846975',
	'4294967295:15:1152921504606846975', '00000000000000000000001:0000000015:000000000000000000000002',
	'  1 : 2 : 3  ', '1:2:3', '000000000000000000000000', 'ffffffffffffffffffffffff',
	'FFFFFFFFFFFFFFFFFFFFFFFF', '0x00000000100000000000004B', '0X00000000100000000000004b',
	'  00000000100000000000004b ', 'aAbBcCdDeEfF012345678901']) AS t;
SELECT ascii(b) AS blank, (b || '1' || b || ':' || b || '2' || b || ':' || b || '3' || b)::gdid AS id,
	(b || '00000000100000000000004b' || b)::gdid AS hex
FROM unnest(ARRAY[E'\t', E'\n', E'\x0b', E'\f', E'\r', ' ']) AS b;

-- One past each, and everything else.
SELECT quote_literal(t) AS text, e.code, e.detail FROM unnest(ARRAY[
	'4294967296:0:0', '0:16:0', '0:0:1152921504606846976',
	'99999999999999999999999999:0:0', '0:0:18446744073709551616', '0:4294967296:0',
	'', '   ', ':', '::', ':::', '1', '1:2', '1:2:3:4', '1::3', '1:2:', ':2:3', '1: :3',
	'-1:2:3', '+1:2:3', '1:-2:3', '1:2:-3', '1:2:+3', '1:2:3x', '1:2:3 4', '1.0:2:3', '0x1:2:3', '1e3:2:3',
	'1:2:3;', 'hello', '00000000100000000000004',
	'00000000100000000000004b0', '0x00000000100000000000004', '0x', '0x0x00000000100000000000004B',
	'00000000100000000000004g', '0000000010000 0000000004b', '0x 00000000100000000000004b',
	'x00000000100000000000004b', '{1:2:3}']) AS t,
	pg_temp.expect(format('SELECT %L::gdid', t)) AS e;
SELECT e.* FROM pg_temp.expect($$SELECT '1:16:3'::gdid$$, $$SELECT 'g'::gdid$$,
	$$SELECT '1:2:3'::text::gdid$$, $$SELECT '1:2'::text::gdid$$,
	$$SELECT '{1:2:3,1:2}'::gdid[]$$) AS e;

-- A soft error where the server has them; elsewhere the same by an exception.
DO $do$ BEGIN
	IF to_regprocedure('pg_catalog.pg_input_is_valid(text, text)') IS NULL THEN
		CREATE FUNCTION pg_temp.is_valid(value text) RETURNS boolean LANGUAGE plpgsql AS $$
		BEGIN
			RETURN value::gdid IS NOT NULL;
		EXCEPTION WHEN invalid_text_representation THEN
			RETURN false;
		END $$;
		CREATE FUNCTION pg_temp.detail_of(value text) RETURNS text LANGUAGE sql
		RETURN (SELECT detail FROM pg_temp.expect(format('SELECT %L::gdid', value)));
	ELSE
		CREATE FUNCTION pg_temp.is_valid(value text) RETURNS boolean LANGUAGE sql AS
			$$SELECT pg_input_is_valid(value, 'gdid')$$;
		CREATE FUNCTION pg_temp.detail_of(value text) RETURNS text LANGUAGE sql AS
			$$SELECT detail FROM pg_input_error_info(value, 'gdid')$$;
	END IF;
END $do$;
SELECT t, pg_temp.is_valid(t), pg_temp.detail_of(t)
FROM unnest(ARRAY['1:2:3', '1:16:3', '1:2', 'ffffffffffffffffffffffff', 'f']) AS t;

--
-- Parts
--

SELECT gid_make_gdid(0, 0, 0) AS smallest,
	gid_make_gdid(4294967295, 15, 1152921504606846975) AS largest,
	gid_make_gdid(era => 1, authority => 2, counter => 3) AS named;
SELECT e.* FROM pg_temp.expect('SELECT gid_make_gdid(-1, 0, 0)',
	'SELECT gid_make_gdid(4294967296, 0, 0)', 'SELECT gid_make_gdid(0, -1, 0)',
	'SELECT gid_make_gdid(0, 16, 0)', 'SELECT gid_make_gdid(0, 0, -1)',
	'SELECT gid_make_gdid(0, 0, 1152921504606846976)') AS e;
SELECT id, gid_extract_gdid_era(id) AS era, gid_extract_gdid_authority(id) AS authority,
	gid_extract_gdid_counter(id) AS counter
FROM (VALUES (gdid '0:0:0'), ('1:2:3'), ('4294967295:15:1152921504606846975')) AS v (id);

--
-- Packed
--

SELECT id, gid_gdid_pack(id) AS packed, gid_gdid_unpack(gid_gdid_pack(id)) = id AS back
FROM (VALUES (gdid '0:0:0'), ('0:0:127'), ('0:0:128'), ('127:0:16383'), ('128:0:16384'),
	  ('0:1:0'), ('0:8:0'), ('4294967295:15:1152921504606846975')) AS v (id);
SELECT encode(b, 'hex') AS packed, e.code, e.message, e.detail FROM unnest(ARRAY[
	'\x', '\x00', '\x80', '\x8000', '\x0080', '\x800000', '\x008000', '\x00800100', '\x000000',
	'\x0000ffff', '\xffffffff1f00', '\xffffffff8f0000', '\xffffffff8f', '\x808080800000', '\x80808080800000',
	'\xffffffff0f', '\x00ffffffffffffffffff02', '\x00ffffffffffffffffff8100',
	'\x00808080808080808080808000', '\x0080808080808080808000', '\xffffffffffffffffffffffffffff']::bytea[]) AS b,
	pg_temp.expect(format('SELECT gid_gdid_unpack(%L)', b)) AS e;
SELECT e.* FROM pg_temp.expect($$SELECT gid_gdid_unpack('\x00')$$) AS e;

--
-- Bytes: explicit casts only
--

SELECT '1:2:3'::gdid::bytea AS bytes, '\x000000012000000000000003'::bytea::gdid AS id,
	gdid_send('1:2:3') AS sent;
SELECT e.* FROM pg_temp.expect($$SELECT '\x'::bytea::gdid$$,
	$$SELECT '\x0000000120000000000000'::bytea::gdid$$,
	$$SELECT '\x00000001200000000000000300'::bytea::gdid$$) AS e;
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast
WHERE 'gdid'::regtype IN (castsource, casttarget) ORDER BY castsource::regtype::text;

--
-- Thousands of random values, era 0 and the ends of each part often among them
--

CREATE TABLE made AS SELECT n, era, authority, counter, gid_make_gdid(era, authority, counter) AS id
FROM (SELECT n, CASE n % 5 WHEN 0 THEN 4294967295 WHEN 1 THEN floor(random() * 4294967296)::bigint
			WHEN 2 THEN floor(random() * 3)::bigint ELSE 0 END AS era,
		CASE n % 7 WHEN 0 THEN 15 ELSE floor(random() * 16)::int END AS authority,
		CASE n % 11 WHEN 0 THEN 0 WHEN 1 THEN 1152921504606846975
			WHEN 2 THEN floor(random() * 1152921504606846976)::bigint
			ELSE floor(random() * 10000)::bigint END AS counter
	FROM generate_series(1, 20000) AS n) AS r;
SELECT count(*) AS tried,
	count(*) FILTER (WHERE gid_extract_gdid_era(id) <> era OR gid_extract_gdid_authority(id) <> authority
		OR gid_extract_gdid_counter(id) <> counter) AS parts,
	count(*) FILTER (WHERE id::text <> format('%s:%s:%s', era, authority, counter)
		OR id::text::gdid <> id) AS text,
	count(*) FILTER (WHERE length(gid_gdid_hex(id)) <> 24 OR gid_gdid_hex(id)::gdid <> id
		OR ('0x' || upper(gid_gdid_hex(id)))::gdid <> id
		OR gid_gdid_hex(id) <> lpad(to_hex(era), 8, '0') ||
			lpad(to_hex((authority::bigint << 60) | counter), 16, '0')) AS hex,
	count(*) FILTER (WHERE id::bytea::gdid <> id OR encode(id::bytea, 'hex') <> gid_gdid_hex(id)
		OR gdid_send(id) <> id::bytea OR pg_column_size(id) <> 12) AS bytes,
	count(*) FILTER (WHERE gid_gdid_unpack(gid_gdid_pack(id)) <> id
		OR length(gid_gdid_pack(id)) NOT BETWEEN 2 AND 15) AS packed
FROM made;
SELECT count(DISTINCT gid_gdid_pack(id)) = count(DISTINCT id) AS one_packed_form_each FROM made;

--
-- Order
--

-- Each operator, and its like, against the bytes.
SELECT count(*) AS pairs, count(*) FILTER (WHERE
	(a.id < b.id) <> (a.id::bytea < b.id::bytea) OR (a.id <= b.id) <> (a.id::bytea <= b.id::bytea)
	OR (a.id = b.id) <> (a.id::bytea = b.id::bytea) OR (a.id <> b.id) <> (a.id::bytea <> b.id::bytea)
	OR (a.id >= b.id) <> (a.id::bytea >= b.id::bytea) OR (a.id > b.id) <> (a.id::bytea > b.id::bytea)
	OR gdid_cmp(a.id, b.id) <> (a.id > b.id)::int - (a.id < b.id)::int
	OR gdid_smaller(a.id, b.id) <> least(a.id, b.id) OR gdid_larger(a.id, b.id) <> greatest(a.id, b.id)
	OR (a.id = b.id) AND (gdid_hash(a.id) <> gdid_hash(b.id)
		OR gdid_hash_extended(a.id, 7) <> gdid_hash_extended(b.id, 7))) AS mismatches
FROM made AS a, made AS b WHERE a.n <= 300 AND b.n <= 300;
SELECT count(*) AS tried, count(*) FILTER (WHERE gdid_hash_extended(id, 0) & 4294967295 <>
	gdid_hash(id)::bigint & 4294967295) AS mismatches,
	count(DISTINCT gdid_hash(id)) > count(DISTINCT id) * 0.99 AS spread FROM made;
-- The links between the operators, and how they are estimated.
SELECT o.oprname AS operator, c.oprname AS commutator, n.oprname AS negator, o.oprrest, o.oprjoin,
	o.oprcanhash, o.oprcanmerge
FROM pg_operator AS o LEFT JOIN pg_operator AS c ON c.oid = o.oprcom
	LEFT JOIN pg_operator AS n ON n.oid = o.oprnegate
WHERE o.oprleft = 'gdid'::regtype ORDER BY o.oprname COLLATE "C";
-- Every operator class is what its access method takes; amvalidate() says why
-- when it is not.
SELECT amname, opcname, opcdefault, amvalidate(c.oid)
FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = c.opcmethod
WHERE opcintype = 'gdid'::regtype ORDER BY amname;
SELECT proname, aggtransfn, aggcombinefn, s.oprname AS sort_operator, proparallel
FROM pg_aggregate JOIN pg_operator AS s ON s.oid = aggsortop JOIN pg_proc AS p ON p.oid = aggfnoid
WHERE s.oprleft = 'gdid'::regtype ORDER BY proname;

-- Sorts: of all eras, of era 0 alone, where abbreviations serve, of others, where
-- they are given up; none is misplaced.
CREATE FUNCTION pg_temp.misplaced(query text, OUT rows bigint, OUT misplaced bigint)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT count(*), count(*) FILTER (WHERE id::bytea < before::bytea) FROM
		(SELECT id, lag(id) OVER (ORDER BY r) AS before FROM
			(SELECT id, row_number() OVER () AS r FROM (' || query || ') AS q) AS n) AS m'
	INTO rows, misplaced;
END $$;
SELECT m.* FROM unnest(ARRAY['SELECT id FROM made ORDER BY id',
	'SELECT id FROM made WHERE era = 0 ORDER BY id', 'SELECT id FROM made WHERE era > 0 ORDER BY id',
	'SELECT id FROM made WHERE n < 50 ORDER BY id']) AS q, pg_temp.misplaced(q) AS m
WHERE m.misplaced > 0 OR m.rows = 0;
SET work_mem = '64kB';
SELECT * FROM pg_temp.misplaced('SELECT id FROM made ORDER BY id');
RESET work_mem;
SELECT id FROM (VALUES (gdid '1:0:0'), ('0:15:9'), (NULL), ('0:2:0'), ('0:10:0'), ('0:1:99'), ('0:1:100'))
	AS v (id) ORDER BY id DESC;
SELECT DISTINCT id FROM (VALUES (gdid '0:1:1'), ('0:1:1'), ('000000001000000000000001'), (NULL), (NULL), ('0:1:2'))
	AS v (id) ORDER BY id;
SELECT min(id), max(id), min(id) FILTER (WHERE false) AS none
FROM (VALUES (gdid '0:2:0'), (NULL), ('0:1:99'), ('0:10:0')) AS v (id);
SELECT min(id)::bytea = (array_agg(id::bytea ORDER BY id::bytea))[1] AS min,
	max(id)::bytea = (array_agg(id::bytea ORDER BY id::bytea DESC))[1] AS max FROM made;
SELECT array_agg(id ORDER BY id) AS ids, array_agg(id ORDER BY id)::text::gdid[] = array_agg(id ORDER BY id) AS back,
	gdid '0:1:2' = ANY (array_agg(id)) AS found
FROM (VALUES (gdid '0:1:2'), (NULL), ('0:1:1')) AS v (id);

--
-- Joins and indexes
--

CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN plan;
END $$;
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

-- Ids that follow each other, as a table gets them.
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

-- A btree stores equal ids once, which it may because equal ids have equal bytes.
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

--
-- COPY, as text and as binary, of scalars, NULLs and arrays
--

CREATE TABLE source AS SELECT n, CASE WHEN n % 100 > 0 THEN id END AS id,
	ARRAY[id, NULL, gid_make_gdid(0, 0, n)] AS ids, ROW(id, n)::text AS row
FROM made WHERE n <= 2000;
SELECT current_setting('data_directory') || '/gid_gdid_copy' AS file \gset
CREATE TABLE target (LIKE source);
COPY source TO :'file';
COPY target FROM :'file';
SELECT count(*) FROM (SELECT * FROM source EXCEPT SELECT * FROM target) AS m;
TRUNCATE target;
COPY source TO :'file' (FORMAT binary);
COPY target FROM :'file' (FORMAT binary);
SELECT count(*) FROM (SELECT * FROM source EXCEPT SELECT * FROM target) AS m;
SELECT count(*) FROM target;
-- Binary values of a wrong length.
CREATE TABLE wrong (b bytea);
CREATE TABLE right_type (id gdid);
CREATE FUNCTION pg_temp.receive(file text, bytes bytea) RETURNS TABLE (code text, message text, detail text, hint text)
LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE wrong;
	INSERT INTO wrong VALUES (bytes);
	EXECUTE format('COPY wrong TO %L (FORMAT binary)', file);
	RETURN QUERY SELECT e.code, e.message, e.detail, e.hint
	FROM pg_temp.expect(format('COPY right_type FROM %L (FORMAT binary)', file)) AS e;
END $$;
SELECT length(b) AS bytes, r.* FROM unnest(ARRAY['\x', '\x0000000120000000000000',
	'\x000000012000000000000003', '\x00000001200000000000000300']::bytea[]) AS b, pg_temp.receive(:'file', b) AS r;
SELECT id FROM right_type;
COPY (SELECT WHERE false) TO PROGRAM 'cat >/dev/null; rm -f gid_gdid_copy';

--
-- NULL in, NULL out; in a prepared statement, a default, a domain, a row
--

SELECT num_nulls(gid_make_gdid(NULL, 0, 0), gid_make_gdid(0, NULL, 0), gid_make_gdid(0, 0, NULL),
	gid_extract_gdid_era(NULL), gid_extract_gdid_authority(NULL), gid_extract_gdid_counter(NULL),
	gid_gdid_hex(NULL), gid_gdid_pack(NULL), gid_gdid_unpack(NULL), NULL::gdid::bytea, NULL::bytea::gdid,
	NULL::gdid = '0:0:0', NULL::gdid < '0:0:0') AS nulls_of_13;
PREPARE by_id(gdid) AS SELECT body FROM item WHERE id = $1;
EXECUTE by_id('0:1:7');
CREATE DOMAIN own_id AS gdid CHECK (gid_extract_gdid_authority(VALUE) = 1);
SELECT '0:1:7'::own_id AS own;
SELECT e.code FROM pg_temp.expect($$SELECT '0:2:7'::own_id$$) AS e;
SELECT ROW(gdid '0:1:7', 8) AS row, to_jsonb(gdid '0:1:7') AS json;
DROP DOMAIN own_id;
DROP TABLE made, twin, item, few, part, source, target, wrong, right_type;
