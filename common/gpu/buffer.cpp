// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/buffer.h"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/gpu/status.h"
#include "common/gpu/stream.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

struct Cache {
  std::mutex mutex;
  std::map<std::pair<void*, std::size_t>, std::vector<void*>> free;  // by stream and size
  MemoryStats stats;
};

// Never destroyed: buffers of static lifetime give theirs back after main().
Cache& cache() {
  static auto* instance = new Cache;
  return *instance;
}

std::string size_text(std::size_t bytes) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  constexpr double kMiB = 1024.0 * 1024.0;
  const auto size = static_cast<double>(bytes);
  std::array<char, 64> text{};
  if (size >= kGiB) {
    std::snprintf(text.data(), text.size(), "%.1f GiB", size / kGiB);
  } else {
    std::snprintf(text.data(), text.size(), "%.1f MiB", size / kMiB);
  }
  return text.data();
}

std::size_t rounded(std::size_t bytes) {
  constexpr std::size_t kUnit = 512;  // as PyTorch's allocator
  if (bytes > SIZE_MAX - kUnit) return bytes;
  return (bytes + kUnit - 1) / kUnit * kUnit;
}

void* allocate(std::size_t bytes) {
  void* data = nullptr;
  cudaError_t error = cudaMalloc(&data, bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // forget it: the next call must not report it again
    release_cached_memory();
    error = cudaMalloc(&data, bytes);
  }
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free = 0;
    std::size_t total = 0;
    TB_CUDA(cudaMemGetInfo(&free, &total));
    throw InputError("this needs " + size_text(bytes) + " more of GPU memory, of which " +
                     size_text(free) + " of " + size_text(total) +
                     " are free: choose a smaller size");
  }
  check_cuda(error, "cudaMalloc");
  return data;
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(rounded(bytes)), stream_(current_stream()) {
  if (bytes == 0) return;
  Cache& all = cache();
  {
    const std::scoped_lock lock(all.mutex);
    const auto found = all.free.find({stream_, bytes_});
    if (found != all.free.end() && !found->second.empty()) {
      data_ = found->second.back();
      found->second.pop_back();
      all.stats.cached -= static_cast<std::int64_t>(bytes_);
      all.stats.in_use += static_cast<std::int64_t>(bytes_);
      return;
    }
  }
  data_ = allocate(bytes_);
  const std::scoped_lock lock(all.mutex);
  ++all.stats.allocations;
  all.stats.in_use += static_cast<std::int64_t>(bytes_);
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ == nullptr) return;
  Cache& all = cache();
  const std::scoped_lock lock(all.mutex);
  all.stats.in_use -= static_cast<std::int64_t>(bytes_);
  try {
    all.free[{stream_, bytes_}].push_back(data_);
    all.stats.cached += static_cast<std::int64_t>(bytes_);
  } catch (...) {  // no memory for the list: give the block back
    cudaFree(data_);
  }
}

MemoryStats memory_stats() {
  const std::scoped_lock lock(cache().mutex);
  return cache().stats;
}

void release_cached_memory() {
  Cache& all = cache();
  const std::scoped_lock lock(all.mutex);
  for (const auto& [key, blocks] : all.free) {
    for (void* block : blocks) TB_CUDA(cudaFree(block));
  }
  all.free.clear();
  all.stats.cached = 0;
}

}  // namespace tracebook
