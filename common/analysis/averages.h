// SPDX-License-Identifier: Apache-2.0
//
// The profiler table's rows, counted as torch.profiler's key_averages() counts them: overhead
// records nest by time in their thread; an only child of the same name merges into its parent; a
// `ProfilerStep#N` becomes `ProfilerStep*`; gpu_user_annotation rows are spans, never work.
//
//   const Averages averages = key_averages(trace, structure);
//   for (const AverageRow& row : averages.rows) …
//
// Two deliberate differences from torch: a kernel counts once (torch adds it once more under an
// overhead record), and a kernel of a launch without External id goes to the op around the launch
// (torch gives it to nobody).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

enum class DeviceType : std::uint8_t { kCpu, kCuda };

/// One row of the table; times in nanoseconds, over all calls.
struct AverageRow {
  std::string key;
  DeviceType device_type = DeviceType::kCpu;
  bool is_span = false;  ///< gpu_user_annotation: covers work, is none
  std::int64_t count = 0;
  std::int64_t self_cpu_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t self_device_ns = 0;
  std::int64_t device_ns = 0;
};

struct Averages {
  std::vector<AverageRow> rows;           ///< in order of first appearance, as torch's list
  std::int64_t self_cpu_total_ns = 0;     ///< torch's "Self CPU time total"
  std::int64_t self_device_total_ns = 0;  ///< torch's "Self CUDA time total": device work only
};

Averages key_averages(const Trace& trace, const Structure& structure);

/// torch's sort keys: cpu_time_total, self_cpu_time_total, cpu_time, cuda_time_total,
/// device_time_total, self_cuda_time_total, self_device_time_total, cuda_time, device_time, count.
/// Largest first, ties in order of appearance. UsageError, naming the keys, for another.
void sort_averages(Averages& averages, std::string_view sort_by);

/// `tracebook table --format json`: an array of rows as DESIGN's table format gives it, µs with
/// three decimals.
std::string averages_json(const Averages& averages);

}  // namespace tracebook
