-- ALTER SEQUENCE: which values gid_next() gives after it, after its rollback, and
-- after it is done again. sequence_rollback.sql has the order of values over
-- rollbacks.
\i sql/include/start.sql
\i :sequence

-- Draws three values before a statement, after it, after its rollback, and after it is
-- done again. It draws by OID, because a statement may rename the sequence.
CREATE TABLE owner (id int, other int);
CREATE FUNCTION pg_temp.three(seq oid) RETURNS bigint[] LANGUAGE sql AS
	$$SELECT ARRAY(SELECT gid_next(seq) FROM generate_series(1, 3))$$;
CREATE FUNCTION pg_temp.altered(statement text, OUT before bigint[], OUT altered bigint[], OUT rolled_back bigint[],
	OUT altered_again bigint[]) LANGUAGE plpgsql AS $$
DECLARE
	seq oid;
BEGIN
	CREATE SEQUENCE s CACHE 10;
	seq := 's'::regclass;
	before := pg_temp.three(seq);
	BEGIN
		EXECUTE statement;
		altered := pg_temp.three(seq);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		rolled_back := pg_temp.three(seq);
	END;
	EXECUTE statement;
	altered_again := pg_temp.three(seq);
	EXECUTE 'DROP SEQUENCE ' || seq::regclass;
END $$;
SELECT statement, a.* FROM unnest(ARRAY['ALTER SEQUENCE s RESTART', 'ALTER SEQUENCE s RESTART 500',
	'ALTER SEQUENCE s INCREMENT 5', 'ALTER SEQUENCE s MAXVALUE 40',
	'ALTER SEQUENCE s CACHE 3', 'ALTER SEQUENCE s AS int', 'ALTER SEQUENCE s START 700', 'ALTER SEQUENCE s START 700 RESTART',
	'ALTER SEQUENCE s RESTART 11 MAXVALUE 12 CYCLE', 'ALTER SEQUENCE s SET UNLOGGED; ALTER SEQUENCE s SET LOGGED',
	'ALTER SEQUENCE s RESTART; ALTER SEQUENCE s RESTART 20',
	'ALTER SEQUENCE s RESTART 900; SELECT gid_next(''s''); ALTER SEQUENCE s RESTART 800',
	'ALTER SEQUENCE s OWNED BY owner.id; TRUNCATE owner RESTART IDENTITY',
	'SELECT setval(''s'', 600)', 'SELECT gid_forget(''s'')']) AS statement,
	pg_temp.altered(statement) AS a;
-- Statements that leave the values alone. No value comes twice, and at most the rest
-- of a block is missing.
SELECT statement, (SELECT count(DISTINCT value) FROM unnest(before || altered || rolled_back || altered_again) AS value) AS different,
	before || altered || rolled_back || altered_again =
		ARRAY(SELECT unnest(before || altered || rolled_back || altered_again) ORDER BY 1) AS in_order,
	altered_again[3] <= 43 AS near
FROM unnest(ARRAY['ALTER SEQUENCE s RENAME TO renamed', 'ALTER SEQUENCE s OWNER TO regress_gid_user',
	'ALTER SEQUENCE s SET SCHEMA regress_gid_theirs', 'ALTER SEQUENCE s OWNED BY owner.id', 'ALTER SEQUENCE s OWNED BY NONE',
	'GRANT ALL ON SEQUENCE s TO PUBLIC', 'REVOKE ALL ON SEQUENCE s FROM PUBLIC', 'COMMENT ON SEQUENCE s IS ''a comment''',
	'ALTER TABLE owner ADD COLUMN more int DEFAULT gid_next(''s''); ALTER TABLE owner DROP COLUMN more',
	'ANALYZE owner', 'SELECT 1']) AS statement,
	pg_temp.altered(statement) AS a;

-- A rollback of an ALTER, as a whole or to a savepoint, does not give back what was
-- drawn after it.
CREATE FUNCTION pg_temp.drawn(seq regclass, n int) RETURNS bigint[] LANGUAGE sql VOLATILE AS
	'SELECT ARRAY(SELECT gid_next(seq) FROM generate_series(1, n))';
\set created 'CACHE 1' \set altered 'CACHE 3' \set again 'CACHE 7'
\i :draws
\set created 'CACHE 10' \set altered 'MAXVALUE 1000' \set again 'INCREMENT 7'
\i :draws
\set created 'INCREMENT -1 CACHE 3' \set altered 'INCREMENT -2' \set again 'INCREMENT -3'
\i :draws
\set created 'CACHE 5' \set altered 'RESTART 500' \set again 'RESTART 1000'
\i :draws
-- The sequence as it was before the ALTER cannot follow beyond its own end.
CREATE SEQUENCE s MAXVALUE 10;
BEGIN;
ALTER SEQUENCE s MAXVALUE 20 CACHE 5;
SELECT array_length(pg_temp.drawn('s', 10), 1) AS drawn;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next('s')$$, $$SELECT * FROM gid_next_many('s', 2)$$) AS e;
COMMIT;
SELECT gid_next('s') > 10 AS beyond;
BEGIN;
ALTER SEQUENCE s INCREMENT -1;
SELECT e.code, e.message FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
COMMIT;
SELECT gid_next('s') BETWEEN 1 AND 20 AS downwards;
DROP SEQUENCE s;

-- A value that a rolled-back RESTART has given again does not come a third time. gid
-- ends the block that holds it.
CREATE SEQUENCE s CACHE 50;
SELECT pg_temp.drawn('s', 5) AS drawn;
BEGIN;
ALTER SEQUENCE s RESTART 30;
SELECT pg_temp.drawn('s', 2) AS drawn;
ROLLBACK;
SELECT pg_temp.drawn('s', 2) AS drawn;
DROP SEQUENCE s;
-- An unlogged sequence whose SET LOGGED is rolled back.
CREATE UNLOGGED SEQUENCE s;
BEGIN;
ALTER SEQUENCE s SET LOGGED;
SELECT max(value) AS greatest FROM unnest(pg_temp.drawn('s', 20)) AS value \gset
ROLLBACK;
ALTER SEQUENCE s SET LOGGED;
SELECT gid_next('s') > :greatest AS beyond;
DROP SEQUENCE s;

-- The same over several transactions.
CREATE SEQUENCE s CACHE 10 OWNED BY owner.id;
ALTER TABLE owner ALTER COLUMN id SET DEFAULT gid_next('s');
INSERT INTO owner VALUES (DEFAULT, 1), (DEFAULT, 2) RETURNING id;
TRUNCATE owner RESTART IDENTITY;
INSERT INTO owner VALUES (DEFAULT, 1), (DEFAULT, 2) RETURNING id;
ALTER SEQUENCE s RESTART 100;
INSERT INTO owner VALUES (DEFAULT, 3) RETURNING id;
ALTER SEQUENCE s INCREMENT 5;
INSERT INTO owner VALUES (DEFAULT, 4) RETURNING id;
ALTER SEQUENCE s RENAME TO renamed;
INSERT INTO owner VALUES (DEFAULT, 5) RETURNING id;
BEGIN;
TRUNCATE owner RESTART IDENTITY;
INSERT INTO owner VALUES (DEFAULT, 1), (DEFAULT, 2) RETURNING id;
ROLLBACK;
INSERT INTO owner VALUES (DEFAULT, 6) RETURNING id;
SELECT e.code, e.detail FROM pg_temp.expect('DROP SEQUENCE renamed') AS e;
DROP TABLE owner;
SELECT to_regclass('renamed');

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
