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
-- TODO: pair the two kernels of each step, and each with its launch
SELECT step,
       gap_before AS gap_us,
       NULL AS spacing_us,
       NULL AS shift_us,
       NULL AS cause
FROM kernel
ORDER BY gap_us DESC LIMIT 5
