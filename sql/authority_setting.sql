-- gid.authorities and gid.decimal_authority: which values are connection URIs, who may
-- set them and who may see them. A value that is refused is dropped.
\i sql/include/start.sql
LOAD 'gid';
CREATE ROLE regress_gid_user;

-- The values with each outcome.
CREATE FUNCTION pg_temp.checked(VARIADIC uris text[])
RETURNS TABLE (uris text, authorities text, decimal_authority text, detail text) LANGUAGE sql AS $$
	SELECT string_agg(quote_literal(v.uri), ' ' ORDER BY n), a.code, d.code, coalesce(a.detail, d.detail)
	FROM unnest(uris) WITH ORDINALITY AS v (uri, n),
		pg_temp.expect(format('SET gid.authorities = %L', v.uri)) AS a,
		pg_temp.expect(format('SET gid.decimal_authority = %L', v.uri)) AS d GROUP BY 2, 3, 4 ORDER BY min(n)
$$;
SELECT * FROM pg_temp.checked('', '  ', 'postgres://u@h/d', E'\tpostgresql://u@h:1/d\n', 'postgresql://u@[::1]:5433/d', 'postgresql://u@%2Frun%2Fx/d',
	'postgresql://u@/?host=h&dbname=d', 'postgresql://u@a,b:5433/d?target_session_attrs=read-write&passfile=/f&sslmode=require',
	'postgresql://u@h/d postgresql://u@i/d', 'h', 'host=h dbname=d', 'http://h/d', 'postgresql://', 'postgresql://h/d?none=1', 'postgresql://[::1/d',
	'postgresql://u@h/d x', 'postgresql://u@h/d?connect_timeout=1', 'postgresql://u@h/d?connect_timeout=one');
-- A list has at most 16 URIs.
SELECT n, a.code, a.detail FROM generate_series(16, 17) AS n,
	pg_temp.expect(format('SET gid.authorities = %L', repeat(' postgresql://u@h/d', n))) AS a;
-- Passwords and other secrets are refused. No message shows the value, and no catalog
-- stores it.
SELECT * FROM pg_temp.checked('postgresql://u:s3cret@h/d', 'postgresql://u@h/d?password=s3cret', 'postgresql://u@h/d?sslpassword=s3cret',
	'postgresql://u@h/d postgresql://u:s3cret@i/d');
SELECT count(*) FROM unnest(ARRAY['oauth_client_secret', 'scram_client_key', 'scram_server_key']) AS p,
	pg_temp.expect(format('SET gid.authorities = %L', 'postgresql://u@h/d?' || p || '=x')) AS a WHERE a.code = '22023';
SELECT s.name, e.code, e.message, e.detail, e.hint FROM unnest(ARRAY['gid.authorities', 'gid.decimal_authority']) AS s (name),
	pg_temp.expect(format('SET %s = ''postgresql://u:s3cret@h/d''', s.name)) AS e;
\set VERBOSITY terse
ALTER DATABASE :"DBNAME" SET gid.authorities = 'postgresql://u:s3cret@h/d';
ALTER SYSTEM SET gid.authorities = 'postgresql://u:s3cret@h/d';
\set VERBOSITY default
SELECT count(*) FROM pg_db_role_setting WHERE setconfig::text ~ 'gid\.';
-- A wrong value leaves the earlier one in place.
SET gid.authorities = 'postgresql://u@h/d';
SET gid.authorities = 'nonsense';
SHOW gid.authorities;

-- Superusers set them, and roles with a grant. Nobody else sees them, neither by SHOW nor
-- in a view.
SET gid.decimal_authority = 'postgresql://u@h/d';
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.statements, e.code, e.message FROM pg_temp.alike('SET gid.authorities = ''postgresql://u@h/d''', 'SET gid.decimal_authority = ''postgresql://u@h/d''',
	'SELECT set_config(''gid.authorities'', '''', true)', 'ALTER ROLE regress_gid_user SET gid.authorities = ''postgresql://u@h/d''') AS e;
SELECT e.statements, e.code FROM pg_temp.alike('SHOW gid.authorities', 'SELECT current_setting(''gid.decimal_authority'', true)') AS e;
SELECT count(*) FROM pg_settings WHERE name IN ('gid.authorities', 'gid.decimal_authority');
RESET SESSION AUTHORIZATION;
GRANT SET ON PARAMETER gid.authorities TO regress_gid_user;
GRANT pg_read_all_settings TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.authorities = 'postgresql://u@i/d';
SHOW gid.authorities;
RESET SESSION AUTHORIZATION;
REVOKE SET ON PARAMETER gid.authorities FROM regress_gid_user;

-- Before the library is loaded: PostgreSQL drops what a user has set, and a wrong value of
-- the database. Then the number of this server counts, as if the setting were empty.
ALTER SYSTEM SET gid.authority = 7;
\set until 'current_setting(''gid.authority'') = ''7'''
\i :reload
CREATE SEQUENCE public.regress_gid_ids;
GRANT USAGE ON SEQUENCE regress_gid_ids TO regress_gid_user;
\c -
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.authorities = 'postgresql://u@%2Fnonexistent:1/d';
SELECT gid_next_gdid('regress_gid_ids') AS own;
\c -
ALTER DATABASE :"DBNAME" SET gid.authorities = 'nonsense';
\c -
\i :expect
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_gid_user;
SET gid.authorities = '';
SELECT e.* FROM pg_temp.alike($$SELECT gid_next_gdid('regress_gid_ids')$$, $$SELECT gid_next_gdids('regress_gid_ids', 1)$$) AS e;
SELECT gid_next('regress_gid_ids') AS asks_nobody;
RESET SESSION AUTHORIZATION;
ALTER DATABASE :"DBNAME" RESET gid.authorities;
\c -

-- Clean up.
DROP SEQUENCE regress_gid_ids;
DROP ROLE regress_gid_user;
LOAD 'gid';
ALTER SYSTEM RESET gid.authority;
\set until 'current_setting(''gid.authority'') = ''-1'''
\i :reload
