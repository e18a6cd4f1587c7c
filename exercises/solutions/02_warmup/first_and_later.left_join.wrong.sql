-- expect: planted/recompile_shapes:
-- Keeps names that never come again, with NULL beside them.
SELECT f.name, f.self AS first_us, median(l.self) AS later_us, f.self / median(l.self) AS times
FROM op f LEFT JOIN op l ON l.name = f.name AND l.step > f.step
WHERE f.step = (SELECT min(number) FROM step) AND f.name NOT GLOB 'ProfilerStep*'
GROUP BY f.id
