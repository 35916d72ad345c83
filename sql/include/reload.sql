\set ECHO none
-- Reloads the configuration and waits, at most ten seconds, until :until holds in this
-- session. A backend notices the reload between two commands, so the wait is a row of
-- commands and not a loop in one command.
SELECT pg_reload_conf() AS reloaded \gset
SELECT format('DO $do$ BEGIN IF NOT (%s) THEN PERFORM pg_sleep(0.05); END IF; END $do$',
			  :'until')
FROM generate_series(1, 200) \gexec
\set ECHO all
