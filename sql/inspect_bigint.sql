-- gid_inspect() of 63-bit ids: their parts, and the families that an id may be of.
-- Every role may inspect, with any search path.
\i sql/include/start.sql
LOAD 'gid';
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- The parts of an id in their order, as one row.
CREATE FUNCTION pg_temp.line(id bigint, family text DEFAULT NULL) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(part || ' ' || value, ', ' ORDER BY n) FROM gid_inspect(id, family) WITH ORDINALITY AS i (part, value, n)$$;

-- With a family: both ends, and ids that cannot be of that family.
SELECT pg_temp.line(14150009200065, 'decimal');
SELECT id, pg_temp.line(id, 'decimal') FROM unnest(ARRAY[9999999999, 10000000000, 9223372029999999999, 9223372030000000000, -1]) AS id;
SELECT id, regexp_replace(pg_temp.line(id, 'trace'), 'time [-0-9]* [:0-9]*\+00', 'time') AS parts
FROM unnest(ARRAY[1, 4194303, 4194304, 4194305, 9223372036854775807, 0, -1]) AS id;
SELECT pg_temp.line(id, 'trace') FROM gid_make_trace_id(date_trunc('second', now()), 65535, 4095, 1023) AS id
WHERE pg_temp.line(id, 'trace') <> format('family trace, time %s, node 65535, thread 4095, counter 1023', date_trunc('second', now()));
SELECT id, pg_temp.line(id, 'snowflake') FROM unnest(ARRAY[1, 175928847299117063, 9223372036854775807, 0, -1]) AS id;
SELECT id, pg_temp.line(id, 'next') FROM unnest(ARRAY[-9223372036854775808, 0, 5]) AS id;

-- Without a family: all families that are possible, unless the id has a number of this
-- server.
ALTER SYSTEM SET gid.node_no = 4711;
ALTER SYSTEM SET gid.launch_id = 65;
\set until 'current_setting(''gid.launch_id'') = ''65'' AND current_setting(''gid.node_no'') = ''4711'''
\i :reload
SELECT * FROM gid_inspect(14150009200065);
SELECT part, value FROM gid_inspect(14150009200066) WHERE part NOT LIKE '%.time';
-- by chance an id may have a number of this server as an id of another family, too
SELECT value ~ '^trace' AS trace FROM gid_inspect(gid_trace_id()) WHERE part = 'family';
-- with node 4711 and launch 65, and below 2^38
SELECT part, value FROM gid_inspect((1::bigint << 38 | 4711::bigint << 22) / 100000 * 100000 + 100065) WHERE part NOT LIKE '%.time';
SELECT id, pg_temp.line(id) FROM unnest(ARRAY[-1, 0, 5, 4711::bigint << 22 | 1, 9999900066, 10000000066, 274877906943]) AS id;
SELECT pg_temp.line(5, '') AS empty, pg_temp.line(5, NULL) AS null, count(*) AS rows
FROM gid_inspect(NULL::bigint);
SELECT * FROM gid_inspect(NULL::uuid);
SELECT * FROM gid_inspect(NULL::gdid);
SELECT * FROM gid_inspect(NULL::bigint, 'trace');
SELECT e.* FROM pg_temp.alike('SELECT gid_inspect(5, ''uuid'')', 'SELECT gid_inspect(5, ''Trace'')',
	'SELECT gid_inspect(5, ''trace_id'')', 'SELECT gid.inspect_family('''')', 'SELECT gid.inspect_family(''next'')', 'SELECT gid.inspect_family(''snowflake'')') AS e;

-- Every role may inspect, with any search path.
CREATE ROLE regress_gid_reader;
SELECT extnamespace::regnamespace AS schema FROM pg_extension WHERE extname = 'gid' \gset
CREATE SCHEMA regress_gid_trap;
CREATE FUNCTION regress_gid_trap.encode(bytea, text) RETURNS text LANGUAGE sql AS 'SELECT ''trap''';
CREATE FUNCTION regress_gid_trap.gid_extract_shard(uuid) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
GRANT USAGE ON SCHEMA regress_gid_trap TO regress_gid_reader;
SET search_path = regress_gid_trap, pg_catalog;
SET ROLE regress_gid_reader;
SELECT part, value FROM :schema.gid_inspect(:schema.gid_make_uuid_shard('2024-02-29 12:00+00', '\x0102030405', 1, 7)) WHERE part IN ('key', 'generator');
SELECT part, value FROM :schema.gid_inspect(14150009200065);
SELECT part, value FROM :schema.gid_inspect('0:1:75':::schema.gdid);
RESET ROLE;
RESET search_path;
DROP FUNCTION regress_gid_trap.encode(bytea, text), regress_gid_trap.gid_extract_shard(uuid);
DROP SCHEMA regress_gid_trap;
DROP ROLE regress_gid_reader;
ALTER SYSTEM RESET gid.node_no;
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''' AND current_setting(''gid.node_no'') = '''''
\i :reload
