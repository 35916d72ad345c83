\set ECHO none
-- Start of a test of other servers: start.sql, loopback.sql and numbers.sql. Wants
-- :srcdir.
\set start :srcdir '/sql/include/start.sql'
\i :start
\set ECHO none
\i :loopback
\set ECHO none
\i :numbers
