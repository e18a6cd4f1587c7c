// SPDX-License-Identifier: Apache-2.0
//
// Records what the CPU asked for and what the GPU did, and makes a Trace of it: torch.profiler's
// `profile`, in C++.
//
//   Profiler profiler({.schedule = schedule({.wait = 1, .warmup = 1, .active = 3})});
//   profiler.start();
//   for (int i = 0; i < 5; ++i) { work(); profiler.step(); }
//   profiler.stop();
//   Trace trace = profiler.take_trace();
//
// Steps become `ProfilerStep#N` ranges. While a step is kWarmup CUPTI is on and its events are
// thrown away; when recording begins the GPU is idle (see `synchronize_at_start`). A window ends
// with a cudaDeviceSynchronize, which is in the trace, as in PyTorch's.
//
// One Profiler records at a time in a process; call it from one thread. Ranges of all threads are
// kept. The destructor of a running profiler throws the recording away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/profiler/schedule.h"
#include "common/trace/trace.h"

namespace tracebook {

/// How the host memory looks that CUPTI is given for its records. A request for a buffer shows as
/// `Activity Buffer Request` in the thread that made the CUDA call.
enum class BufferMode : std::uint8_t {
  kFresh,    ///< new pages for each request, which CUPTI zeroes: what PyTorch does
  kTouched,  ///< pages that exist already; CUPTI zeroes them
  kZeroed,   ///< zeroed beforehand by us, and CUPTI told so: a request costs next to nothing
};

struct BufferOptions {
  /// Bytes of one activity buffer, from 1 KiB to 1 GiB; PyTorch's size.
  std::size_t bytes = std::size_t{4} << 20;
  BufferMode mode = BufferMode::kZeroed;
  /// Bytes of CUPTI's buffers in GPU memory; 0 leaves CUPTI's choice (about 3 MB). Works on what
  /// CUPTI allocates afterwards: set it in the first profiler of a process.
  std::size_t device_bytes = 0;
};

/// How a call is linked to the op it was made in ("External id").
enum class OpLinks : std::uint8_t {
  /// By nesting: the calls and the ranges have one clock, so the innermost op of the same thread
  /// that encloses the call is its op. Costs nothing while recording.
  kByTime,
  /// By CUPTI's external correlation records, as Kineto does it: each range is pushed to CUPTI and
  /// popped (400 ns on the H200's host), each call adds a record. Also links work whose call is not
  /// among the recorded ones.
  kByCupti,
};

struct Activities {
  bool cpu = true;   ///< ranges
  bool cuda = true;  ///< API calls, device work, overhead
};

struct ProfilerOptions {
  /// Empty: record from start() to stop(), without step ranges (torch's default, too).
  Schedule schedule = {};
  Activities activities = {};
  BufferOptions buffers = {};
  OpLinks op_links = OpLinks::kByTime;
  /// Also record what was waited for, as category cuda_sync (torch: enable_cuda_sync_events).
  bool cuda_sync = false;
  /// Wait for the GPU before recording begins, so that nothing launched earlier runs inside the
  /// window. PyTorch does not: work of its warm-up step can appear without a launch.
  bool synchronize_at_start = true;
  /// Called at the end of each window with its trace, before take_trace() can have it.
  std::function<void(const Trace&)> on_trace_ready = {};
};

/// What the buffers went through in the last window.
struct BufferStats {
  std::int64_t requests = 0;
  std::int64_t unprepared = 0;  ///< requests for which no prepared buffer was left
  std::int64_t completed = 0;
  std::int64_t record_bytes = 0;
};

class Profiler {
 public:
  /// UsageError for buffer sizes out of range, or for activities without either.
  explicit Profiler(ProfilerOptions options = {});
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;
  Profiler(Profiler&&) = delete;
  Profiler& operator=(Profiler&&) = delete;

  /// Begins with step 0. CannotJudge (77) if this GPU's driver does not permit profiling or there
  /// is no GPU; InputError for anything else CUPTI refuses.
  void start();
  /// Ends a step and begins the next.
  void step();
  /// Ends the run; a window that was being recorded ends with it. Throws the first error that
  /// happened in one of CUPTI's callbacks.
  void stop();

  /// The trace of the last window, once; UsageError if there is none: no step was recorded.
  Trace take_trace();
  [[nodiscard]] bool has_trace() const;
  [[nodiscard]] std::int64_t step_number() const;
  [[nodiscard]] const BufferStats& buffer_stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tracebook
