// SPDX-License-Identifier: Apache-2.0
//
// A rule recognises one pattern of the cheat sheet (docs/cheatsheet.md, which is made from these).
// Each stands in a small place of its own and decides on a RuleContext alone.
//
//   void misaligned_gemm(const RuleContext& context, std::vector<Finding>& out);
//
// A rule adds a Finding for what it saw, with share, arithmetic, title and evidence filled in; the
// texts that are the same for every trace (meaning, next, experiment, chapter) are copied from the
// Rule by the engine. The context refers to trace, structure and averages: they must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "common/analysis/averages.h"
#include "common/analysis/diagnose/event_names.h"
#include "common/analysis/diagnose/finding.h"
#include "common/analysis/health.h"
#include "common/analysis/kernel_name.h"
#include "common/analysis/lanes.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

/// Why the GPU had nothing to do. Each idle nanosecond of the window has exactly one cause, the
/// first of this list that applies, so that no two rules claim it.
enum class IdleCause : std::uint8_t {
  kLost,       ///< after a launch whose device record was lost, or in a wait for work that the
               ///< trace lacks: perhaps no idle time at all
  kCompile,    ///< torch.compile was compiling
  kProfiler,   ///< the profiler's own work: buffer requests, flushes
  kLoading,    ///< modules and functions loaded, libraries set up, first allocations
  kInput,      ///< a data loader, host code or CPU tensors: nobody prepared GPU work
  kAllocator,  ///< cudaMalloc, cudaFree and the like, and the refill after a cudaFree
  kPageable,   ///< a copy from or to pageable memory, and the refill after it
  kSync,       ///< the CPU waited for the GPU, and the refill after it
  kQueue,      ///< nobody: the next kernel had been launched, the GPU took its time to start it
  kFirstStep,  ///< launching in a first step that is far wider than the others
  kLeadIn,     ///< from the window's start to its first device work
  kGraph,      ///< waiting for the launch of a CUDA graph
  kSwarm,      ///< launching one of a run of tiny kernels that one launch could replace
  kLaunch,     ///< launching: the CPU was slower than the GPU
  kNoCpu,      ///< the trace has no CPU events that could tell
};
inline constexpr std::size_t kIdleCauseCount = static_cast<std::size_t>(IdleCause::kNoCpu) + 1;

/// A run of device work of one stream and step, one after another.
struct Run {
  std::vector<SliceId> kernels;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// What all rules look at, reckoned once.
struct RuleContext {
  RuleContext(const Trace& of, const Structure& meaning, const Averages& sums)
      : trace(of), structure(meaning), averages(sums) {}

  const Trace& trace;
  const Structure& structure;
  const Averages& averages;

  std::int64_t first_event_ns = 0;  ///< evidence counts from here
  /// From the first step's start to the last one's end, or to the end of the steps' last device
  /// work; without steps, all events.
  Interval window;
  Intervals pauses;          ///< within it, between recording cycles: no part of it
  std::int32_t device = -1;  ///< the GPU with most work: what "busy" and "idle" speak of; -1: none
  std::int32_t device_count = 0;
  std::map<std::int32_t, std::int64_t> device_busy_ns;  ///< union over the streams of each GPU
  const DeviceProperties* properties = nullptr;

  std::vector<SliceId> work;  ///< that GPU's work in the window, by start
  Intervals busy;             ///< union over its streams
  Intervals idle;             ///< the rest of the window
  std::int64_t busy_ns = 0;
  std::int64_t work_ns = 0;  ///< sum; above busy_ns where streams overlap
  std::array<Intervals, kIdleCauseCount> idle_by_cause;

  Intervals cpu_busy;            ///< any thread in an op or CUDA call
  Intervals cpu_waiting;         ///< any thread in a call that waits for the GPU
  std::int64_t cpu_work_ns = 0;  ///< busy and not waiting, within the window

  std::vector<SliceId> api_calls;  ///< in the window, in time order within each thread
  std::vector<SliceId> overheads;  ///< overhead records in the window
  std::vector<Run> swarms;         ///< runs of tiny kernels
  std::vector<Run> memory_runs;    ///< runs of memory-bound kernels, copies for layout left out
  std::vector<bool> loading_op;    ///< per slice: an op that loaded code (subtree has such a call)
  Health health;

  /// Decoded once per distinct name.
  [[nodiscard]] const DecodedKernel& kernel(SliceId id) const {
    return decoded[decoded_index[trace.slices.name[id]]];
  }
  /// Whether the event's name says so.
  [[nodiscard]] bool is(SliceId id, Role role) const {
    return (roles[trace.slices.name[id]] & role) != 0;
  }
  std::vector<std::uint16_t> roles;  ///< by StringId
  std::vector<std::int64_t>
      blocks;  ///< per slice: of a kernel's grid if it takes 5 us or more, or 0
  std::vector<DecodedKernel> decoded;
  std::vector<std::uint32_t> decoded_index;  ///< by StringId

  [[nodiscard]] std::int64_t window_ns() const {
    return window.end_ns - window.start_ns - total_ns(pauses);
  }
  [[nodiscard]] double share(std::int64_t ns) const {
    return window_ns() > 0 ? static_cast<double>(ns) / static_cast<double>(window_ns()) : 0.0;
  }
  [[nodiscard]] std::int64_t idle_ns(IdleCause cause) const {
    return total_ns(idle_by_cause[static_cast<std::size_t>(cause)]);
  }
  [[nodiscard]] const Intervals& idle_of(IdleCause cause) const {
    return idle_by_cause[static_cast<std::size_t>(cause)];
  }
  [[nodiscard]] bool in_window(SliceId id) const {
    return trace.slices.ts_ns[id] >= window.start_ns && trace.slices.ts_ns[id] < window.end_ns;
  }
  /// An overrun ends where the next work of its stream begins.
  [[nodiscard]] std::int64_t dur_ns(SliceId id) const { return structure.dur_ns(trace.slices, id); }
  [[nodiscard]] std::int64_t end_ns(SliceId id) const { return structure.end_ns(trace.slices, id); }
  /// T1: CPU work at least 1.5 times the GPU's, what lost records may have held included.
  [[nodiscard]] bool cpu_far_above_gpu() const {
    constexpr double kFarAbove = 1.5;
    const std::int64_t gpu_ns = busy_ns + idle_ns(IdleCause::kLost);
    return static_cast<double>(cpu_work_ns) >= kFarAbove * static_cast<double>(gpu_ns);
  }
  [[nodiscard]] std::size_t step_count() const { return structure.steps.size(); }
};

struct Rule {
  std::string_view id;         ///< "T1" … "X15"
  std::string_view title;      ///< name of the pattern
  std::string_view looks_for;  ///< what in a trace shows it
  std::string_view means;
  std::string_view next;        ///< what to try
  std::string_view experiment;  ///< what would confirm or refute it
  std::string_view chapter;     ///< stem of the chapter that teaches it, if it exists
  void (*apply)(const RuleContext& context, std::vector<Finding>& out);
  bool information = false;  ///< never above kInfo, whatever its share
};

/// All rules, in the order of the cheat sheet.
const std::vector<Rule>& all_rules();

}  // namespace tracebook
