// SPDX-License-Identifier: Apache-2.0
//
// What keeps rows of one key apart beside the key, and the times of their single calls. Part of
// key_averages(); costs nothing where no option asks for it.
//
//   AverageGroups groups(trace, structure, {.by_step = true});
//   std::uint32_t& row = groups.row_at(key, slice);   // kNoIndex when new
//
// Trace and structure must outlive it. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/analysis/averages.h"

namespace tracebook {

class AverageGroups {
 public:
  static constexpr std::uint32_t kNoIndex = UINT32_MAX;

  /// InputError if rows are asked for by shape and none was recorded.
  AverageGroups(const Trace& trace, const Structure& structure, const AveragesOptions& options);

  [[nodiscard]] bool any() const { return options_.by_step || options_.by_shape; }
  /// Where the row of this key and the slice's group is; kNoIndex, to be set, the first time.
  std::uint32_t& row_at(std::size_t key, SliceId id);
  /// Writes the slice's group into a row.
  void describe(SliceId id, AverageRow& row) const;

  void add_call(std::uint32_t row, std::int64_t call_ns);
  CallTimes call_times(std::uint32_t row);

 private:
  struct Place {
    std::size_t key = 0;
    std::int64_t step = 0;
    std::uint32_t shape = 0;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const;
  };

  void find_shapes();
  [[nodiscard]] std::int64_t step_number(SliceId id) const;

  const Trace& trace_;
  const Structure& structure_;
  AveragesOptions options_;
  std::unordered_map<Place, std::uint32_t, PlaceHash> rows_;
  std::unordered_map<std::int64_t, SliceId> range_of_id_;  // annotations by External id
  std::vector<std::uint32_t> shape_;                       // per slice, into shapes_
  std::vector<std::string> shapes_;                        // the first is ""
  std::vector<std::vector<std::int64_t>> calls_;           // per row
};

}  // namespace tracebook
