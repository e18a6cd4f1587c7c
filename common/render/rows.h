// SPDX-License-Identifier: Apache-2.0
//
// The rows of a query as text: aligned columns below a header, numbers to the right.
//
//   std::cout << rows_text(database.query("SELECT name, dur FROM kernel"));
//   rows_text(result, {.width = 80, .break_headers = true});   // for a terminal
//
// Plain functions of values; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "common/analysis/database.h"

namespace tracebook {

/// At most three decimals; below 0.01, three significant digits.
std::string rounded_text(double value);
/// A cell as a person reads it: numbers as rounded_text, NULL as "-".
std::string cell_text(const Cell& cell);

struct RowsLook {
  /// Columns there are; 0: no limit, and cells as they are. Else each cell is one line, and texts
  /// are cut where all would be wider; if that is not enough, numbers too.
  std::size_t width = 0;
  bool ascii = false;  ///< "~" where something is missing, not "…"
  /// "first_step_us" in three lines, where the rows would be wider than `width`.
  bool break_headers = false;
};

std::string rows_text(const QueryResult& result, const RowsLook& look = {});
/// Whether rows_text without a limit is wider than `width`.
bool rows_are_wider(const QueryResult& result, std::size_t width);

}  // namespace tracebook
