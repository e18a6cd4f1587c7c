-- expect: torch/04_active20_64:
-- Takes neighbours on the stream, also those of two different steps.
WITH pair AS (
  SELECT k.step,
         k.gap_before_ns AS gap,
         n.ts_ns - lag(n.ts_ns) OVER (ORDER BY k.ts_ns) AS spacing,
         n.delay_ns - lag(n.delay_ns) OVER (ORDER BY k.ts_ns) AS shift
  FROM kernel k JOIN launch n ON n.id = k.launch
)
SELECT step,
       gap / 1000.0 AS gap_us,
       spacing / 1000.0 AS spacing_us,
       shift / 1000.0 AS shift_us,
       CASE WHEN spacing - (SELECT median(spacing) FROM pair)
                 >= shift - (SELECT median(shift) FROM pair)
            THEN 'spacing' ELSE 'delay' END AS cause
FROM pair
ORDER BY gap_us DESC LIMIT 5
