-- The settings: defaults, contexts, ranges, unset numbers, values of databases and roles.
-- authority_setting.sql has connection URIs, decimal_launch.sql which launches follow
-- which, and 023_settings.pl values that PostgreSQL drops, reloads and misspelt names.
\i sql/include/start.sql
LOAD 'gid';
-- PostgreSQL itself keeps to these contexts and ranges.
SELECT name, setting, unit, context, vartype, min_val, max_val
FROM pg_settings WHERE name LIKE 'gid.%' ORDER BY name;
-- A function that needs an unset number says how to set it.
CREATE SEQUENCE s;
SELECT e.code, e.message, e.detail, e.hint FROM pg_temp.expect('SELECT gid_trace_id()', 'SELECT gid_decimal_id()',
	'SELECT gid_uuid_shard()', 'SELECT gid_next_gdid(''s'')') AS e;
DROP SEQUENCE s;

-- Two numbers are texts, which gid checks: both ends of each range, and one past each. A
-- zero in front is refused, because PostgreSQL reads it as octal elsewhere. So are other
-- ways to write a number.
SELECT setting, e.code, string_agg(quote_literal(value), ' ' ORDER BY n) AS values
FROM (VALUES ('launch_id', '{-1,0,99999,100000,1.5,"",010,1e3}'::text[]),
	('shard_key', '{-1,0,4294967295,4294967296,""," 0042 ",0x10,00,+7,7.0,7kB,"4 2",99999999999999999999," ",0," 42 "}')) AS v (setting, tried),
	unnest(tried) WITH ORDINALITY AS u (value, n), pg_temp.expect(format('SET gid.%s = %L', setting, value)) AS e
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT gid_extract_shard(gid_uuid_shard());
-- A wrong value leaves the earlier one in place.
SET gid.shard_key = '010';
SET gid.shard_key = '-1';
SELECT gid_extract_shard(gid_uuid_shard());

-- The values of a database are in force from the next connection on, and those of a role
-- take precedence.
\set user :USER
CREATE ROLE regress_gid_user LOGIN;
ALTER DATABASE :"DBNAME" SET gid.shard_key = 7;
ALTER DATABASE :"DBNAME" SET gid.launch_id = 3010;
ALTER ROLE regress_gid_user SET gid.launch_id = 3013;
\c -
SELECT gid_extract_shard(gid_uuid_shard()) AS shard, gid_extract_decimal_launch(gid_decimal_id()) AS launch;
\c - regress_gid_user
SELECT gid_extract_shard(gid_uuid_shard()) AS shard, gid_extract_decimal_launch(gid_decimal_id()) AS launch;

-- Clean up.
\c - :user
ALTER DATABASE :"DBNAME" RESET gid.shard_key;
ALTER DATABASE :"DBNAME" RESET gid.launch_id;
DROP ROLE regress_gid_user;
ALTER SEQUENCE gid.decimal_generator RESTART;
