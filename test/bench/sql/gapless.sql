-- Numbers without gaps beside gid_next(): a row a transaction, which is on disk when the
-- transaction ends.  The tables and functions are those of doc/numbers-without-gaps.md.

CREATE TABLE gapless_counter (tenant int PRIMARY KEY, last bigint NOT NULL) WITH (fillfactor = 50);

CREATE FUNCTION gapless_next(tenant int) RETURNS bigint LANGUAGE sql
BEGIN ATOMIC
	INSERT INTO gapless_counter AS c VALUES (gapless_next.tenant, 1)
	ON CONFLICT (tenant) DO UPDATE SET last = c.last + 1
	RETURNING c.last;
END;

CREATE SEQUENCE gapless_id;
CREATE TABLE gapless_drawn (id bigint PRIMARY KEY DEFAULT gid_next('gapless_id'), tenant int);
CREATE TABLE gapless_first (tenant int, no bigint, PRIMARY KEY (tenant, no));
CREATE TABLE gapless_commit (id bigint PRIMARY KEY DEFAULT gid_next('gapless_id'), tenant int, no bigint,
	UNIQUE (tenant, no));

CREATE FUNCTION gapless_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE gapless_commit SET no = gapless_next(tenant) WHERE id = NEW.id AND no IS NULL;
	RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER number AFTER INSERT ON gapless_commit
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gapless_number();

-- What is inserted, by a client with its tenant.
CREATE TABLE gapless (position int GENERATED ALWAYS AS IDENTITY, subject text, statement text);
INSERT INTO gapless (subject, statement) VALUES
('gid_next(seq)', 'INSERT INTO gapless_drawn (tenant) VALUES (:tenant)'),
('a counter', 'INSERT INTO gapless_first VALUES (:tenant, gapless_next(:tenant))'),
('a number at commit', 'INSERT INTO gapless_commit (tenant) VALUES (:tenant)');

INSERT INTO comparison (part, subject, x, measure)
SELECT 'gapless', subject, x, measure
FROM gapless, unnest(ARRAY['rows/s', 'rows/s, work of 5 ms']) AS measure, unnest(ARRAY[1, 8]) AS x
ORDER BY measure, x, position;
