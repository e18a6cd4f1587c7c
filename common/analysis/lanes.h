// SPDX-License-Identifier: Apache-2.0
//
// When the GPU worked and when it waited: busy time of each GPU and stream as a union (kernels of
// one stream do overlap), the gaps between, streams that worked at once, and the time that CPU
// threads spent in ops and CUDA calls.
//
//   const Lanes lanes = build_lanes(trace, structure);
//   lanes.devices[0].busy_ns();                    // union over the GPU's streams
//   for (const Gap& gap : lanes.devices[0].gaps) … // by start
//
// Events with impossible times (never filled in, or left open when recording stopped) count
// nowhere; an overrun (Structure::overruns) lasts until the next work of its stream. A value that
// refers to nothing; the trace may go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

struct Interval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  bool operator==(const Interval&) const = default;
};

/// Disjoint intervals by start, as a union gives them.
using Intervals = std::vector<Interval>;

/// The union of intervals in any order. Such as touch become one; empty ones are left out.
Intervals merge_intervals(Intervals intervals);
std::int64_t total_ns(std::span<const Interval> disjoint);
/// Time of `disjoint` within [start, end).
std::int64_t covered_ns(std::span<const Interval> disjoint, std::int64_t start_ns,
                        std::int64_t end_ns);
/// The times that both cover.
Intervals intersect(std::span<const Interval> left, std::span<const Interval> right);

/// Idle time between two pieces of device work.
struct Gap {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t step = kNoStep;  ///< of the work that ended it: what the GPU was waiting for
  SliceId before = kNoSlice;    ///< the work that ended last before it
  SliceId after = kNoSlice;     ///< the first work after it
  [[nodiscard]] std::int64_t dur_ns() const { return end_ns - start_ns; }
};

/// Device work of one stream, or of all streams of one GPU.
struct DeviceLane {
  std::int32_t device = -1;
  TrackId track = 0;         ///< of a stream; of a GPU: its first stream's
  std::int64_t count = 0;    ///< kernels, copies and memsets
  std::int64_t work_ns = 0;  ///< sum of their durations; above busy_ns() where they overlap
  Intervals busy;
  std::vector<Gap> gaps;  ///< between the first and the last work
  [[nodiscard]] std::int64_t busy_ns() const { return total_ns(busy); }
  [[nodiscard]] std::int64_t idle_ns() const;
};

/// What one CPU thread did.
struct ThreadLane {
  TrackId track = 0;
  Intervals busy;     ///< in ops, CUDA calls or overhead records
  Intervals waiting;  ///< of these, in calls that wait for the GPU (cuda…Synchronize)
};

struct Lanes {
  std::vector<DeviceLane> devices;  ///< by GPU index
  std::vector<DeviceLane> streams;  ///< in the order of Structure::device_order
  std::vector<ThreadLane> threads;  ///< in the order of Structure::cpu_order
  /// Per GPU, as `devices`: when two or more of its streams worked at once.
  std::vector<Intervals> overlaps;
  /// Per slice: idle time of its stream before this device work began; 0 where it overlaps earlier
  /// work, kNoGap for a stream's first and for everything else.
  std::vector<std::int64_t> gap_before_ns;
  static constexpr std::int64_t kNoGap = -1;
};

Lanes build_lanes(const Trace& trace, const Structure& structure);

}  // namespace tracebook
