/* gid--1.1--1.2.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '1.2'" to load this file. \quit

/*
 * gid_stat_failover has two columns more.  The view is replaced and not
 * dropped, so that what users have built on it stays.
 */
ALTER FUNCTION gid_stat_get_failover() RENAME TO gid_stat_get_failover_1_1;

CREATE FUNCTION gid_stat_get_failover(
	OUT timeline bigint, OUT timeline_begins_at pg_lsn,
	OUT sequences_skipped bigint, OUT values_skipped bigint,
	OUT standbys_wanted int, OUT standbys_connected int,
	OUT sessions_waiting int, OUT reservations_lost bigint,
	OUT waiting_since timestamptz, OUT without_standbys_since timestamptz)
RETURNS record
AS 'MODULE_PATHNAME', 'gid_stat_get_failover'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gid_stat_get_failover() IS
'The row of the view gid_stat_failover.';

CREATE OR REPLACE VIEW gid_stat_failover AS
SELECT timeline, timeline_begins_at, sequences_skipped, values_skipped,
	standbys_wanted, standbys_connected, sessions_waiting, reservations_lost,
	waiting_since, without_standbys_since
FROM gid_stat_get_failover();

DROP FUNCTION gid_stat_get_failover_1_1();

COMMENT ON COLUMN gid_stat_failover.standbys_wanted IS
'How many standbys must have a reservation on disk before its values are used: gid.reservation_standbys. NULL: its value, or that of gid.reservation_wait, was refused in this session.';
COMMENT ON COLUMN gid_stat_failover.sessions_waiting IS
'How many sessions wait for standbys to have a reservation, synchronous standbys included. A session that waits for another one to do so counts, too, within a second.';
COMMENT ON COLUMN gid_stat_failover.waiting_since IS
'When the first of the sessions that wait began to wait. NULL: no session waits.';
COMMENT ON COLUMN gid_stat_failover.without_standbys_since IS
'Since when reservations are used without the standbys of gid.reservation_standbys, because these have been missing for gid.reservation_wait. NULL: reservations are not used without them.';
