-- One round: all functions in turn, in this backend.  Each round begins with
-- another one, so that none always follows the same neighbour's wake.

SELECT format('CALL measure_function(%s, %s, %L, %s)', :round, position, call, :calls)
FROM function ORDER BY (position + :round) % (SELECT count(*) FROM function) \gexec
