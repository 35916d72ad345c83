-- What is called: new ids, functions of them, extractors.  "base" is the same
-- query without the call.

CREATE TABLE call (
	position int GENERATED ALWAYS AS IDENTITY,
	part text, subject text, expression text, source text,
	reference text, base text, PRIMARY KEY (part, subject));

INSERT INTO call (part, subject, expression) VALUES
('calls', 'a constant', '1'),
('calls', 'clock_timestamp()', 'clock_timestamp()'),
('calls', 'gen_random_uuid()', 'gen_random_uuid()'),
('calls', 'nextval(seq)', 'nextval(''bench_nextval'')'),
('calls', 'nextval(seq), CACHE 1000', 'nextval(''bench_cached'')'),
('calls', 'uuidv7()', 'uuidv7()'),
('calls', 'uuid_generate_v7()', 'uuid_generate_v7()'),
('calls', 'snowflake.nextval(seq)', 'snowflake.nextval(''bench_nextval'')'),
('calls', 'uuid_generate_v1()', 'uuid_generate_v1()'),
('calls', 'uuid_generate_v4()', 'uuid_generate_v4()'),
('calls', 'gid_uuid_v7()', 'gid_uuid_v7()'),
('calls', 'gid_uuid_sequential()', 'gid_uuid_sequential()'),
('calls', 'gid_uuid_shard(7)', 'gid_uuid_shard(7)'),
('calls', 'gid_trace_id()', 'gid_trace_id()'),
('calls', 'gid_snowflake_id()', 'gid_snowflake_id()'),
('calls', 'gid_decimal_id()', 'gid_decimal_id()'),
('calls', 'gid_next(seq)', 'gid_next(''bench_next'')'),
('calls', 'gid_next_gdid(seq)', 'gid_next_gdid(''bench_next'')'),
('calls', 'gid_next_code(seq, …)',
	'gid_next_code(''bench_next'', ''00A000'', ''alphanumeric'', true)'),
('calls', 'gid_lexical_add(''00A000'', g, …)',
	'gid_lexical_add(''00A000'', g, ''alphanumeric'', true)'),
('calls', 'gid_permute(g, key)',
	'gid_permute(g, ''\x000102030405060708090a0b0c0d0e0f'')'),
('calls', 'gid_encode(g, base62)',
	'gid_encode(g, ''base62'')');

UPDATE call SET source = 'generate_series(1::bigint, %s) AS g',
	reference = nullif('clock_timestamp()', subject), base = nullif('a constant', subject);

-- what this server has not
DELETE FROM call WHERE (subject, true) IN (
	('uuidv7()', to_regprocedure('uuidv7()') IS NULL),
	('uuid_generate_v7()', to_regprocedure('uuid_generate_v7()') IS NULL),
	('snowflake.nextval(seq)', to_regprocedure('snowflake.nextval(regclass)') IS NULL),
	('uuid_generate_v1()', to_regprocedure('uuid_generate_v1()') IS NULL),
	('uuid_generate_v4()', to_regprocedure('uuid_generate_v4()') IS NULL));

-- ---- extractors, over a column of ids ----

CREATE UNLOGGED TABLE ids_v7 AS SELECT gid_uuid_v7() AS id FROM generate_series(1, :calls);
CREATE UNLOGGED TABLE ids_sequential AS SELECT gid_uuid_sequential() AS id FROM generate_series(1, :calls);
CREATE UNLOGGED TABLE ids_shard AS SELECT gid_uuid_shard(7) AS id FROM generate_series(1, :calls);
CREATE UNLOGGED TABLE ids_trace AS SELECT gid_trace_id() AS id FROM generate_series(1, :calls);
CREATE UNLOGGED TABLE ids_snowflake AS SELECT gid_snowflake_id() AS id FROM generate_series(1, :calls);
CREATE UNLOGGED TABLE ids_decimal AS SELECT gid_decimal_id() AS id FROM generate_series(1, :calls);
CREATE UNLOGGED TABLE ids_gdid AS SELECT gid_next_gdid('bench_next') AS id FROM generate_series(1, :calls);
VACUUM (ANALYZE) ids_v7, ids_sequential, ids_shard, ids_trace, ids_snowflake, ids_decimal, ids_gdid;

-- all that take an id alone; the family is the word after gid_extract_
CREATE TEMPORARY TABLE extractor AS
SELECT proname, prorettype::regtype AS result, proargtypes[0]::regtype AS argument,
	CASE split_part(proname, '_', 3) WHEN 'region' THEN 'shard'
		ELSE split_part(proname, '_', 3) END AS family
FROM pg_proc WHERE proname LIKE 'gid\_extract\_%' AND pronargs - pronargdefaults = 1
UNION ALL VALUES ('gid_gdid_pack', 'bytea'::regtype, 'gdid'::regtype, 'gdid'),
	('gid_gdid_hex', 'text', 'gdid', 'gdid');

