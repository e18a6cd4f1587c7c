// SPDX-License-Identifier: Apache-2.0
//
// Chapter 04: what it asks, and the runs that its lesson shows.
#pragma once

#include <string>
#include <vector>

#include "common/workbook/chapter.h"

namespace tracebook {

/// Every state of the buffers at sizes from 2 KiB to 64 MiB; 4 MiB, PyTorch's, is the default.
inline std::vector<std::string> buffer_sweep() {
  std::vector<std::string> runs;
  for (const char* const state : {"fresh", "touched", "zeroed"}) {
    for (const char* const bytes :
         {"2048", "32768", "262144", "1048576", "4194304", "8388608", "67108864"}) {
      std::string run;
      if (std::string(state) != "fresh") run = std::string("--buffers ") + state;
      if (std::string(bytes) != "4194304") {
        run += std::string(run.empty() ? "" : " ") + "--activity-buffer " + bytes;
      }
      runs.push_back(run);
    }
  }
  return runs;
}

/// The sweep, and the GPU's own buffers at another size.
inline std::vector<std::string> buffer_variants() {
  std::vector<std::string> runs = buffer_sweep();
  runs.insert(runs.end(), {"--buffers zeroed --device-buffer 65536",
                           "--buffers zeroed --device-buffer 67108864"});
  return runs;
}

const ChapterInfo kChapter{
    .stem = "04_active20_buffer_gaps",
    .title = "Twenty steps, and the gaps in them",
    .question = "Is that gap mine or the profiler's?",
    .defaults = {.warmup = true, .wait = 0, .profiler_warmup = 0, .active = 20},
    .extra_knobs = {{.flag = "activity-buffer",
                     .help = "bytes of a buffer in host memory that CUPTI is given for records",
                     .default_value = "4194304",
                     .choices = {},
                     .minimum = 1024,
                     .maximum = 1 << 30},
                    {.flag = "buffers",
                     .help = "its memory: fresh pages (as PyTorch), touched, or zeroed beforehand",
                     .default_value = "fresh",
                     .choices = {"fresh", "touched", "zeroed"}},
                    {.flag = "device-buffer",
                     .help = "bytes of CUPTI's buffers in GPU memory (0: CUPTI's choice)",
                     .default_value = "0",
                     .choices = {},
                     .minimum = 0,
                     .maximum = 1 << 30}},
    .variants = buffer_variants(),
    .comparisons =
        {{.flag = "sweep",
          .help = "table: requests, their length, and the gaps, over sizes and states",
          .runs = buffer_sweep(),
          .sql =
              "WITH request AS (SELECT ts_ns, dur_ns FROM overhead WHERE name = 'Activity Buffer "
              "Request'), "
              "flush AS (SELECT ts_ns, dur_ns FROM overhead WHERE name = 'Buffer Flush'), "
              "pair AS (SELECT a.step, b.ts_ns - a.ts_ns - a.dur_ns AS gap, n.ts_ns AS from_ns, "
              "n.ts_ns + n.dur_ns AS to_ns FROM kernel a JOIN kernel b ON b.step = a.step AND "
              "b.ts_ns > a.ts_ns JOIN launch m ON m.id = a.launch JOIN launch n ON n.id = "
              "b.launch) "
              "SELECT (SELECT count(*) FROM request) AS requests, (SELECT median(dur_ns) / 1000.0 "
              "FROM request) AS request_us, "
              "(SELECT count(*) FROM flush) AS flushes, (SELECT dur FROM step ORDER BY ts LIMIT 1) "
              "AS first_step_us, (SELECT median(dur) FROM step) AS step_us, "
              "median(gap) / 1000.0 AS gap_us, max(gap) FILTER (WHERE step > 0) / 1000.0 AS "
              "widest_later_gap_us, "
              "count(*) FILTER (WHERE step > 0 AND gap > 20000) AS wide_later_gaps, "
              "count(*) FILTER (WHERE step > 0 AND gap > 20000 AND EXISTS (SELECT 1 FROM flush f "
              "WHERE f.ts_ns < to_ns AND f.ts_ns + f.dur_ns > from_ns)) AS with_flush FROM pair"}},
};

}  // namespace tracebook
