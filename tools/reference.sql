-- The lines of doc/reference.md, made of the catalog: COMMENT ON texts, signatures,
-- settings. "make reference" writes the file, sql/reference.sql compares it. Wants the
-- library loaded. Leaves the table pg_temp.reference (n, line).

-- The default of an interval.
SET IntervalStyle = postgres;

CREATE TEMP TABLE section (position int, title text, pattern text);
INSERT INTO section VALUES
(1, 'Version 7 UUIDs', '^gid_(uuid|extract)_v7'),
(2, 'Sequential UUIDs', '^gid_(make_uuid|uuid|extract)_sequential|_mssql$'),
(3, 'Shard-key UUIDs', '^gid_(make_uuid|uuid|extract)_shard|region'),
(4, 'TraceIds', '^gid_\w*trace'),
(5, 'Snowflake ids', '^gid_\w*snowflake'),
(6, 'DecimalIds', '^gid[_.](make_|extract_)?decimal'),
(7, 'Durable sequences', '^gid_(next|next_many|forget|advance|catch_up|horizon|horizon_wait)$'),
(8, 'GDIDs', 'gdid'),
(9, 'Codes', '^gid_(next_code|lexical_add|code_normalize)$'),
(10, 'Short texts and check characters', '^gid_(encode|decode_\w+|check_\w+|typeid\w*)$'),
(11, 'Ids that do not show their order or their time', '^gid_((un)?permute|uuid_(un)?mask)$'),
(12, 'Looking into ids', '^gid_inspect'),
(13, 'Other servers', '^gid\.(authority|node)_'),
(14, 'Editions', '^gid_edition$'),
(15, 'Domains', '^gid_(js_)?id$'),
(16, 'Views', '^gid\.(stat_|columns$|metrics$)'),
(17, 'Settings', '^gid\.');

CREATE FUNCTION pg_temp.section(text) RETURNS int STABLE STRICT
RETURN (SELECT position FROM section WHERE title = $1);

-- What the extension has, but for what serves other objects only.
CREATE TEMP TABLE member AS
SELECT d.classid, d.objid FROM pg_depend AS d
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'gid' AND d.deptype = 'e';

-- Types and defaults as the scripts write them.
CREATE FUNCTION pg_temp.brief(text) RETURNS text IMMUTABLE STRICT
RETURN regexp_replace(replace(replace($1, 'timestamp with time zone', 'timestamptz'), 'integer', 'int'),
	'(''|NULL)::\w+(\[\])?', '\1', 'g');

-- The name of an object, with its schema if that is the extension's own.
CREATE FUNCTION pg_temp.named(schema oid, name name) RETURNS text STABLE STRICT
RETURN CASE WHEN schema = 'gid'::regnamespace THEN 'gid.' ELSE '' END || name;

-- Does a function only serve other objects?
CREATE FUNCTION pg_temp.inner_function(name text) RETURNS boolean IMMUTABLE STRICT
RETURN name !~ '^gid[_.]' OR name ~ '^gid\.(stat_get|serve|lease|inspect|catch_up)_|_(low|below)$';

-- A paragraph within 100 columns, each line indented by "indent" blanks.
CREATE FUNCTION pg_temp.folded(text, indent int) RETURNS text IMMUTABLE STRICT
RETURN regexp_replace(repeat(' ', indent) || regexp_replace($1, format('(.{1,%s})( |$)', 98 - indent),
	E'\\1\n' || repeat(' ', indent), 'g'), E'\\s+$', '');

-- An item of a list.
CREATE FUNCTION pg_temp.item(text) RETURNS text IMMUTABLE STRICT
RETURN '- ' || substr(pg_temp.folded($1, 2), 3);

CREATE TEMP TABLE entry (section int, kind int, name text COLLATE "C", place oid, line text COLLATE "C");

-- Functions and procedures, in the order in which the scripts create them.
INSERT INTO entry
SELECT (SELECT position FROM section WHERE n.name ~ pattern
		AND (title <> 'GDIDs' OR n.name !~ '^gid_(encode|decode|inspect)') ORDER BY position LIMIT 1),
	CASE WHEN provolatile = 'v' THEN 1 ELSE 2 END, n.name, p.oid,
	format(E'- `%s(%s)%s`%s\\\n%s', n.name,
		-- of a procedure they are named IN
		pg_temp.brief(regexp_replace(pg_get_function_arguments(p.oid), '\mIN ', '', 'g')),
		' → ' || pg_temp.brief(pg_get_function_result(p.oid)),
		CASE prokind WHEN 'p' THEN ', a procedure' END,
		pg_temp.folded(obj_description(p.oid, 'pg_proc') || CASE WHEN prokind = 'p' THEN '' ELSE CASE provolatile WHEN 'v' THEN ' *Volatile' WHEN 's' THEN ' *Stable'
			ELSE '' END || CASE WHEN proparallel <> 's' THEN ', not parallel.*' WHEN provolatile = 'i' THEN '' ELSE '.*' END END, 2))
FROM pg_proc AS p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid, pg_temp.named(p.pronamespace, p.proname) AS n (name)
WHERE p.prokind IN ('f', 'p') AND NOT pg_temp.inner_function(n.name);

-- The type gdid and what belongs to it.
INSERT INTO entry
SELECT pg_temp.section('GDIDs'), 0, t.typname, 0, format(E'The type `%s`:\n\n%s', t.typname, pg_temp.folded(obj_description(t.oid, 'pg_type'), 0))
FROM pg_type AS t JOIN member ON classid = 'pg_type'::regclass AND objid = t.oid WHERE t.typtype = 'b' AND t.typcategory <> 'A'
UNION ALL
SELECT pg_temp.section('GDIDs'), 3, 'operators', 0, E'Operators:\n\n' || string_agg(format('- `gdid %s gdid` %s', o.oprname,
	pg_temp.folded(obj_description(o.oid, 'pg_operator'), 0)), E'\n' ORDER BY o.oprname)
