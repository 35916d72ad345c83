-- gid_encode() and gid_decode_bigint(): the shortest text for a number, in every
-- charset. Also NULLs and ids without a type.
\i sql/include/start.sql
SET client_encoding = 'UTF8';
\set own62 'chars:0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
\set all94 'chars:!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'

SELECT id, gid_encode(id, 'numeric') AS numeric, gid_encode(id, 'alpha_lower') AS alpha_lower,
	gid_encode(id, 'crockford') AS crockford, gid_encode(id, :'own62') AS own62, gid_encode(id, 'chars:01') AS binary
FROM unnest(ARRAY[0, 1, 9, 10, 31, 32, 61, 62, 63, 3843, 3844, 1000000]::bigint[]) AS id;
-- Both ends, in the smallest and the largest charset.
SELECT gid_encode(9223372036854775807, 'chars:01') = repeat('1', 63) AS base_2, gid_encode(9223372036854775807, :'own62') AS base_62,
	gid_encode(9223372036854775807, 'crockford') AS crockford, gid_encode(9223372036854775807, 'numeric') AS numeric,
	gid_decode_bigint(gid_encode(9223372036854775807, :'all94'), :'all94') AS base_94;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_encode(-1, 'numeric')$$,
	$$SELECT gid_encode((-9223372036854775808)::bigint, 'crockford')$$) AS e;

-- Every charset by name. Round trips at both ends of each number of digits.
SELECT count(DISTINCT charset) AS charsets, count(*) AS tried, count(*) FILTER (WHERE gid_decode_bigint(gid_encode(id, charset), charset) IS DISTINCT FROM id
	OR id > 0 AND left(gid_encode(id, charset), 1) = gid_encode(0, charset)) AS mismatches
FROM unnest(ARRAY['numeric', 'alpha_lower', 'alpha_upper', 'alpha', 'alphanumeric_lower', 'alphanumeric_upper',
		'alphanumeric', 'crockford', 'hex', 'base58', 'base62', 'chars:10', 'chars:zyx', :'own62', :'all94']) AS charset,
	(SELECT DISTINCT CAST(trunc(b ^ n) + d AS bigint) AS id
	 FROM generate_series(0, 63) AS n, unnest(ARRAY[2, 3, 10, 26, 32, 36, 52, 62, 94]::numeric[]) AS b, generate_series(-1, 1) AS d
	 WHERE trunc(b ^ n) + d <= 9223372036854775807) AS i;
-- The server's own functions give the same digits.
SELECT count(*) AS tried, count(*) FILTER (WHERE gid_encode(id, 'hex') IS DISTINCT FROM to_hex(id)) AS hex,
	count(*) FILTER (WHERE gid_encode(id, 'numeric') IS DISTINCT FROM id::text) AS decimal
FROM (SELECT (random() * 2 ^ n)::bigint AS id FROM generate_series(0, 62) AS n, generate_series(1, 50)) AS r;

-- Leading zeros are accepted. An empty text and one that is too large are not.
SELECT gid_decode_bigint('0', 'numeric') AS zero, gid_decode_bigint(repeat('0', 1000) || '7', 'numeric') AS seven,
	gid_decode_bigint('00L33T', :'own62') AS leet, gid_decode_bigint('9223372036854775807', 'numeric') AS last,
	gid_decode_bigint('aZl8N0y58M7', :'own62') AS base_62;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_decode_bigint('', 'numeric')$$,
	$$SELECT gid_decode_bigint('9223372036854775808', 'numeric')$$,
	$$SELECT gid_decode_bigint('18446744073709551615', 'numeric')$$,
	$$SELECT gid_decode_bigint('18446744073709551616', 'numeric')$$,
	$$SELECT gid_decode_bigint(repeat('1', 64), 'chars:01')$$,
	$$SELECT gid_decode_bigint('8000000000000', 'crockford')$$,
	$$SELECT gid_decode_bigint('1 2', 'numeric')$$,
	$$SELECT gid_decode_bigint('-1', 'numeric')$$,
	$$SELECT gid_decode_bigint('12a', 'numeric')$$,
	$$SELECT gid_decode_bigint('é€1', 'numeric')$$,
	$$SELECT gid_decode_bigint('1€', 'numeric')$$,
	$$SELECT gid_decode_bigint(repeat('9', 200) || 'x', 'numeric')$$,
	$$SELECT gid_decode_bigint(repeat('9', 200), 'numeric')$$) AS e;

