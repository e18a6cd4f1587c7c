-- expect: torch/06_size_4096:
-- Rounds a round that is not full down, and so away.
WITH shape AS (
  SELECT DISTINCT name, grid_x * grid_y * grid_z AS blocks, active_blocks
  FROM kernel WHERE kind = 'kernel'
)
SELECT name,
       blocks,
       max(1, blocks / (132 * active_blocks)) AS rounds,
       max(0, 132 - blocks) AS idle_sms
FROM shape
ORDER BY name
