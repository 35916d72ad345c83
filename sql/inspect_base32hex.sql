-- gid_inspect(text), for texts in base32hex, which PostgreSQL 19's encode() writes: a
-- text that is a ULID as well, of another UUID, is never shown as one of the two alone.
\i sql/include/start.sql
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- A UUID in base32hex without padding: 128 bits and two zero bits. The server's own
-- function, where it has one, writes the same.
CREATE FUNCTION pg_temp.base32hex(id uuid) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUV', 1 + substring(bits FROM 1 + 5 * n FOR 5)::int, 1), '' ORDER BY n)
	FROM (SELECT ('x' || replace(id::text, '-', '') || '0')::bit(130) AS bits) AS b, generate_series(0, 25) AS n
$$;
SELECT pg_temp.base32hex('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
DO $$
DECLARE
	same boolean := true;
BEGIN
	IF current_setting('server_version_num')::int >= 190000 THEN
		EXECUTE 'SELECT bool_and(encode(id::bytea, ''base32hex'') = pg_temp.base32hex(id) || ''======'')
			FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 1000)) AS r' INTO same;
	END IF;
	ASSERT same, 'encode() writes base32hex differently';
END $$;

-- All rows of a text with two readings, and of one with the letter U, which no ULID has.
SELECT * FROM gid_inspect('06H073JVFDQJ37CTP7S1G67824');
SELECT * FROM gid_inspect('05VI5OJPM1UC7664RG60O1PPHS');

-- What a text is read as, in the order of the input.
CREATE FUNCTION pg_temp.read(VARIADIC texts text[]) RETURNS TABLE (given text, family text, id text, base32hex text, ulid text, form text) LANGUAGE sql AS $$
	SELECT t.given, max(i.value) FILTER (WHERE i.part = 'family'), max(i.value) FILTER (WHERE i.part = 'id'),
		max(i.value) FILTER (WHERE i.part = 'base32hex.id'), max(i.value) FILTER (WHERE i.part = 'ulid.id'),
		max(i.value) FILTER (WHERE i.part = 'form')
	FROM unnest(texts) WITH ORDINALITY AS t (given, n), LATERAL gid_inspect(t.given) AS i
	GROUP BY t.n, t.given ORDER BY t.n
$$;
-- In lower case, with blanks, and with padding, which no ULID has.
SELECT * FROM pg_temp.read('06H073JVFDQJ37CTP7S1G67824', '06h073jvfdqj37ctp7s1g67824', ' 06H073JVFDQJ37CTP7S1G67824 ',
	'06H073JVFDQJ37CTP7S1G67824======', '06h073jvfdqj37ctp7s1g67824======', '05vi5ojpm1uc7664rg60o1pphs');
-- Letters that a ULID may be typed with, I, L and O, have other values in base32hex. From
-- the first character 8 on the number of a ULID would be too large.
SELECT * FROM pg_temp.read('066V9F2M01TBPD0I6HB7H6LSRO', 'I68GHTQIQ51I16TCV13TMGA8L0', '00000000010010000000000000',
	'7VVVVVVVVT7VVFVVVVVVVVVVVS', '80000000010010000000000000', 'VVVVVVVVVTVVVFVVVVVVVVVVVS', 'vvvvvvvvvtvvvfvvvvvvvvvvvs======');
-- Not both: versions 3, 5, 6 and 8, two other variants, a bit that no base32hex of a UUID
-- has, letters that base32hex does not have.
SELECT * FROM pg_temp.read('0000000000O010000000000000', '00000000018010000000000000', '0000000001G010000000000000', '00000000020010000000000000',
	'0000000001000VVG0000000000', '0000000001001G000000000000', '06H073JVFDQJ37CTP7S1G67825', '06H073JVFDQJ37CTP7S1G67826', '06H073JVFDQJ37CTP7S1G67W24');
-- A UUID of any version or family that no ULID can be, or with padding.
SELECT * FROM pg_temp.read('O8PAM04K2G8UPCU8JTLTTJMO8O', 'BNQ1H09QTKQHB2575T582J7GJO', '4I4UJB9ESA7013M96BAVD4C1O0',
	'5RB6AVF94TB8N5F14PIQHBL6K8======', '0000008000000000000D000000======', '00000000000000000000000000======', 'VVVVVVVVVVVVVVVVVVVVVVVVVS');

