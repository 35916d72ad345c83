-- The type gdid: its text, its hexadecimal form, its parts, NULLs.
\i sql/include/start.sql

--
-- Text
--

-- Both ends of each part, leading zeros, every kind of blank.
SELECT quote_literal(t) AS text, t::gdid AS id, gid_gdid_hex(t::gdid) AS hex
FROM unnest(ARRAY['0:0:0', '4294967295:0:0', '0:15:0', '0:0:1152921504606846975',
	'4294967295:15:1152921504606846975', '00000000000000000000001:0000000015:000000000000000000000002',
	'  1 : 2 : 3  ', '1:2:3', '000000000000000000000000', 'ffffffffffffffffffffffff',
	'FFFFFFFFFFFFFFFFFFFFFFFF', '0x00000000100000000000004B', '0X00000000100000000000004b',
	'  00000000100000000000004b ', 'aAbBcCdDeEfF012345678901']) AS t;
SELECT ascii(b) AS blank, (b || '1' || b || ':' || b || '2' || b || ':' || b || '3' || b)::gdid AS id,
	(b || '00000000100000000000004b' || b)::gdid AS hex
FROM unnest(ARRAY[E'\t', E'\n', E'\x0b', E'\f', E'\r', ' ']) AS b;

-- One past each end, and other texts that are no GDID.
SELECT string_agg(quote_literal(t), ' ' ORDER BY n) AS texts, e.code, e.detail FROM unnest(ARRAY[
	'4294967296:0:0', '0:16:0', '0:0:1152921504606846976',
	'99999999999999999999999999:0:0', '0:0:18446744073709551616', '0:4294967296:0',
	'', '   ', ':', '::', ':::', '1', '1:2', '1:2:3:4', '1::3', '1:2:', ':2:3', '1: :3',
	'-1:2:3', '+1:2:3', '1:-2:3', '1:2:-3', '1:2:+3', '1:2:3x', '1:2:3 4', '1.0:2:3', '0x1:2:3', '1e3:2:3',
	'1:2:3;', 'hello', '00000000100000000000004',
	'00000000100000000000004b0', '0x00000000100000000000004', '0x', '0x0x00000000100000000000004B',
	'00000000100000000000004g', '0000000010000 0000000004b', '0x 00000000100000000000004b',
	'x00000000100000000000004b', '{1:2:3}']) WITH ORDINALITY AS v (t, n),
	pg_temp.expect(format('SELECT %L::gdid', t)) AS e GROUP BY 2, 3 ORDER BY min(n);
SELECT e.* FROM pg_temp.alike($$SELECT '1:16:3'::gdid$$, $$SELECT 'g'::gdid$$,
	$$SELECT '1:2:3'::text::gdid$$, $$SELECT '1:2'::text::gdid$$,
	$$SELECT '{1:2:3,1:2}'::gdid[]$$) AS e;

-- Soft errors, where the server has them. Elsewhere an exception gives the same.
DO $do$ BEGIN
	IF to_regprocedure('pg_catalog.pg_input_is_valid(text, text)') IS NULL THEN
		CREATE FUNCTION pg_temp.is_valid(value text) RETURNS boolean LANGUAGE plpgsql AS $$
		BEGIN
			RETURN value::gdid IS NOT NULL;
		EXCEPTION WHEN invalid_text_representation THEN
			RETURN false;
		END $$;
		CREATE FUNCTION pg_temp.detail_of(value text) RETURNS text LANGUAGE sql
		RETURN (SELECT detail FROM pg_temp.expect(format('SELECT %L::gdid', value)));
	ELSE
		CREATE FUNCTION pg_temp.is_valid(value text) RETURNS boolean LANGUAGE sql AS
			$$SELECT pg_input_is_valid(value, 'gdid')$$;
		CREATE FUNCTION pg_temp.detail_of(value text) RETURNS text LANGUAGE sql AS
			$$SELECT detail FROM pg_input_error_info(value, 'gdid')$$;
	END IF;
END $do$;
SELECT t, pg_temp.is_valid(t), pg_temp.detail_of(t)
FROM unnest(ARRAY['1:2:3', '1:16:3', '1:2', 'ffffffffffffffffffffffff', 'f']) AS t;

--
-- Parts
--

SELECT gid_make_gdid(0, 0, 0) AS smallest,
	gid_make_gdid(4294967295, 15, 1152921504606846975) AS largest,
	gid_make_gdid(era => 1, authority => 2, counter => 3) AS named;
SELECT e.* FROM pg_temp.alike('SELECT gid_make_gdid(-1, 0, 0)',
	'SELECT gid_make_gdid(4294967296, 0, 0)', 'SELECT gid_make_gdid(0, -1, 0)',
	'SELECT gid_make_gdid(0, 16, 0)', 'SELECT gid_make_gdid(0, 0, -1)',
	'SELECT gid_make_gdid(0, 0, 1152921504606846976)') AS e;
SELECT id, gid_extract_gdid_era(id) AS era, gid_extract_gdid_authority(id) AS authority,
	gid_extract_gdid_counter(id) AS counter
FROM (VALUES (gdid '0:0:0'), ('1:2:3'), ('4294967295:15:1152921504606846975')) AS v (id);

--
-- NULL in, NULL out. A domain and a row
--

SELECT num_nulls(gid_make_gdid(NULL, 0, 0), gid_make_gdid(0, NULL, 0), gid_make_gdid(0, 0, NULL),
	gid_extract_gdid_era(NULL), gid_extract_gdid_authority(NULL), gid_extract_gdid_counter(NULL),
	gid_gdid_hex(NULL), gid_gdid_pack(NULL), gid_gdid_unpack(NULL), NULL::gdid::bytea, NULL::bytea::gdid,
	NULL::gdid = '0:0:0', NULL::gdid < '0:0:0') AS nulls_of_13;
CREATE DOMAIN own_id AS gdid CHECK (gid_extract_gdid_authority(VALUE) = 1);
SELECT '0:1:7'::own_id AS own;
SELECT e.code FROM pg_temp.expect($$SELECT '0:2:7'::own_id$$) AS e;
SELECT ROW(gdid '0:1:7', 8) AS row, to_jsonb(gdid '0:1:7') AS json;
DROP DOMAIN own_id;
