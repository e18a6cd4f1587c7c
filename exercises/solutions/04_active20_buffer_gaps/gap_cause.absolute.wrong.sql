-- expect: cause is
-- Compares spacing and shift themselves, not how far each is above what is usual.
WITH pair AS (
  SELECT b.step,
         b.ts_ns - a.ts_ns - a.dur_ns AS gap,
         n.ts_ns - m.ts_ns AS spacing,
         n.delay_ns - m.delay_ns AS shift
  FROM kernel a
  JOIN kernel b ON b.step = a.step AND b.stream = a.stream AND b.ts_ns > a.ts_ns
  JOIN launch m ON m.id = a.launch
  JOIN launch n ON n.id = b.launch
)
SELECT step,
       gap / 1000.0 AS gap_us,
       spacing / 1000.0 AS spacing_us,
       shift / 1000.0 AS shift_us,
       CASE WHEN spacing
                 >= shift
            THEN 'spacing' ELSE 'delay' END AS cause
FROM pair
ORDER BY gap_us DESC LIMIT 5
