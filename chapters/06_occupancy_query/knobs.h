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
          .sql = "WITH product AS (SELECT * FROM kernel WHERE path GLOB '*aten::*mm*' AND kind = "
                 "'kernel' ORDER BY ts LIMIT 1), "
                 "asked AS (SELECT count(*) FILTER (WHERE cat = 'cuda_driver') / (SELECT count(*) "
                 "FROM step) AS driver, count(*) FILTER (WHERE cat = 'cuda_runtime') / (SELECT "
                 "count(*) FROM step) AS runtime FROM slice WHERE name GLOB '*Occupancy*') "
                 "SELECT CASE WHEN k.name GLOB 'nvjet*' THEN 'nvjet' WHEN k.name GLOB "
                 "'*cutlass_80*' THEN 'cutlass_80' WHEN k.name GLOB '*cutlass_75*' THEN "
                 "'cutlass_75' WHEN k.name GLOB '*xmma*' THEN 'xmma' ELSE k.name END || CASE WHEN "
                 "k.name GLOB '*align[0-9]*' THEN ' ' || rtrim(substr(k.name, instr(k.name, "
                 "'align'), 7), '>_') ELSE '' END AS kernel, "
                 "CASE WHEN a.driver > 0 THEN a.driver || ' driver' WHEN a.runtime > 0 THEN "
                 "a.runtime || ' runtime' ELSE 'none' END AS queries_a_step, "
                 "(SELECT name FROM slice WHERE id = k.launch) AS launch, k.registers AS regs, "
                 "k.shared_memory AS shared_bytes, k.grid_x * k.grid_y * k.grid_z AS blocks, "
                 "k.active_blocks AS fit_on_sm, "
                 "(SELECT median(p.dur) FROM kernel p WHERE p.name = k.name) AS us FROM product k, "
                 "asked a"}},
};

}  // namespace tracebook
