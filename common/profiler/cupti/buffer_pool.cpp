// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/cupti/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tracebook {
namespace {

std::uint8_t* map_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::uint8_t*>(pages);
}

/// Writing makes the pages exist; they are zero anyway when new.
void touch(std::uint8_t* data, std::size_t bytes) { std::memset(data, 0, bytes); }

std::size_t prepared_count(std::size_t bytes) {
  constexpr std::size_t kPreparedBytes = std::size_t{32} << 20;
  return std::clamp<std::size_t>(kPreparedBytes / bytes, 2, 1024);
}

}  // namespace

BufferPool::~BufferPool() {
  for (const auto& [data, bytes] : sizes_) munmap(data, bytes);
}

void BufferPool::prepare(const BufferOptions& options) {
  const std::scoped_lock lock(mutex_);
  if (options.bytes != options_.bytes || options.mode != options_.mode) {
    for (std::uint8_t* data : ready_) {
      munmap(data, sizes_[data]);
      sizes_.erase(data);
    }
    ready_.clear();
    options_ = options;
  }
  if (options.mode == BufferMode::kFresh) return;
  const std::size_t count = prepared_count(options.bytes);
  ready_.reserve(count);
  while (ready_.size() < count) {
    std::uint8_t* data = map_pages(options.bytes);
    sizes_.emplace(data, options.bytes);
    touch(data, options.bytes);
    ready_.push_back(data);
  }
}

std::uint8_t* BufferPool::take() {
  const std::scoped_lock lock(mutex_);
  ++stats_.requests;
  if (!ready_.empty()) {
    std::uint8_t* data = ready_.back();
    ready_.pop_back();
    return data;
  }
  std::uint8_t* data = map_pages(options_.bytes);
  sizes_.emplace(data, options_.bytes);
  if (options_.mode != BufferMode::kFresh) {
    ++stats_.unprepared;
    touch(data, options_.bytes);
  }
  return data;
}

std::size_t BufferPool::buffer_bytes() const {
  const std::scoped_lock lock(mutex_);
  return options_.bytes;
}

void BufferPool::complete(std::uint8_t* buffer, std::size_t valid_bytes) {
  const std::scoped_lock lock(mutex_);
  ++stats_.completed;
  stats_.record_bytes += static_cast<std::int64_t>(valid_bytes);
  completed_.push_back({buffer, valid_bytes});
}

void BufferPool::for_each_completed(const std::function<void(std::span<const std::uint8_t>)>& use) {
  std::vector<Completed> completed;
  {
    const std::scoped_lock lock(mutex_);
    completed = std::exchange(completed_, {});
  }
  const auto put_back = [&] {
    const std::scoped_lock lock(mutex_);
    for (const Completed& buffer : completed) recycle(buffer.data);
  };
  try {
    for (const Completed& buffer : completed) use({buffer.data, buffer.valid_bytes});
  } catch (...) {
    put_back();
    throw;
  }
  put_back();
}

void BufferPool::recycle(std::uint8_t* buffer) {
  const auto size = sizes_.find(buffer);
  if (size == sizes_.end()) return;
  const bool reusable = options_.mode != BufferMode::kFresh && size->second == options_.bytes &&
                        ready_.size() < prepared_count(options_.bytes) &&
                        ready_.size() < ready_.capacity();
  if (!reusable) {
    munmap(buffer, size->second);
    sizes_.erase(size);
    return;
  }
  if (options_.mode == BufferMode::kZeroed) std::memset(buffer, 0, size->second);
  ready_.push_back(buffer);
}

BufferStats BufferPool::stats() const {
  const std::scoped_lock lock(mutex_);
  return stats_;
}

void BufferPool::reset_stats() {
  const std::scoped_lock lock(mutex_);
  stats_ = {};
}

}  // namespace tracebook
