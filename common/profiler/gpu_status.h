// SPDX-License-Identifier: Apache-2.0
//
// Whether this machine can run and profile CUDA programs, and if not, what to do about it.
//
//   const GpuStatus status = gpu_status();
//   if (!status.usable()) throw CannotJudge(status.says);
//
// Asks once and remembers; creates a CUDA context where there is a GPU (some 100 ms). Thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace tracebook {

/// The reasons that count as "no GPU here" (exit code 77). Anything else is an error.
enum class GpuAvailability : std::uint8_t {
  kUsable,
  kNoDriver,
  kNoDevice,
  kNotPermitted,  ///< the driver keeps profiling for the administrator
  kTooOld,        ///< this CUDA does not serve the GPU's generation any more
};

struct GpuStatus {
  GpuAvailability availability = GpuAvailability::kUsable;
  /// One line: what was found and, unless usable, what to do.
  std::string says;
  std::string name;    ///< "NVIDIA H200"; "" without a device
  std::string driver;  ///< "580.159.04"; "" without a driver
  /// Why CUPTI does not record although programs run, as under compute-sanitizer; "" if it does.
  std::string cupti_refuses;
  [[nodiscard]] bool usable() const { return availability == GpuAvailability::kUsable; }
};

/// InputError (exit code 3) for an error that is none of the reasons above, such as a driver that
/// is older than this CUDA.
const GpuStatus& gpu_status();

}  // namespace tracebook
