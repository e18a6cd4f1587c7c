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
-- solution begin
WITH RECURSIVE above(id) AS (
  SELECT op FROM launch
  UNION
  SELECT slice.parent FROM slice JOIN above ON slice.id = above.id
)
-- solution end
SELECT name, count(*) AS calls, sum(self_ns) / 1000.0 AS self_us
FROM op
WHERE cat = 'cpu_op'
-- solution begin
  AND name NOT IN (SELECT op.name FROM op JOIN above ON op.id = above.id)
-- solution end
-- instead begin
-- |   -- TODO: leave out every name that has a launch below it, however deep
-- instead end
GROUP BY name
ORDER BY self_us DESC
