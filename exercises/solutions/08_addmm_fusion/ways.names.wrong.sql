-- expect: 05_batched_bmm/h200/64_bf16_batch8_warm_eager_launches-single:
-- Counts different names, not pieces: one kernel may run many times in a step.
SELECT op.name AS way,
       count(DISTINCT op.id) AS steps,
       count(DISTINCT kernel.name) AS pieces,
       coalesce(sum(kernel.bytes) FILTER (WHERE kernel.kind = 'memcpy'), 0) / 1048576.0
         / count(DISTINCT op.id) AS copied_mib,
       100.0 * coalesce(sum(kernel.dur_ns) FILTER (WHERE kernel.kind = 'memcpy'), 0)
         / sum(kernel.dur_ns) AS copy_percent
FROM op JOIN kernel ON kernel.step = op.step
WHERE op.name GLOB 'matmul_add*'
GROUP BY op.name
ORDER BY way
