-- gid_check_append() and gid_check_valid(): check characters. test/unit/test_check.c has
-- the mistakes that they detect.
\i sql/include/start.sql
SET client_encoding = 'UTF8';

-- Luhn's own example, card numbers for tests, an IMEI, and the published example of
-- another alphabet.
SELECT code, charset, gid_check_append(code, charset) AS checked,
	gid_check_valid(gid_check_append(code, charset), charset) AS valid, gid_check_valid(code, charset) AS code_alone
FROM (VALUES ('7992739871', 'numeric'), ('411111111111111', 'numeric'), ('37828224631000', 'numeric'), ('555555555555444', 'numeric'),
	('49015420323751', 'numeric'), ('0', 'numeric'), ('abcdef', 'chars:abcdef'), ('00A001', 'alphanumeric_upper'),
	('K7', 'crockford'), ('k7', 'crockford'), ('ILO', 'crockford'), ('Mike', 'alpha'), ('x', 'chars:xyz')) AS v (code, charset);
SELECT string_agg(n::text, ' ') AS valid FROM generate_series(0, 9) AS n WHERE gid_check_valid('7992739871' || n, 'numeric');

-- Codes as people type them: crockford accepts either case, and letters for digits.
SELECT gid_check_append('K7O1', 'crockford') AS appended,
	gid_check_valid(gid_check_append('K701', 'crockford'), 'crockford') AS as_written,
	gid_check_valid(lower(gid_check_append('K701', 'crockford')), 'crockford') AS lower,
	gid_check_valid(translate(gid_check_append('K701', 'crockford'), '01', 'oL'), 'crockford') AS letters,
	gid_check_valid(lower(gid_check_append('ABC', 'alphanumeric_upper')), 'alphanumeric_upper') AS other_charset;
SELECT gid_check_valid(code, 'numeric') AS valid, string_agg(quote_literal(code), ' ') AS codes
FROM unnest(ARRAY['', '0', '00', '5', '18', '1', ' 18', '18 ', '1-8', '1é8', '79927398713', '79927398731', '079927398713', '0079927398713']) AS code GROUP BY 1 ORDER BY 1;
SELECT e.* FROM pg_temp.alike(
	$$SELECT gid_check_append('', 'numeric')$$,
	$$SELECT gid_check_append('12-34', 'numeric')$$,
	$$SELECT gid_check_append('ñ€ 1', 'numeric')$$,
	$$SELECT gid_check_append('abc', 'alphanumeric_upper')$$,
	$$SELECT gid_check_append('1U', 'crockford')$$) AS e;

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
