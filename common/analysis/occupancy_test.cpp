// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/occupancy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/trace/args.h"
#include "common/trace/hand_made.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

DeviceProperties h200() {
  DeviceProperties device;
  device.compute_major = 9;
  device.max_threads_per_block = 1024;
  device.max_threads_per_multiprocessor = 2048;
  device.regs_per_block = 65536;
  device.regs_per_multiprocessor = 65536;
  device.warp_size = 32;
  device.shared_mem_per_block = 49152;
  device.shared_mem_per_block_optin = 232448;
  device.shared_mem_per_multiprocessor = 233472;
  device.num_sms = 132;
  return device;
}

LaunchShape shape_of(std::int64_t threads, std::int64_t registers, std::int64_t shared_bytes) {
  return {.grid = {1000, 1, 1},
          .block = {threads, 1, 1},
          .registers = registers,
          .shared_bytes = shared_bytes};
}

Occupancy occupancy_of(const LaunchShape& shape, const DeviceProperties& device = h200()) {
  const auto occupancy = theoretical_occupancy(shape, device);
  EXPECT_TRUE(occupancy.has_value());
  return occupancy.value_or(Occupancy());
}

TEST(Occupancy, RegistersLimitTorchsAdd) {
  const Occupancy add = occupancy_of(shape_of(128, 34, 0));
  EXPECT_EQ(add.blocks_per_sm, 12);
  EXPECT_EQ(add.warps_per_sm, 48);
  EXPECT_EQ(add.max_warps_per_sm, 64);
  EXPECT_EQ(add.percent, 75.0);
  EXPECT_EQ(add.limit, OccupancyLimit::kRegisters);
}

TEST(Occupancy, OneBlockOfCublassGemmFillsAnSm) {
  const Occupancy gemm = occupancy_of(shape_of(384, 168, 164308));
  EXPECT_EQ(gemm.blocks_per_sm, 1);
  EXPECT_EQ(gemm.warps_per_sm, 12);
  EXPECT_EQ(gemm.percent, 18.75);
  // Registers and shared memory both hold no second block; without the registers it is the latter.
  EXPECT_EQ(gemm.limit, OccupancyLimit::kRegisters);
  EXPECT_EQ(occupancy_of(shape_of(384, 32, 164308)).limit, OccupancyLimit::kSharedMemory);
  EXPECT_EQ(occupancy_of(shape_of(384, 32, 164308)).blocks_per_sm, 1);
}

TEST(Occupancy, FullOfWarps) {
  const Occupancy full = occupancy_of(shape_of(256, 32, 4224));
  EXPECT_EQ(full.percent, 100.0);
  EXPECT_EQ(full.limit, OccupancyLimit::kWarps);
  // 768 threads are 24 warps; two blocks leave 16 warps free, too few for a third.
  const Occupancy two_thirds = occupancy_of(shape_of(768, 16, 0));
  EXPECT_EQ(two_thirds.blocks_per_sm, 2);
  EXPECT_EQ(two_thirds.percent, 75.0);
  EXPECT_EQ(two_thirds.limit, OccupancyLimit::kWarps);
}

TEST(Occupancy, SmallBlocksRunOutOfSlots) {
  const Occupancy small = occupancy_of(shape_of(32, 16, 0));
  EXPECT_EQ(small.blocks_per_sm, 32);
  EXPECT_EQ(small.percent, 50.0);
  EXPECT_EQ(small.limit, OccupancyLimit::kBlocks);
  DeviceProperties ada = h200();
  ada.compute_major = 8;
  ada.compute_minor = 9;
  ada.max_threads_per_multiprocessor = 1536;
  EXPECT_EQ(occupancy_of(shape_of(32, 16, 0), ada).blocks_per_sm, 24);
}

