// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/device.h"

#include <cuda_runtime_api.h>

#include <array>

#include "common/gpu/status.h"

namespace tracebook {

void synchronize_device() { TB_CUDA(cudaDeviceSynchronize()); }

std::string device_bus_id() {
  int device = 0;
  TB_CUDA(cudaGetDevice(&device));
  std::array<char, 32> text{};
  TB_CUDA(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device));
  return text.data();
}

}  // namespace tracebook
