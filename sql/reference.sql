-- doc/reference.md is what "make reference" makes of the catalog: no object,
-- comment or setting is missing, extra or old.
\i sql/include/start.sql
\set file :srcdir '/doc/reference.md'
\set reference :srcdir '/tools/reference.sql'
\set written `cat ":file"`
LOAD 'gid';
\set ECHO none
SET client_min_messages = warning;
SET IntervalStyle = postgres;
\i :reference
RESET client_min_messages;
\set ECHO all

-- Every object has a section, and a comment.
SELECT name FROM entry WHERE section IS NULL OR line IS NULL;
SELECT count(*) > 60 AS functions FROM entry WHERE kind IN (1, 2);

-- The lines, and their order.
CREATE TEMP TABLE written AS
SELECT row_number() OVER () AS n, line FROM regexp_split_to_table(:'written', E'\n') AS line;
SELECT 'make reference would add' AS what, line FROM reference EXCEPT ALL SELECT 'make reference would add', line FROM written;
SELECT 'make reference would remove' AS what, line FROM written EXCEPT ALL SELECT 'make reference would remove', line FROM reference;
SELECT string_agg(r.line, E'\n' ORDER BY n) = :'written' AS in_order FROM reference AS r;

-- The range in a number's description is that of its check.
SELECT name, short_desc FROM pg_settings WHERE name LIKE 'gid.%' AND vartype = 'integer'
	AND short_desc ~ '\d\.\.\d' AND substring(short_desc FROM '-?\d+\.\.\d+') <> format('%s..%s', CASE WHEN name IN ('gid.node_no', 'gid.authority') THEN 0 ELSE min_val::int END, max_val);