FROM pg_operator AS o JOIN member ON classid = 'pg_operator'::regclass AND objid = o.oid
UNION ALL
SELECT pg_temp.section('GDIDs'), 4, 'aggregates', 0, E'Aggregates, casts and operator classes:\n\n' || string_agg(line, E'\n' ORDER BY line)
FROM (
	SELECT format('- `%s(%s)` %s', p.proname, pg_get_function_arguments(p.oid), obj_description(p.oid, 'pg_proc')) AS line
	FROM pg_proc AS p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid WHERE p.prokind = 'a'
	UNION ALL
	SELECT format('- `CAST (%s AS %s)` %s', castsource::regtype, casttarget::regtype, obj_description(c.oid, 'pg_cast'))
	FROM pg_cast AS c JOIN member ON classid = 'pg_cast'::regclass AND objid = c.oid
	UNION ALL
	SELECT format('- `OPERATOR CLASS %s USING %s` %s', opcname, amname, obj_description(o.oid, 'pg_opclass'))
	FROM pg_opclass AS o JOIN member ON classid = 'pg_opclass'::regclass AND objid = o.oid JOIN pg_am AS a ON a.oid = o.opcmethod
) AS l;

-- Domains, tables and sequences.
INSERT INTO entry
SELECT pg_temp.section('Domains'), 0, t.typname, 0, format('- `%s` %s', t.typname, obj_description(t.oid, 'pg_type'))
FROM pg_type AS t JOIN member ON classid = 'pg_type'::regclass AND objid = t.oid WHERE t.typtype = 'd';
INSERT INTO entry
SELECT (SELECT position FROM section WHERE n.name ~ pattern ORDER BY position LIMIT 1), 5, n.name, 0,
	format(E'The %s `%s`:\n\n%s', CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, n.name,
		pg_temp.folded(obj_description(c.oid, 'pg_class'), 0))
FROM pg_class AS c JOIN member ON classid = 'pg_class'::regclass AND objid = c.oid, pg_temp.named(c.relnamespace, c.relname) AS n (name)
WHERE c.relkind IN ('S', 'r');

-- Views with their columns.
INSERT INTO entry
SELECT pg_temp.section('Views'), 0, n.name, 0, format(E'### %s\n\n%s\n\n%s', n.name,
	pg_temp.folded(obj_description(c.oid, 'pg_class'), 0),
	string_agg(pg_temp.item(format('`%s` %s. %s', a.attname, pg_temp.brief(format_type(a.atttypid, a.atttypmod)),
		col_description(c.oid, a.attnum))), E'\n' ORDER BY a.attnum))
FROM pg_class AS c JOIN member ON classid = 'pg_class'::regclass AND objid = c.oid
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0, pg_temp.named(c.relnamespace, c.relname) AS n (name)
WHERE c.relkind = 'v' GROUP BY c.oid, n.name;

-- Settings: who sets them, the default, the texts that SHOW ALL and pg_settings have.
INSERT INTO entry
SELECT pg_temp.section('Settings'), 0, name, 0, format(E'- `%s` (default %s; %s)\\\n%s', name,
	CASE WHEN setting = '' AND short_desc ~ '\d\.\.\d' THEN 'unset' WHEN setting = '' THEN 'empty'
		WHEN boot_val ~ '^\d' THEN concat_ws(' ', boot_val, unit) ELSE boot_val END,
	CASE context WHEN 'sighup' THEN 'changed by a reload' WHEN 'user' THEN 'set by any user'
		WHEN 'superuser' THEN 'set by a superuser' ELSE context END,
	pg_temp.folded(short_desc || coalesce(' ' || extra_desc, ''), 2))
FROM pg_settings WHERE name LIKE 'gid.%';

CREATE TEMP TABLE reference AS
SELECT row_number() OVER () AS n, line
FROM regexp_split_to_table((
	SELECT string_agg(text, E'\n\n' ORDER BY position) FROM (
		SELECT 0 AS position, format(E'<!-- "make reference" writes this file from the comments of the SQL scripts. -->\n%s\n\n%s\n\n%s',
			'# Reference',
			pg_temp.folded('This chapter lists gid''s functions, views and settings. The other chapters explain their purpose.'
				|| ' In psql, \df+, \df+ gid.*, \d+ gid.* and \dx+ gid show the same texts. Functions are immutable and parallel'
				|| ' safe unless marked otherwise. "Not parallel" means that a function cannot run in a parallel worker. Functions that only'
				|| ' other objects call are omitted.', 0),
			(SELECT string_agg(format('- [%s](#%s)', title, translate(lower(title COLLATE "C"), ' ', '-')), E'\n' ORDER BY position)
				FROM section WHERE position IN (SELECT section FROM entry))) AS text
		UNION ALL
		SELECT s.position, format(E'## %s\n\n%s', s.title, string_agg(e.line,
			CASE WHEN e.line LIKE '- %' AND e.before LIKE '- %' THEN E'\n' ELSE E'\n\n' END ORDER BY e.kind, e.place, e.name))
		FROM section AS s
		JOIN (SELECT *, lag(line) OVER (PARTITION BY section ORDER BY kind, place, name) AS before FROM entry) AS e
			ON e.section = s.position GROUP BY s.position, s.title
		UNION ALL
		SELECT 100, E'## Where to go next\n\n- The [index](index.md) of questions; the [glossary](index.md#glossary).\n- [Error texts](errors.md).'
	) AS parts), E'\n') AS line;
