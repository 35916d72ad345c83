\set ECHO none
-- Start of a test of other servers: start.sql, loopback.sql and numbers.sql. Wants
-- :srcdir.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS gid;
RESET client_min_messages;
\set numbers :srcdir '/sql/include/numbers.sql'
\set include :srcdir '/sql/include/expect.sql'
\set loopback :srcdir '/sql/include/loopback.sql'
\i :include
\i :loopback
\i :numbers
