\set ECHO none
-- This database in the role of another server: connection URIs that lead back to it.
--
-- pg_temp.uri(name): a URI with "name" as the application_name of the connection.
-- "host", "port" and "dbname" make others.
-- pg_temp.plain(text): the text without what differs between machines.
CREATE FUNCTION pg_temp.percent(text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(CASE WHEN b BETWEEN 48 AND 57 OR b BETWEEN 65 AND 90 OR b BETWEEN 97 AND 122
		THEN chr(b) ELSE '%' || lpad(upper(to_hex(b)), 2, '0') END, '' ORDER BY i)
	FROM (SELECT i, get_byte(bytes, i) AS b FROM convert_to($1, 'UTF8') AS bytes,
		generate_series(0, length(bytes) - 1) AS i) AS c
$$;
CREATE FUNCTION pg_temp.host() RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(nullif(btrim(split_part(current_setting('unix_socket_directories'), ',', 1), ' "'), ''), 'localhost')
$$;
CREATE FUNCTION pg_temp.uri(name text DEFAULT 'gid', host text DEFAULT pg_temp.host(),
	port text DEFAULT current_setting('port'), dbname text DEFAULT current_database(), options text DEFAULT '&connect_timeout=30')
RETURNS text LANGUAGE sql AS $$
	SELECT format('postgresql://%s@%s:%s/%s?application_name=%s%s', pg_temp.percent(session_user),
		pg_temp.percent(host), port, pg_temp.percent(dbname), pg_temp.percent(name), options)
$$;
CREATE FUNCTION pg_temp.plain(text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(replace(replace(replace($1,
		pg_temp.host() || ':' || current_setting('port') || '/' || current_database(), 'HERE'),
		pg_temp.host() || ':' || current_setting('port'), 'SERVER'), current_database(), 'DATABASE'),
		': (no connection|passed over)[^\n]*', ': not there', 'g')
$$;
SELECT pg_temp.uri() AS uri, pg_temp.uri('one') AS one, pg_temp.uri('two') AS two,
	pg_temp.uri(host => '/nonexistent', port => '1', dbname => 'gone') AS gone \gset
\set ECHO all
