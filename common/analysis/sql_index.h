// SPDX-License-Identifier: Apache-2.0
//
// The rows of a table in the order of one column, to find those of a key or of a range of keys.
// SQLite makes no automatic indexes on virtual tables, so that each join would be a scan per row.
//
//   const SqlIndex index(keys_of_all_rows);
//   const auto [begin, end] = index.range(7, 7);
//   for (std::size_t i = begin; i < end; ++i) index.rows()[i];
//
// Rows of one key stand in row order; rows without a key (NULL) stand first, in no range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace tracebook {

class SqlIndex {
 public:
  /// The key of a row whose cell is NULL.
  static constexpr std::int64_t kNull = std::numeric_limits<std::int64_t>::min();

  /// `keys` holds one key per row.
  explicit SqlIndex(std::vector<std::int64_t> keys);

  /// All rows, ordered by key.
  [[nodiscard]] std::span<const std::uint32_t> rows() const { return rows_; }
  /// The positions in rows() of the keys from `low` to `high`, both included.
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(std::int64_t low,
                                                          std::int64_t high) const;
  /// How many different keys there are, NULL not counted.
  [[nodiscard]] std::size_t distinct() const { return distinct_; }

 private:
  void count_keys(const std::vector<std::int64_t>& keys, std::int64_t high);
  void sort_keys(std::vector<std::int64_t> keys);

  std::vector<std::uint32_t> rows_;
  std::size_t nulls_ = 0;
  std::size_t distinct_ = 0;
  // Keys that lie close together (ids, names) are found without a search: the position of key
  // low_ + i is begin_[i]. Others (times) are searched in keys_, which runs beside rows_.
  std::int64_t low_ = 0;
  std::vector<std::uint32_t> begin_;
  std::vector<std::int64_t> keys_;
};

}  // namespace tracebook
