// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/status.h"

#include <string>
#include <string_view>

#include "common/trace/error.h"

namespace tracebook {
namespace {

const char* hint(cudaError_t error) {
  switch (error) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
      return "this build has no code for this GPU: configure with "
             "-DCMAKE_CUDA_ARCHITECTURES=<compute capability without the point>";
    case cudaErrorMemoryAllocation:
      return "the GPU's memory is full: choose a smaller size, or see nvidia-smi for who uses it";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
      return "a kernel before this call went wrong: compute-sanitizer <program> says which";
    case cudaErrorInsufficientDriver:
      return "there is no NVIDIA driver, or one that is older than this CUDA: install or update it";
    default:
      return nullptr;
  }
}

const char* hint(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the GPU's memory is full: choose a smaller size";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "cuBLAS found no usable GPU, or no memory for itself";
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "this GPU or this cuBLAS has no kernel for the dtype: try --dtype fp32";
    default:
      return nullptr;
  }
}

std::string message(std::source_location where, const char* call, const char* name,
                    const char* words, const char* advice) {
  std::string_view file = where.file_name();
  if (const std::size_t root = file.rfind("common/"); root != std::string_view::npos) {
    file.remove_prefix(root);
  } else if (const std::size_t slash = file.rfind('/'); slash != std::string_view::npos) {
    file.remove_prefix(slash + 1);
  }
  std::string text = std::string(file) + ":" + std::to_string(where.line()) + ": " + call + ": " +
                     words + " (" + name + ")";
  if (advice != nullptr) text = text + "; " + advice;
  return text;
}

}  // namespace

void throw_cuda_error(cudaError_t error, const char* call, std::source_location where) {
  throw InputError(
      message(where, call, cudaGetErrorName(error), cudaGetErrorString(error), hint(error)));
}

void throw_cublas_error(cublasStatus_t status, const char* call, std::source_location where) {
  throw InputError(message(where, call, cublasGetStatusName(status), cublasGetStatusString(status),
                           hint(status)));
}

}  // namespace tracebook
