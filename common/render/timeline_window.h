// SPDX-License-Identifier: Apache-2.0
//
// What the timeline shows: the stretches of a trace (each step, what came before the first and
// after the last; or the whole, where there are no steps), and for each the threads, levels, calls
// and streams in it.
//
//   for (const TimelineWindow& window : timeline_windows(trace, structure, options)) …
//
// Slices with impossible times are left out, overruns end where the next work begins. Values that
// name slices of the trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/analysis/lanes.h"
#include "common/render/timeline.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

struct TimelineWindow {
  enum class Kind : std::uint8_t { kStep, kBefore, kAfter, kWhole };

  /// One CPU thread: its ranges by level, each level by start.
  struct Thread {
    TrackId track = 0;
    std::vector<std::vector<SliceId>> levels = {};
    std::vector<SliceId> calls = {};      ///< API calls that no other call encloses
    std::vector<SliceId> overheads = {};  ///< of the profiler, and of loading kernels
    std::int64_t busy_ns = 0;             ///< of the first level and of calls outside it
  };
  /// One GPU stream.
  struct Stream {
    TrackId track = 0;
    std::vector<SliceId> own = {};    ///< launched in this window, by start
    std::vector<SliceId> other = {};  ///< launched elsewhere, but running here
  };

  Kind kind = Kind::kWhole;
  std::int32_t step = kNoStep;
  Interval time = {};                ///< what is drawn
  std::int64_t cpu_end_ns = 0;       ///< end of the step, or of the last range or call
  std::int64_t device_end_ns = 0;    ///< end of the last own device work; 0 without
  std::vector<Thread> threads = {};  ///< the step's own first, then the busiest
  std::vector<Stream> streams = {};  ///< the busiest first
  bool is_cut = false;               ///< own work lags so far behind that it is not all drawn
};

/// Windows in the order of time. Of the steps, those that the options name.
std::vector<TimelineWindow> timeline_windows(const Trace& trace, const Structure& structure,
                                             const TimelineOptions& options);

/// Ranges and calls that lie in no step and enclose none, nor lie in one another; by start.
std::vector<SliceId> outside_steps(const Trace& trace, const Structure& structure);

inline Interval interval_of(const Trace& trace, const Structure& structure, SliceId id) {
  return {trace.slices.ts_ns[id], structure.end_ns(trace.slices, id)};
}
/// The union of the slices' times.
Intervals busy_time(const Trace& trace, const Structure& structure, std::span<const SliceId> ids);

}  // namespace tracebook
