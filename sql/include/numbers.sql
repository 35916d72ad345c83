\set ECHO none
-- Gives this server the number 0 in TraceIds and in GDIDs. no_numbers.sql undoes it.
LOAD 'gid';
ALTER SYSTEM SET gid.node_no = 0;
ALTER SYSTEM SET gid.authority = 0;
\set until 'current_setting(''gid.node_no'') = ''0'' AND current_setting(''gid.authority'') = ''0'''
\i :reload
