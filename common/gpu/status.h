// SPDX-License-Identifier: Apache-2.0
//
// Statuses of CUDA and cuBLAS, checked where they arise. The error names the place, the call, the
// status and what you might do about it.
//
//   TB_CUDA(cudaMemcpyAsync(…));
//   add_kernel<<<grid, block, 0, stream>>>(…);
//   TB_CUDA(cudaGetLastError());
//   TB_CUBLAS(cublasCreate(&handle));
//
// Both throw InputError. Destructors use neither: they must not throw.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <source_location>

namespace tracebook {

[[noreturn]] void throw_cuda_error(cudaError_t error, const char* call, std::source_location where);
[[noreturn]] void throw_cublas_error(cublasStatus_t status, const char* call,
                                     std::source_location where);

inline void check_cuda(cudaError_t error, const char* call,
                       std::source_location where = std::source_location::current()) {
  if (error != cudaSuccess) [[unlikely]] {
    throw_cuda_error(error, call, where);
  }
}
inline void check_cublas(cublasStatus_t status, const char* call,
                         std::source_location where = std::source_location::current()) {
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]] {
    throw_cublas_error(status, call, where);
  }
}

}  // namespace tracebook

#define TB_CUDA(call) ::tracebook::check_cuda((call), #call)
#define TB_CUBLAS(call) ::tracebook::check_cublas((call), #call)
