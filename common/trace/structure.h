// SPDX-License-Identifier: Apache-2.0
//
// What the flat list of events means: which range encloses which, which call launched which
// kernel, which op that call belongs to, which step everything fell into.
//
//   const Structure structure = build_structure(trace);
//   structure.parent[id];                    // enclosing CPU range, or kNoSlice
//   structure.launch[kernel];                // the API call that started it, or kNoSlice
//   for (SliceId k : structure.launched_by(call)) …
//
// Rules. CPU ranges nest by time within their thread; a range that starts inside another and ends
// after it is not its child (as torch's profiler counts). Overhead records nest in the thread whose
// innermost range holds them whole. Device work belongs to the API call of its correlation id, and
// to the op that encloses that call (or, where the call was not recorded, to the op its External id
// names, if the trace's regime gives that id this meaning). A step is a `ProfilerStep#N` range;
// device work has its launch's step. A call that crosses the edge of an op by up to 1 us, because
// two clocks disagree, belongs to that op unless External id says otherwise; it stays its sibling
// in the nesting, as torch counts.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/trace/trace.h"

namespace tracebook {

inline constexpr std::int32_t kNoStep = -1;

/// What `External id` means on API calls and device work (it changed twice; BROKEN eras).
enum class ExternalIdRegime : std::uint8_t {
  kOp,           ///< the id of the op that was open (to April 2022, and from April 2024)
  kCorrelation,  ///< the call's own correlation id: says nothing about ops
  kUnknown,      ///< no events to decide it by
};

/// One `ProfilerStep#N`.
struct Step {
  SliceId slice = kNoSlice;
  std::int64_t number = 0;  ///< N
};

struct Structure {
  /// Per slice: the CPU range around it. For device work and GPU spans: kNoSlice. (A slice of a
  /// category that we do not know nests in its own track, among its kind.)
  std::vector<SliceId> parent;
  /// Per slice: number of enclosing ranges (GPU spans nest by time in their track, too).
  std::vector<std::uint16_t> depth;
  /// Per slice: for device work its API call; for others kNoSlice.
  std::vector<SliceId> launch;
  /// Per slice: innermost op or annotation around a CPU range; for device work, that of its launch.
  std::vector<SliceId> op;
  /// Per slice: index into `steps`, or kNoStep.
  std::vector<std::int32_t> step;
  std::vector<Step> steps;  ///< by start time
  /// CPU-side slices (ops, annotations, Python frames, API calls, overhead) by thread, then start,
  /// longest first: parents stand before their children.
  std::vector<SliceId> cpu_order;
  /// Where each thread starts in cpu_order; the last entry is cpu_order's size.
  std::vector<std::uint32_t> thread_begin;
  /// Device work by track, then start, longest first.
  std::vector<SliceId> device_order;
  /// Where each track starts in device_order; the last entry is device_order's size.
  std::vector<std::uint32_t> stream_begin;
  /// Device work that calls of several processes claim by the same correlation id (merged ranks),
  /// and nothing tells which started it: left without a launch.
  std::int64_t undecided_work = 0;
  ExternalIdRegime regime = ExternalIdRegime::kUnknown;

  /// Device work that cannot have lasted as long as its record says, since its stream had long gone
  /// on: by id, each with the start of the work after it. Its end in end_ns().
  struct CutEnd {
    SliceId id = kNoSlice;
    std::int64_t end_ns = 0;
  };
  std::vector<CutEnd> overruns;

  /// When a slice ended; for an overrun, when the next work of its stream began.
  [[nodiscard]] std::int64_t end_ns(const Slices& slices, SliceId id) const {
    return overruns.empty() ? slices.end_ns(id) : believable_end_ns(slices, id);
  }
  [[nodiscard]] std::int64_t dur_ns(const Slices& slices, SliceId id) const {
    return overruns.empty() ? slices.dur_ns[id] : believable_end_ns(slices, id) - slices.ts_ns[id];
  }
  [[nodiscard]] std::int64_t believable_end_ns(const Slices& slices, SliceId id) const;

  /// Device work that an API call started, in file order.
  [[nodiscard]] std::span<const SliceId> launched_by(SliceId call) const {
    return std::span(launched_).subspan(launched_begin_[call],
                                        launched_begin_[call + 1] - launched_begin_[call]);
  }

  std::vector<std::uint32_t> launched_begin_;  // CSR, size slices + 1
  std::vector<SliceId> launched_;
};

Structure build_structure(const Trace& trace);

/// From the first to the last moment of all slices, overruns cut; the profiler's own "Trace" span
/// and impossible times do not count. {0, 0} without slices.
std::pair<std::int64_t, std::int64_t> window_ns(const Trace& trace, const Structure& structure);

/// 126 years: farther away is no clock's time, and differences of nearer ones fit int64.
inline constexpr std::int64_t kFarthestTime_ns = 4'000'000'000'000'000'000;

/// Whether no clock gave a slice's times: device work whose record was never filled in (start and
/// length 0), a range left open when recording stopped (its length is what an unset end makes of
/// it, days at least), or a start over a century away. Such slices keep their place in the
/// structure, but must not stretch a window, make a gap or count as busy.
bool has_impossible_time(const Trace& trace, SliceId id);

}  // namespace tracebook
