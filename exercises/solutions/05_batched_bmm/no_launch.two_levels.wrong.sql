-- expect: 08_addmm_fusion/torch/08_all_4096:
-- Looks at an operator and those directly in it; launches can lie deeper.
SELECT name, count(*) AS calls, sum(self_ns) / 1000.0 AS self_us
FROM op
WHERE cat = 'cpu_op' AND name NOT IN (SELECT op.name FROM op JOIN launch ON launch.op = op.id UNION SELECT p.name FROM op p JOIN op c ON c.parent = p.id JOIN launch ON launch.op = c.id)
GROUP BY name
ORDER BY self_us DESC
