-- One round: all comparisons of a part in turn, in this backend.  Each round
-- begins with another one, so that none always follows the same neighbour's wake.

SELECT format('CALL measure_call(%s, %s, %s)', :round, position, :calls)
FROM (SELECT position, row_number() OVER (ORDER BY position) AS i, count(*) OVER () AS n
	FROM comparison WHERE part = :'part') AS c
ORDER BY (i + 5 * :round) % n \gexec
