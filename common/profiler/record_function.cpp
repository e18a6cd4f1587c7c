// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/record_function.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>

#if defined(__linux__)
#include <sys/syscall.h>
#endif
#include <unistd.h>

namespace tracebook {
namespace detail {

std::atomic<std::uint32_t> recording_window{0};
constinit thread_local ThreadRanges thread_ranges;

namespace {

/// What a thread's entries lie in. Outlives the thread until its ranges are collected.
struct ThreadStore {
  std::int64_t thread = 0;
  std::uint32_t index = 0;
  std::uint32_t window = 0;
  bool thread_ended = false;
  std::vector<std::unique_ptr<RangeChunk>> chunks;
  std::size_t chunks_used = 0;
  std::vector<std::unique_ptr<char[]>> names;
  std::vector<std::size_t> name_sizes;
  std::size_t names_used = 0;
};

/// Taken when a thread records its first range of a window or fills a chunk, and by the collector.
struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<ThreadStore>> stores;
  std::uint32_t next_index = 0;
  std::uint32_t last_window = 0;
  CorrelationHooks hooks;
};

// Never destroyed: threads may end after main() has returned.
Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

std::int64_t thread_id() {
#if defined(__linux__)
  return static_cast<std::int64_t>(syscall(SYS_gettid));
#else
  static std::atomic<std::int64_t> next{getpid()};
  thread_local const std::int64_t mine = next.fetch_add(1);
  return mine;
#endif
}

constinit thread_local bool thread_is_ending = false;
constinit thread_local ThreadStore* thread_store = nullptr;

/// Hands the store over to the collector when the thread ends.
struct AtThreadEnd {
  AtThreadEnd() = default;
  AtThreadEnd(const AtThreadEnd&) = delete;
  AtThreadEnd& operator=(const AtThreadEnd&) = delete;
  ~AtThreadEnd() {
    thread_is_ending = true;
    thread_ranges = {};
    const std::scoped_lock lock(registry().mutex);
    if (thread_store != nullptr) thread_store->thread_ended = true;
    thread_store = nullptr;
  }
};

ThreadStore& store_of_this_thread(Registry& all) {
  if (thread_store == nullptr) {
    thread_local const AtThreadEnd kAtThreadEnd;
    auto store = std::make_unique<ThreadStore>();
    store->thread = thread_id();
    store->index = all.next_index++;
    all.stores.push_back(std::move(store));
    thread_store = all.stores.back().get();
  }
  return *thread_store;
}

RangeChunk* next_chunk(ThreadStore& store) {
  if (store.chunks_used == store.chunks.size()) {
    store.chunks.push_back(std::make_unique<RangeChunk>());
  }
  RangeChunk* chunk = store.chunks[store.chunks_used++].get();
  chunk->count.store(0, std::memory_order_relaxed);
  return chunk;
}

void next_names(ThreadStore& store, ThreadRanges& ranges, std::size_t least) {
  while (store.names_used < store.names.size() && store.name_sizes[store.names_used] < least) {
    ++store.names_used;
  }
  if (store.names_used == store.names.size()) {
    const std::size_t size = std::max(kNameBytes, least);
    store.name_sizes.reserve(store.names.size() + 1);
    store.names.push_back(std::make_unique<char[]>(size));  // zeroed, so its pages are there
    store.name_sizes.push_back(size);
  }
  ranges.name_begin = store.names[store.names_used].get();
  ranges.name_end = ranges.name_begin + store.name_sizes[store.names_used];
  ++store.names_used;
}

void begin_window(ThreadStore& store, ThreadRanges& ranges, std::uint32_t window,
                  const CorrelationHooks& hooks) {
  store.window = window;
  store.chunks_used = 0;
  store.names_used = 0;
  ranges.window = window;
  ranges.index = store.index;
  ranges.serial = 0;
  ranges.hooks = hooks;
  ranges.chunk = nullptr;
  ranges.name_begin = nullptr;
  ranges.name_end = nullptr;
}

}  // namespace

void grow_ranges(ThreadRanges& ranges, std::uint32_t window, std::size_t name_size) noexcept {
  if (thread_is_ending) return;
  try {
    Registry& all = registry();
    const std::scoped_lock lock(all.mutex);
    ThreadStore& store = store_of_this_thread(all);
    if (ranges.window != window) begin_window(store, ranges, window, all.hooks);
    if (ranges.chunk == nullptr ||
        ranges.chunk->count.load(std::memory_order_relaxed) == kChunkRanges) {
      ranges.chunk = nullptr;
      ranges.chunk = next_chunk(store);
    }
    if (ranges.name_begin == nullptr ||
        static_cast<std::size_t>(ranges.name_end - ranges.name_begin) < name_size) {
      next_names(store, ranges, name_size);
    }
  } catch (const std::bad_alloc&) {
    ranges.chunk = nullptr;
  }
}

namespace {

/// Copies names out of the threads' blocks, which the next window overwrites.
class NameKeeper {
 public:
  explicit NameKeeper(RangeLog& log) : log_(log) {}

