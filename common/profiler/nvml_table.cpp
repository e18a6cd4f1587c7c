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
  need("nvmlInit_v2", table_.init);
  need("nvmlShutdown", table_.shutdown);
  need("nvmlErrorString", table_.error_string);
  need("nvmlDeviceGetHandleByIndex_v2", table_.device_by_index);
  need("nvmlDeviceGetHandleByPciBusId_v2", table_.device_by_bus_id);
  find(library, "nvmlDeviceGetClockInfo", table_.clock);
  find(library, "nvmlDeviceGetTemperature", table_.temperature);
  find(library, "nvmlDeviceGetPowerUsage", table_.power_usage);
  find(library, "nvmlDeviceGetFieldValues", table_.field_values);
  auto*& reasons = table_.clocks_event_reasons;
  if (!find(library, "nvmlDeviceGetCurrentClocksEventReasons", reasons)) {
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons);
  }
}

}  // namespace tracebook
