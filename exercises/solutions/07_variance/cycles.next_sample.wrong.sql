-- expect: h200/4096_bf16_warm_eager_active2000:
-- The next sample in place of the last.
WITH product AS (
  SELECT dur,
         (SELECT value FROM counter c
          WHERE c.name = 'SM clock' AND c.ts_ns >= kernel.ts_ns
          ORDER BY c.ts_ns LIMIT 1) AS mhz
  FROM kernel
  WHERE kind = 'kernel' AND path GLOB '*aten::mm > cu*'
)
SELECT mhz,
       count(*) AS products,
       median(dur) AS median_us,
       median(dur) * mhz / 1000.0 AS kilocycles
FROM product
WHERE mhz IS NOT NULL
GROUP BY mhz
ORDER BY mhz DESC
