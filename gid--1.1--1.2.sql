/* gid--1.1--1.2.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '1.2'" to load this file. \quit

--
-- Nothing belongs to the extension's owner any more
--

-- In version 1.1 the sequence and the two tables of node leases belonged to the
-- extension's owner.  Whoever owns a table can put code on it that runs as
-- whoever uses the table.  So nothing here reads the tables.

CREATE FUNCTION gid_stat_get_node_leases(
	OUT node int, OUT holder uuid, OUT since timestamptz, OUT until timestamptz,
	OUT client_name text, OUT client_address text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gid_stat_get_node_leases'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

REVOKE EXECUTE ON FUNCTION gid_stat_get_node_leases() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gid_stat_get_node_leases() TO pg_monitor;

COMMENT ON FUNCTION gid_stat_get_node_leases() IS
'The rows of the view gid_stat_node_leases. Error: 55000 when the table gid_node_leases was changed.';

-- OR REPLACE keeps views that depend on this one, and its privileges.
CREATE OR REPLACE VIEW gid_stat_node_leases AS
SELECT node, client_name, client_address, since, until, until > now() AS is_held, holder
FROM gid_stat_get_node_leases();

-- Drops the tables, whatever their owner has made of them, and frees the sequence
-- from a column.
CREATE FUNCTION gid_update_from_1_1()
RETURNS void
AS 'MODULE_PATHNAME', 'gid_update_from_1_1'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

SELECT gid_update_from_1_1();

DROP FUNCTION gid_update_from_1_1();

ALTER SEQUENCE gid_decimal_generator OWNER TO CURRENT_USER;
GRANT SELECT, UPDATE ON SEQUENCE gid_decimal_generator TO pg_database_owner;

-- No role has a privilege on this table: what stands in its rows is enough to
-- extend the lease of another server.
CREATE TABLE gid_node_leases (
	node int PRIMARY KEY,
	holder uuid NOT NULL,
	since timestamptz NOT NULL,
	until timestamptz NOT NULL,
	client_name text NOT NULL,
	client_address text NOT NULL
);

COMMENT ON TABLE gid_node_leases IS
'The leases of node numbers that this server has given to others: the last lease of each number. Do not change the rows: two servers could make equal ids. A dump leaves them out.';
COMMENT ON COLUMN gid_node_leases.node IS
'The node number.';
COMMENT ON COLUMN gid_node_leases.holder IS
'A random number of the server that holds or held the lease, from the server''s start to its end.';
COMMENT ON COLUMN gid_node_leases.since IS
'The first second of the lease, in the time of the ids.';
COMMENT ON COLUMN gid_node_leases.until IS
'The second after the last second of the lease, in the time of the ids.';
COMMENT ON COLUMN gid_node_leases.client_name IS
'The application_name of the last request.';
COMMENT ON COLUMN gid_node_leases.client_address IS
'The address of the last request: an IP address, or [local] for a Unix-domain socket.';

-- No primary key: a restored dump puts its row beside the one that CREATE
-- EXTENSION has made, and so does a subscription to all tables.
CREATE TABLE gid_node_authority (
	id int NOT NULL,
	system_identifier bigint NOT NULL,
	timeline bigint NOT NULL,
	database oid NOT NULL,
	leases oid NOT NULL,
	lease_max int NOT NULL,
	begins timestamptz NOT NULL
);

ALTER TABLE gid_node_authority REPLICA IDENTITY FULL;

-- A dump by the database's owner reads the row, a restore inserts it.
GRANT SELECT, INSERT ON gid_node_authority TO pg_database_owner;

-- A dump leaves out the row that CREATE EXTENSION makes.
SELECT pg_catalog.pg_extension_config_dump('gid_node_authority', 'WHERE lease_max > 0');

COMMENT ON TABLE gid_node_authority IS
'Which server has written gid_node_leases: one row. Another row beside it, as after loading a dump, makes a pause, and then goes. Do not change the row.';
COMMENT ON COLUMN gid_node_authority.id IS
'1. Dumps of version 1.1 have this column.';
COMMENT ON COLUMN gid_node_authority.system_identifier IS
'The system identifier of the server. 0 after an update of the extension.';
COMMENT ON COLUMN gid_node_authority.timeline IS
'The timeline of the server.';
COMMENT ON COLUMN gid_node_authority.database IS
'The OID of the database. 0 before the first lease.';
COMMENT ON COLUMN gid_node_authority.leases IS
'The OID of gid_node_leases, which is another one after a dump was loaded. 0 before the first lease.';
COMMENT ON COLUMN gid_node_authority.lease_max IS
'The greatest gid.node_lease_max, in seconds, under which a lease was given that may still run. 0 before the first lease.';
COMMENT ON COLUMN gid_node_authority.begins IS
'The moment before which no lease begins, because leases that the tables do not know may still run.';

-- A row of no server: leases begin when those of version 1.1 have ended.
CREATE FUNCTION gid_authority_begin(is_update boolean)
RETURNS void
AS 'MODULE_PATHNAME', 'gid_authority_begin'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

SELECT gid_authority_begin(true);

DROP FUNCTION gid_authority_begin(boolean);

COMMENT ON FUNCTION gid_authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int) IS
'Leases a node number to another server for the ids whose time is in [since, until), both whole seconds. The number is gid.node_first to max_node (0 to 65535). If holder, held_node and held_until name a lease in gid_node_leases, that lease is extended and keeps its number. until is cut to gid.node_lease_max after the time here. Where leases may run that the tables have lost, as after a failover, a restore or an update of the extension, node and until are null, and since is the moment before which no lease begins. The server that gid.node_authority serves calls this function itself, and uses the lease after gid_authority_confirm(). Errors: 22004 when another argument is null; 22003 when max_node is out of range; 22008 and 22023 when a time is, also when a clock is wrong; 2200H when all numbers are leased; 25006 in a read-only transaction; 55000 when the tables were changed; XX001, 58030 or 53100 when gid.clock cannot be used.';

COMMENT ON FUNCTION gid_authority_resume() IS
'Lets this server lease node numbers at once after a failover, a restore, an update or a new CREATE EXTENSION. A superuser calls it when no lease is missing: the promoted standby has every confirmed record, or no server holds a lease. Returns whether there was a pause. Errors: 42501 for all others; 25006 in a read-only transaction; 55000 when the tables were changed; XX001, 58030 or 53100 when gid.clock cannot be used.';
