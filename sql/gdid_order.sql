-- The order of gdid: operators, operator classes, hashes, aggregates and sorts.
\i sql/include/start.sql

\i :gdids
-- Each operator and support function gives what the bytes give.
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
-- Commutators, negators and estimators of the operators.
SELECT o.oprname AS operator, c.oprname AS commutator, n.oprname AS negator, o.oprrest, o.oprjoin,
	o.oprcanhash, o.oprcanmerge
FROM pg_operator AS o LEFT JOIN pg_operator AS c ON c.oid = o.oprcom
	LEFT JOIN pg_operator AS n ON n.oid = o.oprnegate
WHERE o.oprleft = 'gdid'::regtype ORDER BY o.oprname COLLATE "C";
-- Each operator class satisfies its access method. amvalidate() raises a message
-- otherwise.
SELECT amname, opcname, opcdefault, amvalidate(c.oid)
FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = c.opcmethod
WHERE opcintype = 'gdid'::regtype ORDER BY amname;
SELECT proname, aggtransfn, aggcombinefn, s.oprname AS sort_operator, proparallel
FROM pg_aggregate JOIN pg_operator AS s ON s.oid = aggsortop JOIN pg_proc AS p ON p.oid = aggfnoid
WHERE s.oprleft = 'gdid'::regtype ORDER BY proname;

-- Sorts of all eras, of era 0 alone, where abbreviated keys serve, and of others,
-- where the sort gives them up. No id is misplaced.
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
DROP TABLE made;