  std::string_view keep(std::string_view name) {
    if (name.size() > left_) {
      left_ = std::max(kNameBytes, name.size());
      log_.names.push_back(std::make_unique_for_overwrite<char[]>(left_));
      next_ = log_.names.back().get();
    }
    char* begin = next_;
    name.copy(begin, name.size());
    next_ += name.size();
    left_ -= name.size();
    return {begin, name.size()};
  }

 private:
  RangeLog& log_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

void collect(const ThreadStore& store, std::int64_t end_ns, NameKeeper& names, RangeLog& log) {
  std::uint32_t serial = 0;
  for (std::size_t i = 0; i < store.chunks_used; ++i) {
    const RangeChunk& chunk = *store.chunks[i];
    const std::uint32_t count = chunk.count.load(std::memory_order_acquire);
    for (std::uint32_t slot = 0; slot < count; ++slot, ++serial) {
      const RangeEntry& entry = chunk.entries[slot];
      const std::uint64_t end_ticks = entry.end_ticks.load(std::memory_order_relaxed);
      RangeRecord range;
      range.start_ns = clock_ns(entry.start_ticks);
      if (range.start_ns > end_ns) continue;  // opened while recording was being stopped
      range.end_ns = end_ticks == 0 ? end_ns : std::min(clock_ns(end_ticks), end_ns);
      if (end_ticks == 0) ++log.cut;
      range.end_ns = std::max(range.end_ns, range.start_ns);
      range.name = names.keep({entry.name, entry.name_size});
      range.kind = entry.kind;
      range.thread = store.thread;
      range.push_id = push_id_of(store.index, serial);
      log.ranges.push_back(range);
    }
  }
}

}  // namespace
}  // namespace detail

void prepare_ranges() {
  start_clock();
  constexpr std::size_t kPreparedChunks = 2;
  detail::Registry& all = detail::registry();
  const std::scoped_lock lock(all.mutex);
  detail::ThreadStore& store = detail::store_of_this_thread(all);
  while (store.chunks.size() < kPreparedChunks) {
    store.chunks.push_back(std::make_unique<detail::RangeChunk>());
  }
  if (store.names.empty()) {
    store.names.push_back(std::make_unique<char[]>(detail::kNameBytes));
    store.name_sizes.push_back(detail::kNameBytes);
  }
}

void start_ranges(const CorrelationHooks& hooks) {
  start_clock();
  std::uint32_t window = 0;
  {
    detail::Registry& all = detail::registry();
    const std::scoped_lock lock(all.mutex);
    all.hooks = hooks;
    std::erase_if(all.stores, [](const auto& store) { return store->thread_ended; });
    window = ++all.last_window;
  }
  detail::recording_window.store(window, std::memory_order_release);
  // The caller's buffers are entered now, not in its first range.
  detail::grow_ranges(detail::thread_ranges, window, 1);
}

RangeLog stop_ranges(std::int64_t end_ns) {
  const std::uint32_t window = detail::recording_window.exchange(0, std::memory_order_acq_rel);
  RangeLog log;
  if (window == 0) return log;
  detail::NameKeeper names(log);
  detail::Registry& all = detail::registry();
  const std::scoped_lock lock(all.mutex);
  for (const auto& store : all.stores) {
    if (store->window == window) detail::collect(*store, end_ns, names, log);
  }
  std::stable_sort(
      log.ranges.begin(), log.ranges.end(),
      [](const RangeRecord& a, const RangeRecord& b) { return a.start_ns < b.start_ns; });
  return log;
}

}  // namespace tracebook
