// SPDX-License-Identifier: Apache-2.0
#include "common/trace/launch_index.h"

#include <algorithm>
#include <map>
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
    const SliceId call = last_before(
        std::ranges::equal_range(by_process_, std::pair(id, launcher), {},
                                 [this](const Shared& each) {
                                   return std::pair(each.correlation, process_of(each.call));
                                 }),
        at_ns);
    if (call != kNoSlice) return call;
  }
  return last_before(std::ranges::equal_range(shared_, id, {}, &Shared::correlation), at_ns);
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
