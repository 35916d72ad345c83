-- gid_inspect(): the parts of an id, and which family it is of.
SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gid; RESET client_min_messages;
LOAD 'gid';
\getenv srcdir PG_ABS_SRCDIR
\set include :srcdir '/sql/include/expect.sql'
\i :include
\set reload :srcdir '/sql/include/reload.sql'
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- One row for an id: its parts in their order.
CREATE FUNCTION pg_temp.line(id uuid) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(part || ' ' || value, ', ' ORDER BY n) FROM gid_inspect(id) WITH ORDINALITY AS i (part, value, n)$$;
CREATE FUNCTION pg_temp.line(id bigint, family text DEFAULT NULL) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(part || ' ' || value, ', ' ORDER BY n) FROM gid_inspect(id, family) WITH ORDINALITY AS i (part, value, n)$$;

--
-- UUIDs
--

-- Version 7: the example of RFC 9562; nothing and everything below the ms.
SELECT * FROM gid_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid);
SELECT pg_temp.line(id) FROM unnest(ARRAY[gid_uuid_v7_min('2024-02-29 12:00+00'),
	gid_uuid_v7_max('2024-02-29 12:00+00'), '018df4bc-5600-7801-8000-000000000000',
	'018df4bc-5600-7000-8400-000000000001', '00000000-0000-7000-8000-000000000000']) AS id;
-- The fraction is what the id's order says, the random part the rest.
SELECT id = ('018df4bc-5600-7' || substr(to_hex(fraction), 1, 3) || '-' || to_hex(8 + (fraction & 15) / 4)
	|| lpad(to_hex((fraction & 3) * 4), 1, '0') || '12-3456789abcde')::uuid AS put_together, fraction
FROM (SELECT '018df4bc-5600-7abc-b412-3456789abcde'::uuid AS id,
	(SELECT split_part(value, '/', 1)::int FROM gid_inspect('018df4bc-5600-7abc-b412-3456789abcde'::uuid) WHERE part = 'fraction') AS fraction) AS i;
-- The other versions, and what RFC 9562 does not define.
SELECT version, pg_temp.line(overlay('01000000-0000-0000-a000-0000ffffffff' PLACING to_hex(version) FROM 15)::uuid)
FROM generate_series(0, 15) AS version;
SELECT variant, pg_temp.line(overlay('01000000-0000-4000-0000-0000ffffffff' PLACING variant FROM 20)::uuid)
FROM unnest(ARRAY['7', '8', 'b', 'c']) AS variant;
SELECT pg_temp.line('00000000-0000-0000-0000-000000000000'::uuid);
SELECT pg_temp.line('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid);

-- Sequential, in both byte orders, from 1970 to a day from now; shard-key.
SELECT pg_temp.line(gid_make_uuid_sequential(621355968000000000, '\x0102030405060007'));
SELECT pg_temp.line(gid_make_uuid_sequential(621355967999999999, '\x0102030405060007'));
SELECT pg_temp.line(gid_make_uuid_sequential(638447256001234567, '\x0102030405060007'));
SELECT pg_temp.line(gid_uuid_to_mssql(gid_make_uuid_sequential(638447256001234567, '\xfffffffff5f60007')));
SELECT pg_temp.line(gid_make_uuid_shard('2024-02-29 12:00+00', '\x0102030405', 167772, gid_region_shard(276, 5)));
SELECT pg_temp.line(gid_make_uuid_shard('1970-01-01 00:00+00', '\x0102030405', 1, 0));
SELECT at, (SELECT value FROM gid_inspect(gid_uuid_sequential_min(now() + at)) WHERE part = 'family') AS sequential,
	(SELECT value FROM gid_inspect(gid_uuid_to_mssql(gid_uuid_sequential_max(now() + at))) WHERE part = 'family') AS mssql,
	(SELECT value FROM gid_inspect(gid_uuid_shard_min(now() + at)) WHERE part = 'family') AS shard
FROM unnest(ARRAY[interval '-1 hour', '23 hours', '25 hours']) AS at;

-- Where several are plausible all are shown, with the family before the part.
SELECT * FROM gid_inspect(gid_uuid_to_mssql(gid_make_uuid_sequential(638447256001234567, '\x0102030405060007')));
SELECT * FROM gid_inspect(gid_make_uuid_sequential(638447256001234567, '\x0102030405068a47'));
-- Where none is, the two that cannot be ruled out.
SELECT * FROM gid_inspect('ffff0f80-a2a1-a4a3-050a-0b0c07000000'::uuid);

-- What the server makes is known, whichever family; each part as its extractor
-- says, in the session's time zone.
SELECT f.value, count(*) FROM (
	SELECT gid_uuid_v7() AS id FROM generate_series(1, 20)
	UNION ALL SELECT gid_uuid_sequential() FROM generate_series(1, 20)) AS made,
	gid_inspect(id) AS f WHERE part = 'family' GROUP BY 1 ORDER BY 1;
SELECT count(*) FILTER (WHERE value ~ '^sequential_mssql( |$)|v[1-8] or sequential_mssql') AS mssql
FROM (SELECT gid_uuid_sequential_mssql() AS id FROM generate_series(1, 20)) AS made, gid_inspect(id) WHERE part = 'family';
SET timezone = 'Asia/Kathmandu';
SELECT bool_and(value = CASE part
	WHEN 'time' THEN gid_extract_shard_time(id)::text
	WHEN 'generator' THEN encode(gid_extract_shard_generator(id), 'hex')
	WHEN 'counter' THEN gid_extract_shard_counter(id)::text
	WHEN 'key' THEN gid_extract_shard(id)::text
	WHEN 'region' THEN gid_extract_region(id)::text
	WHEN 'region_shard' THEN gid_extract_region_shard(id)::text
	ELSE value END) AS as_extracted
FROM gid_make_uuid_shard('2024-02-29 12:00+00', '\x0102030405', 167772, 4294967295) AS id, gid_inspect(id);
SELECT value FROM gid_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid) WHERE part = 'time';
SET timezone = 'UTC';

