\set ECHO none
-- Reloads the configuration and waits, ten seconds at most, until :until holds
-- in this session.  A backend takes notice between two commands, so that the
-- wait is a row of commands and not a loop in one.
SELECT pg_reload_conf() AS reloaded \gset
SELECT format('DO $do$ BEGIN IF NOT (%s) THEN PERFORM pg_sleep(0.05); END IF; END $do$',
			  :'until')
FROM generate_series(1, 200) \gexec
\set ECHO all
