-- expect: h200/64_bf16_warm_eager:
-- Counts each record of the step whole, also one that begins after the launch call.
SELECT s.number AS step,
       s.to_first_launch AS to_launch_us,
       coalesce(sum(o.dur_ns), 0) / 1000.0 AS covered_us
FROM step s LEFT JOIN overhead o ON o.step = s.number
GROUP BY s.id
ORDER BY s.ts_ns
