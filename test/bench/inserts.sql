-- One round of one writer: all kinds of primary keys in turn.

SELECT format('CALL measure_insert(%s, %L, %s)', :round, kind, :rows)
FROM insert_kind ORDER BY (position + :round) % (SELECT count(*) FROM insert_kind) \gexec
