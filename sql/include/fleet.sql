\set ECHO none
-- Start of a test of other servers: start.sql, loopback.sql and numbers.sql.
\i sql/include/start.sql
\set ECHO none
\i :loopback
\set ECHO none
\i :numbers
