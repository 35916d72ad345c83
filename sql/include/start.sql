\set ECHO none
-- Start of a test: the extension, pg_temp.expect(), and a variable for each of the
-- other files here, and :srcdir. pg_regress runs in the tree's top directory. Results
-- come as bare rows: the query above says what the columns are.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
\getenv version GID_VERSION
\if :{?version}
CREATE EXTENSION IF NOT EXISTS gid VERSION :'version';
\else
CREATE EXTENSION IF NOT EXISTS gid;
\endif
RESET client_min_messages;
SELECT gid_edition() = 'c' AS library \gset
\getenv srcdir PG_ABS_SRCDIR
\set expect :srcdir '/sql/include/expect.sql'
\set gdids :srcdir '/sql/include/gdids.sql'
\set loopback :srcdir '/sql/include/loopback.sql'
\set no_numbers :srcdir '/sql/include/no_numbers.sql'
\set numbers :srcdir '/sql/include/numbers.sql'
\set parallel :srcdir '/sql/include/parallel.sql'
\set plan :srcdir '/sql/include/plan.sql'
\set reload :srcdir '/sql/include/reload.sql'
\set sequence :srcdir '/sql/include/sequence.sql'
\i :expect
