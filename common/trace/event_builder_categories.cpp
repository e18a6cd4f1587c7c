// SPDX-License-Identifier: Apache-2.0
//
// What ranges are that say no category, as builds of PyTorch without Kineto, Ascend's tools and
// most other writers of this format leave them: decided by name and lane, once all are known.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "common/trace/event_builder.h"

namespace tracebook {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What runs in a lane.
enum class LaneUse : std::uint8_t {
  kCpu,
  kWork,     ///< an accelerator's work, one piece after another
  kDevice,   ///< such work, and spans over it
  kUnknown,  ///< of an accelerator, but not its work: sums and analyses of other tools
};

/// By the name that the process has, or what stands in place of its number.
LaneUse use_of(std::string_view process, std::string_view labels) {
  if (process == "CUDA functions" || has(process, "Ascend Hardware")) return LaneUse::kWork;
  for (const std::string_view text : {process, labels}) {
    for (const std::string_view word : {"GPU", "NPU", "CUDA", "HCCL", "Overlap Analysis"}) {
      if (has(text, word)) return LaneUse::kUnknown;
    }
  }
  return LaneUse::kCpu;
}

/// Marks on an Ascend stream at which it waits: no work.
bool is_stream_mark(std::string_view name) {
  return name.starts_with("EVENT_") || name.starts_with("NOTIFY_") ||
         name.starts_with("PLACE_HOLDER");
}

/// Calls of CUDA's and HIP's runtime and driver: cudaLaunchKernel, cuLaunchKernel, hipMemcpyAsync.
bool is_api_name(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "cu", "hip"}) {
    if (name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] >= 'A' &&
        name[prefix.size()] <= 'Z') {
      return true;
    }
  }
  return false;
}

Category category_of_work(std::string_view name) {
  if (name.starts_with("Memcpy")) return Category::kMemcpy;
  return name.starts_with("Memset") ? Category::kMemset : Category::kKernel;
}

/// Lanes by what their ranges without a category show: only calls and device work have a
/// correlation id, and only calls are named like calls.
class LaneUses {
 public:
  explicit LaneUses(const Trace& trace) : trace_(trace), uses_(trace.tracks.size()) {
    LaneNumbers numbers;
    for (std::uint32_t p = 0; p < trace.processes.size(); ++p) {
      numbers.find({.pid = trace.processes[p].pid, .tid = {}}, p);
    }
    const auto processes = static_cast<std::uint32_t>(trace.processes.size());
    const ProcessName nameless{};
    for (std::size_t t = 0; t < uses_.size(); ++t) {
      const EventId& pid = trace.tracks[t].pid;
      const std::uint32_t number = numbers.find({.pid = pid, .tid = {}}, processes);
      const ProcessName& process = number < processes ? trace.processes[number] : nameless;
      std::string_view name = process.name;
      if (name.empty() && pid.is_text) name = trace.strings.view(pid.text);
      uses_[t] = use_of(name, process.labels);
    }
  }
  /// A piece of device work was seen here.
  void set_device(TrackId track) { uses_[track] = LaneUse::kDevice; }

  [[nodiscard]] bool is_linked_work(SliceId id) const {
    return trace_.slices.correlation[id] != kNoId && !is_api_name(trace_.name(id));
  }
  /// kOther where it cannot be told.
  [[nodiscard]] Category category(SliceId id) const {
    const std::string_view name = trace_.name(id);
    if (name.starts_with("PyTorch Profiler (")) return Category::kTraceSpan;
    if (is_linked_work(id)) return category_of_work(name);
    switch (uses_[trace_.slices.track[id]]) {
      case LaneUse::kCpu:
        if (is_api_name(name)) return Category::kRuntime;
        return name.starts_with("ProfilerStep#") ? Category::kUserAnnotation : Category::kCpuOp;
      case LaneUse::kWork:
        return is_stream_mark(name) ? Category::kOther : category_of_work(name);
      case LaneUse::kDevice:
      case LaneUse::kUnknown:
        break;
    }
    return Category::kOther;
  }

 private:
  const Trace& trace_;
  std::vector<LaneUse> uses_;
};

}  // namespace

/// A file of Kineto's has categories that we know, and what it calls otherwise stays what it is. In
/// a file without any of these, the names of another writer's categories mean no more than none.
void EventBuilder::categorise() {
  const Slices& slices = trace_.slices;
  const bool any_known = std::ranges::any_of(slices.category, [](Category category) {
    return category != Category::kOther && category != Category::kTraceSpan;
  });
  std::vector<SliceId> unknown;
  for (SliceId id = 0; id < slices.size(); ++id) {
    if (slices.category[id] != Category::kOther) continue;
    if (!any_known || slices.category_text[id] == 0) unknown.push_back(id);
  }
  if (unknown.empty()) return;
  LaneUses lanes(trace_);
  for (const SliceId id : unknown) {
    if (lanes.is_linked_work(id)) lanes.set_device(slices.track[id]);
  }
  std::vector<Category> meant;
  meant.reserve(unknown.size());
  for (const SliceId id : unknown) meant.push_back(lanes.category(id));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    if (meant[i] != Category::kOther) move_to(unknown[i], meant[i]);
  }
}

void EventBuilder::move_to(SliceId id, Category category) {
  const Track track = trace_.tracks[trace_.slices.track[id]];
  trace_.slices.category[id] = category;
  if (category == Category::kTraceSpan) return;
  if (!is_device_work(category)) {
    trace_.slices.track[id] = find_track(TrackKind::kCpuThread, track.pid, track.tid, kNoId);
    return;
  }
  // torch's "CUDA functions" have the GPU for a thread, Kineto's GPUs have their number for a
  // process; others do not say which one it is.
  constexpr std::int64_t kMostDevices = 1024;
  const EventId& where = track.pid.is_text ? track.tid : track.pid;
  const bool is_device = !where.is_text && where.number >= 0 && where.number < kMostDevices;
  const bool linked = trace_.slices.correlation[id] != kNoId;
  trace_.slices.track[id] =
      find_track(TrackKind::kStream, track.pid, track.tid,
                 is_device && (linked || track.pid.is_text) ? where.number : 0);
}

}  // namespace tracebook
