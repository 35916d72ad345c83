-- The betweens: which ids they find, with open ends and at the ends of their ranges.
-- plans.sql has their plans.
\i sql/include/start.sql
\set ECHO none
SET TimeZone = 'UTC';
SET datestyle = 'ISO';

-- Each family by the same names: an end of a range as a text, the smallest and the
-- largest id of a moment, and the between.
CREATE FUNCTION pg_temp.id(family text, which text, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	id text;
BEGIN
	EXECUTE format('SELECT gid_%s_%s($1)', family, which) INTO id USING at;
	RETURN id;
END $$;
CREATE FUNCTION pg_temp.found(family text, id text, since timestamptz, until timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	found boolean;
BEGIN
	EXECUTE format('SELECT gid_%s_between(%L, $1, $2)', family, id) INTO found USING since, until;
	RETURN found;
END $$;
\set ECHO all

-- The two ends as ids: open ends, the ends of each family's range and past them, and
-- moments within a millisecond, a microsecond's ten ticks and a second. A moment outside
-- the range has every id of the family on one side, or gives NULL where no id can match.
SELECT family, at, pg_temp.id(family, 'low', at::timestamptz) AS low, pg_temp.id(family, 'below', at::timestamptz) AS below
FROM (VALUES ('uuid_v7', ARRAY['1969-12-31 23:59:59.999999', '1970-01-01', '2024-01-01 00:00:00.000999',
			'10889-08-02 05:31:50.655999', '10889-08-02 05:31:50.656']),
		('uuid_sequential', ARRAY['0001-12-31 23:59:59.999999 BC', '0001-01-01', '0001-01-01 00:00:00.000001', '9999-12-31 23:59:59.999999', '10000-01-01']),
		('uuid_shard', ARRAY['1969-12-31 23:59:59.999999', '1970-01-01', '1970-01-01 00:00:01.999999', '2106-02-07 06:28:15.999999', '2106-02-07 06:28:16']),
		('snowflake_id', ARRAY['2010-11-04 01:42:54.656999', '2010-11-04 01:42:54.657', '2010-11-04 01:42:54.658', '2080-07-10 17:30:30.208999',
			'2080-07-10 17:30:30.209'])) AS f (family, moments),
	unnest(ARRAY[NULL, '-infinity', 'infinity'] || moments) AS at;
SELECT gid_snowflake_id_low('2024-01-01', NULL) AS no_epoch, gid_snowflake_id_below('2024-01-01', NULL) AS below,
	gid_snowflake_id_low('2015-01-01', 1420070400000) AS low_discord, gid_snowflake_id_below('2015-01-01 00:00:00.001', 1420070400000) AS below_discord;

-- Ids that are not of version 7 are compared like the others: they are outside the open
-- range if they are below or above every id of version 7, and may lie in any other.
SELECT id, gid_uuid_v7_between(id, NULL, NULL) AS open,
	gid_uuid_v7_between(id, '2024-01-01', '2024-01-01 00:00:00.001') AS of_a_millisecond
FROM unnest(ARRAY['00000000-0000-4000-8000-000000000000', '018cc251-f400-7000-0000-000000000000',
	'018cc251-f400-7000-c000-000000000000', 'ffffffff-ffff-8000-8000-000000000000']::uuid[]) AS id;

-- The last id before a moment and the last one at the moment, with open ends and ends that
-- no id satisfies. A NULL id gives NULL.
SELECT since, until, string_agg(CASE WHEN pg_temp.found(family, id, since::timestamptz, until::timestamptz) THEN 'x' ELSE '.' END, '' ORDER BY f, at) AS found
FROM (VALUES (1, NULL, NULL), (2, '-infinity', 'infinity'), (3, '2024-02-01', NULL), (4, NULL, '2024-02-01'), (5, 'infinity', NULL),
		(6, NULL, '-infinity'), (7, '4713-01-01 BC', '2024-02-01'), (8, '2024-02-01', '294276-12-31')) AS v (n, since, until),
	unnest(ARRAY['uuid_v7', 'uuid_sequential', 'uuid_shard', 'snowflake_id']) WITH ORDINALITY AS fam (family, f),
	unnest(ARRAY['2024-01-31 23:59:59', '2024-02-01']::timestamptz[]) AS at,
	LATERAL (SELECT pg_temp.id(family, 'max', at) AS id) AS i
GROUP BY n, since, until ORDER BY n;
SELECT num_nulls(gid_uuid_v7_between(NULL, NULL, NULL), gid_uuid_sequential_between(NULL, NULL, NULL),
	gid_uuid_shard_between(NULL, NULL, NULL), gid_snowflake_id_between(NULL, NULL, NULL)) AS nulls;
