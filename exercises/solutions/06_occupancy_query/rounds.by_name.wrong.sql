-- expect: planted/sgd_for_loop:
-- One row a name: the same kernel comes with several grids.
WITH shape AS (
  SELECT DISTINCT name, grid_x * grid_y * grid_z AS blocks, active_blocks
  FROM kernel WHERE kind = 'kernel' GROUP BY name
)
SELECT name,
       blocks,
       ceil(1.0 * blocks / (132 * active_blocks)) AS rounds,
       max(0, 132 - blocks) AS idle_sms
FROM shape
ORDER BY name
