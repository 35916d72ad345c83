-- gid_uuid_v7(): strict order, random bits, the ends of its range, and the time of an
-- id. test/unit/test_uuid.c has the layout, between.sql ranges of time.
\i sql/include/start.sql
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
CREATE FUNCTION pg_temp.bits(uuid) RETURNS bit(128) IMMUTABLE STRICT
RETURN ('x' || replace($1::text, '-', ''))::bit(128);

-- A batch increases by the bits before the random ones, and has the present time.
CREATE TEMP TABLE made AS SELECT n, gid_uuid_v7() AS id FROM generate_series(1, 5000) AS n;
SELECT count(*) FILTER (WHERE substring(bits FROM 1 FOR 70) <= substring(before FROM 1 FOR 70)) AS not_increasing,
	count(*) FILTER (WHERE (gid_extract_v7_time(id) BETWEEN clock_timestamp() - interval '1 hour'
		AND clock_timestamp() + interval '1 hour') IS NOT TRUE) AS wrong_time
FROM (SELECT id, pg_temp.bits(id) AS bits, lag(pg_temp.bits(id)) OVER (ORDER BY n) AS before FROM made) AS m;

-- Each random bit, 58 below the word and with gid_uuid_v7_at() 74 below the millisecond,
-- is set in about half of the ids.
SELECT first, count(*) AS random_bits, bool_and(ones BETWEEN 850 AND 1150) AS even
FROM (SELECT first, bit, sum(get_bit(pg_temp.bits(id), bit)) AS ones
	  FROM (SELECT 70 AS first, id FROM made WHERE n <= 2000
			UNION ALL SELECT 52, gid_uuid_v7_at('2024-02-29 12:34:56.789123') FROM generate_series(1, 2000)) AS i,
		generate_series(first, 127) AS bit
	  WHERE bit NOT IN (64, 65) GROUP BY 1, 2) AS b GROUP BY 1 ORDER BY 1;

-- Both ends of the range and one past each. The microseconds below a millisecond do not
-- count. An id of another version has no time.
SELECT t, gid_uuid_v7_min(t), gid_uuid_v7_max(t), gid_extract_v7_time(gid_uuid_v7_at(t))
FROM (VALUES (timestamptz '1970-01-01 00:00:00.000999'), ('2024-02-29 12:34:56.789'), ('10889-08-02 05:31:50.655999')) AS v (t);
SELECT e.* FROM pg_temp.alike(VARIADIC ARRAY(SELECT format('SELECT gid_uuid_v7_%s(%L)', f, t)
	FROM unnest(ARRAY['min', 'max', 'at']) AS f,
		unnest(ARRAY['1969-12-31 23:59:59.999999', '10889-08-02 05:31:50.656', '-infinity', 'infinity']) AS t)) AS e;
SELECT gid_extract_v7_time('017f22e2-79b0-4cc3-98c4-dc0c0c07398f') IS NULL AS no_time;
