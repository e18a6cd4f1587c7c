// SPDX-License-Identifier: Apache-2.0
//
// The few functions of NVIDIA's management library (NVML) that gpu_counters.h asks, found at run
// time: the library belongs to the driver, so it is on GPU machines alone, and nvml.h need be
// nowhere. A test fills a table of its own.
//
//   const NvmlLibrary nvml("libnvidia-ml.so.1");
//   if (nvml.table() == nullptr) std::cerr << nvml.says();
//   else nvml.table()->init();
//
// Names, numbers and layouts are NVML's (nvml.h), whose binary interface keeps them. The functions
// may be called from any thread; the library stays open as long as its NvmlLibrary lives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tracebook {

using NvmlReturn = int;     ///< nvmlReturn_t
using NvmlDevice = void*;   ///< nvmlDevice_t
using NvmlClockType = int;  ///< nvmlClockType_t
using NvmlSensor = int;     ///< nvmlTemperatureSensors_t

inline constexpr NvmlReturn kNvmlSuccess = 0;            // NVML_SUCCESS
inline constexpr NvmlReturn kNvmlFunctionNotFound = 13;  // NVML_ERROR_FUNCTION_NOT_FOUND
inline constexpr NvmlClockType kNvmlClockSm = 1;         // NVML_CLOCK_SM
inline constexpr NvmlClockType kNvmlClockMem = 2;        // NVML_CLOCK_MEM
inline constexpr NvmlSensor kNvmlTemperatureGpu = 0;     // NVML_TEMPERATURE_GPU
inline constexpr unsigned kNvmlPowerInstant = 186;       // NVML_FI_DEV_POWER_INSTANT, mW

/// nvmlFieldValue_t.
struct NvmlFieldValue {
  unsigned field = 0;
  unsigned scope = 0;  ///< 0: the GPU alone
  long long timestamp = 0;
  long long latency_us = 0;
  unsigned value_type = 0;
  NvmlReturn result = 0;
  /// nvmlValue_t, a union of 8 bytes. Unsigned integers lie in its first 4 or 8 bytes; where only 4
  /// are written the others stay 0.
  std::uint64_t value = 0;
};
static_assert(sizeof(NvmlFieldValue) == 40, "NVML's layout");

/// Null where the library has no such function; the first five are always there.
struct NvmlTable {
  NvmlReturn (*init)() = nullptr;                                      ///< nvmlInit_v2
  NvmlReturn (*shutdown)() = nullptr;                                  ///< nvmlShutdown
  const char* (*error_string)(NvmlReturn) = nullptr;                   ///< nvmlErrorString
  NvmlReturn (*device_by_index)(unsigned, NvmlDevice*) = nullptr;      ///< …GetHandleByIndex_v2
  NvmlReturn (*device_by_bus_id)(const char*, NvmlDevice*) = nullptr;  ///< …GetHandleByPciBusId_v2
  /// nvmlDeviceGetClockInfo, MHz.
  NvmlReturn (*clock)(NvmlDevice, NvmlClockType, unsigned*) = nullptr;
  /// nvmlDeviceGetTemperature, °C.
  NvmlReturn (*temperature)(NvmlDevice, NvmlSensor, unsigned*) = nullptr;
  /// nvmlDeviceGetPowerUsage, mW: the mean of the last second on GPUs after the A100.
  NvmlReturn (*power_usage)(NvmlDevice, unsigned*) = nullptr;
  /// nvmlDeviceGetFieldValues of so many fields.
  NvmlReturn (*field_values)(NvmlDevice, int, NvmlFieldValue*) = nullptr;
  /// nvmlDeviceGetCurrentClocksEventReasons, a mask; older drivers say …ThrottleReasons.
  NvmlReturn (*clocks_event_reasons)(NvmlDevice, unsigned long long*) = nullptr;
};

class NvmlLibrary {
 public:
  explicit NvmlLibrary(const std::string& file);

  /// Null if the library is not there or is another one; says() has the reason, else "".
  [[nodiscard]] const NvmlTable* table() const { return says_.empty() ? &table_ : nullptr; }
  [[nodiscard]] const std::string& says() const { return says_; }

 private:
  struct Close {
    void operator()(void* library) const noexcept;
  };
  std::unique_ptr<void, Close> library_;
  NvmlTable table_;
  std::string says_;
};

}  // namespace tracebook
