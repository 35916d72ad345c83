-- One part's results as a table.

\pset border 1
\pset linestyle ascii
\pset numericlocale off
\pset null ''
\pset title :part

SELECT subject, measure, value, net, "of", ratio, "its middle half", goal, met
FROM shown WHERE part = :'part' ORDER BY position;
