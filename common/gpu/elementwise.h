// SPDX-License-Identifier: Apache-2.0
//
// The kernels behind ops.h: what needs nvcc. Pointers are device memory, aligned to 16 bytes;
// counts are elements. Launched on `stream`; a refused launch throws InputError.
//
//   launch_add(a, b, out, count, Dtype::kBf16, stream);
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "common/gpu/tensor.h"

namespace tracebook {

void launch_randn(void* out, std::int64_t count, Dtype dtype, std::uint64_t seed,
                  cudaStream_t stream);
void launch_fill(void* out, std::int64_t count, Dtype dtype, float value, cudaStream_t stream);
void launch_add(const void* a, const void* b, void* out, std::int64_t count, Dtype dtype,
                cudaStream_t stream);
/// What cudaOccupancyMaxActiveBlocksPerMultiprocessor says of add's kernel.
int add_kernel_blocks_per_sm(Dtype dtype);

}  // namespace tracebook
