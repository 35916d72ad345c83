-- An open transaction reads values, then the server stops at once.  After recovery
-- another transaction reads the next values.  demo.sh runs this file twice, with
-- :first 1 and 0.  PGDATA is the server's data directory.

\set ECHO none
\pset border 1
\pset footer off
\if :first
\echo '== 8. A crash'
\echo
\echo 'nextval() gives out a value before it is on disk, gid_next() afterwards.  An open'
\echo 'transaction reads values, as if to send them to another system.  The server crashes'
\echo 'before the WAL writer has flushed the values.  That is a fraction of a second by'
\echo 'default, and up to 10 s here (wal_writer_delay), so that the crash comes in time.'
\echo
\set ECHO queries
CREATE SEQUENCE core_no;
CREATE SEQUENCE gid_no;
SELECT nextval('core_no') AS "nextval()", gid_next('gid_no') AS "gid_next()";
CHECKPOINT;
\set ECHO none
\else
\echo 'After recovery a transaction reads the next values.'
\echo
\endif
\set ECHO queries
BEGIN;
SELECT nextval('core_no') AS "nextval()", gid_next('gid_no') AS "gid_next()",
	gid_next_code('order_no', '00A000', 'alphanumeric', true) AS "gid_next_code()",
	gid_next_gdid('parcel') AS "gid_next_gdid()";
\set ECHO none
\if :first
\echo 'Now the server stops at once (pg_ctl stop -m immediate), and starts again.'
\echo
\! pg_ctl -D "$PGDATA" -s -m immediate stop
\else
COMMIT;
\echo 'nextval() gave the same value twice.'
\echo
\endif
