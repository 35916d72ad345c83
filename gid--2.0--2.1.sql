/* gid--2.0--2.1.sql: the update from gid 2.0.  gid--2.1.sql has the whole surface. */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '2.1'" to load this file. \quit

-- The update changes no object that it need not change, because users have views on gid's
-- views, and rights of their own on its functions.  REVOKE makes all the rights that stand
-- on an object part of the extension, and dumps then leave out those that users granted.
-- So REVOKE is only for objects that the update itself makes.

--
-- Leases of node numbers
--

CREATE OR REPLACE FUNCTION gid.authority_node(
	IN holder uuid, IN held_node int, IN held_until timestamptz,
	IN since timestamptz, IN until timestamptz, IN max_node int,
	OUT node int, OUT since timestamptz, OUT until timestamptz)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_authority_node'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE OR REPLACE FUNCTION gid.authority_resume()
RETURNS boolean
AS 'MODULE_PATHNAME', 'gid_authority_resume'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE OR REPLACE FUNCTION gid.stat_get_node_leases(
	OUT node int, OUT holder uuid, OUT since timestamptz, OUT until timestamptz,
	OUT client_name text, OUT client_address text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_node_leases'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;

DROP FUNCTION gid.lease_end_pause(timestamptz, bigint, bigint, oid, int),
	gid.lease_begins(timestamptz, bigint, bigint, oid, int),
	gid.lease_grant(uuid, int, timestamptz, timestamptz, timestamptz, int, int, timestamptz),
	gid.lease_read(timestamptz), gid.lease_tables(regclass, regclass, boolean, boolean),
	gid.lease_arguments(timestamptz, uuid, int, timestamptz, timestamptz, timestamptz, int),
	gid.lease_pause(timestamptz), gid.lease_used_up(int, int, timestamptz);
