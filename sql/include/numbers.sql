\set ECHO none
-- This server has the number 0 in TraceIds and in GDIDs.  Wants :srcdir; sets
-- :no_numbers, a file that unsets both numbers.
LOAD 'gid';
ALTER SYSTEM SET gid.node_no = 0;
ALTER SYSTEM SET gid.authority = 0;
\set reload :srcdir '/sql/include/reload.sql'
\set no_numbers :srcdir '/sql/include/no_numbers.sql'
\set until 'current_setting(''gid.node_no'') = ''0'' AND current_setting(''gid.authority'') = ''0'''
\i :reload
