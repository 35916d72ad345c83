-- What "make demo" shows.  demo.sh runs it in an empty database, with gid.launch_id,
-- gid.node_no and gid.authority set.  :json is the directory of iso_3166-1.json and
-- iso_3166-2.json.

\set ECHO none
\pset border 1
\pset footer off
SET client_encoding = 'UTF8';

\echo
\echo '== 1. The extension'
\echo
\echo 'One statement creates it, without a preload or a restart.'
\echo
\set ECHO queries
SHOW shared_preload_libraries;
CREATE EXTENSION gid;
\set ECHO none

\echo
\echo '== 2. One id of each family, taken apart'
\echo
\x on
\echo 'UUID version 7 (RFC 9562): milliseconds and their fraction first, then random bits.'
\echo
\set ECHO queries
SELECT id, gid_extract_v7_time(id) AS "time"
FROM gid_uuid_v7() AS id;
\set ECHO none

\echo 'A sequential UUID: ticks of 100 ns and a process id, as SQL Server makes them.  The'
\echo 'second form sorts in SQL Server as the first one does here.'
\echo
\set ECHO queries
SELECT id, gid_extract_sequential_time(id) AS "time",
	gid_extract_sequential_ticks(id) AS ticks,
	gid_extract_sequential_process(id) AS process,
	gid_uuid_to_mssql(id) AS "for SQL Server"
FROM gid_uuid_sequential() AS id;
SELECT id AS "made for SQL Server",
	gid_extract_sequential_time(gid_uuid_from_mssql(id)) AS "time"
FROM gid_uuid_sequential_mssql() AS id;
\set ECHO none

\echo 'A UUID with a shard key in its last four bytes.  Here the key consists of a region'
\echo '(756 is Switzerland) and a shard of that region.'
\echo
\set ECHO queries
SELECT id, gid_extract_shard(id) AS shard_key,
	gid_extract_region(id) AS region,
	gid_extract_region_shard(id) AS shard,
	gid_extract_shard_time(id) AS "time",
	gid_extract_shard_generator(id) AS generator,
	gid_extract_shard_counter(id) AS counter
FROM gid_uuid_shard(gid_region_shard(756, 3)) AS id;
\set ECHO none

\echo 'A TraceId of 63 bits: second, node, thread, counter.  The server has gid.node_no = 7.'
\echo
\set ECHO queries
SELECT id, gid_extract_trace_time(id) AS "time",
	gid_extract_trace_node(id) AS node,
	gid_extract_trace_thread(id) AS thread,
	gid_extract_trace_counter(id) AS counter
FROM gid_trace_id() AS id;
\set ECHO none

\echo 'A Snowflake id, as Twitter publishes them: millisecond, node, sequence.'
\echo
\set ECHO queries
SELECT id, gid_extract_snowflake_time(id) AS "time",
	gid_extract_snowflake_node(id) AS node,
	gid_extract_snowflake_sequence(id) AS sequence
FROM gid_snowflake_id() AS id;
\set ECHO none

\echo 'A DecimalId, which people can read: counter, generator, launch.  gid.launch_id is 65.'
\echo
\set ECHO queries
SELECT id, gid_extract_decimal_counter(id) AS counter,
	gid_extract_decimal_generator(id) AS generator,
	gid_extract_decimal_launch(id) AS launch
FROM gid_decimal_id() AS id;
\set ECHO none

\echo 'A GDID: era, authority and counter in 12 bytes, drawn from an ordinary sequence.'
\echo
\set ECHO queries
CREATE SEQUENCE parcel;
SELECT id, gid_extract_gdid_era(id) AS era,
	gid_extract_gdid_authority(id) AS authority,
	gid_extract_gdid_counter(id) AS counter,
	gid_gdid_hex(id) AS hex
FROM gid_next_gdid('public', 'parcel') AS id;
\set ECHO none

