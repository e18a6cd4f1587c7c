// SPDX-License-Identifier: Apache-2.0
//
// The machine and process that a trace is recorded in: what Kineto writes at the top of its files,
// and our provenance.
//
//   TraceEnvironment environment = describe_environment();
//
// Call it outside of recorded time: it asks the driver.
#pragma once

#include <string>

#include "common/profiler/build_trace.h"

namespace tracebook {

/// All of it but the chapter, the recording's name and the command. With `cuda` false a
/// machine without a GPU is no error.
TraceEnvironment describe_environment(bool cuda = true);

/// "580.159.04", from the kernel module or NVML; "unknown" if neither says.
std::string driver_version_text();
/// The version in the first line of /proc/driver/nvidia/version; "" if it has none.
std::string driver_version_in(const std::string& line);

}  // namespace tracebook
