/* gid--2.0--2.1.sql: the update from gid 2.0.  gid--2.1.sql has the whole surface. */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '2.1'" to load this file. \quit

-- The update changes no object that it need not change, because users have views on gid's
-- views, and rights of their own on its functions.  REVOKE makes all the rights that stand
-- on an object part of the extension, and dumps then leave out those that users granted.
-- So REVOKE is only for objects that the update itself makes.
