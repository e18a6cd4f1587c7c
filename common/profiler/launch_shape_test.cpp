// SPDX-License-Identifier: Apache-2.0
#include "common/trace/launch_shape.h"

#include <gtest/gtest.h>

namespace tracebook {
namespace {

/// As PyTorch's traces describe it.
DeviceProperties h200() {
  DeviceProperties device;
  device.compute_major = 9;
  device.max_threads_per_block = 1024;
  device.max_threads_per_multiprocessor = 2048;
  device.regs_per_block = 65536;
  device.warp_size = 32;
  device.shared_mem_per_block = 49152;
  device.num_sms = 132;
  device.regs_per_multiprocessor = 65536;
  device.shared_mem_per_block_optin = 232448;
  device.shared_mem_per_multiprocessor = 233472;
  return device;
}

struct Launch {
  const char* what;
  LaunchShape shape;
  float blocks;
  float warps;
  std::int64_t occupancy;
};

class KinetoLaunches : public testing::TestWithParam<Launch> {};

TEST_P(KinetoLaunches, SameNumbers) {
  const Launch& it = GetParam();
  EXPECT_NEAR(blocks_per_sm(it.shape, h200()), it.blocks, 1e-6F * it.blocks + 1e-6F) << it.what;
  EXPECT_NEAR(warps_per_sm(it.shape, h200()), it.warps, 1e-6F * it.warps + 1e-6F) << it.what;
  EXPECT_EQ(achieved_occupancy_percent(it.shape, h200()), it.occupancy) << it.what;
}

// Kernels of PyTorch's traces from an H200 and what Kineto wrote for them.
INSTANTIATE_TEST_SUITE_P(
    H200, KinetoLaunches,
    testing::Values(
        Launch{"add 4096", {{16384, 1, 1}, {128, 1, 1}, 34, 0}, 124.121216F, 496.484863F, 75},
        Launch{"add 64", {{4, 1, 1}, {128, 1, 1}, 34, 0}, 0.030303F, 0.121212F, 0},
        Launch{
            "nchwToNhwc", {{1568, 1, 16}, {256, 1, 1}, 32, 4224}, 190.060608F, 1520.484863F, 100},
        Launch{"nchwToNhwc small", {{2, 1, 64}, {256, 1, 1}, 32, 4224}, 0.969697F, 7.757576F, 12},
        Launch{"fprop", {{2, 1486, 1}, {128, 1, 1}, 124, 4096}, 22.515152F, 90.060608F, 25},
        Launch{"bn_fw_tr", {{64, 1, 1}, {512, 1, 1}, 48, 144}, 0.484848F, 7.757576F, 12},
        Launch{"elementwise", {{47524, 1, 1}, {128, 1, 1}, 18, 0}, 360.030304F, 1440.121216F, 100},
        Launch{"gather", {{32, 1, 1}, {64, 1, 1}, 32, 0}, 0.242424F, 0.484848F, 1},
        Launch{"cat", {{264, 2, 1}, {512, 1, 1}, 25, 0}, 4.0F, 64.0F, 100},
        Launch{"align1 logits", {{8, 99, 2}, {128, 1, 1}, 96, 16384}, 12.0F, 48.0F, 31},
        Launch{"align1 4095", {{256, 2, 1}, {256, 1, 1}, 229, 49152}, 3.878788F, 31.030304F, 13},
        Launch{"mean", {{1, 512, 1}, {512, 1, 1}, 32, 2064}, 3.878788F, 62.060608F, 97},
        Launch{"copy", {{1024, 1, 1}, {128, 1, 1}, 32, 0}, 7.757576F, 31.030304F, 48}));

TEST(LaunchShape, CountsSharedMemoryThatWasOptedInto) {
  // Kineto says 0 for both of these.
  const LaunchShape gemm_4096{{2, 66, 1}, {384, 1, 1}, 168, 213188};
  EXPECT_EQ(resident_blocks(gemm_4096, h200()), 1);
  EXPECT_EQ(achieved_occupancy_percent(gemm_4096, h200()), 19);  // 384 of 2048 threads
  const LaunchShape conv{{1, 1432, 1}, {128, 1, 1}, 234, 65536};
  EXPECT_EQ(resident_blocks(conv, h200()), 2);  // registers: 8 warps; shared memory: 3 blocks
  EXPECT_EQ(achieved_occupancy_percent(conv, h200()), 13);
}

TEST(LaunchShape, KnowsNothingOfAnUnknownGpu) {
  const LaunchShape shape{{16, 1, 1}, {128, 1, 1}, 32, 0};
  EXPECT_EQ(blocks_per_sm(shape, {}), 0);
  EXPECT_EQ(achieved_occupancy_percent(shape, {}), 0);
}

TEST(LaunchShape, RefusesWhatCannotRun) {
  EXPECT_EQ(resident_blocks({{1, 1, 1}, {128, 1, 1}, 32, 300'000}, h200()), 0);
  EXPECT_EQ(resident_blocks({{1, 1, 1}, {0, 1, 1}, 32, 0}, h200()), 0);
  EXPECT_EQ(resident_blocks({{1, 1, 1}, {1024, 1, 1}, 255, 0}, h200()), 0);
}

TEST(LaunchShape, OtherGenerationsHoldFewerBlocks) {
  EXPECT_EQ(max_blocks_per_multiprocessor(7, 5), 16);
  EXPECT_EQ(max_blocks_per_multiprocessor(8, 0), 32);
  EXPECT_EQ(max_blocks_per_multiprocessor(8, 6), 16);
  EXPECT_EQ(max_blocks_per_multiprocessor(8, 9), 24);
  EXPECT_EQ(max_blocks_per_multiprocessor(10, 0), 32);
}

}  // namespace
}  // namespace tracebook
