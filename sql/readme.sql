-- The README's reference tables are the SQL surface: no function, view, column or
-- setting is missing or extra, and the line of a function is its comment.
-- test/t/015_readme.pl runs the README's examples.
\getenv srcdir PG_ABS_SRCDIR
\set start :srcdir '/sql/include/start.sql'
\i :start
\set file :srcdir '/README.md'
\set readme `cat ":file"`

-- Only this section counts: others have tables that begin with functions, too.
SELECT substring(:'readme' FROM '\n## Reference\n.*') AS reference \gset

CREATE TEMP TABLE documented AS
SELECT line[1] AS signature, line[2] AS result, replace(line[3], '\|', '|') AS comment
FROM regexp_matches(:'reference', '^\| `(gid_\w+\([^`]*\))` \| ([[:alpha:]][^|]*) \| (.*) \|$', 'gn') AS line;

-- Types and defaults in the spelling of the README and the script.
CREATE FUNCTION pg_temp.brief(text) RETURNS text IMMUTABLE STRICT
RETURN regexp_replace(replace(replace($1, 'timestamp with time zone', 'timestamptz'), 'integer', 'int'),
	'(''|NULL)::\w+', '\1', 'g');
CREATE TEMP TABLE existing AS
SELECT pg_temp.brief(format('%s(%s)', p.proname,
		regexp_replace(pg_get_function_arguments(p.oid), ', OUT .*', ''))) AS signature,
	pg_temp.brief(pg_get_function_result(p.oid)) AS result, obj_description(p.oid, 'pg_proc') AS comment
FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
	AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
	JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'gid'
-- the README leaves out the functions behind the views, operators, casts and
-- aggregates
WHERE p.proname NOT LIKE 'gid\_stat\_get\_%' AND p.proname NOT LIKE 'gdid\_%' AND p.prokind = 'f';

SELECT count(*) > 40 AS enough FROM existing;
SELECT 'missing' AS what, signature, result, comment FROM existing
EXCEPT SELECT 'missing', signature, result, comment FROM documented;
SELECT 'extra' AS what, signature, result, comment FROM documented
EXCEPT SELECT 'extra', signature, result, comment FROM existing;

-- The columns of the views, in any order, with type and comment.
CREATE TEMP TABLE described AS
SELECT line[1] AS view, line[2] AS name, line[3] AS type, replace(line[4], '\|', '|') AS comment
FROM regexp_matches(:'readme', '^\| `(gid_stat_\w+)` \| `(\w+)` \| ([\w ]+) \| (.*) \|$', 'gn') AS line;
CREATE TEMP TABLE columns AS
SELECT c.relname::text AS view, a.attname::text AS name, pg_temp.brief(format_type(a.atttypid, a.atttypmod)) AS type,
	col_description(c.oid, a.attnum) AS comment
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relkind = 'v' AND c.relname LIKE 'gid\_stat\_%';
SELECT count(*) > 30 AS enough FROM columns;
SELECT 'missing' AS what, * FROM (SELECT * FROM columns EXCEPT SELECT * FROM described) AS m;
SELECT 'extra' AS what, * FROM (SELECT * FROM described EXCEPT SELECT * FROM columns) AS e;

-- The settings: name, default, who may set it, range. A number that may be unset is a
-- string for the server. Its description has the range, whose ends settings.sql tests.
LOAD 'gid';
CREATE TEMP TABLE documented_setting AS
SELECT line[1] AS name, line[2] AS initial, line[3] AS set_by, substring(line[4] FROM '-?\d+\.\.\d+') AS range
FROM regexp_matches(:'readme', '^\| `(gid\.\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$', 'gn') AS line;
CREATE TEMP TABLE existing_setting AS
SELECT name, CASE WHEN boot_val = '' AND short_desc ~ '\d\.\.\d' THEN 'unset'
		WHEN boot_val = '' THEN '''''' ELSE boot_val END AS initial,
	CASE context WHEN 'sighup' THEN 'server (reload)' WHEN 'user' THEN 'anybody'
		WHEN 'superuser' THEN 'superuser' ELSE context END AS set_by,
	CASE WHEN vartype = 'integer' THEN format('%s..%s', min_val, max_val)
		ELSE substring(short_desc FROM '-?\d+\.\.\d+') END AS range
FROM pg_settings WHERE name LIKE 'gid.%';
SELECT count(*) >= 7 AS enough FROM existing_setting;
SELECT 'missing' AS what, * FROM existing_setting
EXCEPT SELECT 'missing', * FROM documented_setting;
SELECT 'extra' AS what, * FROM documented_setting
EXCEPT SELECT 'extra', * FROM existing_setting;
-- The description has the same range.
SELECT name, range, short_desc FROM existing_setting JOIN pg_settings USING (name)
WHERE substring(short_desc FROM '-?\d+\.\.\d+') <> range;
-- A setting that may be unset is so by default.
SELECT name, current_setting(name) FROM existing_setting WHERE initial = 'unset' ORDER BY name;
