-- expect: h200/64_bf16_cold_eager_cpu: row 1: gpu_us is -, expected 0
-- Without coalesce the sum of nothing is NULL, not 0.
SELECT step.number AS step, step.dur AS cpu_us, sum(kernel.dur) AS gpu_us,
       100.0 * sum(kernel.dur) / step.dur AS percent
FROM step LEFT JOIN kernel ON kernel.step = step.number
GROUP BY step.id
ORDER BY step.ts_ns
