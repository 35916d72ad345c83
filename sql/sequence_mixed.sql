-- nextval() beside gid_next(): it takes the values after the blocks. No value comes
-- twice, and few are lost.
\i sql/include/start.sql
LOAD 'gid';
CREATE SCHEMA regress_gid_app;
SET search_path = regress_gid_app, public;

-- Both functions in turn, each in its own transaction. log_cnt is 32 after a nextval()
-- that has written a record.
CREATE SEQUENCE mixed;
CREATE TABLE drawn (n serial, by_whom text, id bigint PRIMARY KEY);
DO $$
DECLARE
	drawn bigint;
BEGIN
	FOR i IN 1..1500 LOOP
		drawn := nextval('mixed');
		INSERT INTO drawn (by_whom, id)
		SELECT CASE log_cnt WHEN 32 THEN 'nextval, record' ELSE 'nextval' END, drawn FROM mixed;
		COMMIT;
		INSERT INTO drawn (by_whom, id) VALUES ('gid_next', gid_next('mixed'));
		COMMIT;
	END LOOP;
END
$$;
SELECT count(*), max(id) <= 100000 AS few FROM drawn;
-- gid_next() may give less than an earlier nextval(), unless that has written a record.
-- nextval() never gives less than an earlier gid_next().
SELECT earlier.by_whom AS earlier, later.by_whom AS later, count(*) FILTER (WHERE later.id < earlier.id) > 0 AS some_less
FROM drawn AS later JOIN drawn AS earlier ON earlier.n BETWEEN later.n - 10 AND later.n - 1
GROUP BY 1, 2 ORDER BY 1, 2;
-- nextval() has logged values ahead of the page.
SELECT log_cnt > 0 AS ahead FROM mixed;

-- Near the end of the range the WAL is ahead by as many values as there are. Both
-- functions together give every value once, up and down.
SET gid.max_block_size = 2;
CREATE SEQUENCE short MAXVALUE 10;
CREATE SEQUENCE short_down INCREMENT -3 MINVALUE -28 START -1;
DO $$
BEGIN
	FOR i IN 1..2 LOOP		-- nextval() is seen at the second look
		RAISE NOTICE '% %', nextval('short'), nextval('short_down');
		COMMIT;
		RAISE NOTICE '% %', gid_next('short'), gid_next('short_down');
		COMMIT;
	END LOOP;
END
$$;
SELECT 'short', last_value, log_cnt FROM short
UNION ALL SELECT 'short_down', last_value, log_cnt FROM short_down;
SELECT nextval('short'), nextval('short_down');		-- without a record, so
SELECT gid_next('short'), gid_next('short_down');	-- the blocks go on
SELECT nextval('short');	-- 8 and 9 are the next block
SELECT gid_next('short');
SELECT nextval('short');
SELECT gid_next('short');
SELECT gid_next('short');
RESET gid.max_block_size;
SET client_min_messages = warning;
DROP SCHEMA regress_gid_app CASCADE;
