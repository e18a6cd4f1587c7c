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
-- solution begin
WITH shape AS (
  SELECT DISTINCT name, grid_x * grid_y * grid_z AS blocks, active_blocks
  FROM kernel WHERE kind = 'kernel'
)
SELECT name,
       blocks,
       ceil(1.0 * blocks / (132 * active_blocks)) AS rounds,
       max(0, 132 - blocks) AS idle_sms
FROM shape
-- solution end
-- instead begin
-- | -- TODO: rounds and idle multiprocessors, and each kernel only once
-- | SELECT name,
-- |        grid_x * grid_y * grid_z AS blocks,
-- |        NULL AS rounds,
-- |        NULL AS idle_sms
-- | FROM kernel
-- instead end
ORDER BY name, blocks
