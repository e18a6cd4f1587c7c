// SPDX-License-Identifier: Apache-2.0
//
// Which steps of a run a profiler records: torch.profiler.schedule, with the same arguments and the
// same answers, so that what a reader learns here holds there.
//
//   Schedule when = schedule({.wait = 1, .warmup = 1, .active = 3});
//   when(0);  // kNone      when(1);  // kWarmup      when(2), when(3);  // kRecord
//   when(4);  // kRecordAndSave: the window ends with this step
//
// Plain functions without state; call them from any thread.
#pragma once

#include <cstdint>
#include <functional>

namespace tracebook {

/// What the profiler does during a step.
enum class ProfilerAction : std::uint8_t {
  kNone,           ///< nothing is traced
  kWarmup,         ///< CUPTI is on, its events are thrown away
  kRecord,         ///< events are kept
  kRecordAndSave,  ///< the last recorded step of a window: the trace is made when it ends
};

/// Step number, from 0, to action.
using Schedule = std::function<ProfilerAction(std::int64_t step)>;

/// The arguments of torch.profiler.schedule. A cycle is `wait` steps of nothing, `warmup` steps
/// thrown away, `active` steps kept.
struct ScheduleOptions {
  std::int64_t skip_first = 0;  ///< steps before the first cycle
  std::int64_t wait = 0;
  std::int64_t warmup = 0;
  std::int64_t active = 1;  ///< at least 1
  std::int64_t repeat = 0;  ///< number of cycles; 0: until the run ends
  /// The first cycle has no wait: it starts right after the skipped steps.
  bool skip_first_wait = false;
};

/// UsageError for a negative number or for active = 0.
Schedule schedule(const ScheduleOptions& options);

}  // namespace tracebook
