-- gid.launch_id: which launches a database accepts, also within a transaction and after a
-- session has changed it. settings.sql has who may set it.
\i sql/include/start.sql
LOAD 'gid';

ALTER SYSTEM SET gid.launch_id = 3001;
\set until 'current_setting(''gid.launch_id'') = ''3001'''
\i :reload
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;

-- A new launch takes effect at once, with a new generator and counter 1.
ALTER SYSTEM SET gid.launch_id = 3002;
\set until 'current_setting(''gid.launch_id'') = ''3002'''
\i :reload
SELECT gid_decimal_id() AS id \gset
SELECT gid_extract_decimal_launch(:id) AS launch, gid_extract_decimal_counter(:id) AS counter,
	last_value = 300200000 + gid_extract_decimal_generator(:id) AS reserved
FROM gid.decimal_generator;

-- A lower launch that has a block goes on in it, with one warning a session, so that a
-- deployment can roll. A lower launch without a block is refused, because it may have
-- been used up to any number. The refusal costs nothing.
ALTER SYSTEM SET gid.launch_id = 3001;
\set until 'current_setting(''gid.launch_id'') = ''3001'''
\i :reload
SELECT last_value AS before FROM gid.decimal_generator \gset
SELECT gid_decimal_id() AS id;
SELECT gid_decimal_id() AS id;
SELECT gid_forget('gid.decimal_generator');
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()', 'SELECT gid_decimal_id()') AS e;
SELECT last_value = :before AS unchanged FROM gid.decimal_generator;
ALTER SYSTEM SET gid.launch_id = 3002;
\set until 'current_setting(''gid.launch_id'') = ''3002'''
\i :reload
SELECT gid_decimal_id() = :id + 100000 AS next_generator;

-- The last generator of a launch, and the error after it. The owner of the sequence
-- may move it.
ALTER SYSTEM SET gid.launch_id = 3003;
\set until 'current_setting(''gid.launch_id'') = ''3003'''
\i :reload
SELECT setval('gid.decimal_generator', 300399999);
SELECT e.* FROM pg_temp.alike('SELECT gid_decimal_id()', 'SELECT gid_decimal_id()') AS e;
SELECT last_value FROM gid.decimal_generator;
SELECT setval('gid.decimal_generator', 300399998);
SELECT gid_decimal_id(), gid_decimal_id();
SELECT last_value FROM gid.decimal_generator;

-- The launch changes within a transaction.
ALTER SYSTEM SET gid.launch_id = 3004;
BEGIN;
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;
\set until 'current_setting(''gid.launch_id'') = ''3004'''
\i :reload
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;
COMMIT;

-- The largest launch.
ALTER SYSTEM SET gid.launch_id = 99999;
\set until 'current_setting(''gid.launch_id'') = ''99999'''
\i :reload
SELECT gid_extract_decimal_launch(gid_decimal_id()) AS launch;

-- Unset again: no id, although there is a block.
ALTER SYSTEM RESET gid.launch_id;
\set until 'current_setting(''gid.launch_id'') = '''''
\i :reload
SELECT e.code FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
ALTER SEQUENCE gid.decimal_generator RESTART;

-- A session that changes the launch goes on at once with a generator number of the other
-- launch, also after a commit that restores the first one. No id comes twice.
CREATE TEMP TABLE made (id bigint PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY);
SET gid.launch_id = 3010;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SET gid.launch_id = 3011;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
BEGIN;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SET LOCAL gid.launch_id = 3012;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
COMMIT;
SELECT gid_extract_decimal_launch(id) AS launch, count(*), max(gid_extract_decimal_counter(id)) - count(*) AS before
FROM made GROUP BY 1 ORDER BY 1;
-- Launch 3011 is lower now, and has its block.
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SET gid.launch_id = 3012;
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 3);
SELECT max(gid_extract_decimal_counter(id)) AS counter FROM made WHERE n > 15;
-- Unset for a session: no id.
SET gid.launch_id = '';
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_decimal_id()') AS e;
-- Clean up.
ALTER SEQUENCE gid.decimal_generator RESTART;
