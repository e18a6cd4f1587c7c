// SPDX-License-Identifier: Apache-2.0
//
// GPU memory that frees itself, from a cache per stream: what is freed is kept and given to the
// next request of its size, since cudaMalloc and cudaFree in every step would cost more than the
// work (and cudaFree waits for the GPU). As PyTorch's caching allocator, at its smallest.
//
//   DeviceBuffer buffer(bytes);
//   buffer.data();               // aligned to 512 bytes
//
// A freed block goes back to the stream it was taken for, whose later work comes after the earlier:
// no synchronisation is needed as long as it is used on that stream. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tracebook {

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// InputError with what was needed and what was free if the GPU has not that much.
  explicit DeviceBuffer(std::size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        stream_(std::exchange(other.stream_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  void* stream_ = nullptr;
};

/// What the cache has done so far.
struct MemoryStats {
  std::int64_t allocations = 0;  ///< cudaMalloc calls
  std::int64_t in_use = 0;       ///< bytes
  std::int64_t cached = 0;       ///< bytes freed and kept
};
MemoryStats memory_stats();

/// Gives what is kept back to the GPU (cudaFree: waits for it).
void release_cached_memory();

}  // namespace tracebook
