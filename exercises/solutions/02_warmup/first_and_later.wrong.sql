-- expect: torch/02_warmup_64_cycle3:
-- The first step is not number 2 in every trace.
SELECT f.name,
       f.self AS first_us,
       median(l.self) AS later_us,
       f.self / median(l.self) AS times
FROM op f JOIN op l ON l.name = f.name AND l.step > f.step
WHERE f.step = 2
GROUP BY f.id
