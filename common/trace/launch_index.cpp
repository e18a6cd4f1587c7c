// SPDX-License-Identifier: Apache-2.0
#include "common/trace/launch_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "common/trace/lane_numbers.h"
#include "common/trace/time_order.h"

namespace tracebook {

CallsByCorrelation::CallsByCorrelation(const Trace& trace, std::span<const SliceId> calls,
                                       std::span<const SliceId> work)
    : slices_(trace.slices), table_(calls.size()) {
  bool any_shared = false;
  for (const SliceId call : calls) {
    const std::int64_t id = slices_.correlation[call];
    if (id == kNoId) continue;
    any_shared = any_shared || table_.find(id) != nullptr;
    table_.add(id, call);
  }
  if (!any_shared) return;
  collect_shared(calls);
  find_processes(trace, work);
  settle_conflicts(trace, work);
}

SliceId CallsByCorrelation::launch_of(SliceId work) const {
  const std::int64_t id = slices_.correlation[work];
  if (id == kNoId) return kNoSlice;
  const IdTable::Entry* const entry = table_.find(id);
  if (entry == nullptr) return kNoSlice;
  if (!entry->shared) return entry->slice;
  // The calls of the process that launches this stream's work, or all.
  const std::int64_t at_ns = slices_.ts_ns[work];
  const std::int32_t launcher = launcher_[slices_.track[work]];
  if (launcher != kAnyProcess) {
    if (is_undecided(work)) return kNoSlice;
    const SliceId call = last_before(calls_of(id, launcher), at_ns);
    if (call != kNoSlice) return call;
  }
  return last_before(std::ranges::equal_range(shared_, id, {}, &Shared::correlation), at_ns);
}

bool CallsByCorrelation::is_undecided(SliceId work) const {
  if (launcher_.empty() || launcher_[slices_.track[work]] != kUndecided) return false;
  return has_calls_of_several_processes(slices_.correlation[work]);
}

std::span<const CallsByCorrelation::Shared> CallsByCorrelation::calls_of(
    std::int64_t id, std::int32_t process) const {
  return std::ranges::equal_range(
      by_process_, std::pair(id, process), {},
      [this](const Shared& each) { return std::pair(each.correlation, process_of(each.call)); });
}

bool CallsByCorrelation::has_calls_of_several_processes(std::int64_t id) const {
  const auto calls = std::ranges::equal_range(by_process_, id, {}, &Shared::correlation);
  return !calls.empty() && process_of(calls.front().call) != process_of(calls.back().call);
}

/// One launch works on one GPU. Where the nearest call would own work of several, the ranks of a
/// merged file number their calls alike: a stream's work is then that of the only process whose
/// calls all come before it, or nobody's.
void CallsByCorrelation::settle_conflicts(const Trace& trace, std::span<const SliceId> work) {
  const auto is_open = [&](SliceId id) {
    return launcher_[slices_.track[id]] == kAnyProcess && slices_.correlation[id] != kNoId &&
           has_calls_of_several_processes(slices_.correlation[id]);
  };
  std::unordered_map<SliceId, TrackId> first;
  std::map<TrackId, std::set<std::int32_t>> able;
  for (const SliceId id : work) {
    if (!is_open(id)) continue;
    const TrackId track = slices_.track[id];
    const SliceId launch = launch_of(id);
    if (launch == kNoSlice) continue;
    const auto [known, is_new] = first.try_emplace(launch, track);
    if (is_new || trace.tracks[known->second].device == trace.tracks[track].device) continue;
    able.try_emplace(track, process_.begin(), process_.end());
    able.try_emplace(known->second, process_.begin(), process_.end());
  }
  if (able.empty()) return;
  for (const SliceId id : work) {
    const auto processes = able.find(slices_.track[id]);
    if (processes == able.end() || !is_open(id)) continue;
    std::erase_if(processes->second, [&](std::int32_t process) {
      const std::span<const Shared> calls = calls_of(slices_.correlation[id], process);
      return calls.empty() || slices_.ts_ns[calls.front().call] > slices_.ts_ns[id];
    });
  }
  for (const auto& [track, processes] : able)
    launcher_[track] = processes.size() == 1 ? *processes.begin() : kUndecided;
}

/// Of calls by start, the last before `ns`, else the first; kNoSlice without any (id 0 is none).
SliceId CallsByCorrelation::last_before(std::span<const Shared> calls, std::int64_t ns) const {
  if (calls.empty()) return kNoSlice;
  const auto later = std::ranges::upper_bound(
      calls, ns, {}, [this](const Shared& each) { return slices_.ts_ns[each.call]; });
  return later == calls.begin() ? calls.front().outermost : (later - 1)->outermost;
}

/// Which process launches the work of each stream, by the ids that only one call has.
void CallsByCorrelation::find_processes(const Trace& trace, std::span<const SliceId> work) {
  launcher_.assign(trace.tracks.size(), kAnyProcess);
  LaneNumbers numbers;
  std::uint32_t processes = 0;
  for (const Track& track : trace.tracks) {
    const std::uint32_t number = numbers.find({.pid = track.pid, .tid = {}}, processes);
    if (number == processes) ++processes;
    process_.push_back(static_cast<std::int32_t>(number));
  }
  std::map<std::pair<TrackId, std::int32_t>, std::int64_t> votes;
  for (const SliceId id : work) {
    if (slices_.correlation[id] == kNoId) continue;
    const IdTable::Entry* const entry = table_.find(slices_.correlation[id]);
    if (entry == nullptr || entry->shared) continue;
    ++votes[{slices_.track[id], process_[slices_.track[entry->slice]]}];
  }
  std::vector<std::int64_t> most(trace.tracks.size(), 0);
  for (const auto& [from, count] : votes) {
    if (count <= most[from.first]) continue;
    most[from.first] = count;
    launcher_[from.first] = from.second;
  }
  by_process_ = shared_;
  std::ranges::stable_sort(by_process_, {}, [this](const Shared& each) {
    return std::pair(each.correlation, process_of(each.call));
  });
}

void CallsByCorrelation::collect_shared(std::span<const SliceId> calls) {
  for (const SliceId call : calls) {
    const std::int64_t id = slices_.correlation[call];
    // Writers put 0 where there is no id.
    if (id != kNoId && id != 0 && table_.find(id)->shared) shared_.push_back({call, id, call});
  }
  std::stable_sort(shared_.begin(), shared_.end(), [this](const Shared& left, const Shared& right) {
    if (left.correlation != right.correlation) return left.correlation < right.correlation;
    return starts_before(slices_, left.call, right.call);
  });
  for (std::size_t i = 1; i < shared_.size(); ++i) {
    const SliceId outer = shared_[i - 1].outermost;
    if (shared_[i].correlation == shared_[i - 1].correlation &&
        slices_.track[outer] == slices_.track[shared_[i].call] &&
        slices_.end_ns(outer) >= slices_.end_ns(shared_[i].call)) {
      shared_[i].outermost = outer;
    }
  }
}

}  // namespace tracebook
