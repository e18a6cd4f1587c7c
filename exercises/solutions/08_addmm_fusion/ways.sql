-- What does each way launch and copy?
--
-- "It is one operator now, so it is one kernel." Look: for each way of computing b + x · w in a trace
-- say how many steps there are, how many pieces of GPU work a step launches (memsets and copies are
-- pieces), how many MiB a step copies, and how many percent of its GPU time the copies take.
--
-- Columns: way (the range's name), steps, pieces, copied_mib, copy_percent
-- Rows:    one for each range name that begins with matmul_add, in order of the name; 0 without copies
-- solution begin
SELECT op.name AS way,
       count(DISTINCT op.id) AS steps,
       1.0 * count(kernel.id) / count(DISTINCT op.id) AS pieces,
       coalesce(sum(kernel.bytes) FILTER (WHERE kernel.kind = 'memcpy'), 0) / 1048576.0
         / count(DISTINCT op.id) AS copied_mib,
       100.0 * coalesce(sum(kernel.dur_ns) FILTER (WHERE kernel.kind = 'memcpy'), 0)
         / sum(kernel.dur_ns) AS copy_percent
FROM op JOIN kernel ON kernel.step = op.step
-- solution end
-- instead begin
-- | -- TODO: join the GPU work of each range's step
-- | SELECT op.name AS way,
-- |        count(*) AS steps,
-- |        NULL AS pieces,
-- |        NULL AS copied_mib,
-- |        NULL AS copy_percent
-- | FROM op
-- instead end
WHERE op.name GLOB 'matmul_add*'
GROUP BY op.name
ORDER BY way
