-- ALTER SEQUENCE: which values gid_next() gives after it, after its rollback, and
-- after it is done again: the earlier file's own values go on, as after any rollback
-- in PostgreSQL. sequence_rollback.sql has more of that.
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
