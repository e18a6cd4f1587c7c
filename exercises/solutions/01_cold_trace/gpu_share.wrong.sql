-- expect: h200/64_bf16_cold_eager_cpu:
-- A plain JOIN: a step that launched nothing drops out.
SELECT step.number AS step,
       step.dur AS cpu_us,
       sum(kernel.dur) AS gpu_us,
       100.0 * sum(kernel.dur) / step.dur AS percent
FROM step JOIN kernel ON kernel.step = step.number
GROUP BY step.id
ORDER BY step.ts_ns
