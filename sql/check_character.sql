-- gid_check_append() and gid_check_valid(): check characters, and which mistakes they
-- detect.
\getenv srcdir PG_ABS_SRCDIR
\set start :srcdir '/sql/include/start.sql'
\i :start
SET client_encoding = 'UTF8';

-- Luhn's own example, card numbers for tests, an IMEI, and the published example of
-- another alphabet.
SELECT code, charset, gid_check_append(code, charset) AS checked,
	gid_check_valid(gid_check_append(code, charset), charset) AS valid, gid_check_valid(code, charset) AS code_alone
FROM (VALUES ('7992739871', 'numeric'), ('411111111111111', 'numeric'), ('37828224631000', 'numeric'), ('555555555555444', 'numeric'),
	('49015420323751', 'numeric'), ('0', 'numeric'), ('abcdef', 'abcdef'), ('00A001', 'alphanumeric_upper'),
	('K7', 'crockford'), ('k7', 'crockford'), ('ILO', 'crockford'), ('Mike', 'alpha'), ('x', 'xyz')) AS v (code, charset);
SELECT n, gid_check_valid('7992739871' || n, 'numeric') AS valid FROM generate_series(0, 9) AS n;

-- Codes as people type them: crockford accepts either case, and letters for digits.
SELECT gid_check_append('K7O1', 'crockford') AS appended,
	gid_check_valid(gid_check_append('K701', 'crockford'), 'crockford') AS as_written,
	gid_check_valid(lower(gid_check_append('K701', 'crockford')), 'crockford') AS lower,
	gid_check_valid(translate(gid_check_append('K701', 'crockford'), '01', 'oL'), 'crockford') AS letters,
	gid_check_valid(lower(gid_check_append('ABC', 'alphanumeric_upper')), 'alphanumeric_upper') AS other_charset;
SELECT code, gid_check_valid(code, 'numeric') AS valid
FROM unnest(ARRAY['', '0', '00', '5', '18', '1', ' 18', '18 ', '1-8', '1é8', '79927398713', '79927398731', '079927398713', '0079927398713']) AS code;
SELECT e.* FROM pg_temp.expect(
	$$SELECT gid_check_append('', 'numeric')$$,
	$$SELECT gid_check_append('12-34', 'numeric')$$,
	$$SELECT gid_check_append('ñ€ 1', 'numeric')$$,
	$$SELECT gid_check_append('abc', 'alphanumeric_upper')$$,
	$$SELECT gid_check_append('1U', 'crockford')$$) AS e;

-- Which mistakes are detected. In a charset of even size each wrong character is. In
-- one of odd size a place that counts twice leaves one mistake undetected.
CREATE FUNCTION pg_temp.mistakes(charset text, code text, OUT size int, OUT wrong int, OUT unnoticed int, OUT swapped int, OUT unnoticed_swaps text)
LANGUAGE plpgsql AS $$
DECLARE
	good text := gid_check_append(code, charset);
BEGIN
	size := length(charset);
	SELECT count(*), count(*) FILTER (WHERE gid_check_valid(overlay(good PLACING c FROM p FOR 1), charset)) INTO wrong, unnoticed
	FROM generate_series(1, length(good)) AS p, regexp_split_to_table(charset, '') AS c WHERE substr(good, p, 1) <> c;
	SELECT count(*), string_agg(a || b, ' ' ORDER BY a COLLATE "C") FILTER (WHERE gid_check_valid(b || a || last, charset)) INTO swapped, unnoticed_swaps
	FROM regexp_split_to_table(charset, '') AS a, regexp_split_to_table(charset, '') AS b,
		CAST(right(gid_check_append(a || b, charset), 1) AS text) AS last WHERE a <> b;
END $$;
SELECT charset, code, m.* FROM (VALUES ('0123456789', '12345678'), ('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 'Z0Q7'),
	('ABCDEFG', 'ABCDEFG'), ('abc', 'abcabc'), ('01', '0110')) AS v (charset, code), pg_temp.mistakes(charset, code) AS m;

-- A code from a sequence with its check character, as a column's DEFAULT.
CREATE SEQUENCE ticket_no;
CREATE TABLE ticket (
	no text PRIMARY KEY DEFAULT gid_check_append(gid_next_code('ticket_no', '00A000', 'alphanumeric_upper'), 'alphanumeric_upper')
		CHECK (gid_check_valid(no, 'alphanumeric_upper')),
	subject text);
INSERT INTO ticket (subject) VALUES ('printer'), ('door') RETURNING no;
SELECT e.code, e.message FROM pg_temp.expect($$INSERT INTO ticket VALUES ('00A0010', 'typed wrong')$$) AS e;
INSERT INTO ticket (subject) SELECT n FROM generate_series(1, 5000) AS n;
SELECT count(*) AS tickets, count(*) FILTER (WHERE gid_check_valid(no, 'alphanumeric_upper')) AS valid, max(length(no)) AS longest FROM ticket;
DROP TABLE ticket;
DROP SEQUENCE ticket_no;
