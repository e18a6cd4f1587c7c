// SPDX-License-Identifier: Apache-2.0
//
// Chapter 03: what it asks, and the runs that its lesson shows.
#pragma once

#include "common/workbook/chapter.h"

namespace tracebook {

const ChapterInfo kChapter{
    .stem = "03_schedule_tweak",
    .title = "Another schedule",
    .question = "What happens before the first recorded step?",
    .defaults = {.warmup = true, .wait = 0, .profiler_warmup = 0},
    .extra_knobs = {{.flag = "buffers",
                     .help = "the profiler's memory: fresh pages (as PyTorch), touched, or zeroed "
                             "beforehand",
                     .default_value = "fresh",
                     .choices = {"fresh", "touched", "zeroed"}}},
    .variants = {"", "--buffers touched", "--buffers zeroed", "--no-warmup",
                 "--no-warmup --buffers zeroed", "--wait 1 --profiler-warmup 1"},
    .comparisons =
        {{.flag = "offsets",
          .help = "table: from the first step to its launch, from the launch to its kernel",
          .runs = {"", "--buffers touched", "--buffers zeroed", "--wait 1 --profiler-warmup 1",
                   "--no-warmup", "--no-warmup --buffers zeroed"},
          .sql = "SELECT s.dur AS first_step_us, l.ts - s.ts AS step_to_launch_us, l.delay AS "
                 "launch_to_kernel_us, (SELECT coalesce(sum(o.dur), 0) FROM overhead o WHERE "
                 "o.step = s.number AND o.name = 'Activity Buffer Request') AS request_us, "
                 "(SELECT coalesce(sum(o.dur), 0) FROM overhead o WHERE o.step = s.number AND "
                 "o.name GLOB '*Loading*') AS loading_us, (SELECT median(dur) FROM step WHERE "
                 "number > s.number) AS other_steps_us FROM step s JOIN launch l ON l.step = "
                 "s.number ORDER BY l.ts LIMIT 1"}},
};

}  // namespace tracebook
