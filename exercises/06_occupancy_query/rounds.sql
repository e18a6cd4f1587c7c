-- In how many rounds does each kernel come?
--
-- The multiprocessors of an H200 (132) take as many blocks of a kernel at a time as fit. If the grid
-- has more, they come in rounds; if it has fewer blocks than there are multiprocessors, some of these
-- have nothing to do. Say for each kernel of a trace how many blocks it has, in how many rounds they
-- come (a round that is begun counts), and how many multiprocessors cannot get a block at all.
-- Memsets and copies have no blocks: leave them out.
--
-- Columns: name, blocks, rounds, idle_sms
-- Rows:    one for each name and number of blocks, in this order
-- TODO: rounds and idle multiprocessors, and each kernel only once
SELECT name,
       grid_x * grid_y * grid_z AS blocks,
       NULL AS rounds,
       NULL AS idle_sms
FROM kernel
ORDER BY name, blocks
