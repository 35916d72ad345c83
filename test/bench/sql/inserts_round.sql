-- One round of one writer: all kinds of primary keys in turn, and identity, which
-- the others are compared with, twice more in between.

SELECT format('CALL measure_insert(%s, %L, %s)', :round, kind, :rows)
FROM (SELECT kind, position FROM kind
	UNION ALL VALUES ('identity', 3.5), ('identity', 6.5)) AS turn
ORDER BY (position + 2 * :round) % (SELECT count(*) FROM kind) \gexec
