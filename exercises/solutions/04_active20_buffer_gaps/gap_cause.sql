-- Late launch or late start?
--
-- A gap between the two kernels of a step is launch spacing, plus what the second launch's delay is
-- longer than the first's (the shift), less the time of the first kernel. So a gap that is wider than
-- usual has one of two faces: the second call came late, or its kernel did. Tell which, for the five
-- widest gaps: `spacing` if the launch spacing is further above its median over all steps than the
-- shift is above its own, else `delay`.
--
-- Columns: step, gap_us, spacing_us, shift_us (second delay - first delay), cause
-- Rows:    the five widest gaps inside a step, the widest first
-- solution begin
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
       CASE WHEN spacing - (SELECT median(spacing) FROM pair)
                 >= shift - (SELECT median(shift) FROM pair)
            THEN 'spacing' ELSE 'delay' END AS cause
FROM pair
-- solution end
-- instead begin
-- | -- TODO: pair the two kernels of each step, and each with its launch
-- | SELECT step,
-- |        gap_before AS gap_us,
-- |        NULL AS spacing_us,
-- |        NULL AS shift_us,
-- |        NULL AS cause
-- | FROM kernel
-- instead end
ORDER BY gap_us DESC LIMIT 5
