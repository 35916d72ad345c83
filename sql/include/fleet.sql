\set ECHO none
-- What the tests of other servers begin with: the extension, pg_temp.expect(), URIs
-- that lead back here, the numbers of this server.  Wants :srcdir.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS gid;
RESET client_min_messages;
\set numbers :srcdir '/sql/include/numbers.sql'
\set include :srcdir '/sql/include/expect.sql'
\set loopback :srcdir '/sql/include/loopback.sql'
\i :include
\i :loopback
\i :numbers
