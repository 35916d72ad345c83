-- One round of one writer: all kinds of primary keys in turn.

SELECT format('CALL measure_insert(%s, %L, %s)', :round, kind, :rows)
FROM kind ORDER BY (position + 2 * :round) % (SELECT count(*) FROM kind) \gexec
