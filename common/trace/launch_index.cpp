// SPDX-License-Identifier: Apache-2.0
#include "common/trace/launch_index.h"

#include <algorithm>

#include "common/trace/time_order.h"

namespace tracebook {

CallsByCorrelation::CallsByCorrelation(const Slices& slices, std::span<const SliceId> calls)
    : slices_(slices), table_(calls.size()) {
  bool any_shared = false;
  for (const SliceId call : calls) {
    const std::int64_t id = slices.correlation[call];
    if (id == kNoId) continue;
    any_shared = any_shared || table_.find(id) != nullptr;
    table_.add(id, call);
  }
  if (any_shared) collect_shared(calls);
}

SliceId CallsByCorrelation::launch_of(SliceId work) const {
  const std::int64_t id = slices_.correlation[work];
  if (id == kNoId) return kNoSlice;
  const IdTable::Entry* const entry = table_.find(id);
  if (entry == nullptr) return kNoSlice;
  if (!entry->shared) return entry->slice;
  const auto same = std::equal_range(
      shared_.begin(), shared_.end(), Shared{kNoSlice, id, kNoSlice},
      [](const Shared& left, const Shared& right) { return left.correlation < right.correlation; });
  if (same.first == same.second) return kNoSlice;  // 0, which is no id
  const auto later = std::upper_bound(
      same.first, same.second, slices_.ts_ns[work],
      [this](std::int64_t ns, const Shared& call) { return ns < slices_.ts_ns[call.call]; });
  return later == same.first ? same.first->outermost : (later - 1)->outermost;
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
