// SPDX-License-Identifier: Apache-2.0
//
// Slices sorted into lanes: by what nests together, then track, then start, longest first. A part
// of build_structure().
//
//   GroupedSlices grouped = group_slices(trace);
//   for (SliceId id : grouped.of(kCpuGroup, track)) …   // parents before their children
//
// A value; its spans live as long as it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/trace/trace.h"

namespace tracebook {

/// What is nested together: slices of one track and one of these.
enum SliceGroup : std::uint8_t { kCpuGroup, kDeviceGroup, kSpanGroup, kOtherGroup, kGroupCount };

/// Start, then longest first. Ties keep their order: callers sort stably from file order.
bool starts_before(const Slices& slices, SliceId left, SliceId right);

/// All slices by group, then track, then time; those of no group are left out.
struct GroupedSlices {
  std::vector<SliceId> ids;
  std::vector<std::uint32_t> begin;  ///< of group * tracks + track; one more at the end
  std::size_t tracks = 0;

  [[nodiscard]] std::span<SliceId> of(SliceGroup group, std::size_t track) {
    const std::size_t i = group * tracks + track;
    return std::span(ids).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

GroupedSlices group_slices(const Trace& trace);

}  // namespace tracebook
