-- gid.stat_failover: on a first timeline, for everybody, and with
-- gid.reservation_standbys on a server without standbys. The tests of test/t have
-- standbys and new timelines.
\i sql/include/start.sql
LOAD 'gid';
CREATE ROLE regress_gid_user;
CREATE SEQUENCE regress_gid_failover CACHE 10;

-- A server that was never promoted or restored passes over nothing.
SET ROLE regress_gid_user;
SELECT * FROM gid.stat_failover;
RESET ROLE;
SELECT gid_next('regress_gid_failover');
SET gid.timeline_skip = 1000;
SELECT gid_forget('regress_gid_failover');
SELECT gid_next('regress_gid_failover');
RESET gid.timeline_skip;
SELECT sequences_skipped, values_skipped FROM gid.stat_failover;

-- Without standbys nobody gets a value, not of a block that is open, either. The end
-- of the wait loses the block. A statement that needs no reservation does not wait.
ALTER SYSTEM SET gid.reservation_standbys = 1;
\set until 'current_setting(''gid.reservation_standbys'') = ''1'''
\i :reload
SELECT standbys_wanted, standbys_connected, sessions_waiting, reservations_lost AS lost FROM gid.stat_failover \gset
SELECT :standbys_wanted AS wanted, :standbys_connected AS connected, :sessions_waiting AS waiting;
SELECT last_value FROM regress_gid_failover;
SET statement_timeout = '200ms';
\set VERBOSITY terse
SELECT gid_next('regress_gid_failover');
SELECT gid_next_many('regress_gid_failover', 3);
SELECT gid_next_code('regress_gid_failover', '000');
\set VERBOSITY default
SELECT gid_uuid_v7() IS NOT NULL AS made;
RESET statement_timeout;
SELECT reservations_lost - :lost AS lost, sessions_waiting FROM gid.stat_failover;
SELECT last_value FROM regress_gid_failover;

-- Once the setting is lowered the values that were waited for are gone.
ALTER SYSTEM RESET gid.reservation_standbys;
\set until 'current_setting(''gid.reservation_standbys'') = ''0'''
\i :reload
SELECT gid_next('regress_gid_failover') > 33 AS later;
SELECT standbys_wanted FROM gid.stat_failover;

-- Clean up.
DROP SEQUENCE regress_gid_failover;
DROP ROLE regress_gid_user;
