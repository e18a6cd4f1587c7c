// SPDX-License-Identifier: Apache-2.0
//
// SQL functions that questions to a trace want and SQLite lacks: median(x), percentile(x, p) and
// stddev(x), as aggregates and as window functions.
//
//   add_functions(connection);   // SELECT name, median(dur) FROM kernel GROUP BY name
//
// They skip NULLs, and give NULL of no numbers. Hold no state of ours between calls.
#pragma once

struct sqlite3;

namespace tracebook {

/// InputError if SQLite has no memory left.
void add_functions(sqlite3* connection);

}  // namespace tracebook
