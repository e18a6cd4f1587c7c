// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/nvml_table.h"

#include <dlfcn.h>

namespace tracebook {
namespace {

/// Whether the library has the function.
template <typename Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

void NvmlLibrary::Close::operator()(void* library) const noexcept { dlclose(library); }

NvmlLibrary::NvmlLibrary(const std::string& file)
    : library_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  void* const library = library_.get();
  if (library == nullptr) {
    says_ = "there is no " + file + ", which comes with NVIDIA's driver";
    return;
  }
  const auto need = [&](const char* name, auto*& function) {
    if (!find(library, name, function) && says_.empty()) says_ = file + " has no " + name;
  };
  need("nvmlInit_v2", table_.nvmlInit_v2);
  need("nvmlShutdown", table_.nvmlShutdown);
  need("nvmlErrorString", table_.nvmlErrorString);
  need("nvmlDeviceGetHandleByIndex_v2", table_.nvmlDeviceGetHandleByIndex_v2);
  need("nvmlDeviceGetHandleByPciBusId_v2", table_.nvmlDeviceGetHandleByPciBusId_v2);
  find(library, "nvmlDeviceGetClockInfo", table_.nvmlDeviceGetClockInfo);
  find(library, "nvmlDeviceGetTemperature", table_.nvmlDeviceGetTemperature);
  find(library, "nvmlDeviceGetPowerUsage", table_.nvmlDeviceGetPowerUsage);
  find(library, "nvmlDeviceGetFieldValues", table_.nvmlDeviceGetFieldValues);
  auto*& reasons = table_.nvmlDeviceGetCurrentClocksEventReasons;
  if (!find(library, "nvmlDeviceGetCurrentClocksEventReasons", reasons)) {
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons);
  }
}

}  // namespace tracebook
