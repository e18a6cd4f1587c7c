-- expect: copy_percent is
-- Takes memsets for copies.
SELECT op.name AS way,
       count(DISTINCT op.id) AS steps,
       1.0 * count(kernel.id) / count(DISTINCT op.id) AS pieces,
       coalesce(sum(kernel.bytes) FILTER (WHERE kernel.kind != 'kernel'), 0) / 1048576.0
         / count(DISTINCT op.id) AS copied_mib,
       100.0 * coalesce(sum(kernel.dur_ns) FILTER (WHERE kernel.kind != 'kernel'), 0)
         / sum(kernel.dur_ns) AS copy_percent
FROM op JOIN kernel ON kernel.step = op.step
WHERE op.name GLOB 'matmul_add*'
GROUP BY op.name
ORDER BY way