TEST(Occupancy, SharedMemoryGoesUpToWhatAKernelCanOptInTo) {
  EXPECT_EQ(occupancy_of(shape_of(128, 32, 232448)).blocks_per_sm, 1);
  const Occupancy too_much = occupancy_of(shape_of(128, 32, 232449));
  EXPECT_EQ(too_much.blocks_per_sm, 0);
  EXPECT_EQ(too_much.limit, OccupancyLimit::kCannotRun);
  // Each block takes 1 KiB beside its own: 3 * (76 KiB + 1 KiB) is more than 228 KiB.
  EXPECT_EQ(occupancy_of(shape_of(128, 32, 76 * 1024)).blocks_per_sm, 2);
  EXPECT_EQ(occupancy_of(shape_of(128, 32, 75 * 1024)).blocks_per_sm, 3);
}

TEST(Occupancy, BlocksThatCannotRun) {
  EXPECT_EQ(occupancy_of(shape_of(1025, 16, 0)).limit, OccupancyLimit::kCannotRun);
  // 1,024 threads of 65 registers: 32 warps of 2,304 are more than the SM has.
  EXPECT_EQ(occupancy_of(shape_of(1024, 65, 0)).limit, OccupancyLimit::kCannotRun);
  EXPECT_EQ(occupancy_of(shape_of(1024, 64, 0)).blocks_per_sm, 1);
}

TEST(Occupancy, IsUnknownWithoutTheDevicesProperties) {
  EXPECT_FALSE(theoretical_occupancy(shape_of(128, 32, 0), DeviceProperties()).has_value());
  EXPECT_FALSE(theoretical_occupancy(shape_of(0, 32, 0), h200()).has_value());
  DeviceProperties old = h200();
  old.regs_per_multiprocessor = 0;
  EXPECT_FALSE(theoretical_occupancy(shape_of(128, 32, 0), old).has_value());
}

TEST(LaunchShape, NeedsGridBlockAndRegisters) {
  HandMade made;
  const SliceId bare = made.kernel("k", 0, 10);
  const SliceId op = made.op("op", 0, 10);
  const SliceId whole = made.kernel("k", 20, 30);
  made.trace.slices.args[whole] = made.trace.keep_args(
      R"({"registers per thread": 34, "grid": [4, 2, 1], "block": [128, 1, 1]})");
  EXPECT_FALSE(launch_shape_of(made.trace, bare).has_value());
  EXPECT_FALSE(launch_shape_of(made.trace, op).has_value());
  const auto shape = launch_shape_of(made.trace, whole);
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->registers, 34);
  EXPECT_EQ(shape->shared_bytes, 0);
  EXPECT_EQ(shape->grid, (std::array<std::int64_t, 3>{4, 2, 1}));
}

/// Kineto's own figures, of every kernel that it recorded.
TEST(Kineto, FiguresOfItsRecordingsComeOutAgain) {
  namespace fs = std::filesystem;
  int kernels = 0;
  int above_default_limit = 0;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(TRACEBOOK_SOURCE_DIR "/expected/torch_parity")) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".json.gz")) continue;
    SCOPED_TRACE(file);
    const Trace trace = read_trace_file(entry.path()).trace;
    for (SliceId id = 0; id < trace.slices.size(); ++id) {
      const auto shape = launch_shape_of(trace, id);
      if (!shape) continue;
      ++kernels;
      const ArgsView args(trace.args(id));
      const DeviceProperties* const device = trace.device(args.integer("device").value_or(-1));
      ASSERT_NE(device, nullptr);
      const auto written = args.integer("est. achieved occupancy %");
      EXPECT_EQ(kineto_occupancy_percent(*shape, *device), written) << trace.name(id);
      EXPECT_NEAR(blocks_per_sm(*shape, *device), args.number("blocks per SM").value_or(-1), 1e-4);
      EXPECT_NEAR(warps_per_sm(*shape, *device), args.number("warps per SM").value_or(-1), 1e-4);
      const auto fits = theoretical_occupancy(*shape, *device);
      ASSERT_TRUE(fits.has_value());
      EXPECT_GT(fits->blocks_per_sm, 0) << "it ran: " << trace.name(id);
      if (shape->shared_bytes > device->shared_mem_per_block) {
        ++above_default_limit;
        EXPECT_EQ(written, 0);
      }
    }
  }
  EXPECT_GT(kernels, 1'000);
  EXPECT_GT(above_default_limit, 100);
}

}  // namespace
}  // namespace tracebook
