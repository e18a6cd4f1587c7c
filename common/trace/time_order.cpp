// SPDX-License-Identifier: Apache-2.0
#include "common/trace/time_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tracebook {
namespace {

SliceGroup group_of(Category category) {
  if (is_device_work(category)) return kDeviceGroup;
  switch (category) {
    case Category::kGpuUserAnnotation:
      return kSpanGroup;
    case Category::kSync:
    case Category::kTraceSpan:
      return kGroupCount;  // nest in nothing
    case Category::kOther:
      return kOtherGroup;
    default:
      return kCpuGroup;
  }
}

/// Sorts slices by start, longest first. Most tracks arrive sorted, or as a few sorted runs woven
/// together; a radix sort on the start times costs the same for every other order, too.
class TimeSorter {
 public:
  explicit TimeSorter(const Slices& slices) : slices_(slices) {}

  void sort(std::span<SliceId> ids) {
    const auto before = [this](SliceId left, SliceId right) {
      return starts_before(slices_, left, right);
    };
    if (std::is_sorted(ids.begin(), ids.end(), before)) return;
    if (ids.size() < kFewSlices) {
      std::stable_sort(ids.begin(), ids.end(), before);
      return;
    }
    radix_sort_by_start(ids);
    sort_equal_starts(ids);
  }

 private:
  static constexpr std::size_t kFewSlices = 512;
  static constexpr unsigned kDigitBits = 11;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

  struct Entry {
    std::uint64_t start;  // since the track's first
    SliceId id;
  };

  void radix_sort_by_start(std::span<SliceId> ids) {
    std::int64_t first = slices_.ts_ns[ids[0]];
    std::int64_t last = first;
    for (const SliceId id : ids) {
      first = std::min(first, slices_.ts_ns[id]);
      last = std::max(last, slices_.ts_ns[id]);
    }
    const auto base = static_cast<std::uint64_t>(first);
    const auto bits =
        static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(last) - base));
    from_.resize(ids.size());
    to_.resize(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      from_[i] = {static_cast<std::uint64_t>(slices_.ts_ns[ids[i]]) - base, ids[i]};
    }
    for (unsigned shift = 0; shift < bits; shift += kDigitBits) {
      std::array<std::uint32_t, kDigits> place{};
      for (const Entry& entry : from_) ++place[(entry.start >> shift) & (kDigits - 1)];
      std::uint32_t next = 0;
      for (std::uint32_t& count : place) next += std::exchange(count, next);
      for (const Entry& entry : from_) to_[place[(entry.start >> shift) & (kDigits - 1)]++] = entry;
      from_.swap(to_);
    }
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = from_[i].id;
  }

  void sort_equal_starts(std::span<SliceId> ids) const {
    for (auto run = ids.begin(); run != ids.end();) {
      const std::int64_t start = slices_.ts_ns[*run];
      const auto end =
          std::find_if(run + 1, ids.end(), [&](SliceId id) { return slices_.ts_ns[id] != start; });
      if (end - run > 1) {
        std::stable_sort(run, end, [this](SliceId left, SliceId right) {
          return slices_.dur_ns[left] > slices_.dur_ns[right];
        });
      }
      run = end;
    }
  }

  const Slices& slices_;
  std::vector<Entry> from_;
  std::vector<Entry> to_;
};

}  // namespace

bool starts_before(const Slices& slices, SliceId left, SliceId right) {
  if (slices.ts_ns[left] != slices.ts_ns[right]) return slices.ts_ns[left] < slices.ts_ns[right];
  return slices.dur_ns[left] > slices.dur_ns[right];
}

GroupedSlices group_slices(const Trace& trace) {
  const Slices& slices = trace.slices;
  GroupedSlices grouped;
  grouped.tracks = trace.tracks.size();
  const std::size_t none = kGroupCount * grouped.tracks;
  std::array<SliceGroup, kCategoryCount> group_of_category{};
  for (int i = 0; i < kCategoryCount; ++i) {
    group_of_category[static_cast<std::size_t>(i)] = group_of(static_cast<Category>(i));
  }
  const auto place_of = [&](SliceId id) {
    const SliceGroup group = group_of_category[static_cast<std::size_t>(slices.category[id])];
    return group == kGroupCount ? none : group * grouped.tracks + slices.track[id];
  };
  std::vector<std::uint32_t> next(none + 2, 0);
  for (SliceId id = 0; id < slices.size(); ++id) ++next[place_of(id) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  grouped.begin.assign(next.begin(), next.end() - 1);
  grouped.ids.resize(slices.size());
  for (SliceId id = 0; id < slices.size(); ++id) grouped.ids[next[place_of(id)]++] = id;
  grouped.ids.resize(grouped.begin.back());

  TimeSorter sorter(slices);
  for (std::size_t i = 0; i < none; ++i) {
    sorter.sort(
        std::span(grouped.ids).subspan(grouped.begin[i], grouped.begin[i + 1] - grouped.begin[i]));
  }
  return grouped;
}

}  // namespace tracebook
