// SPDX-License-Identifier: Apache-2.0
//
// The GPU as a whole.
//
//   synchronize_device();              // its queue is empty now
//   std::string bus = device_bus_id(); // as its driver's management library knows it
//
// Any thread; InputError for what CUDA refuses.
#pragma once

#include <string>

namespace tracebook {

/// Waits until the GPU has done all that it was asked for.
void synchronize_device();

/// "00000000:1B:00.0".
std::string device_bus_id();

}  // namespace tracebook
