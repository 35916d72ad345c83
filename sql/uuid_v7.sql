-- gid_uuid_v7(): the layout of RFC 9562 version 7, strict order, the ends of each
-- range, and the time of an id. between.sql has ranges of time.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

CREATE FUNCTION pg_temp.bits(uuid) RETURNS bit(128) IMMUTABLE STRICT
RETURN ('x' || replace($1::text, '-', ''))::bit(128);
-- The word of an id: 48 bits of milliseconds and 16 bits of fraction.
CREATE FUNCTION pg_temp.word(id uuid) RETURNS bit varying IMMUTABLE STRICT
RETURN substring(pg_temp.bits(id) FROM 1 FOR 48) || substring(pg_temp.bits(id) FROM 53 FOR 12) ||
	substring(pg_temp.bits(id) FROM 67 FOR 4);

-- A batch has strictly increasing words, the version, the variant and the present time.
CREATE TEMP TABLE made AS SELECT n, gid_uuid_v7() AS id FROM generate_series(1, 5000) AS n;
SELECT count(DISTINCT id) AS ids, count(*) FILTER (WHERE word <= before) AS not_increasing,
	count(*) FILTER (WHERE substring(bits FROM 49 FOR 4) <> B'0111' OR substring(bits FROM 65 FOR 2) <> B'10') AS wrong_kind,
	count(*) FILTER (WHERE (gid_extract_v7_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, pg_temp.bits(id) AS bits, pg_temp.word(id) AS word,
	  lag(pg_temp.word(id)) OVER (ORDER BY n) AS before FROM made) AS m;

-- gid_uuid_v7_at() takes the given millisecond. Each random bit, 58 below the word and
-- 74 below the millisecond, is set in about half of the ids.
CREATE TEMP TABLE made_at AS
SELECT gid_uuid_v7_at('2024-02-29 12:34:56.789123') AS id FROM generate_series(1, 5000);
SELECT count(DISTINCT id) AS ids, min(gid_extract_v7_time(id)), max(gid_extract_v7_time(id)) FROM made_at;
SELECT first, count(*) AS random_bits, bool_and(ones BETWEEN 850 AND 1150) AS even
FROM (SELECT first, bit, sum(get_bit(pg_temp.bits(id), bit)) AS ones
	  FROM (SELECT 70 AS first, id FROM made WHERE n <= 2000 UNION ALL (SELECT 52, id FROM made_at LIMIT 2000)) AS i, generate_series(first, 127) AS bit
	  WHERE bit NOT IN (64, 65) GROUP BY 1, 2) AS b GROUP BY 1 ORDER BY 1;

-- Both ends of the range and one past each. The microseconds below a millisecond do not
-- count.
SELECT t, gid_uuid_v7_min(t), gid_uuid_v7_max(t), gid_extract_v7_time(gid_uuid_v7_at(t))
FROM (VALUES (timestamptz 'epoch'), ('1970-01-01 00:00:00.000999'), ('1970-01-01 00:00:00.001'),
	  ('10889-08-02 05:31:50.655999')) AS v (t);
SELECT e.* FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT gid_uuid_v7_%s(%L)', f, t)
	FROM unnest(ARRAY['min', 'max', 'at']) AS f,
		unnest(ARRAY['1969-12-31 23:59:59.999999', '10889-08-02 05:31:50.656', '-infinity', 'infinity']) AS t)) AS e;
-- Any moment of the range is read back.
SELECT count(*) FILTER (WHERE gid_extract_v7_time(gid_uuid_v7_at(t)) IS DISTINCT FROM t
	OR gid_uuid_v7_at(t) NOT BETWEEN gid_uuid_v7_min(t) AND gid_uuid_v7_max(t)
	OR ('x' || translate(left(gid_uuid_v7_max(t)::text, 13), '-', ''))::bit(48)::bigint <> ms) AS mismatches
FROM (SELECT floor(random() * 281474976710656)::bigint AS ms FROM generate_series(1, 1000)) AS r,
	LATERAL (SELECT timestamptz 'epoch' + (ms / 1000) * interval '1 second' + (ms % 1000) * interval '1 millisecond' AS t) AS m;

-- Of 16 versions and 16 values of the variant's digit, only version 7 with 8, 9, a and b
-- is read.
SELECT to_hex(version) AS version, string_agg(to_hex(variant), '' ORDER BY variant) AS variants
FROM generate_series(0, 15) AS version, generate_series(0, 15) AS variant
WHERE gid_extract_v7_time(format('017f22e2-79b0-%scc3-%s8c4-dc0c0c07398f',
	to_hex(version), to_hex(variant))::uuid) IS NOT NULL
GROUP BY version;
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
	ASSERT mismatches = 0;
END $$;
