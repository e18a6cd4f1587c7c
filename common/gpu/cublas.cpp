// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/cublas.h"

#include <cuda_runtime_api.h>

#include <optional>
#include <utility>

#include "common/gpu/buffer.h"
#include "common/gpu/status.h"
#include "common/gpu/stream.h"

namespace tracebook {
namespace {

/// cuBLAS's scratch memory, in the sizes that PyTorch gives it: 32 MiB for Hopper, else 8 MiB and
/// 128 KiB. The size is among the things by which cuBLAS picks a kernel.
std::size_t workspace_bytes() {
  int device = 0;
  int major = 0;
  int minor = 0;
  TB_CUDA(cudaGetDevice(&device));
  TB_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TB_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  constexpr std::size_t kKiB = 1024;
  return major == 9 && minor == 0 ? 32 * kKiB * kKiB : 2 * 4096 * kKiB + 8 * 16 * kKiB;
}

class Cublas {
 public:
  Cublas() { TB_CUBLAS(cublasCreate(&handle_)); }
  ~Cublas() { cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  Cublas(Cublas&&) = delete;
  Cublas& operator=(Cublas&&) = delete;

  /// Ready for the current stream.
  cublasHandle_t get() {
    prepare();
    return handle_;
  }

  CublasWorkspace workspace() {
    prepare();
    return {.data = workspace_->data(), .bytes = workspace_->bytes()};
  }

 private:
  void prepare() {
    cudaStream_t stream = current_stream();
    if (workspace_ && stream == stream_) return;
    // A workspace belongs to the stream whose products use it, one after the other.
    DeviceBuffer workspace(workspace_bytes());
    TB_CUBLAS(cublasSetStream(handle_, stream));
    TB_CUBLAS(cublasSetWorkspace(handle_, workspace.data(), workspace.bytes()));
    workspace_ = std::move(workspace);
    stream_ = stream;
  }

  cublasHandle_t handle_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::optional<DeviceBuffer> workspace_;
};

Cublas& instance() {
  thread_local Cublas cublas;
  return cublas;
}

}  // namespace

void make_cublas(CublasPart part) {
  Cublas& cublas = instance();
  if (part == CublasPart::kWorkspace) cublas.get();
}

cublasHandle_t cublas() { return instance().get(); }

CublasWorkspace cublas_workspace() { return instance().workspace(); }

}  // namespace tracebook
