-- The README's reference table is the SQL surface: no function is missing, none
-- is extra, and each line says what the function's comment says.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
\getenv srcdir PG_ABS_SRCDIR
\set file :srcdir '/README.md'
\set readme `cat ":file"`

CREATE TEMP TABLE documented AS
SELECT line[1] AS signature, line[2] AS result, replace(line[3], '\|', '|') AS comment
FROM regexp_matches(:'readme', '^\| `(gid_\w+\([^`]*\))` \| ([\w ]+) \| (.*) \|$', 'gn') AS line;

-- timestamptz, int and the default of a text as the README and the script write
-- them.
CREATE FUNCTION pg_temp.brief(text) RETURNS text IMMUTABLE STRICT
RETURN replace(replace(replace(replace($1, 'timestamp with time zone', 'timestamptz'), 'integer', 'int'),
	'''::text', ''''), 'NULL::bigint', 'NULL');
CREATE TEMP TABLE existing AS
SELECT pg_temp.brief(format('%s(%s)', p.proname,
		regexp_replace(pg_get_function_arguments(p.oid), ', OUT .*', ''))) AS signature,
	pg_temp.brief(pg_get_function_result(p.oid)) AS result, obj_description(p.oid, 'pg_proc') AS comment
FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
	AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
	JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'gid'
-- the rows of the views, and what stands behind the operators, casts and
-- aggregates of the type: the README shows those instead
WHERE p.proname NOT LIKE 'gid\_stat\_get\_%' AND p.proname NOT LIKE 'gdid\_%' AND p.prokind = 'f';

SELECT count(*) > 40 AS enough FROM existing;
SELECT 'missing' AS what, signature, result, comment FROM existing
EXCEPT SELECT 'missing', signature, result, comment FROM documented;
SELECT 'extra' AS what, signature, result, comment FROM documented
EXCEPT SELECT 'extra', signature, result, comment FROM existing;
