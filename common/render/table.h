// SPDX-License-Identifier: Apache-2.0
//
// The profiler table as torch prints it (key_averages().table() of PyTorch 2.11): same columns,
// order, widths, units and footer, to the byte. For every table that a reader may lay beside
// PyTorch's.
//
//   Averages averages = key_averages(trace, structure);
//   sort_averages(averages, "cuda_time_total");
//   std::cout << render_table(averages, {.row_limit = 15});
//
// Plain functions on values, usable from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "common/analysis/averages.h"

namespace tracebook {

struct TableOptions {
  int row_limit = 100;             ///< torch's default; -1 for all
  int max_name_column_width = 55;  ///< torch's default: longer names end in "..."; 0 for no limit
  /// False leaves the CUDA columns out; they also go, as in torch, where no row has device time.
  bool has_device_time = true;
  /// Say below the table which of its rows are spans on the GPU and no work. torch does not.
  bool span_note = false;
};

/// Where rows were kept apart by step or shape, or their calls' times kept (AveragesOptions), their
/// columns follow torch's. Rows in the order given (see sort_averages). Percentages are shares of
/// the two totals, which spans do not enter: a span may exceed 100 %. "" without rows.
std::string render_table(const Averages& averages, const TableOptions& options = {});

/// torch's format of a time: "0.000us", "3.706ms", "1.234s".
std::string format_time(std::int64_t ns);

}  // namespace tracebook
