// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/lanes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace tracebook {
namespace {

/// Adds device work by start to a lane, keeping union and gaps up to date.
class LaneBuilder {
 public:
  LaneBuilder(const Trace& trace, const Structure& structure)
      : slices_(trace.slices), structure_(structure) {}

  /// Returns the gap before this work, or Lanes::kNoGap if it is the first.
  std::int64_t add(SliceId work) {
    const std::int64_t start_ns = slices_.ts_ns[work];
    const std::int64_t end_ns = structure_.end_ns(slices_, work);
    std::int64_t gap_ns = Lanes::kNoGap;
    if (last_ == kNoSlice) {
      last_ = work;
    } else {
      const std::int64_t last_end_ns = structure_.end_ns(slices_, last_);
      gap_ns = std::max<std::int64_t>(0, start_ns - last_end_ns);
      if (gap_ns > 0) {
        lane_.gaps.push_back({last_end_ns, start_ns, structure_.step[work], last_, work});
      }
      if (end_ns >= last_end_ns) last_ = work;
    }
    if (end_ns > start_ns) {
      if (!lane_.busy.empty() && start_ns <= lane_.busy.back().end_ns) {
        lane_.busy.back().end_ns = std::max(lane_.busy.back().end_ns, end_ns);
      } else {
        lane_.busy.push_back({start_ns, end_ns});
      }
    }
    ++lane_.count;
    lane_.work_ns += structure_.dur_ns(slices_, work);
    return gap_ns;
  }
  [[nodiscard]] bool empty() const { return last_ == kNoSlice; }
  DeviceLane take(std::int32_t device, TrackId track) {
    lane_.device = device;
    lane_.track = track;
    return std::move(lane_);
  }

 private:
  const Slices& slices_;
  const Structure& structure_;
  SliceId last_ = kNoSlice;  // the work that ends last so far
  DeviceLane lane_;
};

/// When two or more of several unions hold at once.
Intervals overlap_of(const std::vector<const Intervals*>& lanes) {
  std::vector<std::pair<std::int64_t, int>> edges;
  for (const Intervals* lane : lanes) {
    for (const Interval& interval : *lane) {
      edges.emplace_back(interval.start_ns, 1);
      edges.emplace_back(interval.end_ns, -1);
    }
  }
  std::sort(edges.begin(), edges.end());  // at one moment, ends come before beginnings
  Intervals overlap;
  int open = 0;
  for (const auto& [at_ns, change] : edges) {
    if (change > 0 && ++open == 2) overlap.push_back({at_ns, at_ns});
    if (change < 0 && open-- == 2) overlap.back().end_ns = at_ns;
  }
  return merge_intervals(std::move(overlap));
}

/// Calls that return when the GPU is done: cudaStreamSynchronize, cuCtxSynchronize, hip… likewise.
std::vector<bool> names_that_wait(const StringTable& strings) {
  constexpr std::string_view kSuffix = "Synchronize";
  std::vector<bool> waits(strings.size(), false);
  for (StringId name = 0; name < waits.size(); ++name) {
    std::string_view text = strings.view(name);
    // Versions of a call end in _v2 or _ptsz.
    if (const auto version = text.find('_'); version != text.npos) text = text.substr(0, version);
    waits[name] = text.ends_with(kSuffix);
  }
  return waits;
}

bool is_doing(Category category) {
  return category == Category::kCpuOp || is_api_call(category) || category == Category::kOverhead;
}

void add_streams(const Trace& trace, const Structure& structure, Lanes& lanes) {
  std::map<std::int32_t, std::vector<SliceId>> work_of_device;
  for (std::size_t i = 0; i + 1 < structure.stream_begin.size(); ++i) {
    LaneBuilder stream(trace, structure);
    const TrackId track = trace.slices.track[structure.device_order[structure.stream_begin[i]]];
    const std::int32_t device = trace.tracks[track].device;
    std::vector<SliceId>& device_work = work_of_device[device];
    for (std::uint32_t at = structure.stream_begin[i]; at < structure.stream_begin[i + 1]; ++at) {
      const SliceId work = structure.device_order[at];
      if (has_impossible_time(trace, work)) continue;
      lanes.gap_before_ns[work] = stream.add(work);
      device_work.push_back(work);
    }
    if (!stream.empty()) lanes.streams.push_back(stream.take(device, track));
  }
  for (auto& [device, work] : work_of_device) {
    if (work.empty()) continue;
    const TrackId first_track = trace.slices.track[work.front()];
    std::stable_sort(work.begin(), work.end(), [&](SliceId left, SliceId right) {
      return trace.slices.ts_ns[left] < trace.slices.ts_ns[right];
    });
    LaneBuilder lane(trace, structure);
    for (const SliceId id : work) lane.add(id);
    lanes.devices.push_back(lane.take(device, first_track));
    std::vector<const Intervals*> streams;
    for (const DeviceLane& stream : lanes.streams) {
      if (stream.device == device) streams.push_back(&stream.busy);
    }
    lanes.overlaps.push_back(overlap_of(streams));
  }
}

void add_threads(const Trace& trace, const Structure& structure, Lanes& lanes) {
  const std::vector<bool> waits = names_that_wait(trace.strings);
  for (std::size_t i = 0; i + 1 < structure.thread_begin.size(); ++i) {
    ThreadLane lane;
    lane.track = trace.slices.track[structure.cpu_order[structure.thread_begin[i]]];
    for (std::uint32_t at = structure.thread_begin[i]; at < structure.thread_begin[i + 1]; ++at) {
      const SliceId id = structure.cpu_order[at];
      const Category category = trace.slices.category[id];
      if (!is_doing(category) || has_impossible_time(trace, id)) continue;
      const Interval interval{trace.slices.ts_ns[id], trace.slices.end_ns(id)};
      lane.busy.push_back(interval);
      if (is_api_call(category) && waits[trace.slices.name[id]]) lane.waiting.push_back(interval);
    }
    lane.busy = merge_intervals(std::move(lane.busy));
    lane.waiting = merge_intervals(std::move(lane.waiting));
    lanes.threads.push_back(std::move(lane));
  }
}

}  // namespace

