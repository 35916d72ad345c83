-- Who may draw from a sequence: the same roles as with nextval(), also when privileges
-- change within a transaction.
\i sql/include/start.sql
\i :sequence

CREATE SEQUENCE s;

-- Each privilege alone, with gid_next(), nextval() and gid_forget().
CREATE SEQUENCE regress_gid_theirs.s;
CREATE FUNCTION pg_temp.with_privilege(privilege text) RETURNS TABLE (code text, message text, as_nextval boolean, forget text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('GRANT %s ON SEQUENCE regress_gid_mine.s, regress_gid_theirs.s TO regress_gid_user', privilege);
	SET LOCAL ROLE regress_gid_user;
	RETURN QUERY SELECT s.*, f.code FROM pg_temp.same('SELECT gid_next(''s'')', 'SELECT nextval(''regress_gid_theirs.s'')') AS s,
		pg_temp.expect('SELECT gid_forget(''s'')') AS f;
	RESET ROLE;
	REVOKE ALL ON SEQUENCE s, regress_gid_theirs.s FROM regress_gid_user;
END $$;
SELECT privilege, p.* FROM unnest(ARRAY['SELECT', 'USAGE', 'UPDATE', 'USAGE, SELECT', 'ALL']) AS privilege,
	pg_temp.with_privilege(privilege) AS p;
SET ROLE regress_gid_user;
SELECT e.* FROM pg_temp.alike($$SELECT gid_next('s')$$, $$SELECT * FROM gid_next_many('s', 1)$$, $$SELECT gid_forget('s')$$) AS e;
RESET ROLE;

-- Changes in a transaction that has drawn: another role, a privilege that is granted
-- and revoked, an owner whose privilege is revoked.
SELECT gid_next('s') AS before \gset
BEGIN;
SELECT gid_next('s') > :before AS drawn;
SET LOCAL ROLE regress_gid_user;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
RESET ROLE;
SELECT gid_next('s') > :before AS drawn;
GRANT USAGE ON SEQUENCE s TO regress_gid_user;
SET LOCAL ROLE regress_gid_user;
SELECT gid_next('s') > :before AS drawn;
SELECT gid_next('s') > :before AS drawn;
RESET ROLE;
SAVEPOINT a;
REVOKE USAGE ON SEQUENCE s FROM regress_gid_user;
SET LOCAL ROLE regress_gid_user;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
ROLLBACK TO SAVEPOINT a;
SET LOCAL ROLE regress_gid_user;
SELECT gid_next('s') > :before AS drawn;
COMMIT;
ALTER SEQUENCE s OWNER TO regress_gid_user;
SET ROLE regress_gid_user;
BEGIN;
SELECT gid_next('s') > :before AS drawn;
REVOKE ALL ON SEQUENCE s FROM regress_gid_user;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
GRANT USAGE ON SEQUENCE s TO regress_gid_user;
SELECT gid_next('s') > :before AS drawn;
ROLLBACK;
RESET ROLE;
ALTER SEQUENCE s OWNER TO CURRENT_USER;
REVOKE ALL ON SEQUENCE s FROM regress_gid_user;

-- A SECURITY DEFINER function draws with its owner's privilege. Its caller does not
-- get that, before or after.
CREATE FUNCTION definer() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS $$SELECT gid_next('regress_gid_mine.s')$$;
CREATE FUNCTION pg_temp.directly(after bigint) RETURNS text LANGUAGE sql AS
	$$SELECT pg_temp.outcome('SELECT gid_next(''s'')')$$;
SET ROLE regress_gid_user;
BEGIN;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
SELECT definer() > :before AS drawn, pg_temp.directly(definer()) AS directly, definer() > :before AS drawn_again;
SELECT e.code FROM pg_temp.expect($$SELECT gid_next('s')$$) AS e;
COMMIT;
RESET ROLE;
DROP FUNCTION definer();

-- A column's DEFAULT needs the privilege of the role that inserts.
CREATE TABLE t (id bigint DEFAULT gid_next('s'), n int);
GRANT INSERT ON t TO regress_gid_user;
SET ROLE regress_gid_user;
SELECT e.code, e.message FROM pg_temp.expect('INSERT INTO t (n) VALUES (1)') AS e;
RESET ROLE;
DROP TABLE t;
DROP SEQUENCE s, regress_gid_theirs.s;

DROP SCHEMA regress_gid_mine, regress_gid_theirs;
DROP ROLE regress_gid_user;
