-- One round: all of a part in turn, in this backend.  Each round begins with
-- another one, so that none always follows the same neighbour's wake.

SELECT format('CALL measure_call(%s, %L, %L, %s)', :round, part, subject,
	-- which takes tens of microseconds
	CASE WHEN subject LIKE 'uuid\_generate\_%' THEN :calls / 10 ELSE :calls END)
FROM (SELECT *, row_number() OVER (ORDER BY position) AS i, count(*) OVER () AS n
	FROM call WHERE part = :'part') AS c
ORDER BY (i + 5 * :round) % n \gexec
