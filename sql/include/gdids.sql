\set ECHO none
-- The table "made": 5000 random GDIDs and their parts, with era 0 and the ends of
-- each part often among them.
CREATE TABLE made AS SELECT n, era, authority, counter, gid_make_gdid(era, authority, counter) AS id
FROM (SELECT n, CASE n % 5 WHEN 0 THEN 4294967295 WHEN 1 THEN floor(random() * 4294967296)::bigint
			WHEN 2 THEN floor(random() * 3)::bigint ELSE 0 END AS era,
		CASE n % 7 WHEN 0 THEN 15 ELSE floor(random() * 16)::int END AS authority,
		CASE n % 11 WHEN 0 THEN 0 WHEN 1 THEN 1152921504606846975
			WHEN 2 THEN floor(random() * 1152921504606846976)::bigint
			ELSE floor(random() * 10000)::bigint END AS counter
	FROM generate_series(1, 5000) AS n) AS r;
\set ECHO all
