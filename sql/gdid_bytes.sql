-- The type gdid as bytes: the packed form, casts to and from bytea, COPY, and every
-- form of 20000 random values.
\i sql/include/start.sql

--
-- Packed
--

SELECT id, gid_gdid_pack(id) AS packed, gid_gdid_unpack(gid_gdid_pack(id)) = id AS back
FROM (VALUES (gdid '0:0:0'), ('0:0:127'), ('0:0:128'), ('127:0:16383'), ('128:0:16384'),
	  ('0:1:0'), ('0:8:0'), ('4294967295:15:1152921504606846975')) AS v (id);
SELECT string_agg(encode(b, 'hex'), ' ' ORDER BY n) AS packed, e.code, e.message, e.detail FROM unnest(ARRAY[
	'\x', '\x00', '\x80', '\x8000', '\x0080', '\x800000', '\x008000', '\x00800100', '\x000000',
	'\x0000ffff', '\xffffffff1f00', '\xffffffff8f0000', '\xffffffff8f', '\x808080800000', '\x80808080800000',
	'\xffffffff0f', '\x00ffffffffffffffffff02', '\x00ffffffffffffffffff8100',
	'\x00808080808080808080808000', '\x0080808080808080808000', '\xffffffffffffffffffffffffffff']::bytea[]) WITH ORDINALITY AS v (b, n),
	pg_temp.expect(format('SELECT gid_gdid_unpack(%L)', b)) AS e GROUP BY 2, 3, 4 ORDER BY min(n);
SELECT e.* FROM pg_temp.alike($$SELECT gid_gdid_unpack('\x00')$$) AS e;

--
-- Casts to and from bytea, which are explicit
--

SELECT '1:2:3'::gdid::bytea AS bytes, '\x000000012000000000000003'::bytea::gdid AS id,
	gdid_send('1:2:3') AS sent;
SELECT e.* FROM pg_temp.alike($$SELECT '\x'::bytea::gdid$$,
	$$SELECT '\x0000000120000000000000'::bytea::gdid$$,
	$$SELECT '\x00000001200000000000000300'::bytea::gdid$$) AS e;
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast
WHERE 'gdid'::regtype IN (castsource, casttarget) ORDER BY castsource::regtype::text;

--
-- Random values: each form of them
--

\i :gdids
SELECT count(*) AS tried,
	count(*) FILTER (WHERE gid_extract_gdid_era(id) IS DISTINCT FROM era OR gid_extract_gdid_authority(id) IS DISTINCT FROM authority
		OR gid_extract_gdid_counter(id) IS DISTINCT FROM counter) AS parts,
	count(*) FILTER (WHERE id::text <> format('%s:%s:%s', era, authority, counter)
		OR id::text::gdid <> id) AS text,
	count(*) FILTER (WHERE length(gid_gdid_hex(id)) <> 24 OR gid_gdid_hex(id)::gdid <> id
		OR ('0x' || upper(gid_gdid_hex(id)))::gdid <> id
		OR gid_gdid_hex(id) <> lpad(to_hex(era), 8, '0') ||
			lpad(to_hex((authority::bigint << 60) | counter), 16, '0')) AS hex,
	count(*) FILTER (WHERE id::bytea::gdid <> id OR encode(id::bytea, 'hex') <> gid_gdid_hex(id)
		OR gdid_send(id) <> id::bytea OR pg_column_size(id) <> 12) AS bytes,
	count(*) FILTER (WHERE gid_gdid_unpack(gid_gdid_pack(id)) IS DISTINCT FROM id
		OR length(gid_gdid_pack(id)) NOT BETWEEN 2 AND 15) AS packed
FROM made;
SELECT count(DISTINCT gid_gdid_pack(id)) = count(DISTINCT id) AS one_packed_form_each FROM made;

--
-- COPY, as text and as binary, of scalars, NULLs and arrays
--

CREATE TABLE source AS SELECT n, CASE WHEN n % 100 > 0 THEN id END AS id,
	ARRAY[id, NULL, gid_make_gdid(0, 0, n)] AS ids, ROW(id, n)::text AS row
FROM made WHERE n <= 2000;
SELECT current_setting('data_directory') || '/gid_gdid_copy' AS file \gset
CREATE TABLE target (LIKE source);
COPY source TO :'file';
COPY target FROM :'file';
SELECT count(*) FROM (SELECT * FROM source EXCEPT SELECT * FROM target) AS m;
TRUNCATE target;
COPY source TO :'file' (FORMAT binary);
COPY target FROM :'file' (FORMAT binary);
SELECT count(*) FROM (SELECT * FROM source EXCEPT SELECT * FROM target) AS m;
SELECT count(*) FROM target;
-- Binary values of the wrong length.
CREATE TABLE wrong (b bytea);
CREATE TABLE right_type (id gdid);
CREATE FUNCTION pg_temp.receive(file text, bytes bytea) RETURNS TABLE (code text, message text, detail text, hint text)
LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE wrong;
	INSERT INTO wrong VALUES (bytes);
	EXECUTE format('COPY wrong TO %L (FORMAT binary)', file);
	RETURN QUERY SELECT e.code, e.message, e.detail, e.hint
	FROM pg_temp.expect(format('COPY right_type FROM %L (FORMAT binary)', file)) AS e;
END $$;
SELECT length(b) AS bytes, r.* FROM unnest(ARRAY['\x', '\x0000000120000000000000',
	'\x000000012000000000000003', '\x00000001200000000000000300']::bytea[]) AS b, pg_temp.receive(:'file', b) AS r;
SELECT id FROM right_type;
COPY (SELECT WHERE false) TO PROGRAM 'cat >/dev/null; rm -f gid_gdid_copy';
DROP TABLE made, source, target, wrong, right_type;
