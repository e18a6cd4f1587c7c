// SPDX-License-Identifier: Apache-2.0
//
// Chapter 08: what it asks, and the runs that its lesson shows.
#pragma once

#include "common/workbook/chapter.h"

namespace tracebook {

/// Launches, device records, bytes copied beside the product's own, GPU and CPU time of a step by
/// variant (medians), the product's median, and the error against double precision (the root of the
/// mean square error over that of the exact values).
inline constexpr const char* kSideBySide =
    "WITH run AS (SELECT id, step, dur, substr(name, 13) AS variant FROM op WHERE name GLOB "
    "'matmul_add: *'), work AS (SELECT r.variant, r.step, r.dur AS cpu, (SELECT count(*) FROM "
    "launch l WHERE l.step = r.step) AS launches, (SELECT sum(k.dur) FROM kernel k WHERE k.step = "
    "r.step) AS gpu, (SELECT count(*) FROM kernel k WHERE k.step = r.step AND k.kind = 'kernel') "
    "AS kernels, (SELECT coalesce(sum(k.bytes), 0) FROM kernel k WHERE k.step = r.step AND k.kind "
    "= 'memcpy') AS copied, (SELECT k.dur FROM kernel k WHERE k.step = r.step AND k.kind = "
    "'kernel' ORDER BY k.ts LIMIT 1) AS product FROM run r) SELECT variant, count(*) AS steps, "
    "max(launches) AS launches, max(kernels) AS kernels, max(copied) / 1048576.0 AS copied_mib, "
    "median(gpu) AS gpu_us, median(product) AS product_us, median(cpu) AS cpu_us, (SELECT "
    "max(value) FROM counter c WHERE c.name = 'Relative error' AND c.series = variant) AS "
    "relative_error "
    "FROM work GROUP BY variant ORDER BY instr('eager copy fused bias', variant)";

const ChapterInfo kChapter{
    .stem = "08_addmm_fusion",
    .title = "addmm, and fusion",
    .question = "Did we fuse it?",
    .defaults = {.size = 4096, .warmup = true},
    .extra_knobs = {{.flag = "variant",
                     .help = "eager: product, then add; copy: as torch.addmm, a copy and a product "
                             "that adds to it; fused: one kernel that reads b; bias: one kernel, b "
                             "is a row; all: the four, in turns",
                     .default_value = "eager",
                     .choices = {"eager", "copy", "fused", "bias", "all"}}},
    .variants = {"", "--variant copy", "--variant fused", "--variant bias",
                 "--active 400 --variant all", "--size 64", "--size 64 --variant copy",
                 "--size 64 --variant fused", "--size 64 --variant bias",
                 "--size 64 --active 400 --variant all"},
    .comparisons = {{.flag = "compare",
                     .help = "table: the four variants in one run, in turns, a hundred times each",
                     .runs = {"--active 400 --variant all"},
                     .sql = kSideBySide},
                    {.flag = "compare-64",
                     .help = "the same table at 64",
                     .runs = {"--size 64 --active 400 --variant all"},
                     .sql = kSideBySide}},
};

}  // namespace tracebook