\x off
\echo '== 3. Real data: every country and its subdivisions (ISO 3166)'
\echo
\echo 'The keys are column defaults; the rows come from JSON.'
\echo
\set ECHO queries
CREATE TABLE country (
	id bigint PRIMARY KEY DEFAULT gid_decimal_id(),
	code text NOT NULL UNIQUE,
	region int NOT NULL UNIQUE,
	name text NOT NULL
);
CREATE TABLE subdivision (
	id uuid PRIMARY KEY DEFAULT gid_uuid_v7(),
	country bigint NOT NULL REFERENCES country,
	code text NOT NULL UNIQUE,
	kind text NOT NULL,
	name text NOT NULL
);
\set ECHO none
INSERT INTO country (code, region, name)
SELECT c->>'alpha_2', (c->>'numeric')::int, c->>'name'
FROM jsonb_array_elements(pg_read_file(:'json' || '/iso_3166-1.json')::jsonb->'3166-1') AS c;
INSERT INTO subdivision (country, code, kind, name)
SELECT country.id, s->>'code', s->>'type', s->>'name'
FROM jsonb_array_elements(pg_read_file(:'json' || '/iso_3166-2.json')::jsonb->'3166-2') AS s
JOIN country ON country.code = split_part(s->>'code', '-', 1);
\set ECHO queries
SELECT (SELECT count(*) FROM country) AS countries,
	(SELECT count(*) FROM subdivision) AS subdivisions;
SELECT id, code, region, name FROM country ORDER BY id LIMIT 3;
SELECT id, code, kind, name FROM subdivision ORDER BY id LIMIT 3;
\set ECHO none

\echo 'Codes for people.  Every country gets an order number, which counts in letters and'
\echo 'digits.  The sequence, the seed and the alphabet stand in the column default.'
\echo
\set ECHO queries
CREATE SEQUENCE order_no;
CREATE TABLE purchase (
	no text PRIMARY KEY
		DEFAULT gid_next_code('order_no', '00A000', 'alphanumeric', true),
	parcel gdid NOT NULL UNIQUE DEFAULT gid_next_gdid('parcel'),
	country bigint NOT NULL REFERENCES country
);
INSERT INTO purchase (country) SELECT id FROM country ORDER BY id;
(SELECT p.no, p.parcel, c.name FROM purchase p JOIN country c ON c.id = p.country
	ORDER BY p.no LIMIT 3)
UNION ALL
(SELECT p.no, p.parcel, c.name FROM purchase p JOIN country c ON c.id = p.country
	ORDER BY p.no DESC LIMIT 1);
\set ECHO none

\echo '== 4. A million rows in partitions by region and shard'
\echo
\echo 'Made-up visits, spread evenly over the subdivisions.'
\echo
\echo 'The id decides about the partition, which has whole regions.  PostgreSQL allows no'
\echo 'primary key over such a partition key, so each partition has its own.  No id can be in'
\echo 'two partitions, because the shard key is part of the id.'
\echo
\set ECHO queries
CREATE TABLE visit (
	id uuid NOT NULL DEFAULT gid_uuid_shard(),
	subdivision text NOT NULL
) PARTITION BY RANGE (gid_extract_shard(id));
CREATE TABLE visit_a PARTITION OF visit (PRIMARY KEY (id))
	FOR VALUES FROM (gid_region_shard(0, 0)) TO (gid_region_shard(256, 0));
CREATE TABLE visit_b PARTITION OF visit (PRIMARY KEY (id))
	FOR VALUES FROM (gid_region_shard(256, 0)) TO (gid_region_shard(512, 0));
CREATE TABLE visit_c PARTITION OF visit (PRIMARY KEY (id))
	FOR VALUES FROM (gid_region_shard(512, 0)) TO (gid_region_shard(768, 0));
CREATE TABLE visit_d PARTITION OF visit (PRIMARY KEY (id))
	FOR VALUES FROM (gid_region_shard(768, 0)) TO (MAXVALUE);
\set ECHO none
CREATE TEMP TABLE place AS
SELECT row_number() OVER (ORDER BY s.code) - 1 AS no, c.region, s.code
FROM subdivision s JOIN country c ON c.id = s.country;
ANALYZE place;

