// SPDX-License-Identifier: Apache-2.0
//
// Tiny traces made by hand, for tests: one line an event, times in ns as start and end.
//
//   HandMade made;
//   made.op("aten::mm", 0, 100);
//   const SliceId call = made.call("cudaLaunchKernel", 10, 20, {.correlation = 5});
//   const SliceId kernel = made.kernel("gemm", 30, 90, {.correlation = 5});
//   const Structure structure = build_structure(made.trace);
#pragma once

#include <cstdint>
#include <string_view>

#include "common/trace/trace.h"

namespace tracebook {

/// What an event says beside name and times.
struct HandMadeIds {
  std::int64_t tid = 1;     ///< CPU thread
  std::int64_t stream = 7;  ///< of device work and GPU spans
  std::int64_t device = 0;
  std::int64_t correlation = kNoId;
  std::int64_t external_id = kNoId;
};

class HandMade {
 public:
  Trace trace;

  SliceId op(std::string_view name, std::int64_t start, std::int64_t end,
             const HandMadeIds& ids = {}) {
    return add(Category::kCpuOp, TrackKind::kCpuThread, name, start, end, ids);
  }
  SliceId annotation(std::string_view name, std::int64_t start, std::int64_t end,
                     const HandMadeIds& ids = {}) {
    return add(Category::kUserAnnotation, TrackKind::kCpuThread, name, start, end, ids);
  }
  SliceId python(std::string_view name, std::int64_t start, std::int64_t end,
                 const HandMadeIds& ids = {}) {
    return add(Category::kPythonFunction, TrackKind::kCpuThread, name, start, end, ids);
  }
  SliceId call(std::string_view name, std::int64_t start, std::int64_t end,
               const HandMadeIds& ids = {}) {
    return add(Category::kRuntime, TrackKind::kCpuThread, name, start, end, ids);
  }
  SliceId driver_call(std::string_view name, std::int64_t start, std::int64_t end,
                      const HandMadeIds& ids = {}) {
    return add(Category::kDriver, TrackKind::kCpuThread, name, start, end, ids);
  }
  /// As Kineto writes them: pid -1, tid 0, in a track of their own.
  SliceId overhead(std::string_view name, std::int64_t start, std::int64_t end) {
    const TrackId track =
        trace.track_of(TrackKind::kOverhead, EventId{.number = -1}, EventId{.number = 0}, -1);
    return add(Category::kOverhead, track, name, start, end, {});
  }
  SliceId kernel(std::string_view name, std::int64_t start, std::int64_t end,
                 const HandMadeIds& ids = {}) {
    return add(Category::kKernel, TrackKind::kStream, name, start, end, ids);
  }
  SliceId memset(std::string_view name, std::int64_t start, std::int64_t end,
                 const HandMadeIds& ids = {}) {
    return add(Category::kMemset, TrackKind::kStream, name, start, end, ids);
  }
  SliceId gpu_span(std::string_view name, std::int64_t start, std::int64_t end,
                   const HandMadeIds& ids = {}) {
    return add(Category::kGpuUserAnnotation, TrackKind::kGpuSpans, name, start, end, ids);
  }
  SliceId add(Category category, TrackKind kind, std::string_view name, std::int64_t start,
              std::int64_t end, const HandMadeIds& ids) {
    constexpr std::int64_t kProcess = 100;
    const bool on_gpu = kind == TrackKind::kStream || kind == TrackKind::kGpuSpans;
    const TrackId track = trace.track_of(kind, EventId{.number = on_gpu ? ids.device : kProcess},
                                         EventId{.number = on_gpu ? ids.stream : ids.tid},
                                         on_gpu ? static_cast<std::int32_t>(ids.device) : -1);
    return add(category, track, name, start, end, ids);
  }

 private:
  SliceId add(Category category, TrackId track, std::string_view name, std::int64_t start,
              std::int64_t end, const HandMadeIds& ids) {
    const StringId text = trace.strings.intern(category_name(category));
    return trace.add_slice(category, text, trace.strings.intern(name), track, start, end - start,
                           ids.correlation, ids.external_id, "");
  }
};

}  // namespace tracebook