-- The built-in of the same types: core has none of a gdid, another type of
-- fixed length stands for it, nor one from an id to a timestamptz, which is
-- passed as a bigint is.
CREATE TEMPORARY TABLE builtin (argument regtype, result regtype, expression text, name text);
INSERT INTO builtin VALUES
('uuid', 'int', 'uuid_hash(id)', 'uuid_hash(uuid)'),
('uuid', 'bigint', 'uuid_hash_extended(id, 0)', 'uuid_hash_extended(uuid, 0)'),
('uuid', 'timestamptz', 'uuid_hash_extended(id, 0)', 'uuid_hash_extended(uuid, 0)'),
('uuid', 'bytea', 'uuid_send(id)', 'uuid_send(uuid)'),
('bigint', 'int', 'hashint8(id)', 'hashint8(bigint)'),
('bigint', 'bigint', 'int8abs(id)', 'int8abs(bigint)'),
('bigint', 'timestamptz', 'int8abs(id)', 'int8abs(bigint)');

INSERT INTO call (part, subject, expression, source)
SELECT 'extractors', 'the column, ' || family, 'id', 'ids_' || family
FROM (SELECT DISTINCT family FROM extractor) AS f;
INSERT INTO call (part, subject, expression, source, base)
SELECT DISTINCT 'extractors', name || ', ' || family, expression, 'ids_' || family, 'the column, ' || family
FROM extractor JOIN builtin USING (argument, result);
INSERT INTO call (part, subject, expression, source, base)
SELECT DISTINCT 'extractors', name || ', v7', expression, 'ids_v7', 'the column, v7'
FROM builtin WHERE argument = 'uuid'::regtype ON CONFLICT DO NOTHING;
INSERT INTO call (part, subject, expression, source, base, reference)
SELECT 'extractors', format('%s(%s)', proname, argument), format('%I(id)', proname),
	'ids_' || family, 'the column, ' || family,
	(SELECT name || ', ' || CASE e.argument WHEN 'gdid'::regtype THEN 'v7' ELSE family END
		FROM builtin AS b
		WHERE b.argument = CASE e.argument WHEN 'gdid'::regtype THEN 'uuid' ELSE e.argument END
			AND b.result = e.result)
FROM extractor AS e ORDER BY argument, family, proname;

INSERT INTO comparison (part, subject, measure, reference, base)
SELECT part, subject, 'ns', reference, base FROM call ORDER BY position;
INSERT INTO comparison (part, subject, measure, reference, base)
SELECT 'instructions', subject, 'instructions', nullif('clock_timestamp()', subject), 'a constant'
FROM call WHERE part = 'calls' AND subject !~ '^(uuid_generate|snowflake\.)' ORDER BY position;
-- pgbench makes these calls in one session and in two
INSERT INTO comparison (part, subject, x, measure, reference)
SELECT 'sessions', subject, 2, 'million/s', subject
FROM call WHERE part = 'calls' AND (subject ~ '^gid_(uuid|trace|snowflake|decimal|next)'
	OR subject ~ '^(clock_timestamp|gen_random_uuid|nextval|uuidv7)\(')
ORDER BY position;

-- One query, in its own transaction, without the time to start.
CREATE PROCEDURE time_call(of_part text, of_subject text, calls int, INOUT ns float8)
LANGUAGE plpgsql AS $$
DECLARE
	c call;
	n bigint;
	start timestamptz;
	stop timestamptz;
	query text;
BEGIN
	SELECT * INTO c FROM call WHERE part = of_part AND subject = of_subject;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	-- which takes tens of microseconds
	IF of_subject LIKE 'uuid\_generate\_%' THEN
		calls := calls / 10;
	END IF;
	query := format('SELECT count(%s) FROM ', c.expression);
	-- the first call of a backend loads the library
	EXECUTE query || CASE WHEN c.source LIKE 'ids%' THEN format('(SELECT * FROM %I LIMIT 1) AS one', c.source)
		ELSE format(c.source, 1) END;
	query := query || format(c.source, calls);
	start := clock_timestamp();
	EXECUTE query INTO n;
	stop := clock_timestamp();
	IF n <> calls THEN
		RAISE 'only % of %', n, calls;
	END IF;
	ns := 1e9 * extract(epoch FROM stop - start) / calls;
	COMMIT;
END $$;

-- A comparison: its query between the reference's and the base's, if it has
-- these, so that all meet the machine in the same mood; in turn this and that
-- one first.
CREATE PROCEDURE measure_call(round int, of_position int, calls int)
LANGUAGE plpgsql AS $$
DECLARE
	c comparison;
	ns float8;
	reference_ns float8;
	base_ns float8;
BEGIN
	SELECT * INTO c FROM comparison WHERE position = of_position;
	IF round % 2 = 0 THEN
		CALL time_call(c.part, c.reference, calls, reference_ns);
		CALL time_call(c.part, c.subject, calls, ns);
		CALL time_call(c.part, c.base, calls, base_ns);
	ELSE
		CALL time_call(c.part, c.base, calls, base_ns);
		CALL time_call(c.part, c.subject, calls, ns);
		CALL time_call(c.part, c.reference, calls, reference_ns);
	END IF;
	INSERT INTO sample VALUES (c.part, c.subject, c.x, c.measure, round, ns,
		c.reference, reference_ns, base_ns);
	COMMIT;
END $$;
