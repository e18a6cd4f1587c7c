// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <string>

#include "common/profiler/cupti/check.h"
#include "common/profiler/environment.h"
#include "common/profiler/gpu_status.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

/// The oldest GPUs that this CUDA can run on: Turing since 13.0, Maxwell before.
constexpr int kOldestCapability = CUDART_VERSION >= 13000 ? 75 : 50;

std::string cuda_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

[[noreturn]] void fail(const char* call, cudaError_t error) {
  throw InputError(std::string(call) + " failed: " + cudaGetErrorString(error) + " (" +
                   cudaGetErrorName(error) + ")");
}

/// Turns a kind of records on and off: CUPTI says then whether it may. Not the kernels' kind, for
/// which it would reserve GPU memory before a profiler has chosen how much.
CUptiResult try_profiling() {
  CUptiResult status = cupti_use_our_clock();
  if (status == CUPTI_SUCCESS) status = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  if (status == CUPTI_SUCCESS) cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME);
  return status;
}

GpuStatus no_driver() {
  GpuStatus status;
  status.availability = GpuAvailability::kNoDriver;
  status.says =
      "no NVIDIA driver is loaded: install one (https://www.nvidia.com/drivers); a container needs "
      "--gpus all";
  return status;
}

GpuStatus ask() {
  int driver_cuda = 0;
  const cudaError_t driver = cudaDriverGetVersion(&driver_cuda);
  if (driver != cudaSuccess) fail("cudaDriverGetVersion", driver);
  if (driver_cuda == 0) return no_driver();

  GpuStatus status;
  status.driver = driver_version_text();
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted == cudaErrorInsufficientDriver) {
    throw InputError("the NVIDIA driver " + status.driver + " serves CUDA " +
                     cuda_text(driver_cuda) + ", this build needs " + cuda_text(CUDART_VERSION) +
                     ": update the driver, or build with an older CUDA Toolkit");
  }
  if (counted == cudaErrorNoDevice || (counted == cudaSuccess && count == 0)) {
    status.availability = GpuAvailability::kNoDevice;
    status.says = "the NVIDIA driver " + status.driver +
                  " finds no GPU: look at CUDA_VISIBLE_DEVICES, and at what nvidia-smi -L prints";
    return status;
  }
  if (counted != cudaSuccess) fail("cudaGetDeviceCount", counted);

  cudaDeviceProp properties{};
  const cudaError_t asked = cudaGetDeviceProperties(&properties, 0);
  if (asked != cudaSuccess) fail("cudaGetDeviceProperties", asked);
  status.name = properties.name;
  const int capability = properties.major * 10 + properties.minor;
  if (capability < kOldestCapability) {
    status.availability = GpuAvailability::kTooOld;
    status.says = status.name + " has compute capability " + capability_text(capability) +
                  ", CUDA " + cuda_text(CUDART_VERSION) + " needs " +
                  capability_text(kOldestCapability) + ": build with an older CUDA Toolkit";
    return status;
  }
  const cudaError_t context = cudaFree(nullptr);
  if (context != cudaSuccess) fail("making a CUDA context", context);

  const CUptiResult profiling = try_profiling();
  if (is_not_permitted(profiling)) {
    status.availability = GpuAvailability::kNotPermitted;
    status.says = status.name + ": " + permission_hint();
    return status;
  }
  status.says = status.name + ", driver " + status.driver;
  // Under another tool (compute-sanitizer, Nsight) CUPTI refuses while programs run well: that is
  // for a profiler to report when it starts.
  if (profiling != CUPTI_SUCCESS) status.cupti_refuses = cupti_message(profiling, "to record");
  return status;
}

}  // namespace

const GpuStatus& gpu_status() {
  // A function's static is made again after an exception: an error is thrown at each call.
  static const GpuStatus kStatus = ask();
  return kStatus;
}

}  // namespace tracebook