--
-- GDIDs
--

SELECT * FROM gid_inspect('0:1:75'::gdid);
SELECT id, part, value FROM unnest(ARRAY[gdid '0:0:0', '7:15:1152921504606846975', '8:0:1', '4294967295:15:0']) AS id,
	gid_inspect(id) WHERE part IN ('value', 'era', 'counter');

--
-- 63-bit ids
--

-- Of a family; each end, and what cannot be of it.
SELECT pg_temp.line(14150009200065, 'decimal');
SELECT id, pg_temp.line(id, 'decimal') FROM unnest(ARRAY[9999999999, 10000000000, 9223372029999999999, 9223372030000000000, -1]) AS id;
SELECT id, regexp_replace(pg_temp.line(id, 'trace'), 'time [-0-9]* [:0-9]*\+00', 'time') AS parts
FROM unnest(ARRAY[1, 4194303, 4194304, 4194305, 9223372036854775807, 0, -1]) AS id;
SELECT pg_temp.line(id, 'trace') FROM gid_make_trace_id(date_trunc('second', now()), 65535, 4095, 1023) AS id
WHERE pg_temp.line(id, 'trace') <> format('family trace, time %s, node 65535, thread 4095, counter 1023', date_trunc('second', now()));
SELECT id, pg_temp.line(id, 'next') FROM unnest(ARRAY[-9223372036854775808, 0, 5]) AS id;

-- Without: all that are possible, unless the number of this server stands in it.
ALTER SYSTEM SET gid.node_no = 4711;
ALTER SYSTEM SET gid.launch_id = 65;
\set until 'current_setting(''gid.launch_id'') = ''65'' AND current_setting(''gid.node_no'') = ''4711'''
\i :reload
SELECT * FROM gid_inspect(14150009200065);
SELECT part, value FROM gid_inspect(14150009200066) WHERE part NOT LIKE '%.time';
SELECT (SELECT value FROM gid_inspect(gid_trace_id()) WHERE part = 'family') AS family;
-- node 4711 and launch 65 at once; below 2^38
SELECT part, value FROM gid_inspect((1::bigint << 38 | 4711::bigint << 22) / 100000 * 100000 + 100065) WHERE part NOT LIKE '%.time';
SELECT id, pg_temp.line(id) FROM unnest(ARRAY[-1, 0, 5, 4711::bigint << 22 | 1, 9999900066, 10000000066, 274877906943]) AS id;
SELECT pg_temp.line(5, '') AS empty, pg_temp.line(5, NULL) AS null, count(*) AS rows
FROM gid_inspect(NULL::bigint);
SELECT * FROM gid_inspect(NULL::uuid);
SELECT * FROM gid_inspect(NULL::gdid);
SELECT * FROM gid_inspect(NULL::bigint, 'trace');
SELECT e.* FROM pg_temp.expect('SELECT gid_inspect(5, ''uuid'')', 'SELECT gid_inspect(5, ''Trace'')',
	'SELECT gid_inspect(5, ''trace_id'')', 'SELECT gid_inspect_family('''')', 'SELECT gid_inspect_family(''next'')') AS e;

-- For every role, and whatever the search path is.
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
