// SPDX-License-Identifier: Apache-2.0
//
// What an EventBuilder can do only when it has seen all events: match begins with ends, and find
// the tracks of flows and instants.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/trace/event_builder.h"
#include "common/trace/json_text.h"

namespace tracebook {
namespace {

constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();

/// Flows from a launch to its kernel, as Kineto has called them over the years.
bool leads_to_device(std::string_view category) {
  return category == "ac2g" || category == "async_gpu" || category == "async";
}

}  // namespace

void EventBuilder::finish() {
  match_begins_and_ends();
  categorise();
  place_on_tracks();
}

void EventBuilder::match_begins_and_ends() {
  // Events need not come in order of time; what is equally old stays as it was written.
  std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& left, const Mark& right) {
    return left.lane != right.lane ? left.lane < right.lane : left.ts_ns < right.ts_ns;
  });
  std::vector<const Mark*> open;                                   // null: closed
  std::unordered_map<StringId, std::vector<std::size_t>> by_name;  // places in `open`
  const auto leave_open = [&] {
    for (const Mark* const begin : open) {
      if (begin != nullptr) note(issue::kOpenRange, begin->offset);
    }
    open.clear();
    by_name.clear();
  };
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const Mark& mark = marks_[i];
    if (i > 0 && mark.lane != marks_[i - 1].lane) leave_open();
    if (!mark.ends) {
      by_name[mark.name].push_back(open.size());
      open.push_back(&mark);
      continue;
    }
    // The innermost range of that name; without a name, the innermost one. Ranges that it encloses
    // stay open: their own end may be late (crossing ranges) or lost.
    const auto named = mark.name == 0 ? by_name.end() : by_name.find(mark.name);
    if (open.empty() || (mark.name != 0 && (named == by_name.end() || named->second.empty()))) {
      note(issue::kSurplusEnd, mark.offset);
      continue;
    }
    const std::size_t at = mark.name == 0 ? open.size() - 1 : named->second.back();
    const Mark& begin = *open[at];
    close(begin, mark);
    by_name[begin.name].pop_back();
    open[at] = nullptr;
    while (!open.empty() && open.back() == nullptr) open.pop_back();
  }
  leave_open();
}

void EventBuilder::close(const Mark& begin, const Mark& end) {
  Slices& slices = trace_.slices;
  const bool fits = begin.ts_ns >= 0 || end.ts_ns < kLongest + begin.ts_ns;
  std::int64_t dur_ns = fits ? end.ts_ns - begin.ts_ns : kLongest;
  check_duration(dur_ns, begin.offset);
  slices.dur_ns[begin.row] = dur_ns;
  join_ids(begin, end);
  if (end.args.size > 0) join_args(begin.row, end.args);
}

/// What only the end says is true of the whole range.
void EventBuilder::join_ids(const Mark& begin, const Mark& end) {
  Slices& slices = trace_.slices;
  if (begin.correlation == kNoId) slices.correlation[begin.row] = end.correlation;
  if (begin.external_id == kNoId) slices.external_id[begin.row] = end.external_id;
  if (begin.device == kNoId && end.device != kNoId) {
    const Track track = trace_.tracks[slices.track[begin.row]];
    slices.track[begin.row] = find_track(track.kind, track.pid, track.tid, end.device);
  }
}

/// One object of both, where the begin's members come first.
void EventBuilder::join_args(SliceId row, ArgsRef more) {
  const auto is_empty = [](std::string_view object) {
    return skip_json_space(object, 1) == object.size() - 1;
  };
  ArgsRef& args = trace_.slices.args[row];
  if (args.size == 0) args = more;
  if (args.offset == more.offset || is_empty(trace_.args(more))) return;
  std::string both(trace_.args(args));
  const bool alone = is_empty(both);
  both.pop_back();
  if (!alone) both += ", ";
  both += trace_.args(more).substr(1);
  args = trace_.keep_args(both);
}

void EventBuilder::place_on_tracks() {
  constexpr int kKinds = static_cast<int>(TrackKind::kOther) + 1;
  constexpr TrackId kNone = std::numeric_limits<TrackId>::max();
  std::vector<std::array<TrackId, kKinds>> of_lane(lane_ids_.size());
  for (auto& tracks : of_lane) tracks.fill(kNone);
  // A track whose slices have all moved, since an end or a name said more, is none of this trace's.
  std::vector<bool> has_slices(trace_.tracks.size());
  for (const TrackId track : trace_.slices.track) has_slices[track] = true;
  const auto slice_tracks = static_cast<TrackId>(trace_.tracks.size());
  for (TrackId id = 0; id < slice_tracks; ++id) {
    if (!has_slices[id]) continue;
    const Track& track = trace_.tracks[id];
    const auto next = static_cast<std::uint32_t>(lane_ids_.size());
    const std::uint32_t lane = lanes_.find({.pid = track.pid, .tid = track.tid}, next);
    if (lane == next) {
      lane_ids_.emplace_back(track.pid, track.tid);  // no flow or instant asks for it
    } else if (lane < of_lane.size()) {
      // Of a lane's tracks of one kind the one of the first GPU: in which order they were found
      // depends on how the events are written.
      TrackId& first = of_lane[lane][static_cast<std::size_t>(track.kind)];
      if (first == kNone || track.device < trace_.tracks[first].device) first = id;
    }
  }
  const auto place = [&](std::uint32_t lane, bool on_device) {
    auto& tracks = of_lane[lane];
    using enum TrackKind;
    const auto device_first = {kStream, kGpuSpans, kCpuThread, kOverhead, kOther};
    const auto thread_first = {kCpuThread, kStream, kGpuSpans, kOverhead, kOther};
    for (const TrackKind kind : on_device ? device_first : thread_first) {
      const TrackId track = tracks[static_cast<std::size_t>(kind)];
      if (track != kNone) return track;
    }
    const auto& [pid, tid] = lane_ids_[lane];
    trace_.tracks.push_back({kOther, pid, tid, -1});
    const auto made = static_cast<TrackId>(trace_.tracks.size() - 1);
    tracks[static_cast<std::size_t>(kOther)] = made;
    return made;
  };
  for (Flow& flow : trace_.flows) {
    const bool on_device =
        flow.phase == 'f' && leads_to_device(trace_.strings.view(flow.category_text));
    flow.track = place(flow.track, on_device);
  }
  for (OtherEvent& other : trace_.others) other.track = place(other.track, false);
}

}  // namespace tracebook
