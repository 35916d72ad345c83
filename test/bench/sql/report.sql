-- One part's results as a table; the ratio is that to "of".

\pset border 1
\pset linestyle ascii
\pset numericlocale off
\pset null ''
\pset title :part

SELECT concat_ws(' at ', subject, CASE WHEN x > 1 THEN x END) AS subject, measure,
	shown(value) AS value, shown(net) AS net,
	concat_ws(' at ', reference, CASE WHEN reference_x > 1 THEN reference_x END) AS "of",
	shown(ratio) AS ratio
FROM report WHERE part = :'part' ORDER BY position;
