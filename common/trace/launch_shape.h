// SPDX-License-Identifier: Apache-2.0
//
// What a launch's shape says of how it fills a GPU: Kineto's three arguments of a kernel event,
// "blocks per SM", "warps per SM" and "est. achieved occupancy %".
//
//   LaunchShape shape{.grid = {16384, 1, 1}, .block = {128, 1, 1}, .registers = 34};
//   blocks_per_sm(shape, h200);             // 124.12
//   achieved_occupancy_percent(shape, h200); // 75
//
// One deliberate difference: Kineto reckons with the shared memory that a block may have without
// opting in (48 KiB), and reports 0 % for any kernel above that. Kernels that use more have opted
// in, or they would not have run: here the opt-in limit counts.
//
// Plain functions of numbers; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "common/trace/trace.h"

namespace tracebook {

struct LaunchShape {
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  std::int64_t registers = 0;     ///< per thread
  std::int64_t shared_bytes = 0;  ///< static and dynamic, per block
};

/// Blocks of the grid for each multiprocessor (a ratio, not what runs at once); 0 if the GPU is
/// unknown. In float, as Kineto reckons, so that the digits agree.
inline float blocks_per_sm(const LaunchShape& shape, const DeviceProperties& device) {
  if (device.num_sms == 0) return 0;
  const std::int64_t blocks = shape.grid[0] * shape.grid[1] * shape.grid[2];
  return static_cast<float>(blocks) / static_cast<float>(device.num_sms);
}

inline float warps_per_sm(const LaunchShape& shape, const DeviceProperties& device) {
  constexpr float kThreadsPerWarp = 32;
  const std::int64_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  return blocks_per_sm(shape, device) * static_cast<float>(threads) / kThreadsPerWarp;
}

/// Blocks that a multiprocessor can hold, whatever the rest of the grid does; by compute
/// capability, from the CUDA C++ Programming Guide's table of technical specifications.
inline std::int64_t max_blocks_per_multiprocessor(std::int64_t major, std::int64_t minor) {
  const std::int64_t capability = major * 10 + minor;
  switch (capability) {
    case 75:
    case 86:
    case 87:
    case 88:
      return 16;
    case 89:
    case 101:
    case 110:
    case 120:
    case 121:
      return 24;
    default:
      return 32;
  }
}

/// Blocks of this shape that fit on one multiprocessor at once: the tightest of threads, block
/// slots, registers and shared memory. 0 if not even one fits or the GPU is unknown.
inline std::int64_t resident_blocks(const LaunchShape& shape, const DeviceProperties& device) {
  const std::int64_t warp = std::max<std::int64_t>(device.warp_size, 1);
  const std::int64_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (threads <= 0 || device.max_threads_per_multiprocessor == 0) return 0;
  if (device.max_threads_per_block > 0 && threads > device.max_threads_per_block) return 0;
  const std::int64_t warps = (threads + warp - 1) / warp;
  std::int64_t blocks =
      std::min(device.max_threads_per_multiprocessor / warp / warps,
               max_blocks_per_multiprocessor(device.compute_major, device.compute_minor));
  if (shape.registers > 0) {
    // A warp's registers come in units of 256, from one of four partitions.
    constexpr std::int64_t kUnit = 256;
    constexpr std::int64_t kPartitions = 4;
    const std::int64_t per_warp = (shape.registers * warp + kUnit - 1) / kUnit * kUnit;
    // A launch is refused as though each partition gave as many registers as the fullest one.
    const std::int64_t warps_checked = (warps + kPartitions - 1) / kPartitions * kPartitions;
    if (device.regs_per_block > 0 && warps_checked * per_warp > device.regs_per_block) return 0;
    const std::int64_t warps_held =
        device.regs_per_multiprocessor / kPartitions / per_warp * kPartitions;
    blocks = std::min(blocks, warps_held / warps);
  }
  // Since Ampere 1 KiB of each block's share is the system's own.
  const std::int64_t reserved = device.compute_major >= 8 ? 1024 : 0;
  const std::int64_t limit =
      std::max(device.shared_mem_per_block_optin, device.shared_mem_per_block);
  if (shape.shared_bytes > limit) return 0;
  if (shape.shared_bytes + reserved > 0) {
    const std::int64_t unit = device.compute_major >= 8 ? 128 : 256;
    const std::int64_t per_block = (shape.shared_bytes + reserved + unit - 1) / unit * unit;
    blocks = std::min(blocks, device.shared_mem_per_multiprocessor / per_block);
  }
  return blocks;
}

/// Threads that such a launch keeps on a multiprocessor, as a share of those that it can hold:
/// bounded by what fits and by what the grid has. Rounded to whole percent, as Kineto does.
inline std::int64_t achieved_occupancy_percent(const LaunchShape& shape,
                                               const DeviceProperties& device) {
  if (device.max_threads_per_multiprocessor == 0) return 0;
  const std::int64_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  const float resident =
      std::min(static_cast<float>(resident_blocks(shape, device)), blocks_per_sm(shape, device));
  const float occupancy = resident * static_cast<float>(threads) /
                          static_cast<float>(device.max_threads_per_multiprocessor);
  return std::lround(occupancy * 100.0F);
}

}  // namespace tracebook
