// SPDX-License-Identifier: Apache-2.0
//
// The host memory that CUPTI fills with records. What a request for it costs depends on how the
// memory looks (BufferMode): the lesson of a whole chapter. This pool keeps buffers ready, so that
// a request takes one from a list.
//
//   BufferPool pool;
//   pool.prepare({.bytes = 4 << 20, .mode = BufferMode::kZeroed});
//   std::uint8_t* buffer = pool.take();          // in CUPTI's request callback
//   pool.complete(buffer, valid_bytes);          // in its completion callback
//   pool.for_each_completed([](std::span<const std::uint8_t> records) { … });
//
// Buffers are whole pages of their own (mmap), so that "fresh" is fresh: malloc would hand out
// pages that were used before. Thread-safe; nothing is allocated in take() while prepared buffers
// last, except in the mode kFresh, whose point it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/profiler/profiler.h"

namespace tracebook {

class BufferPool {
 public:
  BufferPool() = default;
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  BufferPool(BufferPool&&) = delete;
  BufferPool& operator=(BufferPool&&) = delete;

  /// Makes buffers of this kind ready, as many as 32 MiB hold, from 2 to 1024, and forgets others.
  void prepare(const BufferOptions& options);
  /// A buffer of buffer_bytes(); std::bad_alloc if the system has no memory.
  std::uint8_t* take();
  [[nodiscard]] std::size_t buffer_bytes() const;
  /// CUPTI is done with the buffer; `valid_bytes` of it are records.
  void complete(std::uint8_t* buffer, std::size_t valid_bytes);
  /// Hands out what was completed, in that order, then makes those buffers ready again.
  void for_each_completed(const std::function<void(std::span<const std::uint8_t>)>& use);
  /// Counts since the last reset_stats().
  [[nodiscard]] BufferStats stats() const;
  void reset_stats();

 private:
  struct Completed {
    std::uint8_t* data = nullptr;
    std::size_t valid_bytes = 0;
  };
  void recycle(std::uint8_t* buffer);

  mutable std::mutex mutex_;
  BufferOptions options_;
  std::vector<std::uint8_t*> ready_;
  std::vector<Completed> completed_;
  std::unordered_map<std::uint8_t*, std::size_t> sizes_;  // of all buffers that exist
  BufferStats stats_;
};

}  // namespace tracebook
