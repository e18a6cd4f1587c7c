// SPDX-License-Identifier: Apache-2.0
//
// Chapter 05: what it asks, and the runs that its lesson shows.
#pragma once

#include "common/workbook/chapter.h"

namespace tracebook {

const ChapterInfo kChapter{
    .stem = "05_batched_bmm",
    .title = "A batch dimension",
    .question = "What changes with a batch dimension?",
    .defaults = {.batch = 8, .warmup = true},
    .extra_knobs = {{.flag = "launches",
                     .help = "batched: one product of --batch matrices; single: that many products "
                             "of one matrix each",
                     .default_value = "batched",
                     .choices = {"batched", "single"}}},
    .batches = true,
    .variants = {"", "--launches single", "--batch 1", "--batch 1 --launches single", "--batch 16",
                 "--batch 64", "--batch 512"},
    .comparisons =
        {{.flag = "grids",
          .help = "table: launches, grid and times, batch by batch",
          .runs = {"--batch 1 --launches single", "--batch 1", "", "--batch 16", "--batch 64",
                   "--batch 512", "--launches single"},
          .sql =
              "SELECT (SELECT name FROM op WHERE name IN ('aten::mm', 'aten::bmm') LIMIT 1) AS op, "
              "(SELECT count(*) FROM launch) / (SELECT count(*) FROM step) AS launches_a_step, "
              "CASE WHEN k.name GLOB 'nvjet_*_tst_*' THEN substr(k.name, instr(k.name, 'tst_') + "
              "4, instr(substr(k.name, instr(k.name, 'tst_') + 4), '_') - 1) ELSE '?' END AS tile, "
              "k.grid AS grid, max(k.grid_x * k.grid_y * k.grid_z) AS blocks, max(k.blocks_per_sm) "
              "AS blocks_per_sm, median(k.dur) AS product_us, sum(k.dur) / (SELECT count(*) FROM "
              "step) AS products_us_a_step, "
              "(SELECT median(dur) FROM op WHERE name = 'matmul_add') AS cpu_us FROM kernel k "
              "WHERE k.kind = 'kernel' AND k.path GLOB '*aten::*mm*'"}},
};

}  // namespace tracebook
