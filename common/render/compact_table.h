// SPDX-License-Identifier: Apache-2.0
//
// The profiler table for a reader at a terminal: torch's form where it fits, otherwise the columns
// that matter, within the terminal's width. Pipes and files always get torch's form.
//
//   std::cout << render_table_for(averages, {.row_limit = 15}, stdout_terminal());
#pragma once

#include <string>

#include "common/analysis/averages.h"
#include "common/render/table.h"
#include "common/render/terminal.h"

namespace tracebook {

/// torch's table if standard output is no terminal or is wide enough for it; else the compact one.
std::string render_table_for(const Averages& averages, const TableOptions& options,
                             const Terminal& terminal);

/// With the steps, shapes and calls' times that the averages have (AveragesOptions); where they
/// have the calls' times, these stand in place of the sums. Otherwise name, Self CPU, CPU total,
/// Self CUDA, CUDA total, calls: no line longer than `width` (at least 40). GPU spans are marked,
/// since they are no work.
std::string render_compact_table(const Averages& averages, const TableOptions& options, int width);

}  // namespace tracebook
