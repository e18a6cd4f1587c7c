// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/environment.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>

#include "common/profiler/cupti/session.h"
#include "common/trace/error.h"
#include "tracebook_version.h"

namespace tracebook {
namespace {

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

/// The version in "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release …":
/// the first word of digits and points ("x86_64" is none).
std::string driver_from_kernel() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  if (!std::getline(file, line)) return {};
  return driver_version_in(line);
}

std::string driver_from_nvml() {
  const Library nvml(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL));
  if (nvml == nullptr) return {};
  const auto init = symbol<int (*)()>(nvml.get(), "nvmlInit_v2");
  const auto version = symbol<int (*)(char*, unsigned)>(nvml.get(), "nvmlSystemGetDriverVersion");
  const auto shutdown = symbol<int (*)()>(nvml.get(), "nvmlShutdown");
  if (init == nullptr || version == nullptr || shutdown == nullptr || init() != 0) return {};
  std::array<char, 96> text{};
  const int status = version(text.data(), text.size());
  shutdown();
  return status == 0 ? std::string(text.data()) : std::string();
}

std::string process_name() {
  std::ifstream file("/proc/self/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

std::string random_id() {
  std::random_device random;
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string id;
  while (id.size() < 32) id += kDigits[random() % kDigits.size()];
  return id;
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// 13000 is "13.0".
std::string cuda_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// 130001 is "13.0.1"; before 13.0 CUPTI only counted: "22".
std::string cupti_text(std::int64_t version) {
  if (version < 10'000) return std::to_string(version);
  return std::to_string(version / 10'000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

/// The profiler does not depend on cuBLAS, but the program it is in may have loaded it.
std::string cublas_text() {
  const auto property = symbol<int (*)(int, int*)>(RTLD_DEFAULT, "cublasGetProperty");
  if (property == nullptr) return {};
  std::string text;
  for (int part = 0; part < 3; ++part) {  // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
    int value = 0;
    if (property(part, &value) != 0) return {};
    text += (part == 0 ? "" : ".") + std::to_string(value);
  }
  return text;
}

DeviceProperties describe_device(int id) {
  cudaDeviceProp gpu{};
  const cudaError_t error = cudaGetDeviceProperties(&gpu, id);
  if (error != cudaSuccess) {
    throw InputError("cudaGetDeviceProperties failed for GPU " + std::to_string(id) + ": " +
                     cudaGetErrorString(error));
  }
  DeviceProperties device;
  device.id = id;
  device.name = gpu.name;
  device.total_global_mem = static_cast<std::int64_t>(gpu.totalGlobalMem);
  device.compute_major = gpu.major;
  device.compute_minor = gpu.minor;
  device.max_threads_per_block = gpu.maxThreadsPerBlock;
  device.max_threads_per_multiprocessor = gpu.maxThreadsPerMultiProcessor;
  device.regs_per_block = gpu.regsPerBlock;
  device.warp_size = gpu.warpSize;
  device.shared_mem_per_block = static_cast<std::int64_t>(gpu.sharedMemPerBlock);
  device.num_sms = gpu.multiProcessorCount;
  device.regs_per_multiprocessor = gpu.regsPerMultiprocessor;
  device.shared_mem_per_block_optin = static_cast<std::int64_t>(gpu.sharedMemPerBlockOptin);
  device.shared_mem_per_multiprocessor = static_cast<std::int64_t>(gpu.sharedMemPerMultiprocessor);
  return device;
}

void describe_cuda(TraceEnvironment& environment) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    throw InputError(std::string("cudaGetDeviceCount failed: ") + cudaGetErrorString(error));
  }
  for (int id = 0; id < count; ++id) environment.devices.push_back(describe_device(id));
  int driver = 0;
  int runtime = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess) environment.driver_version = driver;
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) environment.runtime_version = runtime;
  environment.cupti_version = CuptiSession::version();

  int current = 0;
  if (cudaGetDevice(&current) != cudaSuccess) current = 0;
  Provenance& provenance = environment.provenance;
  provenance.gpu = environment.devices.empty() ? "" : environment.devices[current].name;
  provenance.driver = driver_version_text();
  provenance.cuda = cuda_text(runtime);
  provenance.cublas = cublas_text();
  provenance.cupti = cupti_text(environment.cupti_version);
}

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

}  // namespace

std::string driver_version_in(const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const bool is_version = word.find_first_not_of("0123456789.") == std::string::npos &&
                            word.find('.') != std::string::npos;
    if (is_version) return word;
  }
  return {};
}

std::string driver_version_text() {
  std::string text = driver_from_kernel();
  if (text.empty()) text = driver_from_nvml();
  return text.empty() ? "unknown" : text;
}

TraceEnvironment describe_environment(bool cuda) {
  TraceEnvironment environment;
  environment.pid = getpid();
  environment.process_name = process_name();
  environment.trace_id = random_id();
  environment.provenance.commit = commit();
  environment.provenance.recorded_at = utc_now();
  // A recording of the CPU alone says which GPU its work went to, if there is one.
  if (cuda || has_device()) describe_cuda(environment);
  return environment;
}

}  // namespace tracebook
