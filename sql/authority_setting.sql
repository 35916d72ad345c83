-- gid.authorities and gid.decimal_authority: which values are connection URIs, and who may
-- see them.
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
SELECT * FROM pg_temp.checked('', '  ', 'postgres://u@h/d', E'\tpostgresql://u@a,[::1]:5433/d?sslmode=require\n',
	'postgresql://u@h/d postgresql://u@i/d', 'host=h dbname=d', 'http://h/d', 'postgresql://h/d?none=1', 'postgresql://u@h/d x',
	'postgresql://u@h/d?connect_timeout=1', 'postgresql://u@h/d?connect_timeout=3600', 'postgresql://u@h/d?connect_timeout=0',
	'postgresql://u@h/d?connect_timeout=3601', 'postgresql://u@h/d?connect_timeout=one');
-- A list has at most 16 URIs.
SELECT n, a.code, a.detail FROM generate_series(16, 17) AS n,
	pg_temp.expect(format('SET gid.authorities = %L', repeat(' postgresql://u@h/d', n))) AS a;
-- Passwords and other secrets are refused. No message shows the value.
SELECT * FROM pg_temp.checked('postgresql://u:s3cret@h/d', 'postgresql://u@h/d?password=s3cret', 'postgresql://u@h/d?sslpassword=s3cret',
	'postgresql://u@h/d postgresql://u:s3cret@i/d');
SELECT count(*) FROM unnest(ARRAY['oauth_client_secret', 'scram_client_key', 'scram_server_key']) AS p,
	pg_temp.expect(format('SET gid.authorities = %L', 'postgresql://u@h/d?' || p || '=x')) AS a WHERE a.code = '22023';
SET gid.authorities = 'postgresql://u:s3cret@h/d';

-- Superusers alone, and roles with a grant, see them.
SET ROLE regress_gid_user;
SELECT e.code FROM pg_temp.expect('SHOW gid.authorities', 'SHOW gid.decimal_authority', 'SHOW gid.node_authority') AS e;
SELECT count(*) FROM pg_settings WHERE name ~ '^gid.*authorit' AND name <> 'gid.authority';
RESET ROLE;

-- Clean up.
DROP ROLE regress_gid_user;
