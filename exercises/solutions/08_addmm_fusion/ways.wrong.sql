-- expect: torch/08_all_4096:
-- Takes the time of the calls, on the CPU, for the time of the copies.
SELECT op.name AS way,
       count(DISTINCT op.id) AS steps,
       1.0 * count(kernel.id) / count(DISTINCT op.id) AS pieces,
       coalesce(sum(kernel.bytes) FILTER (WHERE kernel.kind = 'memcpy'), 0) / 1048576.0
         / count(DISTINCT op.id) AS copied_mib,
       100.0 * coalesce(sum(launch.dur_ns) FILTER (WHERE kernel.kind = 'memcpy'), 0)
         / sum(launch.dur_ns) AS copy_percent
FROM op JOIN kernel ON kernel.step = op.step JOIN launch ON launch.id = kernel.launch
WHERE op.name GLOB 'matmul_add*'
GROUP BY op.name
ORDER BY way
