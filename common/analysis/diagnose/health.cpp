// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "common/analysis/diagnose/context.h"

namespace tracebook {
namespace {

/// Launches that a stream capture swallowed start nothing by themselves.
Intervals capture_times(const RuleContext& context) {
  Intervals out;
  std::int64_t begin = -1;
  for (const SliceId id : context.api_calls) {
    const std::string_view name = context.trace.name(id);
    if (name.find("StreamBeginCapture") != std::string_view::npos)
      begin = context.trace.slices.ts_ns[id];
    if (name.find("StreamEndCapture") != std::string_view::npos && begin >= 0) {
      out.push_back({begin, context.trace.slices.end_ns(id)});
      begin = -1;
    }
  }
  return merge_intervals(std::move(out));
}

void count_device_work(RuleContext& context) {
  const Slices& slices = context.trace.slices;
  const Structure& structure = context.structure;
  Health& health = context.health;
  for (std::size_t stream = 0; stream + 1 < structure.stream_begin.size(); ++stream) {
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    bool launched_before = false;
    for (std::uint32_t i = structure.stream_begin[stream]; i < structure.stream_begin[stream + 1];
         ++i) {
      const SliceId id = structure.device_order[i];
      ++health.device_work;
      if (has_impossible_time(context.trace, id)) continue;
      const SliceId launch = structure.launch[id];
      if (launch == kNoSlice) {
        ++health.work_without_launch;
        // On a stream work starts in the order of its launches: what comes after launched work was
        // launched inside the recording, too.
        if (launched_before) ++health.work_without_launch_inside;
      } else if (slices.ts_ns[id] < slices.ts_ns[launch]) {
        ++health.starts_before_launch;
      }
      launched_before = launched_before || launch != kNoSlice;
      // A nanosecond is what rounding to microseconds with three decimals may cost.
      if (slices.ts_ns[id] + 1 < end) ++health.overlaps_on_stream;
      end = std::max(end, slices.end_ns(id));
    }
  }
}

void count_orphan_flows(RuleContext& context) {
  std::unordered_map<std::int64_t, int> ends;
  for (const Flow& flow : context.trace.flows) {
    if (flow.phase == 's') ends[flow.id] |= 1;
    if (flow.phase == 'f') ends[flow.id] |= 2;
  }
  for (const auto& [id, seen] : ends) context.health.orphan_flows += seen == 3 ? 0 : 1;
}

}  // namespace

bool Health::records_lost() const { return launches_without_work > 0; }

void examine_health(RuleContext& context) {
  Health& health = context.health;
  for (SliceId id = 0; id < context.trace.slices.size(); ++id) {
    if (has_impossible_time(context.trace, id)) ++health.impossible_times;
  }
  count_device_work(context);
  const Intervals captures = capture_times(context);
  for (const SliceId id : context.api_calls) {
    if (!context.is(id, kLaunch)) continue;
    ++health.launches;
    const std::int64_t start = context.trace.slices.ts_ns[id];
    const bool captured = covered_ns(captures, start, start + 1) > 0;
    // A trace without any device work was recorded without the GPU: nothing is lost.
    if (!captured && health.device_work > 0 && context.structure.launched_by(id).empty()) {
      ++health.launches_without_work;
    }
  }
  count_orphan_flows(context);
}

}  // namespace tracebook
