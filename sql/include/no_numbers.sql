\set ECHO none
-- Undoes numbers.sql.
LOAD 'gid';
ALTER SYSTEM RESET gid.node_no;
ALTER SYSTEM RESET gid.authority;
\set until 'current_setting(''gid.node_no'') = ''-1'' AND current_setting(''gid.authority'') = ''-1'''
\i :reload
