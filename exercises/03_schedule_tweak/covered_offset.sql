-- How much of each step's way to its first launch is the profiler's?
--
-- "The GPU starts late" is often said of a trace. Part of the time before the first launch may be
-- covered by overhead records, such as a request for a buffer, and part is the program's own.
-- Give both for each step: the time from its start to its first launch call, and how much of just
-- this time overhead records cover. A record that reaches out of it, at either end, counts with the
-- part inside.
-- (In these traces no record overlaps another.)
--
-- Columns: step (its number), to_launch_us, covered_us
-- Rows:    one for each step, in order of time; 0 where no record lies there
-- TODO: add what overhead records cover between the step's start and its first launch
SELECT s.number AS step,
       s.to_first_launch AS to_launch_us,
       NULL AS covered_us
FROM step s
ORDER BY s.ts_ns
