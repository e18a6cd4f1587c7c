-- Is the first step slow in one place, or everywhere?
--
-- A cost that is paid once sits in one row. A CPU with cold caches is slower in all of them. Put
-- the two side by side: for each range and operator of the first recorded step its Self CPU there,
-- and the median of the same name's Self CPU in all later steps, and how many times the first is
-- the other. Leave out the steps themselves (`ProfilerStep#…`), and names that never come again.
--
-- Columns: name, first_us, later_us, times
-- Rows:    one for each range or operator of the first step, in any order
-- TODO: keep the first step only, and add the median of the later ones
SELECT f.name,
       f.self AS first_us,
       NULL AS later_us,
       NULL AS times
FROM op f
