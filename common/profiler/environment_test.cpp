// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/environment.h"

#include <gtest/gtest.h>

#include "common/profiler/gpu_status.h"

namespace tracebook {
namespace {

TEST(Environment, FindsTheDriversVersionInTheModulesLine) {
  EXPECT_EQ(
      driver_version_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug"),
      "535.104.05");
  EXPECT_EQ(driver_version_in("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04"
                              "  Release Build  (root@host)  Mon Jul 21 23:11:55 UTC 2025"),
            "580.159.04");
  EXPECT_EQ(driver_version_in("NVRM version: something else"), "");
}

TEST(Environment, DescribesTheProcessAndTheGpusThatAreThere) {
  const TraceEnvironment environment = describe_environment(false);
  EXPECT_GT(environment.pid, 0);
  EXPECT_FALSE(environment.process_name.empty());
  EXPECT_EQ(environment.trace_id.size(), 32);
  EXPECT_NE(environment.trace_id, describe_environment(false).trace_id);
  EXPECT_EQ(environment.devices.empty(), !gpu_status().usable()) << gpu_status().says;
  for (const DeviceProperties& device : environment.devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_GT(device.total_global_mem, 0);
    EXPECT_EQ(device.warp_size, 32);
  }
  EXPECT_EQ(environment.provenance.recorded_at.size(), 20);  // 2026-11-29T16:34:45Z
}

}  // namespace
}  // namespace tracebook
