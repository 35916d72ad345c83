-- gid_uuid_v7(): the layout of RFC 9562 version 7, strict order, the ends of each
-- range, and the functions that take an id apart.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- The bits of a UUID, and the word of an id: 48 bits of milliseconds and 16 bits of
-- fraction.
CREATE FUNCTION pg_temp.bits(uuid) RETURNS bit(128) IMMUTABLE STRICT
RETURN ('x' || replace($1::text, '-', ''))::bit(128);
CREATE FUNCTION pg_temp.word(id uuid) RETURNS bit varying IMMUTABLE STRICT
RETURN substring(pg_temp.bits(id) FROM 1 FOR 48) ||
	substring(pg_temp.bits(id) FROM 53 FOR 12) ||
	substring(pg_temp.bits(id) FROM 67 FOR 4);
-- Milliseconds since 1970 as a time, without rounding.
CREATE FUNCTION pg_temp.moment(ms bigint) RETURNS timestamptz IMMUTABLE STRICT
RETURN timestamptz 'epoch' + (ms / 1000) * interval '1 second' +
	(ms % 1000) * interval '1 millisecond';

-- A batch: the ids are different, with a strictly increasing word, the right version
-- and variant, and the present time.
CREATE TEMP TABLE made AS
SELECT n, gid_uuid_v7() AS id FROM generate_series(1, 20000) AS n;
SELECT count(*) AS ids, count(DISTINCT id) AS distinct_ids,
	count(*) FILTER (WHERE word <= before) AS not_increasing,
	count(*) FILTER (WHERE substring(bits FROM 49 FOR 4) <> B'0111') AS wrong_version,
	count(*) FILTER (WHERE substring(bits FROM 65 FOR 2) <> B'10') AS wrong_variant,
	count(*) FILTER (WHERE (gid_extract_v7_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, pg_temp.bits(id) AS bits, pg_temp.word(id) AS word,
	  lag(pg_temp.word(id)) OVER (ORDER BY n) AS before FROM made) AS m;

-- Each of the 58 random bits is set in about half of the ids.
SELECT count(*) AS random_bits, bool_and(ones BETWEEN 9000 AND 11000) AS even
FROM (SELECT bit, sum(get_bit(pg_temp.bits(id), bit)) AS ones
	  FROM made, generate_series(70, 127) AS bit GROUP BY bit) AS b;

-- The order holds over statements and rolled-back subtransactions.
SELECT gid_uuid_v7() AS a \gset
BEGIN;
SAVEPOINT s;
SELECT gid_uuid_v7() AS b \gset
ROLLBACK TO SAVEPOINT s;
SELECT gid_uuid_v7() AS c \gset
ROLLBACK;
SELECT :'a'::uuid < :'b'::uuid AND :'b'::uuid < :'c'::uuid
	AND :'c'::uuid < gid_uuid_v7() AS increasing;

-- gid_uuid_v7_at() takes the given millisecond, and random bits below it.
CREATE TEMP TABLE made_at AS
SELECT gid_uuid_v7_at('2024-02-29 12:34:56.789123') AS id
FROM generate_series(1, 20000);
SELECT count(DISTINCT id) AS distinct_ids, min(gid_extract_v7_time(id)),
	max(gid_extract_v7_time(id)),
	count(*) FILTER (WHERE id < gid_uuid_v7_min('2024-02-29 12:34:56.789')
					 OR id > gid_uuid_v7_max('2024-02-29 12:34:56.789')) AS outside
FROM (TABLE made_at) AS m;
SELECT count(*) AS random_bits, bool_and(ones BETWEEN 9000 AND 11000) AS even
FROM (SELECT bit, sum(get_bit(pg_temp.bits(id), bit)) AS ones
	  FROM made_at, generate_series(52, 127) AS bit
	  WHERE bit NOT IN (64, 65) GROUP BY bit) AS b;

-- Both ends of the range. The microseconds below a millisecond do not count.
SELECT t, gid_uuid_v7_min(t), gid_uuid_v7_max(t)
FROM (VALUES (timestamptz 'epoch'), ('1970-01-01 00:00:00.000999'),
	  ('1970-01-01 00:00:00.001'), ('2022-02-22 19:22:22'),
	  ('10889-08-02 05:31:50.655'), ('10889-08-02 05:31:50.655999')) AS v (t);
SELECT t, gid_extract_v7_time(gid_uuid_v7_at(t))
FROM (VALUES (timestamptz 'epoch'), ('1970-01-01 00:00:00.000999'),
	  ('10889-08-02 05:31:50.655'), ('10889-08-02 05:31:50.655999')) AS v (t);
SELECT e.* FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT gid_uuid_v7_%s(%L)', f, t)
	FROM unnest(ARRAY['min', 'max', 'at']) AS f,
		unnest(ARRAY['1969-12-31 23:59:59.999999', '10889-08-02 05:31:50.656',
		   '-infinity', 'infinity']) AS t)) AS e;

