-- gid.authorities and gid.decimal_authority: which values are connection URIs, who may
-- set them and who may see them.
\i sql/include/start.sql
LOAD 'gid';
CREATE ROLE regress_gid_user;

--
-- What is a connection URI
--

CREATE FUNCTION pg_temp.checked(VARIADIC uris text[])
RETURNS TABLE (uris text, authorities text, decimal_authority text, detail text) LANGUAGE sql AS $$
	SELECT string_agg(quote_literal(v.uri), ' ' ORDER BY n), a.code, d.code, coalesce(a.detail, d.detail)
	FROM unnest(uris) WITH ORDINALITY AS v (uri, n),
		pg_temp.expect(format('SET gid.authorities = %L', v.uri)) AS a,
		pg_temp.expect(format('SET gid.decimal_authority = %L', v.uri)) AS d GROUP BY 2, 3, 4 ORDER BY min(n)
$$;
SELECT * FROM pg_temp.checked('', '  ', 'postgresql://u@h/d', 'postgres://u@h/d', 'postgresql://u@h:1/d', ' postgresql://u@h/d ',
	E'\tpostgresql://u@h/d\n', 'postgresql://u@[::1]:5433/d', 'postgresql://u@%2Frun%2Fx/d', 'postgresql://u@/d?host=h',
	'postgresql://u@/?host=h&dbname=d', 'postgresql://u@/d?hostaddr=127.0.0.1', 'postgresql://u@a,b:5433/d?target_session_attrs=read-write',
	'postgresql://u@h/d?passfile=/f&sslmode=require&sslcert=c&sslkey=k', 'postgresql://u:@h/d', 'postgresql://u@h/%C3%A9');
-- A list has at most 16 URIs, with blanks between them.
SELECT * FROM pg_temp.checked('postgresql://u@h/d postgresql://u@i/d', E'postgresql://u@h/d\n  postgresql://u@h/d');
SELECT n, a.code, a.detail FROM generate_series(15, 17) AS n,
	pg_temp.expect(format('SET gid.authorities = %L', repeat(' postgresql://u@h/d', n))) AS a;
-- Values that are no URI, or that lack a host, a database or a user.
SELECT * FROM pg_temp.checked('h', 'host=h dbname=d', 'regress_gid_1', 'http://h/d', 'POSTGRESQL://h/d', 'postgresql:/h/d', 'postgresql:h',
	'postgresql://', 'postgresql:///', 'postgresql://h', 'postgresql://h/', 'postgresql:///d', 'postgresql://u@/d', 'postgresql://:1/d',
	'postgresql://h/d', 'postgresql://h/d?user=', 'postgresql://u@h/d postgresql://@h/d',
	'postgresql://h/d?host=', 'postgresql://h/d?dbname=', 'postgresql://h/d?none=1', 'postgresql://h/d?connect_timeout', 'postgresql://[::1/d',
	'postgresql://h/%', 'postgresql://h/%00',
	'postgresql://u@h/d x', '"postgresql://h/d"');
-- As many addresses as hosts; as many ports, or one for all. The last five are wrong.
SELECT uris, authorities, decimal_authority FROM pg_temp.checked('postgresql://u@/d?host=h,i&hostaddr=1.2.3.4,1.2.3.5',
	'postgresql://u@/d?host=h,i,j&port=1', 'postgresql://u@/d?host=h,i&port=1,2', 'postgresql://u@/d?hostaddr=1.2.3.4,1.2.3.5&port=1,2',
	'postgresql://u@/d?host=h,&hostaddr=,1.2.3.5', 'postgresql://u@/d?host=h,i&hostaddr=1.2.3.4', 'postgresql://u@/d?host=h&hostaddr=1.2.3.4,1.2.3.5',
	'postgresql://u@/d?host=h&port=1,2', 'postgresql://u@/d?host=h,i,j&port=1,2', 'postgresql://u@/d?host=h,,j');
-- connect_timeout is 1 to 3600 s.
SELECT * FROM pg_temp.checked(VARIADIC ARRAY(SELECT 'postgresql://u@h/d?connect_timeout=' || t
FROM unnest(ARRAY['1', '2', '3600', '0010', '', '0', '-1', '3601', '10000', '99999999999', '1.5', '1s', 'one', '%201']) AS t));
-- Parameters that a URI may have, and others. Some are those of a newer libpq, and an
-- older one does not know them. An empty parameter counts as not given.
SELECT count(*) FILTER (WHERE a.code = '00000') AS may, string_agg(p, ' ') FILTER (WHERE a.code <> '00000') AS may_not
FROM unnest(ARRAY['application_name=x', 'channel_binding=prefer', 'connect_timeout=1', 'dbname=d', 'gssencmode=disable', 'host=h', 'hostaddr=127.0.0.1',
	'keepalives=1', 'keepalives_count=1', 'keepalives_idle=1', 'keepalives_interval=1', 'krbsrvname=x', 'options=-c%20geqo%3doff', 'passfile=/f', 'port=1',
	'requirepeer=x', 'sslcert=c', 'sslcrl=c', 'sslcrldir=c', 'sslkey=k', 'sslmode=disable', 'sslrootcert=c', 'sslsni=0', 'ssl=true',
	'ssl_max_protocol_version=TLSv1.3', 'ssl_min_protocol_version=TLSv1.2', 'target_session_attrs=any', 'tcp_user_timeout=1', 'user=u']) AS p,
	pg_temp.expect(format('SET gid.authorities = %L', 'postgresql://u@h/d?' || p)) AS a;
