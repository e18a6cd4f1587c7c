// SPDX-License-Identifier: Apache-2.0
//
// What ranges are that say no category, as builds of PyTorch without Kineto, Ascend's tools and
// most other writers of this format leave them: decided by their lane, once all lanes have names.
#include <algorithm>
#include <cstdint>
#include <limits>
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
  kDevice,   ///< an accelerator's work, one piece after another
  kUnknown,  ///< of an accelerator, but not its work: sums and analyses of other tools
};

/// By the name that the process has, or what stands in place of its number.
LaneUse use_of(std::string_view process, std::string_view labels) {
  if (process == "CUDA functions" || has(process, "Ascend Hardware")) return LaneUse::kDevice;
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

}  // namespace

/// A file of Kineto's has categories that we know, and what it calls otherwise stays what it is. In
/// a file without any of these, the names of another writer's categories mean no more than none.
void EventBuilder::categorise() {
  const Slices& slices = trace_.slices;
  const bool any_known = std::ranges::any_of(slices.category, [](Category category) {
    return category != Category::kOther && category != Category::kTraceSpan;
  });
  std::vector<LaneUse> use(trace_.tracks.size(), LaneUse::kCpu);
  bool named = false;
  for (SliceId id = 0; id < slices.size(); ++id) {
    if (slices.category[id] != Category::kOther) continue;
    if (any_known && slices.category_text[id] != 0) continue;
    if (!std::exchange(named, true)) {
      for (std::size_t t = 0; t < use.size(); ++t) {
        const EventId& pid = trace_.tracks[t].pid;
        const auto process = std::ranges::find(trace_.processes, pid, &ProcessName::pid);
        const bool known = process != trace_.processes.end() && !process->name.empty();
        use[t] = use_of(known          ? std::string_view(process->name)
                        : pid.is_text ? trace_.strings.view(pid.text)
                                      : std::string_view(),
                        process == trace_.processes.end() ? std::string_view() : process->labels);
      }
    }
    const LaneUse lane = use[slices.track[id]];
    if (lane == LaneUse::kCpu) {
      move_to(id, Category::kCpuOp);
    } else if (lane == LaneUse::kDevice && !is_stream_mark(trace_.name(id))) {
      move_to(id, Category::kKernel);
    }
  }
}

void EventBuilder::move_to(SliceId id, Category category) {
  const Track track = trace_.tracks[trace_.slices.track[id]];
  trace_.slices.category[id] = category;
  if (category == Category::kCpuOp) {
    trace_.slices.track[id] = find_track(TrackKind::kCpuThread, track.pid, track.tid, kNoId);
    return;
  }
  // torch's "CUDA functions" have the GPU for a thread; others do not say which one it is.
  const bool says_device = track.pid.is_text && !track.tid.is_text && track.tid.number >= 0 &&
                           track.tid.number <= std::numeric_limits<std::int32_t>::max();
  trace_.slices.track[id] =
      find_track(TrackKind::kStream, track.pid, track.tid, says_device ? track.tid.number : 0);
}

}  // namespace tracebook