\echo
\echo 'This statement fills it with 16 shards for each region, 100,000 rows at a time:'
\echo
\echo '  INSERT INTO visit (id, subdivision)'
\echo '  SELECT gid_uuid_shard(gid_region_shard(p.region, n % 16)), p.code'
\echo '  FROM generate_series(:from, :to) AS n'
\echo '  JOIN place AS p ON p.no = n * 7919::bigint % (SELECT count(*) FROM place);'
\echo
\pset tuples_only on
\pset format unaligned
SELECT clock_timestamp() AS started \gset
SELECT format('INSERT INTO visit (id, subdivision)
		SELECT gid_uuid_shard(gid_region_shard(p.region, n %% 16)), p.code
		FROM generate_series(%s, %s) AS n
		JOIN place AS p ON p.no = n * 7919::bigint %% (SELECT count(*) FROM place)',
		part * 100000 + 1, (part + 1) * 100000),
	format('SELECT format(''  %s of 1,000,000 rows, %%s s'',
		round(extract(epoch FROM clock_timestamp() - %L), 1))',
		to_char((part + 1) * 100000, 'FM9,999,999'), :'started')
FROM generate_series(0, 9) AS part \gexec
VACUUM (ANALYZE) visit;
\pset tuples_only off
\pset format aligned

\echo
\echo 'The ids show where the rows went.'
\echo
\set ECHO queries
SELECT tableoid::regclass AS partition, count(*) AS rows,
	count(DISTINCT gid_extract_region(id)) AS regions,
	min(gid_extract_region(id)) AS first, max(gid_extract_region(id)) AS last,
	count(DISTINCT gid_extract_region_shard(id)) AS "shards each",
	pg_size_pretty(pg_indexes_size(tableoid::regclass)) AS "primary key"
FROM visit GROUP BY tableoid ORDER BY 1;
SELECT count(*) AS rows, count(DISTINCT id) AS "different ids" FROM visit;
SELECT c.name AS country, count(*) AS visits
FROM visit v JOIN country c ON c.region = gid_extract_region(v.id)
GROUP BY c.name ORDER BY visits DESC LIMIT 5;
\set ECHO none

\echo 'A session, a role or a database may have a shard key.  Then the default makes the id.'
\echo
SELECT gid_region_shard(756, 3) AS shard_key \gset
\set ECHO queries
SET gid.shard_key = :shard_key;
INSERT INTO visit (subdivision) VALUES ('CH-ZH')
RETURNING id, gid_extract_region(id) AS region, gid_extract_region_shard(id) AS shard,
	tableoid::regclass AS partition;
\set ECHO none

\echo 'A look-up by id reads every partition: the planner does not know the parts of an id.'
\echo
SELECT id FROM visit_c WHERE gid_extract_shard(id) = gid_region_shard(756, 3) LIMIT 1 \gset
\set ECHO queries
EXPLAIN (COSTS OFF) SELECT * FROM visit WHERE id = :'id';
\set ECHO none

\echo 'gid_uuid_shard_is() compares the shard keys as well, so the look-up reads one.'
\echo
\set ECHO queries
EXPLAIN (COSTS OFF) SELECT * FROM visit WHERE gid_uuid_shard_is(id, :'id');
\set ECHO none

\echo '== 5. A range of time is a range of the primary key'
\echo
\echo 'A year of arrivals, loaded later: gid_uuid_v7_at() makes an id for a given moment.'
\echo
\set ECHO queries
CREATE TABLE arrival (
	id uuid PRIMARY KEY DEFAULT gid_uuid_v7(),
	subdivision text NOT NULL
);
INSERT INTO arrival
SELECT gid_uuid_v7_at(timestamptz '2025-01-01' + n * interval '105.12 s'), p.code
FROM generate_series(0, 299999) AS n
JOIN place AS p ON p.no = n * 7919::bigint % (SELECT count(*) FROM place)
ORDER BY n;
\set ECHO none
VACUUM (ANALYZE) arrival;

\echo
\echo 'The time needs no column and no index of its own: gid_uuid_v7_between() becomes two'
\echo 'bounds on the key.'
\echo
\set ECHO queries
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)
SELECT count(*) FROM arrival
WHERE gid_uuid_v7_between(id, '2025-03-01', '2025-03-02');
SELECT gid_extract_v7_time(min(id::text)::uuid) AS first,
	gid_extract_v7_time(max(id::text)::uuid) AS last, count(*)
FROM arrival
WHERE gid_uuid_v7_between(id, '2025-03-01', '2025-03-02');
\set ECHO none

