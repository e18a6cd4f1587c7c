// SPDX-License-Identifier: Apache-2.0
//
// Chapter 07: what it asks, and the runs that its lesson shows.
#pragma once

#include "common/workbook/chapter.h"

namespace tracebook {

const ChapterInfo kChapter{
    .stem = "07_variance",
    .title = "Variance",
    .question = "Why does the same kernel take different times?",
    .defaults = {.size = 4096, .warmup = true, .active = 20},
    .extra_knobs = {{.flag = "idle-ms",
                     .help = "milliseconds of rest before the profiler starts",
                     .default_value = "0",
                     .choices = {},
                     .minimum = 0,
                     .maximum = 600'000}},
    .variants = {"", "--active 200", "--idle-ms 1000", "--active 200 --idle-ms 1000",
                 "--active 2000"},
    .comparisons =
        {{.flag = "spread",
          .help = "table: the product's times and the clocks beside them, run by run",
          .runs = {"", "--idle-ms 1000", "--active 200", "--active 200 --idle-ms 1000",
                   "--active 2000"},
          .sql = "SELECT count(*) AS products, median(dur) AS median_us, avg(dur) AS mean_us, "
                 "min(dur) AS min_us, max(dur) AS max_us, 100.0 * stddev(dur) / avg(dur) AS "
                 "spread_percent, (SELECT min(value) FROM counter WHERE name = 'SM clock') AS "
                 "lowest_mhz, (SELECT max(value) FROM counter WHERE name = 'SM clock') AS "
                 "highest_mhz, (SELECT max(value) FROM counter WHERE name = 'Power') AS most_watt "
                 "FROM kernel WHERE path GLOB '*aten::mm*' AND kind = 'kernel'"}},
};

}  // namespace tracebook
