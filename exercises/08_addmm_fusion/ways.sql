-- What does each way launch and copy?
--
-- "It is one operator now, so it is one kernel." Look: for each way of computing b + x · w in a trace
-- say how many steps there are, how many pieces of GPU work a step launches (memsets and copies are
-- pieces), how many MiB a step copies, and how many percent of its GPU time the copies take.
--
-- Columns: way (the range's name), steps, pieces, copied_mib, copy_percent
-- Rows:    one for each range name that begins with matmul_add, in order of the name; 0 without copies
-- TODO: join the GPU work of each range's step
SELECT op.name AS way,
       count(*) AS steps,
       NULL AS pieces,
       NULL AS copied_mib,
       NULL AS copy_percent
FROM op
WHERE op.name GLOB 'matmul_add*'
GROUP BY op.name
ORDER BY way