\echo '== 6. Why the order of keys matters'
\echo
\echo 'Half a million rows with keys of several kinds, one connection, one after the other.'
\echo 'Growing keys fill the index at its right end.  Random keys go everywhere in it, which'
\echo 'takes more time, more write-ahead log (WAL) and a larger index.'
\echo
CREATE SEQUENCE visit_no;
CREATE SEQUENCE core_visit_no;
CREATE TEMP TABLE result (no int, key text, seconds numeric, wal numeric, index bigint);
\pset tuples_only on
\pset format unaligned
SELECT format('CREATE TABLE key_%s (id %s PRIMARY KEY DEFAULT %s, n int)', no, type, key),
	'CHECKPOINT',
	format('DO $do$
		DECLARE
			started timestamptz := clock_timestamp();
			lsn pg_lsn := pg_current_wal_insert_lsn();
		BEGIN
			INSERT INTO key_%1$s (n) SELECT generate_series(1, 500000);
			INSERT INTO result VALUES (%1$s, %2$L,
				extract(epoch FROM clock_timestamp() - started),
				pg_current_wal_insert_lsn() - lsn, pg_indexes_size(%3$L));
		END $do$', no, key, 'key_' || no),
	format('SELECT %L', '  500,000 rows with ' || key || CASE no WHEN 0 THEN ', to warm up' ELSE '' END)
FROM (VALUES
	(0, 'uuid', 'gid_uuid_v7()'),
	(1, 'uuid', 'gid_uuid_v7()'),
	(2, 'uuid', 'gid_uuid_sequential()'),
	(3, 'bigint', 'gid_trace_id()'),
	(4, 'bigint', 'gid_decimal_id()'),
	(5, 'bigint', 'gid_next(''visit_no'')'),
	(6, 'bigint', 'nextval(''core_visit_no'')'),
	(7, 'uuid', 'gen_random_uuid()')) AS k (no, type, key)
ORDER BY no \gexec
\pset tuples_only off
\pset format aligned
\echo
SELECT key AS "DEFAULT", round(seconds, 2) AS "insert, s",
	round(500 / seconds) AS "thousand rows/s",
	pg_size_pretty(wal) AS "WAL", pg_size_pretty(index) AS "primary key"
FROM result WHERE no > 0 ORDER BY no;

\echo
\echo 'The clock behind the ids, and the bound on disk.  No id reaches the bound.'
\echo
\set ECHO queries
SELECT family, last_time, durable_bound FROM gid.stat_clock;
\set ECHO none

\echo '== 7. A program that follows a table misses no row'
\echo
\echo 'One transaction draws an id first, and commits last.'
\echo
\set ECHO queries
CREATE TABLE event (id bigserial PRIMARY KEY, what text);
CREATE VIEW event_settled AS SELECT * FROM event WHERE id < (SELECT gid_horizon('event_id_seq'));
INSERT INTO event (what) VALUES ('an earlier row');
SELECT * FROM event_settled WHERE id > 0 ORDER BY id LIMIT 100;
BEGIN;
INSERT INTO event (what) VALUES ('drawn first, committed last') RETURNING id;
\set ECHO none
\echo 'Meanwhile another session inserts a row and commits, and a reader looks at the table.'
\echo
\! psql -X -q -d postgres -c "INSERT INTO event (what) VALUES ('drawn last, committed first')"
\! psql -X -P pager=off -P footer=off -d postgres -c "SELECT (SELECT max(id) FROM event) AS \"last id of the table\", (SELECT max(id) FROM event_settled) AS \"of the view\""
COMMIT;
\echo 'After the commit a reader of the table finds nothing after its last id.  A reader of the'
\echo 'view gets both rows, each once.'
\echo
\set ECHO queries
SELECT * FROM event WHERE id > 3 ORDER BY id LIMIT 100;
SELECT * FROM event_settled WHERE id > 1 ORDER BY id LIMIT 100;
\set ECHO none
\echo 'An import brings its own ids, so the sequence is behind its column.  gid moves it.'
\echo
\set ECHO queries
INSERT INTO event VALUES (1000, 'imported');
SELECT relation, attribute, greatest, behind FROM gid.columns WHERE relation = 'event'::regclass;
SELECT relation, was, now, done FROM gid_catch_up('event');
INSERT INTO event (what) VALUES ('after the import') RETURNING id;
\set ECHO none