-- Any moment of the range is read back as it was given, in any time zone.
SET TimeZone = 'Asia/Kathmandu';
SELECT count(*) AS tried,
	count(*) FILTER (WHERE gid_extract_v7_time(gid_uuid_v7_at(t)) IS DISTINCT FROM t
		OR gid_extract_v7_time(gid_uuid_v7_min(t)) IS DISTINCT FROM t
		OR gid_extract_v7_time(gid_uuid_v7_max(t)) IS DISTINCT FROM t) AS mismatches,
	count(*) FILTER (WHERE gid_uuid_v7_at(t) NOT BETWEEN gid_uuid_v7_min(t)
		AND gid_uuid_v7_max(t)) AS outside,
	count(*) FILTER (WHERE substr(gid_uuid_v7_min(t)::text, 1, 13) <>
		regexp_replace(lpad(to_hex(ms), 12, '0'), '(.{8})', '\1-')) AS wrong_text
FROM (SELECT ms, pg_temp.moment(ms) AS t
	  FROM (SELECT floor(random() * 281474976710656)::bigint AS ms
			FROM generate_series(1, 5000)) AS r) AS m;
SET TimeZone = 'UTC';

-- The example of RFC 9562, appendix A.6.
SELECT gid_extract_v7_time('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');

-- Ids of other kinds have no time. Of 16 versions and 16 values of the variant's
-- digit, only version 7 with 8, 9, a and b is read.
SELECT gid_extract_v7_time('00000000-0000-0000-0000-000000000000') AS nil,
	gid_extract_v7_time('ffffffff-ffff-ffff-ffff-ffffffffffff') AS max,
	gid_extract_v7_time('919108f7-52d1-4320-9bac-f847db4148a8') AS v4;
SELECT to_hex(version) AS version, to_hex(variant) AS variant
FROM generate_series(0, 15) AS version, generate_series(0, 15) AS variant
WHERE gid_extract_v7_time(format('017f22e2-79b0-%scc3-%s8c4-dc0c0c07398f',
	to_hex(version), to_hex(variant))::uuid) IS NOT NULL
ORDER BY variant;
SELECT count(gid_extract_v7_time(gen_random_uuid())) AS read_from_v4
FROM generate_series(1, 1000);

-- From 18 on core's own extractor reads version 7. It agrees.
DO $$
DECLARE
	mismatches bigint := 0;
BEGIN
	IF current_setting('server_version_num')::int >= 180000 THEN
		EXECUTE 'SELECT count(*) FROM made
			WHERE uuid_extract_timestamp(id) IS DISTINCT FROM gid_extract_v7_time(id)'
			INTO mismatches;
	END IF;
	RAISE NOTICE 'mismatches: %', mismatches;
END $$;

-- Between is half-open, to the millisecond. between.sql has open ends.
SELECT which, gid_uuid_v7_between(id, '2024-01-01 00:00:00.001', '2024-01-01 00:00:00.003')
FROM (VALUES
	(1, 'last of the ms before', gid_uuid_v7_max('2024-01-01 00:00:00.000')),
	(2, 'first of since', gid_uuid_v7_min('2024-01-01 00:00:00.001')),
	(3, 'one of since', gid_uuid_v7_at('2024-01-01 00:00:00.001')),
	(4, 'last before until', gid_uuid_v7_max('2024-01-01 00:00:00.002')),
	(5, 'first of until', gid_uuid_v7_min('2024-01-01 00:00:00.003')),
	(6, 'one of until', gid_uuid_v7_at('2024-01-01 00:00:00.003'))) AS v (n, which, id)
ORDER BY n;
SELECT gid_uuid_v7_between(gid_uuid_v7_min('2024-01-01'), '2024-01-01 00:00:00.000999',
		'2024-01-01 00:00:00.001') AS since_rounded_down,
	gid_uuid_v7_between(gid_uuid_v7_max('2024-01-01'), '2024-01-01',
		'2024-01-01 00:00:00.000999') AS until_rounded_down,
	gid_uuid_v7_between(gid_uuid_v7_at('2024-01-01'), '2024-01-01', '2024-01-01') AS empty;

-- NULL in, NULL out. A NULL end of a between is open.
SELECT gid_uuid_v7_at(NULL) AS at, gid_uuid_v7_min(NULL) AS min, gid_uuid_v7_max(NULL) AS max,
	gid_extract_v7_time(NULL) AS time,
	gid_uuid_v7_between(NULL, 'epoch', now()) AS between_id,
	gid_uuid_v7_between(gid_uuid_v7_at('2024-01-01'), NULL, '2025-01-01') AS between_since,
	gid_uuid_v7_between(gid_uuid_v7_at('2024-01-01'), '2023-01-01', NULL) AS between_until,
	gid_uuid_v7_between(gid_uuid_v7_at('2024-01-01'), NULL, '2023-01-01') AS outside;
