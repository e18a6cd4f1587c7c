-- expect: torch/05_bmm_64: row 1: self_us
-- Total in place of Self.
SELECT name, count(*) AS calls, sum(dur_ns) / 1000.0 AS self_us
FROM op
WHERE cat = 'cpu_op' AND name NOT IN (SELECT op.name FROM op JOIN launch ON launch.ts_ns BETWEEN op.ts_ns AND op.ts_ns + op.dur_ns)
GROUP BY name
ORDER BY self_us DESC
