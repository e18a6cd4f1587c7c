// SPDX-License-Identifier: Apache-2.0
//
// Chapter 02: what it asks, and the runs that its lesson shows.
#pragma once

#include "common/workbook/chapter.h"

namespace tracebook {

const ChapterInfo kChapter{
    .stem = "02_warmup",
    .title = "Warming up",
    .question = "What does warming up change, and what not?",
    .defaults = {.warmup = true},
    .extra_knobs =
        {{.flag = "ready",
          .help = "what of cuBLAS is made before the first step, each with the ones before it: "
                  "nothing, handle, workspace, algorithm (chosen, and fixed), product (run once)",
          .default_value = "nothing",
          .choices = {"nothing", "handle", "workspace", "algorithm", "product"}},
         {.flag = "module-loading",
          .help = "CUDA_MODULE_LOADING: lazy loads a kernel when it is first launched, eager all "
                  "kernels at the start",
          .default_value = "lazy",
          .choices = {"lazy", "eager"}},
         {.flag = "buffers",
          .help = "the profiler's memory: fresh pages (as PyTorch), touched, or zeroed beforehand",
          .default_value = "zeroed",
          .choices = {"fresh", "touched", "zeroed"}},
         {.flag = "between",
          .help = "what the CPU does before each step: nothing, pause (spins for 4 ms), evict "
                  "(writes 32 MiB, which pushes everything else out of its caches)",
          .default_value = "nothing",
          .choices = {"nothing", "pause", "evict"}}},
    .variants = {"", "--no-warmup", "--buffers touched", "--buffers fresh", "--between pause",
                 "--between evict", "--wait 0 --profiler-warmup 0",
                 "--no-warmup --wait 0 --profiler-warmup 0",
                 "--no-warmup --wait 0 --profiler-warmup 0 --buffers fresh",
                 "--no-warmup --wait 0 --profiler-warmup 0 --ready handle",
                 "--no-warmup --wait 0 --profiler-warmup 0 --ready workspace",
                 "--no-warmup --wait 0 --profiler-warmup 0 --ready algorithm",
                 "--no-warmup --wait 0 --profiler-warmup 0 --ready product",
                 "--no-warmup --wait 0 --profiler-warmup 0 --module-loading eager",
                 "--no-warmup --wait 0 --profiler-warmup 0 --ready handle --module-loading eager"},
    .comparisons =
        {{.flag = "cold-parts",
          .help = "table: the process's first step, with ever more of cuBLAS made beforehand",
          .runs = {"--no-warmup --wait 0 --profiler-warmup 0",
                   "--no-warmup --wait 0 --profiler-warmup 0 --buffers fresh",
                   "--no-warmup --wait 0 --profiler-warmup 0 --ready handle",
                   "--no-warmup --wait 0 --profiler-warmup 0 --ready workspace",
                   "--no-warmup --wait 0 --profiler-warmup 0 --ready algorithm",
                   "--no-warmup --wait 0 --profiler-warmup 0 --ready product",
                   "--no-warmup --wait 0 --profiler-warmup 0 --module-loading eager",
                   "--no-warmup --wait 0 --profiler-warmup 0 --ready handle --module-loading eager",
                   "--wait 0 --profiler-warmup 0"},
          .sql = "SELECT (SELECT dur FROM step ORDER BY ts LIMIT 1) AS first_step_us, "
                 "(SELECT dur FROM op WHERE name = 'aten::mm' ORDER BY ts LIMIT 1) AS first_mm_us, "
                 "(SELECT dur FROM op WHERE name = 'aten::add' ORDER BY ts LIMIT 1) AS "
                 "first_add_us, "
                 "(SELECT coalesce(sum(dur), 0) FROM overhead WHERE name GLOB '*Loading*') AS "
                 "loading_us, "
                 "(SELECT coalesce(sum(dur), 0) FROM overhead WHERE name = 'Activity Buffer "
                 "Request') AS request_us, "
                 "(SELECT dur FROM step ORDER BY ts LIMIT 1 OFFSET 1) AS second_step_us"},
         {.flag = "first-steps",
          .help = "table: matmul_add in the first three recorded steps, by what came before",
          .runs = {"", "--no-warmup", "--buffers touched", "--buffers fresh", "--between pause",
                   "--between evict"},
          .sql = "SELECT max(CASE n WHEN 1 THEN dur END) AS first_us, max(CASE n WHEN 2 THEN dur "
                 "END) AS second_us, max(CASE n WHEN 3 THEN dur END) AS third_us, max(CASE n WHEN "
                 "1 THEN gap END) AS first_gap_us, max(CASE n WHEN 2 THEN gap END) AS "
                 "second_gap_us FROM (SELECT row_number() OVER (ORDER BY m.ts) AS n, m.dur, "
                 "(SELECT min(o.ts) FROM op o WHERE o.parent = m.id) - m.ts AS gap FROM op m "
                 "WHERE m.name = 'matmul_add')"}},
};

}  // namespace tracebook
