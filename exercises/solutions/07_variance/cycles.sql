-- Time by the clock: is it one number?
--
-- If a kernel's time hung on the SM clock alone, time multiplied by clock would be the same at every
-- clock. Give each product (the kernels that `aten::mm` launched) the SM clock as last sampled before
-- it started, and put the products of one clock together: how many there are, their median, and the
-- median times the clock in thousand cycles. Products without a sample before them are left out, so a
-- trace without the counter gives no row.
--
-- Columns: mhz, products (how many), median_us, kilocycles
-- Rows:    one for each value of the clock, the highest first
-- solution begin
WITH product AS (
  SELECT dur,
         (SELECT value FROM counter c
          WHERE c.name = 'SM clock' AND c.ts_ns <= kernel.ts_ns
          ORDER BY c.ts_ns DESC LIMIT 1) AS mhz
  FROM kernel
  WHERE kind = 'kernel' AND path GLOB '*aten::mm > cu*'
)
SELECT mhz,
       count(*) AS products,
       median(dur) AS median_us,
       median(dur) * mhz / 1000.0 AS kilocycles
FROM product
WHERE mhz IS NOT NULL
-- solution end
-- instead begin
-- | -- TODO: the clock as last sampled before each product
-- | SELECT NULL AS mhz,
-- |        count(*) AS products,
-- |        median(dur) AS median_us,
-- |        NULL AS kilocycles
-- | FROM kernel
-- | WHERE kind = 'kernel' AND path GLOB '*aten::mm > cu*'
-- instead end
GROUP BY mhz
ORDER BY mhz DESC
