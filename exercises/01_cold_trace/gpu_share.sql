-- How much of each step does the GPU work?
--
-- A colleague says: "Our step takes 20 µs, so the GPU is busy for 20 µs." Show what the GPU really
-- did, step by step: beside the time that a step took on the CPU, the time of the GPU work that it
-- launched, and the one in percent of the other. In a trace without any GPU work it is 0.
--
-- Columns: step (its number), cpu_us, gpu_us, percent
-- Rows:    one for each step, in order of time
-- TODO: join the GPU work that each step launched, and sum it up
SELECT step.number AS step,
       step.dur AS cpu_us,
       NULL AS gpu_us,
       NULL AS percent
FROM step
ORDER BY step.ts_ns
