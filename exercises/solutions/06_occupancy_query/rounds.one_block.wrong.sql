-- expect: rounds is
-- One block at a time on each multiprocessor; more of them fit.
WITH shape AS (
  SELECT DISTINCT name, grid_x * grid_y * grid_z AS blocks, active_blocks
  FROM kernel WHERE kind = 'kernel'
)
SELECT name,
       blocks,
       ceil(1.0 * blocks / 132) AS rounds,
       max(0, 132 - blocks) AS idle_sms
FROM shape
ORDER BY name
