// SPDX-License-Identifier: Apache-2.0
//
// Which API call started a piece of device work, by correlation id. A part of build_structure().
//
//   const CallsByCorrelation by_correlation(trace.slices, calls);
//   by_correlation.launch_of(kernel);   // the call, or kNoSlice
//
// Refers to the slices, which must outlive it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/trace/trace.h"

namespace tracebook {

/// Slices by an id that the file gave them.
class IdTable {
 public:
  struct Entry {
    std::int64_t id = kNoId;
    SliceId slice = kNoSlice;
    bool shared = false;  ///< another slice has this id, too
  };

  explicit IdTable(std::size_t count)
      : entries_(std::bit_ceil(count * 2 + 2)),
        shift_(64 - static_cast<unsigned>(std::countr_zero(entries_.size()))) {}

  void add(std::int64_t id, SliceId slice) {
    Entry& entry = entries_[slot_of(id)];
    if (entry.slice == kNoSlice) {
      entry = {id, slice, false};
    } else {
      entry.shared = true;
    }
  }
  [[nodiscard]] const Entry* find(std::int64_t id) const {
    const Entry& entry = entries_[slot_of(id)];
    return entry.slice == kNoSlice ? nullptr : &entry;
  }

 private:
  [[nodiscard]] std::size_t slot_of(std::int64_t id) const {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    std::size_t slot = (static_cast<std::uint64_t>(id) * kGoldenRatio) >> shift_;
    while (entries_[slot].slice != kNoSlice && entries_[slot].id != id) {
      slot = (slot + 1) & (entries_.size() - 1);
    }
    return slot;
  }

  std::vector<Entry> entries_;
  unsigned shift_;
};

/// API calls by correlation id. Several calls may share one: a runtime call and the driver call
/// inside it (the outer one is meant, as the user wrote it), or calls of two processes in a merged
/// file (that of the process which launched most of the stream's work with an id of its own;
/// failing that, the last one to start before the work; nobody where that would give
/// one call the work of several GPUs and only time could tell whose it is).
class CallsByCorrelation {
 public:
  /// `work` is what launch_of() will be asked for.
  CallsByCorrelation(const Trace& trace, std::span<const SliceId> calls,
                     std::span<const SliceId> work);

  [[nodiscard]] SliceId launch_of(SliceId work) const;
  /// Whether calls of several processes may have started this work, and nothing tells which did.
  [[nodiscard]] bool is_undecided(SliceId work) const;

 private:
  struct Shared {
    SliceId call;
    std::int64_t correlation;
    SliceId outermost;  // call of the same id that encloses this one, or this one
  };

  void collect_shared(std::span<const SliceId> calls);
  void find_processes(const Trace& trace, std::span<const SliceId> work);
  void settle_conflicts(const Trace& trace, std::span<const SliceId> work);
  [[nodiscard]] std::span<const Shared> calls_of(std::int64_t id, std::int32_t process) const;
  [[nodiscard]] bool has_calls_of_several_processes(std::int64_t id) const;
  [[nodiscard]] SliceId last_before(std::span<const Shared> calls, std::int64_t ns) const;
  [[nodiscard]] std::int32_t process_of(SliceId call) const {
    return process_[slices_.track[call]];
  }

  static constexpr std::int32_t kAnyProcess = -1;
  static constexpr std::int32_t kUndecided = -2;
  const Slices& slices_;
  IdTable table_;
  std::vector<Shared> shared_;          // by correlation, then start
  std::vector<Shared> by_process_;      // by correlation, then process, then start
  std::vector<std::int32_t> process_;   // per track: its process, numbered
  std::vector<std::int32_t> launcher_;  // per track: the process that launches its work
};

}  // namespace tracebook
