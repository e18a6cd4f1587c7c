// SPDX-License-Identifier: Apache-2.0
//
// Chapter 06: what it asks, and the runs that its lesson shows.
#pragma once

#include "common/workbook/chapter.h"

namespace tracebook {

const ChapterInfo kChapter{
    .stem = "06_occupancy_query",
    .title = "The occupancy query",
    .question = "Why does matmul plan its launch, and add not?",
    .defaults = {.warmup = true},
    .dtypes = {"bf16", "fp16", "fp32", "int8"},
    .variants = {"", "--size 66", "--size 63", "--size 4096", "--size 4090", "--size 4095",
                 "--size 1024 --dtype int8", "--size 1024", "--size 1024 --dtype fp32"},
    .comparisons =
        {{.flag = "paths",
          .help = "table: query, launch, resources and time of the product, path by path",
          .runs = {"", "--size 66", "--size 63", "--size 1024", "--size 1024 --dtype fp32",
                   "--size 1024 --dtype int8", "--size 4096", "--size 4090", "--size 4095"},
          .sql = "SELECT substr(k.name, 1, 40) AS kernel, "
                 "(SELECT 1.0 * count(*) FROM slice WHERE name GLOB '*Occupancy*' AND cat = "
                 "'cuda_driver') / (SELECT count(*) FROM step) AS driver_queries, "
                 "(SELECT 1.0 * count(*) FROM slice WHERE name GLOB '*Occupancy*' AND cat = "
                 "'cuda_runtime') / (SELECT count(*) FROM step) AS runtime_queries, "
                 "(SELECT name FROM slice WHERE id = k.launch) AS launch, k.registers AS "
                 "registers, k.shared_memory AS shared_bytes, "
                 "k.grid_x * k.grid_y * k.grid_z AS blocks, k.active_blocks AS fit_on_sm, "
                 "k.occupancy_limit AS limited_by, "
                 "(SELECT median(p.dur) FROM kernel p WHERE p.name = k.name) AS us FROM kernel k "
                 "WHERE k.path GLOB '*aten::*mm*' AND k.kind = 'kernel' ORDER BY k.ts LIMIT 1"}},
};

}  // namespace tracebook