Intervals merge_intervals(Intervals intervals) {
  const auto by_start = [](const Interval& left, const Interval& right) {
    return left.start_ns < right.start_ns;
  };
  if (!std::is_sorted(intervals.begin(), intervals.end(), by_start)) {
    std::sort(intervals.begin(), intervals.end(), by_start);
  }
  std::size_t kept = 0;
  for (const Interval& interval : intervals) {
    if (interval.end_ns <= interval.start_ns) continue;
    if (kept > 0 && interval.start_ns <= intervals[kept - 1].end_ns) {
      intervals[kept - 1].end_ns = std::max(intervals[kept - 1].end_ns, interval.end_ns);
    } else {
      intervals[kept++] = interval;
    }
  }
  intervals.resize(kept);
  return intervals;
}

std::int64_t total_ns(std::span<const Interval> disjoint) {
  std::int64_t total = 0;
  for (const Interval& interval : disjoint) total += interval.end_ns - interval.start_ns;
  return total;
}

std::int64_t covered_ns(std::span<const Interval> disjoint, std::int64_t start_ns,
                        std::int64_t end_ns) {
  auto interval =
      std::partition_point(disjoint.begin(), disjoint.end(),
                           [&](const Interval& candidate) { return candidate.end_ns <= start_ns; });
  std::int64_t total = 0;
  for (; interval != disjoint.end() && interval->start_ns < end_ns; ++interval) {
    total += std::min(interval->end_ns, end_ns) - std::max(interval->start_ns, start_ns);
  }
  return total;
}

Intervals intersect(std::span<const Interval> left, std::span<const Interval> right) {
  Intervals both;
  std::size_t l = 0;
  std::size_t r = 0;
  while (l < left.size() && r < right.size()) {
    const std::int64_t start_ns = std::max(left[l].start_ns, right[r].start_ns);
    const std::int64_t end_ns = std::min(left[l].end_ns, right[r].end_ns);
    if (start_ns < end_ns) both.push_back({start_ns, end_ns});
    if (left[l].end_ns < right[r].end_ns) {
      ++l;
    } else {
      ++r;
    }
  }
  return both;
}

std::int64_t DeviceLane::idle_ns() const {
  std::int64_t total = 0;
  for (const Gap& gap : gaps) total += gap.dur_ns();
  return total;
}

Lanes build_lanes(const Trace& trace, const Structure& structure) {
  Lanes lanes;
  lanes.gap_before_ns.assign(trace.slices.size(), Lanes::kNoGap);
  add_streams(trace, structure, lanes);
  add_threads(trace, structure, lanes);
  return lanes;
}

}  // namespace tracebook
