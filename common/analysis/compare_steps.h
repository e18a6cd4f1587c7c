// SPDX-License-Identifier: Apache-2.0
//
// Cuts a trace into its steps and sums each up: the half of a comparison that looks at one trace
// only.
//
//   const SideSums sums = sum_up({trace, structure, "a.json"}, /*per_step=*/true);
//   sums.rows.at({DeviceType::kCuda, "gemm"}).self_ns;   // one value a step
//
// For compare.cpp. A value that refers to nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/analysis/averages.h"
#include "common/analysis/compare.h"

namespace tracebook {

struct RowSums {
  std::vector<std::int64_t> self_ns;  ///< per step: CPU time of CPU rows, GPU time of GPU rows
  std::vector<std::int64_t> cpu_ns;
  std::vector<std::int64_t> self_device_ns;
  std::vector<std::int64_t> device_ns;
  std::int64_t present = 0;          ///< steps in which the row occurs
  std::size_t last_part = SIZE_MAX;  ///< the step counted last
  std::int64_t calls = 0;            ///< over all steps
  std::int64_t launches = 0;         ///< over all steps
  std::int64_t first = 0;            ///< order of appearance
  /// GPU rows: time by the op around the launch; "" where none is known.
  std::map<std::string, std::int64_t> ops_ns;
};

using RowKey = std::pair<DeviceType, std::string>;

struct SideSums {
  ComparedSide side;
  std::vector<std::int64_t> gpu_busy_ns;  ///< per step
  std::vector<std::int64_t> cpu_ns;
  std::vector<std::int64_t> duration_ns;
  /// From one compared step's start to the next one's, where their numbers follow each other.
  std::vector<std::int64_t> period_ns;
  std::map<RowKey, RowSums> rows;
};

/// Steps whose times a clock gave.
std::size_t usable_steps(const TraceView& view);

/// With `per_step`, steps but for the first (or the only one); else the whole trace as one.
SideSums sum_up(const TraceView& view, bool per_step);

}  // namespace tracebook
