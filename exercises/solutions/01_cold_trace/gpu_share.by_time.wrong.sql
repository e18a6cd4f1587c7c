-- expect: h200/64_bf16_cold_eager: row 1: gpu_us is
-- Asks which work ran during the step: a kernel often runs after the step that launched it.
SELECT step.number AS step, step.dur AS cpu_us, coalesce(sum(kernel.dur), 0) AS gpu_us,
       100.0 * coalesce(sum(kernel.dur), 0) / step.dur AS percent
FROM step LEFT JOIN kernel ON kernel.ts >= step.ts AND kernel.ts < step.ts + step.dur
GROUP BY step.id
ORDER BY step.ts_ns
