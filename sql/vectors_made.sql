-- The vectors of doc/vectors that gid makes itself are what "make vectors" makes: the
-- layouts, codes, texts and permutations of gid have not changed.
\i sql/include/start.sql
\set vectors :srcdir '/tools/vectors.sql'
\set dir :srcdir '/doc/vectors'
\set written `cd ":dir" && grep -n "" $(grep -l '"system": "gid",' *.json)`
\set ECHO none
\i :vectors
\set ECHO all

-- How many there are.
SELECT file, count(*) AS vectors, count(DISTINCT input) AS inputs FROM vector WHERE file NOT IN ('refusals', 'texts')
GROUP BY file, op ORDER BY file, op;
\if :library
SELECT file, count(*) AS vectors, count(DISTINCT input) AS inputs FROM vector WHERE file IN ('refusals', 'texts')
GROUP BY file, op ORDER BY file, op;
\endif

-- The lines, and their order. Without the library there is no type gdid, and fewer texts are read.
CREATE TEMP TABLE whole AS
SELECT file, n + 1 AS n, line || CASE WHEN n < max(n) OVER (PARTITION BY file) THEN ',' ELSE '' END AS line FROM made
UNION ALL SELECT file, 1, '[' FROM made WHERE n = 1
UNION ALL SELECT file, max(n) + 2, ']' FROM made GROUP BY file;
CREATE TEMP TABLE written AS
SELECT part[1] AS file, part[2]::bigint AS n, part[3] AS line
FROM regexp_split_to_table(:'written', E'\n') AS line, regexp_match(line, '^(\w+)\.json:(\d+):(.*)$') AS part;
SELECT 'make vectors would add' AS what, * FROM (TABLE whole EXCEPT ALL TABLE written) AS s WHERE :'library' OR (line !~ 'gdid' AND file NOT IN ('refusals', 'texts')) ORDER BY file, n;
SELECT 'make vectors would remove' AS what, * FROM (TABLE written EXCEPT ALL TABLE whole) AS s WHERE :'library' OR (line !~ 'gdid' AND file NOT IN ('refusals', 'texts')) ORDER BY file, n;
