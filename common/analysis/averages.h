// SPDX-License-Identifier: Apache-2.0
//
// The profiler table's rows, counted as torch.profiler's key_averages() counts them: overhead
// records nest by time in their thread; an only child of the same name merges into its parent; a
// `ProfilerStep#N` becomes `ProfilerStep*`; gpu_user_annotation rows are spans, never work.
//
//   const Averages averages = key_averages(trace, structure);
//   for (const AverageRow& row : averages.rows) …
//   key_averages(trace, structure, {.by_step = true, .stats = true});   // a row per key and step
//
// Two deliberate differences from torch: a kernel counts once (torch adds it once more under an
// overhead record), and a kernel of a launch without External id goes to the op around the launch
// (torch gives it to nobody). Slices of impossible times (see structure.h) are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

enum class DeviceType : std::uint8_t { kCpu, kCuda };

/// What the calls of a row took, one by one: the CPU time of a CPU row, the device time of a device
/// row, both with what is inside.
struct CallTimes {
  std::int64_t min_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t max_ns = 0;
  /// 1.4826 times the median absolute deviation: a standard deviation, where the times are spread
  /// as a bell, that a few outliers do not move.
  std::int64_t spread_ns = 0;
};

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
  /// N of the `ProfilerStep#N` around the calls; nothing outside of steps or without by_step.
  std::optional<std::int64_t> step;
  /// "[[64, 64], []]" as the op's args give it, without spaces other than behind commas; "" where
  /// none was recorded (which device work and API calls never have) or without by_shape.
  std::string shape;
  std::optional<CallTimes> calls;  ///< with stats
};

/// What keeps rows of one key apart, and what is said of each.
struct AveragesOptions {
  bool by_step = false;   ///< a row per key and step
  bool by_shape = false;  ///< a row per key and input shapes, as torch's group_by_input_shape
  bool stats = false;     ///< AverageRow::calls
};

struct Averages {
  std::vector<AverageRow> rows;           ///< in order of first appearance, as torch's list
  std::int64_t self_cpu_total_ns = 0;     ///< torch's "Self CPU time total"
  std::int64_t self_device_total_ns = 0;  ///< torch's "Self CUDA time total": device work only
  AveragesOptions options;
};

/// `by_shape` needs the args of the trace; InputError where no event has "Input Dims" among them.
Averages key_averages(const Trace& trace, const Structure& structure,
                      const AveragesOptions& options = {});

/// torch's sort keys: cpu_time_total, self_cpu_time_total, cpu_time, cuda_time_total,
/// device_time_total, self_cuda_time_total, self_device_time_total, cuda_time, device_time, count.
/// Largest first, ties in order of appearance. UsageError, naming the keys, for another.
void sort_averages(Averages& averages, std::string_view sort_by);

/// `tracebook table --format json`: an array of rows as DESIGN's table format gives it, µs with
/// three decimals. By step and by shape, with "step" (a number or null) and "input_shapes"; with
/// stats, with "min", "median", "max" and "spread" of a call.
std::string averages_json(const Averages& averages);

}  // namespace tracebook
