-- Sequences that know their columns: gid.columns, gid_advance(), gid_catch_up().
\i sql/include/start.sql
\set ECHO none
CREATE SCHEMA regress_gid_columns;
SET search_path = regress_gid_columns, public;
CREATE ROLE regress_gid_columns;
GRANT USAGE ON SCHEMA regress_gid_columns TO regress_gid_columns;

-- Which columns have a row
CREATE TABLE serial_t (id serial PRIMARY KEY, name text);
CREATE TABLE identity_t (id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
CREATE SEQUENCE shared;
CREATE TABLE default_t (id bigint PRIMARY KEY DEFAULT nextval('shared'), other int UNIQUE DEFAULT nextval('shared'));
CREATE TABLE gid_t (id bigint PRIMARY KEY DEFAULT gid_next('shared'));
CREATE SEQUENCE of_nobody;
CREATE TABLE owned_t (id int PRIMARY KEY, code text);
CREATE SEQUENCE owned OWNED BY owned_t.code;
CREATE DOMAIN positive AS bigint CHECK (VALUE > 0);
CREATE TABLE domain_t (id positive PRIMARY KEY DEFAULT nextval('shared'));
CREATE TABLE odd_t (id numeric PRIMARY KEY DEFAULT nextval('shared'), code text UNIQUE DEFAULT 'x' || nextval('shared'),
	tenfold int UNIQUE DEFAULT nextval('shared') * 10, made int GENERATED ALWAYS AS (5 + 1) STORED UNIQUE);
CREATE VIEW view_v AS SELECT id FROM serial_t;
ALTER VIEW view_v ALTER id SET DEFAULT nextval('shared');
CREATE FOREIGN DATA WRAPPER regress_gid_wrapper;
CREATE SERVER regress_gid_server FOREIGN DATA WRAPPER regress_gid_wrapper;
CREATE FOREIGN TABLE foreign_t (id int DEFAULT nextval('shared')) SERVER regress_gid_server;
CREATE TEMP TABLE temporary_t (id serial PRIMARY KEY);
CREATE UNLOGGED TABLE unlogged_t (id serial PRIMARY KEY);
-- Partitions: the columns have other numbers, one has an own sequence.
CREATE TABLE parts (gone int, id bigserial, kind int, PRIMARY KEY (id, kind)) PARTITION BY LIST (kind);
ALTER TABLE parts DROP gone;
CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE part_2 (kind int NOT NULL, dropped text, id bigserial);
ALTER TABLE part_2 DROP dropped;
ALTER TABLE parts ATTACH PARTITION part_2 FOR VALUES IN (2);
INSERT INTO serial_t (name) VALUES ('a'), ('b');
INSERT INTO serial_t VALUES (5, 'c');
INSERT INTO identity_t OVERRIDING SYSTEM VALUE VALUES (1), (3), (-5);
INSERT INTO default_t VALUES (7, 4);
INSERT INTO gid_t VALUES (9);
INSERT INTO domain_t VALUES (11);
INSERT INTO odd_t VALUES (100, 'y', 30);
INSERT INTO temporary_t VALUES (1);
INSERT INTO unlogged_t VALUES (1);
INSERT INTO parts VALUES (20, 1), (30, 2);
\set ECHO all
SELECT relation, attribute, type, sequence, source, last, "greatest", behind
FROM gid.columns WHERE relation::oid IN (SELECT oid FROM pg_class WHERE relnamespace = 'regress_gid_columns'::regnamespace)
	OR relation::text = 'temporary_t' ORDER BY relation::text, attribute;
-- A deep default does not end the view for all.
BEGIN;
DO $$BEGIN EXECUTE format('CREATE TABLE deep_t (id bigint DEFAULT nextval(''shared'')%s)', repeat(' + 1', 2000)); END$$;
SET LOCAL max_stack_depth = '200kB';
SELECT count(*) FROM gid.columns WHERE relation = 'deep_t'::regclass;
ROLLBACK;
-- The view keeps no lock: a database can have more tables than the server has locks.
BEGIN;
SELECT "greatest" FROM gid.columns WHERE relation = 'serial_t'::regclass;
SELECT count(*) FROM pg_locks
WHERE pid = pg_backend_pid() AND relation IN ('serial_t'::regclass, 'serial_t_pkey'::regclass, 'serial_t_id_seq'::regclass);
\set ECHO none
ROLLBACK;

-- The greatest value. The rows of open transactions count, deleted ones and
-- NULLs do not; nor does a HOT update hide one.
CREATE TABLE nullable_t (id int UNIQUE DEFAULT nextval('shared'), n int);
INSERT INTO nullable_t VALUES (NULL), (40), (50), (45);
DELETE FROM nullable_t WHERE id = 50;
UPDATE nullable_t SET n = 1 WHERE id = 45;
BEGIN;
INSERT INTO nullable_t VALUES (60);
SAVEPOINT s;
INSERT INTO nullable_t VALUES (70);
ROLLBACK TO s;
\set ECHO all
SELECT "greatest" FROM gid.columns WHERE relation = 'nullable_t'::regclass;
ROLLBACK;
SELECT "greatest" FROM gid.columns WHERE relation = 'nullable_t'::regclass;
-- Indexes that do, and that do not
CREATE TABLE index_t (id int NOT NULL DEFAULT nextval('shared'), n int);
INSERT INTO index_t VALUES (8), (80), (88);
CREATE INDEX partial ON index_t (id) WHERE id < 100;
CREATE INDEX second ON index_t (n, id);
CREATE INDEX expression ON index_t ((id + 0));
CREATE INDEX hashed ON index_t USING hash (id);
CREATE INDEX brin ON index_t USING brin (id);
CREATE OPERATOR CLASS reversed FOR TYPE int USING btree AS OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <,
	FUNCTION 1 btint4cmp(int, int);
CREATE INDEX of_class ON index_t (id reversed);
CREATE FUNCTION pg_temp.greatest() RETURNS bigint RETURN (SELECT c."greatest" FROM gid.columns AS c WHERE c.relation = 'index_t'::regclass);
SELECT pg_temp.greatest() IS NULL AS unknown;
CREATE INDEX good ON index_t (id DESC NULLS FIRST, n);
SELECT pg_temp.greatest();
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'good'::regclass;
SELECT pg_temp.greatest() IS NULL AS unknown;
DROP INDEX good;
CREATE INDEX good ON index_t (id NULLS FIRST) INCLUDE (n);
SELECT pg_temp.greatest();

-- gid_advance(): forward only, by the sequence's steps.
CREATE SEQUENCE tens INCREMENT 10;
SELECT gid_advance('tens', 57), nextval('tens'), gid_advance('tens', 60), gid_advance('tens', 61), gid_advance('tens', 70), nextval('tens');
CREATE SEQUENCE untouched START 10;
SELECT gid_advance('untouched', 9), gid_advance('untouched', -9223372036854775808), nextval('untouched');
CREATE SEQUENCE odd INCREMENT 2;
SELECT gid_advance('odd', 100), gid_next('odd'), gid_advance('odd', 101), gid_next('odd');
CREATE SEQUENCE down INCREMENT -3;
SELECT gid_advance('down', -50), gid_next('down'), gid_advance('down', -9), gid_next('down');
CREATE SEQUENCE wide MINVALUE -9223372036854775808;
SELECT gid_advance('wide', 9223372036854775806), nextval('wide'), gid_advance('wide', 9223372036854775807);
-- Blocks of gid end at once, also where the page is beyond already.
CREATE SEQUENCE blocks;
\if :library
ALTER SEQUENCE blocks CACHE 200;
\endif
SELECT count(gid_next('blocks')) FROM generate_series(1, 100);
\if :library
SELECT next FROM gid.stat_sequences WHERE sequence = 'blocks'::regclass;
SELECT gid_next('blocks'), gid_advance('blocks', 90), gid_next('blocks'), gid_advance('blocks', 110) > 120 AS longer, gid_next('blocks') > 120 AS later;
\endif
-- Not transactional, and good for temporary, unlogged and cached ones, and for
-- one that the transaction has made or altered.
BEGIN;
SELECT gid_advance('blocks', 10000);
ROLLBACK;
SELECT gid_next('blocks');
SELECT gid_advance('temporary_t_id_seq', 5), nextval('temporary_t_id_seq'), gid_advance('unlogged_t_id_seq', 5), nextval('unlogged_t_id_seq');
\if :library
CREATE SEQUENCE cached CACHE 20;
SELECT gid_next('cached'), gid_advance('cached', 7) AS of_page, gid_next('cached') > 7 AS later;
\endif
BEGIN;
CREATE SEQUENCE fresh;
SELECT gid_advance('fresh', 5), gid_next('fresh');
ALTER SEQUENCE blocks RESTART;
SELECT gid_advance('blocks', 20000), nextval('blocks');
ROLLBACK;
CREATE SEQUENCE small MAXVALUE 10;
CREATE SEQUENCE cycling CYCLE;
SELECT e.* FROM pg_temp.alike('SELECT gid_advance(''small'', 11)', 'SELECT gid_advance(''cycling'', 5)', 'SELECT gid_advance(''serial_t'', 5)',
	'SELECT gid_advance(0::oid::regclass, 5)', 'SELECT gid_advance(''small'', 10)') AS e;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_next(''small'')') AS e;
BEGIN READ ONLY;
SELECT e.code, e.message FROM pg_temp.expect('SELECT gid_advance(''small'', 5)', 'SELECT gid_catch_up()') AS e;
ROLLBACK;
SELECT gid_advance(NULL, 5) IS NULL, gid_advance('small', NULL) IS NULL;

-- gid_catch_up()
SELECT * FROM gid_catch_up('serial_t', 'identity_t', 'temporary_t', 'unlogged_t', 'part_1', 'part_2');
SELECT * FROM gid_catch_up('serial_t', 'identity_t', 'temporary_t', 'unlogged_t', 'parts', 'part_2');
INSERT INTO serial_t (name) VALUES ('next') RETURNING id;
-- Several columns of one sequence, and columns without an answer.
SELECT * FROM gid_catch_up('default_t', 'gid_t', 'domain_t', 'odd_t', 'owned_t', 'view_v', 'foreign_t', 'index_t', 'nullable_t');
SELECT count(*) FILTER (WHERE behind), count(*) FILTER (WHERE NOT behind) FROM gid.columns WHERE sequence = 'shared'::regclass;
-- One row with a great number does not use up the sequence.
INSERT INTO serial_t VALUES (2147483647, 'greatest');
INSERT INTO identity_t OVERRIDING SYSTEM VALUE VALUES (20000);
SELECT * FROM gid_catch_up('serial_t', 'identity_t');
SELECT gid_advance('identity_t_id_seq', 20000);
SELECT * FROM gid_catch_up('identity_t');
-- Wider than the sequence, narrower, exhausted, descending, with CYCLE.
\set ECHO none
CREATE TABLE wider (id bigserial PRIMARY KEY);
ALTER SEQUENCE wider_id_seq AS int;
INSERT INTO wider VALUES (5000000000);
CREATE SEQUENCE for_narrower START 1073741824;
CREATE TABLE narrower (id int PRIMARY KEY DEFAULT nextval('for_narrower'));
INSERT INTO narrower VALUES (DEFAULT), (1500000000);
CREATE TABLE ended (id int GENERATED ALWAYS AS IDENTITY (MAXVALUE 3) PRIMARY KEY);
INSERT INTO ended SELECT FROM generate_series(1, 3);
CREATE TABLE descending (id int GENERATED BY DEFAULT AS IDENTITY (INCREMENT -1) PRIMARY KEY);
INSERT INTO descending VALUES (DEFAULT), (5), (-40);
CREATE TABLE round (id int GENERATED BY DEFAULT AS IDENTITY (CYCLE) PRIMARY KEY);
INSERT INTO round VALUES (1500000000);
CREATE TABLE never_round (id smallint PRIMARY KEY DEFAULT nextval('cycling'));
\set ECHO all
SELECT setval('cycling', 32767), setval('round_id_seq', 1000000000);
SELECT relation, last, "greatest", behind, round(used::numeric, 3) AS used FROM gid.columns
WHERE relation::text IN ('serial_t', 'identity_t', 'wider', 'narrower', 'ended', 'descending', 'round', 'never_round') ORDER BY relation::text;
SELECT * FROM gid_catch_up('wider', 'narrower', 'ended', 'descending', 'round');
INSERT INTO descending VALUES (DEFAULT) RETURNING id;
-- The emergency restart of an int column: "used" is right again.
ALTER SEQUENCE serial_t_id_seq START -2147483648 MINVALUE -2147483648 MAXVALUE -1 RESTART;
INSERT INTO serial_t (name) VALUES ('below') RETURNING id;
SELECT last, "greatest", behind, used < 0.001 AS little FROM gid.columns WHERE relation = 'serial_t'::regclass;
-- NULL, no table with a sequence, and all.
SELECT * FROM gid_catch_up(NULL, 'regress_gid_columns.index_t');
SELECT * FROM gid_catch_up(VARIADIC NULL);
INSERT INTO gid_t VALUES (1000);
SELECT count(*) > 1 AS several, count(*) FILTER (WHERE done AND relation = 'gid_t'::regclass) AS done FROM gid_catch_up();

\if :library
-- Inheritance: three levels, a child whose column has another number, one
-- without an index, one under row security, and one with a default of its own.
CREATE TABLE elder (id bigserial PRIMARY KEY, n int);
CREATE TABLE child (PRIMARY KEY (id)) INHERITS (elder);
CREATE TABLE grandchild (PRIMARY KEY (id)) INHERITS (child);
CREATE TABLE other_number (n int, id bigint PRIMARY KEY DEFAULT nextval('elder_id_seq'));
ALTER TABLE other_number INHERIT elder;
CREATE TABLE policed (PRIMARY KEY (id)) INHERITS (elder);
ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
CREATE TABLE of_its_own (id bigserial PRIMARY KEY) INHERITS (elder);
INSERT INTO child SELECT generate_series(1, 100);
INSERT INTO grandchild SELECT generate_series(101, 200);
SELECT relation, sequence, source, "greatest", behind FROM gid.columns
WHERE relation::text IN ('elder', 'child', 'grandchild', 'other_number', 'policed', 'of_its_own') ORDER BY relation::text;
SELECT * FROM gid_catch_up('elder');
INSERT INTO elder DEFAULT VALUES RETURNING id;
INSERT INTO other_number (id) VALUES (300);
SELECT * FROM gid_catch_up('grandchild', 'of_its_own');
INSERT INTO policed (id) VALUES (400);
SELECT relation, was, now, done FROM gid_catch_up() WHERE relation = 'elder'::regclass;
SELECT relation, was, now, done FROM gid_catch_up() WHERE relation = 'elder'::regclass;
-- A child that cannot be checked has a row, and the others count.
CREATE TABLE bare () INHERITS (child);
INSERT INTO child VALUES (500);
SELECT relation, "greatest", behind, unknown, readable FROM gid.columns WHERE relation = 'elder'::regclass;
SELECT * FROM gid_catch_up('elder');
SELECT relation, "greatest", behind, unknown, readable FROM gid.columns WHERE relation = 'elder'::regclass;
-- A partition of a partition.
CREATE TABLE tree (id bigint GENERATED BY DEFAULT AS IDENTITY, a int, b int, PRIMARY KEY (id, a, b)) PARTITION BY LIST (a);
CREATE TABLE branch PARTITION OF tree FOR VALUES IN (1) PARTITION BY LIST (b);
CREATE TABLE leaf PARTITION OF branch FOR VALUES IN (1);
INSERT INTO tree VALUES (60, 1, 1);
SELECT * FROM gid_catch_up('leaf');
INSERT INTO tree (a, b) VALUES (1, 1) RETURNING id;

-- A named table always has a row. Where gid cannot see what fills the key,
-- "done" is NULL.
CREATE FUNCTION draw() RETURNS bigint LANGUAGE sql AS $$SELECT nextval('shared')$$;
CREATE TABLE by_text (id bigint PRIMARY KEY DEFAULT nextval('shared'::text));
CREATE TABLE by_gid_text (id bigint PRIMARY KEY DEFAULT gid_next('shared'::text::regclass));
CREATE TABLE by_function (id positive PRIMARY KEY DEFAULT draw(), at timestamptz DEFAULT clock_timestamp(), n int DEFAULT random());
CREATE TABLE by_trigger (id bigint PRIMARY KEY);
CREATE TABLE by_clock (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), trace bigint UNIQUE DEFAULT gid_trace_id());
SELECT relation, attribute, sequence, source, last, "greatest", behind, used, served, reason, unknown, readable
FROM gid.columns WHERE relation::text ~ '^by_' ORDER BY relation::text;
SELECT relation, attribute, sequence, was, now, done, reason FROM gid_catch_up('by_text', 'by_gid_text', 'by_function', 'by_trigger', 'by_clock') ORDER BY relation::text;
SELECT count(*) FROM gid_catch_up('by_text', 'serial_t', 'by_trigger') WHERE done IS DISTINCT FROM true;
SELECT count(*) FROM gid_catch_up() WHERE relation::text ~ '^by_';

