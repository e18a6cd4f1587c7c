// SPDX-License-Identifier: Apache-2.0
//
// A trace as SQL: the views that claims, exercises and users' own questions are written in. SQLite
// reads the columns of the trace where they lie; nothing is copied into tables.
//
//   Database database(trace, structure);
//   QueryResult result = database.query("SELECT name, dur FROM kernel ORDER BY dur DESC LIMIT 3");
//
// Views: slice, op, launch, kernel, step, overhead, counter, average, info (docs/views.md).
// Functions beside SQLite's own: median(x), percentile(x, p), stddev(x). The trace and its
// structure must outlive the database. One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/trace/error.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

/// NULL, INTEGER, REAL or TEXT.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

/// What SQLite said of a query, in one line (exit code 2).
class SqlError : public UsageError {
 public:
  using UsageError::UsageError;
};

class Database {
 public:
  Database(const Trace& trace, const Structure& structure);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs one read-only statement. SqlError if it is none, does not run, or is not done within
  /// `limit` (0: it may take as long as it likes) and `most_rows` (0: it may have as many). With
  /// `most_rows` it is taken for a stranger's: its memory is limited too, to 16 MiB a value, 64 MiB
  /// a result and, for all queries of the process while it runs, 1 GiB of SQLite's own.
  [[nodiscard]] QueryResult query(std::string_view sql, std::chrono::milliseconds limit = {},
                                  std::size_t most_rows = 0) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tracebook
