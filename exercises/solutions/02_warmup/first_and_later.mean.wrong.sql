-- expect: later_us
-- The mean of the later steps: two of them hide it, nineteen do not.
SELECT f.name,
       f.self AS first_us,
       avg(l.self) AS later_us,
       f.self / avg(l.self) AS times
FROM op f JOIN op l ON l.name = f.name AND l.step > f.step
WHERE f.step = (SELECT min(number) FROM step)
GROUP BY f.id
