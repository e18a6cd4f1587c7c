// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/elementwise.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "common/gpu/status.h"

namespace tracebook {
namespace {

constexpr int kThreads = 128;
/// One access of a thread: the widest there is, a sector half.
constexpr int kAccessBytes = 16;

template <class T>
constexpr int kPerAccess = kAccessBytes / static_cast<int>(sizeof(T));

template <class T>
struct alignas(kAccessBytes) Pack {
  T values[kPerAccess<T>];
};

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

/// splitmix64: a good scramble of a counter.
__device__ std::uint64_t scramble(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// A standard normal number that depends on seed and index alone (Box and Muller).
__device__ float normal(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = scramble(scramble(seed) ^ index);
  const float u = (static_cast<float>(bits >> 40) + 0.5F) * 0x1p-24F;  // in (0, 1)
  const float v = static_cast<float>(bits & 0xFFFFFFU) * 0x1p-24F;     // in [0, 1)
  return sqrtf(-2.0F * logf(u)) * cospif(2.0F * v);
}

}  // namespace

/// The element nearest to `value`. Whole numbers come from normal ones eight times as large, and
/// stay within what a byte holds.
template <class T>
__device__ T element_of(float value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(fminf(fmaxf(rintf(8.0F * value), -127.0F), 127.0F));
  } else {
    return static_cast<T>(value);
  }
}

// Not in the anonymous namespace: traces show kernels by their full names.

// A grid's x has up to 2^31 - 1 blocks of 128 threads: 2^38 accesses, more than any GPU's memory.

template <class T>
__global__ void randn_kernel(T* out, std::int64_t count, std::uint64_t seed) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) out[i] = element_of<T>(normal(seed, static_cast<std::uint64_t>(i)));
}

template <class T>
__global__ void fill_kernel(T* out, std::int64_t count, float value) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) out[i] = static_cast<T>(value);
}

template <class T>
__device__ T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(a + b);
  } else {
    return static_cast<T>(static_cast<float>(a) + static_cast<float>(b));
  }
}

/// Threads 0 … packs-1 add a pack each, the threads behind them one element of the rest each.
template <class T>
__global__ void add_kernel(const T* a, const T* b, T* out, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t packs = count / kPerAccess<T>;
  if (i < packs) {
    const Pack<T> x = reinterpret_cast<const Pack<T>*>(a)[i];
    const Pack<T> y = reinterpret_cast<const Pack<T>*>(b)[i];
    Pack<T> z;
#pragma unroll
    for (int k = 0; k < kPerAccess<T>; ++k) z.values[k] = sum(x.values[k], y.values[k]);
    reinterpret_cast<Pack<T>*>(out)[i] = z;
    return;
  }
  const std::int64_t rest = packs * kPerAccess<T> + (i - packs);
  if (rest < count) out[rest] = sum(a[rest], b[rest]);
}

namespace {

/// Calls `work` with a null pointer of the dtype's C++ type.
template <class Work>
void with_type(Dtype dtype, Work work) {
  switch (dtype) {
    case Dtype::kBf16:
      work(static_cast<__nv_bfloat16*>(nullptr));
      break;
    case Dtype::kFp16:
      work(static_cast<__half*>(nullptr));
      break;
    case Dtype::kFp32:
      work(static_cast<float*>(nullptr));
      break;
    case Dtype::kInt8:
      work(static_cast<std::int8_t*>(nullptr));
      break;
    case Dtype::kInt32:
      work(static_cast<std::int32_t*>(nullptr));
      break;
  }
  TB_CUDA(cudaGetLastError());
}

}  // namespace

void launch_randn(void* out, std::int64_t count, Dtype dtype, std::uint64_t seed,
                  cudaStream_t stream) {
  with_type(dtype, [&]<class T>(T*) {
    randn_kernel<<<blocks_for(count), kThreads, 0, stream>>>(static_cast<T*>(out), count, seed);
  });
}

void launch_fill(void* out, std::int64_t count, Dtype dtype, float value, cudaStream_t stream) {
  with_type(dtype, [&]<class T>(T*) {
    fill_kernel<<<blocks_for(count), kThreads, 0, stream>>>(static_cast<T*>(out), count, value);
  });
}

void launch_add(const void* a, const void* b, void* out, std::int64_t count, Dtype dtype,
                cudaStream_t stream) {
  with_type(dtype, [&]<class T>(T*) {
    const std::int64_t threads = count / kPerAccess<T> + count % kPerAccess<T>;
    add_kernel<<<blocks_for(threads), kThreads, 0, stream>>>(
        static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(out), count);
  });
}

int add_kernel_blocks_per_sm(Dtype dtype) {
  int blocks = 0;
  with_type(dtype, [&]<class T>(T*) {
    TB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_kernel<T>, kThreads,
                                                          /*dynamicSMemSize=*/0));
  });
  return blocks;
}

}  // namespace tracebook
