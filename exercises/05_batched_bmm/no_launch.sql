-- Which operators never reach the GPU?
--
-- Operators that only write a new note on how to read a tensor cost CPU time and launch nothing,
-- neither themselves nor in anything that they call. List them by name, with the number of calls and
-- their Self CPU, summed over the trace. Our own recordings have none: the result is then empty.
-- Only operators count (`cat = 'cpu_op'`), no steps and ranges. (In these traces an operator launches
-- something in all of its calls or in none.)
--
-- Columns: name, calls, self_us
-- Rows:    one for each name, the one with the most Self CPU first
SELECT name, count(*) AS calls, sum(self_ns) / 1000.0 AS self_us
FROM op
WHERE cat = 'cpu_op'
  -- TODO: leave out every name that has a launch below it, however deep
GROUP BY name
ORDER BY self_us DESC
