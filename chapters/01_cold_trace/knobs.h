// SPDX-License-Identifier: Apache-2.0
//
// Chapter 01: what it asks, and the runs that its lesson shows.
#pragma once

#include "common/workbook/chapter.h"

namespace tracebook {

const ChapterInfo kChapter{
    .stem = "01_cold_trace",
    .title = "A cold trace",
    .question = "Where does the time go in add(matmul(x, w), b)?",
    .batches = true,
    .variants = {"", "--size 4096", "--wait 0 --profiler-warmup 0", "--activities cpu"},
};

}  // namespace tracebook
