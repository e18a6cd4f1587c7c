-- expect: torch/05_bmm_64:
-- Asks only for launches directly below an operator: those around it look as if they launched nothing.
SELECT name, count(*) AS calls, sum(self_ns) / 1000.0 AS self_us
FROM op
WHERE cat = 'cpu_op'
  AND name NOT IN (SELECT op.name FROM op JOIN launch ON launch.op = op.id)
GROUP BY name
ORDER BY self_us DESC
