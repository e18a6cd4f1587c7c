-- expect: 04_active20_buffer_gaps/h200/64_bf16_warm_eager_activity-buffer-2048:
-- Counts only records that lie wholly between the step's start and the launch.
SELECT s.number AS step, s.to_first_launch AS to_launch_us, coalesce(sum(o.dur), 0) AS covered_us
FROM step s JOIN launch l ON l.id = s.first_launch
LEFT JOIN overhead o ON o.ts_ns >= s.ts_ns AND o.ts_ns + o.dur_ns <= l.ts_ns
GROUP BY s.id
ORDER BY s.ts_ns
