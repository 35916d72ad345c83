-- gid_inspect() of UUIDs and GDIDs: their parts, and the families that a UUID may be
-- of.
\i sql/include/start.sql
LOAD 'gid';
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- The parts of an id in their order, as one row.
CREATE FUNCTION pg_temp.line(id uuid) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(part || ' ' || value, ', ' ORDER BY n) FROM gid_inspect(id) WITH ORDINALITY AS i (part, value, n)$$;

--
-- UUIDs
--

-- Version 7: the example of RFC 9562, and the ends of what is below the millisecond.
SELECT * FROM gid_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid);
SELECT pg_temp.line(id) FROM unnest(ARRAY[gid_uuid_v7_min('2024-02-29 12:00+00'),
	gid_uuid_v7_max('2024-02-29 12:00+00'), '018df4bc-5600-7801-8000-000000000000',
	'018df4bc-5600-7000-8400-000000000001', '00000000-0000-7000-8000-000000000000']) AS id;
-- The fraction follows the order of the id. The random part is the rest.
SELECT id = ('018df4bc-5600-7' || substr(to_hex(fraction), 1, 3) || '-' || to_hex(8 + (fraction & 15) / 4)
	|| lpad(to_hex((fraction & 3) * 4), 1, '0') || '12-3456789abcde')::uuid AS put_together, fraction
FROM (SELECT '018df4bc-5600-7abc-b412-3456789abcde'::uuid AS id,
	(SELECT split_part(value, '/', 1)::int FROM gid_inspect('018df4bc-5600-7abc-b412-3456789abcde'::uuid) WHERE part = 'fraction') AS fraction) AS i;
-- The other versions, and variants that RFC 9562 does not define.
SELECT version, pg_temp.line(overlay('01000000-0000-0000-a000-0000ffffffff' PLACING to_hex(version) FROM 15)::uuid)
FROM generate_series(0, 9) AS version;
SELECT variant, pg_temp.line(overlay('01000000-0000-4000-0000-0000ffffffff' PLACING variant FROM 20)::uuid)
FROM unnest(ARRAY['7', '8', 'b', 'c']) AS variant;
SELECT pg_temp.line('00000000-0000-0000-0000-000000000000'::uuid);
SELECT pg_temp.line('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid);

-- Sequential UUIDs in both byte orders, from 1970 to a day from now, and shard-key
-- UUIDs.
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

-- When several families are plausible, all are shown, with the family before the part.
SELECT * FROM gid_inspect(gid_uuid_to_mssql(gid_make_uuid_sequential(638447256001234567, '\x0102030405060007')));
SELECT * FROM gid_inspect(gid_make_uuid_sequential(638447256001234567, '\x0102030405068a47'));
-- When no family is plausible, the two that cannot be ruled out are shown.
SELECT * FROM gid_inspect('ffff0f80-a2a1-a4a3-050a-0b0c07000000'::uuid);

-- The family of an id that the server makes is recognized. Each part is what its
-- extractor gives, in the session's time zone.
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