-- Values that a batch has taken beside the block are no alarm. A value that
-- the block has left is, and one that nobody has reserved.
CREATE TABLE batch (id bigserial PRIMARY KEY);
INSERT INTO batch SELECT gid_next('batch_id_seq') FROM generate_series(1, 20);
INSERT INTO batch SELECT gid_next_many('batch_id_seq', 100);
SELECT next < "greatest" AS before, behind FROM gid.columns JOIN gid.stat_sequences USING (sequence) WHERE relation = 'batch'::regclass;
INSERT INTO batch SELECT last FROM gid.stat_sequences WHERE sequence = 'batch_id_seq'::regclass;
DELETE FROM batch WHERE id > (SELECT last FROM gid.stat_sequences WHERE sequence = 'batch_id_seq'::regclass);
SELECT behind FROM gid.columns WHERE relation = 'batch'::regclass;
SELECT done FROM gid_catch_up('batch');
SELECT behind FROM gid.columns WHERE relation = 'batch'::regclass;
INSERT INTO batch SELECT last_value + 1 FROM batch_id_seq;
SELECT behind FROM gid.columns WHERE relation = 'batch'::regclass;

-- Roles: what one sees and may do, after each change of privileges.
CREATE TABLE secret (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int);
INSERT INTO secret VALUES (5);
SELECT setval('secret_id_seq', 2);
\set ECHO none
CREATE FUNCTION pg_temp.after(VARIADIC changes text[]) RETURNS TABLE (change text, seen text, caught_up text, of_all int, advanced text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH change IN ARRAY changes LOOP
		EXECUTE change;
		SET LOCAL ROLE regress_gid_columns;
		seen := (SELECT format('%s %s %s %s', last, "greatest", behind, used > 0) FROM gid.columns WHERE relation::text ~ 'secret');
		caught_up := (SELECT concat_ws(' ', done, reason) FROM gid_catch_up('secret'));
		of_all := (SELECT count(*) FROM gid_catch_up());
		advanced := (SELECT concat_ws(' ', code, message) FROM pg_temp.expect('SELECT gid_advance(''secret_id_seq'', 1)'));
		RESET ROLE;
		RETURN NEXT;
	END LOOP;
END $$;
\set ECHO all
SELECT * FROM pg_temp.after('SELECT', 'GRANT SELECT (id) ON secret TO regress_gid_columns',
	'REVOKE SELECT (id) ON secret FROM regress_gid_columns; GRANT SELECT (n) ON secret TO regress_gid_columns; GRANT USAGE ON SEQUENCE secret_id_seq TO regress_gid_columns',
	'GRANT SELECT ON secret TO regress_gid_columns',
	'GRANT UPDATE ON SEQUENCE secret_id_seq TO regress_gid_columns; REVOKE USAGE ON SEQUENCE secret_id_seq FROM regress_gid_columns',
	'GRANT USAGE ON SEQUENCE secret_id_seq TO regress_gid_columns; ALTER TABLE secret ENABLE ROW LEVEL SECURITY', 'SET LOCAL row_security = off',
	'ALTER TABLE secret DISABLE ROW LEVEL SECURITY');
SELECT e.* FROM pg_temp.expect('SET ROLE regress_gid_columns', 'SELECT gid_advance(''tens'', 5)', 'RESET ROLE') AS e WHERE e.code <> '00000';
-- A default may name a sequence on which the table's owner has no right.
-- Nobody moves it for such a table.
CREATE TABLE lured (id int PRIMARY KEY DEFAULT nextval('tens'));
INSERT INTO lured VALUES (1000);
ALTER TABLE lured OWNER TO regress_gid_columns;
SELECT * FROM gid_catch_up('lured');
-- A member of pg_monitor sees all but the values.
CREATE ROLE regress_gid_monitor IN ROLE pg_monitor;
GRANT USAGE ON SCHEMA regress_gid_columns TO regress_gid_monitor;
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
SELECT count(*) AS columns, round(sum(used)::numeric, 6) AS used, count(*) FILTER (WHERE behind) AS behind,
	count(*) FILTER (WHERE behind IS NULL) AS unknown, count(*) FILTER (WHERE NOT readable) AS unreadable
FROM gid.columns \gset super_
SET ROLE regress_gid_monitor;
SELECT count(*) = :super_columns AS columns, round(sum(used)::numeric, 6) = :super_used AS used,
	count(*) FILTER (WHERE behind) = :super_behind AS behind, count(*) FILTER (WHERE behind IS NULL) = :super_unknown AS unknown,
	count(*) FILTER (WHERE NOT readable) = :super_unreadable AS unreadable, count("greatest") AS "greatest"
FROM gid.columns;
SELECT relation, last, "greatest", behind, used > 0 AS used, unknown, readable FROM gid.columns WHERE relation::text ~ 'secret';
SELECT done, reason FROM gid_catch_up('regress_gid_columns.secret');
-- Nor does he find them by a comparison with another sequence.
SELECT last, "greatest", behind, unknown FROM gid.stat_get_column_state('regress_gid_columns.secret'::regclass, 'id', 'regress_gid_columns.tens'::regclass, true);
SELECT last, "greatest", behind, unknown FROM gid.stat_get_column_state('regress_gid_columns.default_t'::regclass, 'id', 'regress_gid_columns.tens'::regclass, false);
RESET ROLE;
\endif
-- Who calls the helper by hand learns what the view shows, and no more.
SET ROLE regress_gid_columns;
SELECT * FROM gid.stat_get_column_state('identity_t'::regclass, 'id', 'identity_t_id_seq'::regclass, true);
SELECT * FROM gid.stat_get_column_state(1, 'id', 2, true);
SELECT * FROM gid.stat_get_column_state('identity_t'::regclass, 'ctid', 'identity_t'::regclass, true);
SELECT member::regclass, was, now, done, reason FROM gid.catch_up_members('owned_t'::regclass, 'id', 'blocks'::regclass, true, true);
RESET ROLE;
-- A column that another session has renamed since the view began.
SELECT last, "greatest", behind, used < 1 AS little FROM gid.stat_get_column_state('narrower'::regclass, 'gone', 'for_narrower'::regclass, false);
SET client_min_messages = warning;
DROP SERVER regress_gid_server CASCADE;
DROP FOREIGN DATA WRAPPER regress_gid_wrapper;
DROP SCHEMA regress_gid_columns CASCADE;
DROP ROLE regress_gid_columns;
\if :library
DROP ROLE regress_gid_monitor;
\endif