-- A UUID is among the readings of its text in base32hex, and of its ULID.
SELECT kind, count(*) AS texts, count(*) FILTER (WHERE ambiguous) > 10 AS ambiguous,
	count(*) FILTER (WHERE NOT ambiguous) > 10 AS clear, count(*) FILTER (WHERE NOT found) AS missed
FROM (SELECT 'v7' AS kind, gid_uuid_v7_at(now() - random() * interval '10 years') AS id FROM generate_series(1, 300)
		UNION ALL SELECT 'v4', gen_random_uuid() FROM generate_series(1, 300)) AS made,
	LATERAL (VALUES (pg_temp.base32hex(id)), (lower(pg_temp.base32hex(id)))) AS t (given),
	LATERAL pg_temp.read(t.given) AS shown,
	LATERAL (SELECT shown.id IS NULL AS ambiguous, coalesce(shown.base32hex, shown.id) = made.id::text AS found) AS f
GROUP BY kind ORDER BY kind;
SELECT count(*) FILTER (WHERE coalesce(shown.ulid, shown.id) IS DISTINCT FROM made.id::text) AS missed
FROM (SELECT md5(random()::text)::uuid AS id FROM generate_series(1, 500)) AS made, LATERAL pg_temp.read(gid_encode(made.id, 'crockford')) AS shown;
-- Two readings have the rows of both.
SELECT count(*) > 50 AS many, count(*) FILTER (WHERE shown <> expected) AS mismatches
FROM (SELECT pg_temp.base32hex(id) AS given, id FROM (SELECT gid_uuid_v7_at(now() - random() * interval '10 years') AS id FROM generate_series(1, 200)) AS r) AS made,
	LATERAL (SELECT gid_decode_uuid(given, 'crockford') AS ulid WHERE given !~ 'U') AS u,
	LATERAL (SELECT string_agg(i.part || '=' || i.value, ' ' ORDER BY n) AS shown FROM gid_inspect(given) WITH ORDINALITY AS i (part, value, n)) AS s,
	LATERAL (SELECT format('family=%s as base32hex, or %s as ULID ', max(value) FILTER (WHERE r = 1 AND part = 'family'), max(value) FILTER (WHERE r = 2 AND part = 'family'))
		|| string_agg(prefix || part || '=' || value, ' ' ORDER BY r, n) FILTER (WHERE part <> 'family')
		|| format(' form=base32hex of one UUID, or ULID of another base32hex.id=%s ulid.id=%s', id, ulid) AS expected
		FROM (SELECT 1 AS r, 'base32hex.' AS prefix, i.* FROM gid_inspect(id) WITH ORDINALITY AS i (part, value, n)
			UNION ALL SELECT 2, 'ulid.', i.* FROM gid_inspect(ulid) WITH ORDINALITY AS i (part, value, n)) AS i) AS e;

-- The function of the second reading, on its own.
SELECT given, gid.inspect_base32hex(given) FROM unnest(ARRAY['06H073JVFDQJ37CTP7S1G67824', '06H073JVFDQJ37CTP7S1G67824======',
	'05VI5OJPM1UC7664RG60O1PPHS', 'user_06H073JVFDQJ37CTP7S1G67824', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '42', 'hello', '', NULL]) AS given;
-- Texts that are neither: padding that is too short or too long, behind a prefix, in the
-- middle, after a bit that no UUID has; U beside Z; too large for a ULID.
SELECT given, e.code, e.detail
FROM unnest(ARRAY['06H073JVFDQJ37CTP7S1G67824=====', '06H073JVFDQJ37CTP7S1G67824=======', '06H073JVFDQJ37CTP7S1G6782======', 'user_06H073JVFDQJ37CTP7S1G67824======',
	'06H073JVFDQJ37CTP7S1G678=24=====', '06H073JVFDQJ37CTP7S1G67825======', '06H073JVFDQJ37CTP7S1G67W24======', '05VI5OJPM1UC7664RG60O1PPZS',
	'05VI5OJPM1UC7664RG60O1PPHT', '80000000010010000000000001']) WITH ORDINALITY AS g (given, n),
	LATERAL pg_temp.expect(format('SELECT * FROM gid_inspect(%L)', given)) AS e
ORDER BY n;