SELECT * FROM pg_temp.checked(VARIADIC ARRAY(SELECT 'postgresql://u@h/d?' || p
FROM unnest(ARRAY['client_encoding=SQL_ASCII', 'fallback_application_name=x', 'gsslib=gssapi', 'replication=database', 'replication=off', 'service=x',
	'sslcompression=0', 'service=', 'client_encoding=&sslmode=&password=']) AS p));
SELECT count(*), a.code, a.detail IN ('The value is not a valid libpq connection URI.',
	CASE WHEN secret THEN 'A connection URI must not contain a password or another secret.'
		ELSE format('A connection URI must not have the parameter "%s".', p) END) AS as_expected
FROM (VALUES ('gssdelegation', false), ('load_balance_hosts', false), ('oauth_client_id', false), ('oauth_issuer', false), ('oauth_scope', false),
	('servicefile', false), ('sslkeylogfile', false), ('oauth_client_secret', true), ('scram_client_key', true), ('scram_server_key', true)) AS v (p, secret),
	pg_temp.expect(format('SET gid.authorities = %L', 'postgresql://u@h/d?' || p || '=x')) AS a GROUP BY 2, 3;
-- Passwords are refused. The message does not show the value, and no catalog stores
-- it.
SELECT * FROM pg_temp.checked('postgresql://u:s3cret@h/d', 'postgresql://u@h/d?password=s3cret', 'postgresql://u@h/d?sslpassword=s3cret',
	'postgresql://h/d?user=u&passw%6Frd=s3cret', 'postgresql://u@h/d postgresql://u:s3cret@i/d');
SELECT s.name, e.code, e.message, e.detail, e.hint FROM unnest(ARRAY['gid.authorities', 'gid.decimal_authority']) AS s (name),
	pg_temp.expect(format('SET %s = ''postgresql://u:s3cret@h/d''', s.name)) AS e;
SELECT bool_or(e::text ~ 's3cret') AS shown FROM (SELECT e.code, e.message, e.detail, e.hint FROM
	pg_temp.expect('SET gid.authorities = ''postgresql://u:s3cret@h/d''', 'SET gid.authorities = ''postgresql://u:s3cret@h/d?none=s3cret''',
		'SET gid.decimal_authority = ''postgresql://u:s3cret@[h/d''', 'SET gid.decimal_authority = ''u:s3cret@h/d''') AS e) AS e;
\set VERBOSITY terse
ALTER DATABASE :"DBNAME" SET gid.authorities = 'postgresql://u:s3cret@h/d';
ALTER ROLE regress_gid_user SET gid.decimal_authority = 'postgresql://u:s3cret@h/d';
ALTER SYSTEM SET gid.authorities = 'postgresql://u:s3cret@h/d';
\set VERBOSITY default
SELECT count(*) FROM pg_db_role_setting WHERE setconfig::text ~ 'gid\.';
-- A wrong value leaves the earlier one in place.
SET gid.authorities = 'postgresql://u@h/d';
SET gid.authorities = 'postgresql://u@h';
SHOW gid.authorities;
RESET gid.authorities;
SHOW gid.authorities;
RESET gid.decimal_authority;

--
-- Who may set them and who may see them
--

-- Superusers set them, and roles with a grant: for a session, a role, a database.
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.statements, e.code, e.message FROM pg_temp.alike('SET gid.authorities = ''postgresql://u@h/d''', 'SET gid.decimal_authority = ''postgresql://u@h/d''',
	'SET gid.authorities = DEFAULT', 'SET gid.decimal_authority = ''''', 'SELECT set_config(''gid.authorities'', '''', true)',
	'ALTER ROLE regress_gid_user SET gid.authorities = ''postgresql://u@h/d''',
	'ALTER ROLE regress_gid_user SET gid.decimal_authority = ''postgresql://u@h/d''') AS e;
RESET SESSION AUTHORIZATION;
GRANT SET ON PARAMETER gid.authorities TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.code FROM pg_temp.expect('SET gid.authorities = ''postgresql://u@h/d''', 'SET gid.decimal_authority = ''postgresql://u@h/d''') AS e;
RESET SESSION AUTHORIZATION;
RESET gid.authorities;
REVOKE SET ON PARAMETER gid.authorities FROM regress_gid_user;
-- Nobody else sees them, neither by SHOW nor in a view.
SET gid.authorities = 'postgresql://u@h/d';
SET gid.decimal_authority = 'postgresql://u@h/d';
SELECT count(*) FROM pg_settings WHERE name IN ('gid.authorities', 'gid.decimal_authority');
SET SESSION AUTHORIZATION regress_gid_user;
SELECT e.statements, e.code FROM pg_temp.alike('SHOW gid.authorities', 'SHOW gid.decimal_authority', 'SELECT current_setting(''gid.authorities'')',
	'SELECT current_setting(''gid.decimal_authority'', true)') AS e;
SELECT count(*) FROM pg_settings WHERE name IN ('gid.authorities', 'gid.decimal_authority');
RESET SESSION AUTHORIZATION;
GRANT pg_read_all_settings TO regress_gid_user;
SET SESSION AUTHORIZATION regress_gid_user;
SHOW gid.authorities;
SELECT name, setting FROM pg_settings WHERE name = 'gid.decimal_authority';
RESET SESSION AUTHORIZATION;
REVOKE pg_read_all_settings FROM regress_gid_user;
RESET gid.authorities;
RESET gid.decimal_authority;

-- Clean up.
DROP ROLE regress_gid_user;