-- crockford accepts lower case, I and L for 1 and O for 0, but no U. No other charset
-- does so.
SELECT gid_decode_bigint('ZO', 'crockford') AS o, gid_decode_bigint('zI', 'crockford') AS i, gid_decode_bigint('zl', 'crockford') AS l,
	gid_decode_bigint('iLoO', 'crockford') AS all_of_them, gid_encode(gid_decode_bigint('ab1o', 'crockford'), 'crockford') AS written;
SELECT e.statements, e.code, e.detail FROM pg_temp.alike(
	$$SELECT gid_decode_bigint('1U', 'crockford')$$,
	$$SELECT gid_decode_bigint('1u', 'crockford')$$,
	$$SELECT gid_decode_bigint('1-0', 'crockford')$$,
	$$SELECT gid_decode_bigint('1a', 'chars:0123456789ABCDEFGHJKMNPQRSTVWXYZ')$$,
	$$SELECT gid_decode_bigint('FF', 'hex')$$,
	$$SELECT gid_decode_bigint('1O', 'base58')$$,
	$$SELECT gid_decode_bigint('aO', 'alphanumeric_lower')$$) AS e;

-- An index and a generated column require IMMUTABLE.
CREATE TEMP TABLE link (id bigint PRIMARY KEY, slug text COLLATE "C" GENERATED ALWAYS AS (gid_encode(id, 'crockford')) STORED UNIQUE);
CREATE INDEX ON link (gid_check_append(slug, 'crockford'));
INSERT INTO link SELECT n * 1000003 FROM generate_series(1, 3) AS n;
SELECT *, gid_check_append(slug, 'crockford') AS checked FROM link ORDER BY id;

-- NULL in, NULL out. The names of the arguments.
SELECT num_nulls(gid_encode(NULL::bigint, 'chars:01'), gid_encode(1, NULL), gid_encode(NULL::uuid, 'chars:01'), gid_encode(NULL::gdid, 'chars:01'),
	gid_decode_bigint(NULL, 'chars:01'), gid_decode_bigint('1', NULL), gid_decode_uuid(NULL, 'chars:01'), gid_decode_gdid(NULL, 'chars:01'),
	gid_check_append(NULL, 'chars:01'), gid_check_append('1', NULL), gid_check_valid(NULL, 'chars:01'), gid_check_valid('1', NULL)) AS nulls;
SELECT gid_encode(id => 35, charset => 'crockford') AS encode, gid_decode_bigint(code => '13', charset => 'crockford') AS decode,
	gid_check_append(code => '7', charset => 'numeric') AS append, gid_check_valid(code => '75', charset => 'numeric') AS valid;

-- An id without a type, or as text: the error names the casts, also for a driver's
-- parameter. A value with a type is encoded as such.
SELECT e.* FROM pg_temp.alike($$SELECT gid_encode('018df4bc-5600-7000-8000-000000000000', 'crockford')$$) AS e;
SELECT e.statements, e.code, e.message FROM pg_temp.alike($$SELECT gid_encode(NULL, 'crockford')$$, $$SELECT gid_encode('7'::varchar, NULL)$$,
	$$SELECT gid_encode(id, 'crockford') FROM unnest(ARRAY['7', '8']) AS id$$) AS e;
PREPARE encode AS SELECT gid_encode($1, $2);
EXECUTE encode('7', 'crockford');
DEALLOCATE encode;
PREPARE encode AS SELECT gid_encode($1::bigint, $2);
EXECUTE encode('7', 'crockford');
DEALLOCATE encode;
SELECT gid_encode(7::smallint, 'chars:01'), gid_encode(7, 'chars:01'), gid_encode(7::gid_id, 'chars:01');
