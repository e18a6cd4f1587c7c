-- expect: torch/02_warmup_64: row 1: first_us is
-- Total in place of Self.
SELECT f.name,
       f.dur AS first_us,
       median(l.dur) AS later_us,
       f.dur / median(l.dur) AS times
FROM op f JOIN op l ON l.name = f.name AND l.step > f.step
WHERE f.step = (SELECT min(number) FROM step)
GROUP BY f.id
