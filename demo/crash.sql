-- A value is read in an open transaction, then the server stops at once; after
-- recovery it is read again.  demo.sh runs this twice, with :first 1 and 0; PGDATA
-- is the server's data directory.

\set ECHO none
\pset border 1
\pset footer off
\if :first
\echo '== 7. A crash'
\echo
\echo 'nextval() hands a value out before it is on disk; gid_next() after that.  A value is'
\echo 'read in a transaction that is open, as if to send it to another system ...'
\echo
CREATE SEQUENCE core_no;
CREATE SEQUENCE gid_no;
SELECT nextval('core_no'), gid_next('gid_no') \g /dev/null
CHECKPOINT;
\else
\echo '... and after recovery the next one is read.'
\echo
\endif
\set ECHO queries
BEGIN;
SELECT nextval('core_no') AS "nextval()", gid_next('gid_no') AS "gid_next()",
	gid_next_code('order_no', '00A000', 'alphanumeric', true) AS "gid_next_code()",
	gid_next_gdid('parcel') AS "gid_next_gdid()";
\set ECHO none
\if :first
\echo '... the server is stopped at once (pg_ctl stop -m immediate), and started ...'
\echo
\! pg_ctl -D "$PGDATA" -s -m immediate stop
\else
COMMIT;
\echo 'nextval() gave the same value twice.'
\echo
\endif
