// SPDX-License-Identifier: Apache-2.0
//
// How a query reads a table: which rows, by which index, in which order. SQLite asks for it when
// it prepares a statement, and hands it back, as a number, when it starts to read.
//
//   choose_plan(table, info);              // xBestIndex
//   const Plan plan = Plan::of(number);    // xFilter
//
// Plain functions; one thread at a time for each table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/analysis/sql_table.h"

struct sqlite3_index_info;

namespace tracebook {

/// Its number is what SQLite keeps of it.
struct Plan {
  enum Way : std::uint8_t {
    kScan,         // all rows
    kRow,          // one row by its number
    kEqual,        // the rows of one value of `column`
    kRange,        // the rows from a lowest to a highest value of `column`
    kOrdered,      // all rows in the order of `column`
    kOrderedDown,  // the same from the highest value to the lowest
    kEqualDown,    // the rows of one value of `column`, the last first
  };
  Way way = kScan;
  bool has_low = false;
  bool has_high = false;
  std::size_t column = 0;
  std::size_t bounded = 0;  // what the bounds of kEqual and kEqualDown are on: rises with the rows

  [[nodiscard]] int number() const {
    return static_cast<int>(way) | (has_low ? 8 : 0) | (has_high ? 16 : 0) |
           static_cast<int>(column << 5U | bounded << 17U);
  }
  static Plan of(int number) {
    const auto bits = static_cast<unsigned>(number);
    return {.way = static_cast<Way>(bits & 7U),
            .has_low = (bits & 8U) != 0,
            .has_high = (bits & 16U) != 0,
            .column = bits >> 5U & 0xfffU,
            .bounded = bits >> 17U};
  }
};

/// Answers xBestIndex: the cheapest plan for the constraints that SQLite offers, and its cost.
void choose_plan(SqlTable& table, sqlite3_index_info* info);

}  // namespace tracebook
