// SPDX-License-Identifier: Apache-2.0
//
// This thread's cuBLAS. The first product makes it, as in PyTorch, so that a cold trace shows what
// that costs; chapter 02 makes it in parts beforehand, to see which part costs what.
//
//   cublasHandle_t handle = cublas();     // for the current stream, with its workspace
//   make_cublas(CublasPart::kHandle);     // only cublasCreate
//
// One handle and one workspace a thread. InputError for what cuBLAS or CUDA refuses.
#pragma once

#include <cublas_v2.h>

#include <cstddef>
#include <cstdint>

namespace tracebook {

/// How much of cuBLAS is made; each holds the ones before it.
enum class CublasPart : std::uint8_t {
  kHandle,     ///< cublasCreate
  kWorkspace,  ///< 32 MiB of scratch memory on Hopper, given with cublasSetWorkspace as PyTorch
               ///< does
};
void make_cublas(CublasPart part);

/// Ready for the current stream.
cublasHandle_t cublas();

/// The workspace of the current stream's products, which take turns with it.
struct CublasWorkspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};
CublasWorkspace cublas_workspace();

}  // namespace tracebook
