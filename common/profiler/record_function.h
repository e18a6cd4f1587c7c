// SPDX-License-Identifier: Apache-2.0
//
// A named range of CPU time, as torch.profiler.record_function: opened here, closed at the end of
// the scope, kept if a profiler is recording. Ops open one with their aten:: name.
//
//   RecordFunction range("matmul_add");                      // a user annotation
//   RecordFunction op("aten::mm", RangeKind::kCpuOp);        // an op
//
// The name is copied and may be a temporary. Each thread writes to buffers of its own; nothing in
// the hot path locks or allocates (but for a fresh chunk every 4,096 ranges). A range belongs to
// one thread: open and close it there, innermost first. A range that was open when recording began
// is not kept (its start is unknown); one still open when the window ends is cut there.
//
// Cost on the H200's host: 1.4 ns while nothing records, 58 ns while a profiler does, of which two
// readings of the clock are 45 (record_function_bench).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/profiler/clock.h"

namespace tracebook {

enum class RangeKind : std::uint8_t { kUserAnnotation, kCpuOp };

/// A finished window's range.
struct RangeRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string_view name;  ///< into the RangeLog
  RangeKind kind = RangeKind::kUserAnnotation;
  std::int64_t thread = 0;    ///< the kernel's thread id
  std::uint64_t push_id = 0;  ///< what CUPTI was told, if it was (see CorrelationHooks)
};

/// How CUPTI learns of a range, if it is asked to: called when a range opens and when it closes.
struct CorrelationHooks {
  void (*push)(RangeKind kind, std::uint64_t id) noexcept = nullptr;
  void (*pop)(RangeKind kind) noexcept = nullptr;
};

/// The ranges of one window, by start (parents before their children).
struct RangeLog {
  std::vector<RangeRecord> ranges;
  std::vector<std::unique_ptr<char[]>> names;
  std::int64_t cut = 0;  ///< ranges that were still open at the end
};

namespace detail {

inline constexpr std::uint32_t kChunkRanges = 4096;
inline constexpr std::size_t kNameBytes = std::size_t{1} << 16;

struct RangeEntry {
  std::uint64_t start_ticks;
  std::atomic<std::uint64_t> end_ticks;  // 0 while open
  const char* name;
  std::uint32_t name_size;
  RangeKind kind;
};

struct RangeChunk {
  std::atomic<std::uint32_t> count{0};
  RangeEntry entries[kChunkRanges];
};

/// What one thread writes. Only its thread changes it; the collector reads what `count` publishes.
struct ThreadRanges {
  RangeChunk* chunk = nullptr;
  char* name_begin = nullptr;
  char* name_end = nullptr;
  std::uint32_t window = 0;  // of the entries held
  std::uint32_t index = 0;   // of this thread, for push ids
  std::uint32_t serial = 0;  // entries since the window began
  CorrelationHooks hooks;
};

/// Number of the window being recorded; 0 while none is.
extern std::atomic<std::uint32_t> recording_window;
extern constinit thread_local ThreadRanges thread_ranges;

/// Makes room: a window's first range in this thread, or a full chunk or name block.
void grow_ranges(ThreadRanges& ranges, std::uint32_t window, std::size_t name_size) noexcept;

/// What CUPTI is told a range's id is: unique among the threads of a process.
constexpr std::uint64_t push_id_of(std::uint32_t thread, std::uint32_t serial) {
  return (static_cast<std::uint64_t>(thread + 1) << 32) | serial;
}

}  // namespace detail

class RecordFunction {
 public:
  explicit RecordFunction(std::string_view name, RangeKind kind = RangeKind::kUserAnnotation) {
    const std::uint32_t window = detail::recording_window.load(std::memory_order_acquire);
    if (window != 0) [[unlikely]] {
      open(name, kind, window);
    }
  }
  ~RecordFunction() {
    if (entry_ != nullptr) close();
  }
  RecordFunction(const RecordFunction&) = delete;
  RecordFunction& operator=(const RecordFunction&) = delete;
  RecordFunction(RecordFunction&&) = delete;
  RecordFunction& operator=(RecordFunction&&) = delete;

 private:
  void open(std::string_view name, RangeKind kind, std::uint32_t window) {
    detail::ThreadRanges& ranges = detail::thread_ranges;
    const std::uint32_t used =
        ranges.chunk == nullptr ? 0 : ranges.chunk->count.load(std::memory_order_relaxed);
    if (ranges.window != window || used == detail::kChunkRanges ||
        name.size() > static_cast<std::size_t>(ranges.name_end - ranges.name_begin)) [[unlikely]] {
      detail::grow_ranges(ranges, window, name.size());
      if (ranges.chunk == nullptr) return;  // out of memory: the range is not kept
    }
    detail::RangeChunk& chunk = *ranges.chunk;
    const std::uint32_t slot = chunk.count.load(std::memory_order_relaxed);
    detail::RangeEntry& entry = chunk.entries[slot];
    name.copy(ranges.name_begin, name.size());
    entry.name = ranges.name_begin;
    entry.name_size = static_cast<std::uint32_t>(name.size());
    ranges.name_begin += name.size();
    entry.kind = kind;
    kind_ = kind;
    entry.end_ticks.store(0, std::memory_order_relaxed);
    entry_ = &entry;
    window_ = window;
    const std::uint32_t serial = ranges.serial++;
    if (ranges.hooks.push != nullptr) {
      ranges.hooks.push(kind, detail::push_id_of(ranges.index, serial));
      pop_ = ranges.hooks.pop;
    }
    // Read last, so that what it cost to open the range is outside of it.
    entry.start_ticks = clock_ticks();
    chunk.count.store(slot + 1, std::memory_order_release);
  }

  void close() noexcept {
    const std::uint64_t end = clock_ticks();
    // Another window may have begun meanwhile, and the entry may serve another range by now.
    const bool mine = detail::thread_ranges.window == window_;
    if (mine) entry_->end_ticks.store(end, std::memory_order_relaxed);
    if (pop_ != nullptr) pop_(kind_);
  }

  detail::RangeEntry* entry_ = nullptr;
  void (*pop_)(RangeKind) noexcept = nullptr;
  std::uint32_t window_ = 0;
  RangeKind kind_ = RangeKind::kUserAnnotation;
};

/// Makes this thread's buffers ready (memory touched), so that the first range costs no more than
/// the others. Called when a profiler warms up.
void prepare_ranges();
/// Begins a window: from now on ranges are kept.
void start_ranges(const CorrelationHooks& hooks = {});
/// Ends it. Ranges that are open are cut at `end_ns`.
RangeLog stop_ranges(std::int64_t end_ns);
/// Whether ranges are being kept.
inline bool recording_ranges() {
  return detail::recording_window.load(std::memory_order_relaxed) != 0;
}

}  // namespace tracebook
