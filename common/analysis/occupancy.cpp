// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/occupancy.h"

#include "common/trace/args.h"

namespace tracebook {
namespace {

std::int64_t threads_of(const LaunchShape& shape) {
  return shape.block[0] * shape.block[1] * shape.block[2];
}

}  // namespace

std::string_view occupancy_limit_name(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kWarps:
      return "warps";
    case OccupancyLimit::kBlocks:
      return "blocks";
    case OccupancyLimit::kRegisters:
      return "registers";
    case OccupancyLimit::kSharedMemory:
      return "shared memory";
    case OccupancyLimit::kCannotRun:
      break;
  }
  return "cannot run";
}

std::optional<LaunchShape> launch_shape_of(const Trace& trace, SliceId kernel) {
  if (trace.slices.category[kernel] != Category::kKernel || trace.args(kernel).empty()) {
    return std::nullopt;
  }
  const ArgsView args(trace.args(kernel));
  const auto grid = args.dim3("grid");
  const auto block = args.dim3("block");
  const auto registers = args.integer("registers per thread");
  if (!grid || !block || !registers) return std::nullopt;
  return LaunchShape{.grid = *grid,
                     .block = *block,
                     .registers = *registers,
                     .shared_bytes = args.integer("shared memory").value_or(0)};
}

std::optional<Occupancy> theoretical_occupancy(const LaunchShape& shape,
                                               const DeviceProperties& device) {
  const std::int64_t threads = threads_of(shape);
  if (threads <= 0 || device.warp_size <= 0 || device.max_threads_per_multiprocessor <= 0 ||
      device.regs_per_multiprocessor <= 0 || device.shared_mem_per_multiprocessor <= 0) {
    return std::nullopt;
  }
  // What each resource alone would allow.
  const LaunchShape bare{.grid = shape.grid, .block = shape.block};
  LaunchShape with_registers = bare;
  with_registers.registers = shape.registers;
  const std::int64_t warps = (threads + device.warp_size - 1) / device.warp_size;
  const std::int64_t max_warps = device.max_threads_per_multiprocessor / device.warp_size;
  const std::int64_t blocks = resident_blocks(shape, device);

  Occupancy occupancy;
  occupancy.blocks_per_sm = blocks;
  occupancy.warps_per_sm = blocks * warps;
  occupancy.max_warps_per_sm = max_warps;
  occupancy.percent =
      100.0 * static_cast<double>(occupancy.warps_per_sm) / static_cast<double>(max_warps);
  if (blocks == 0) {
    occupancy.limit = OccupancyLimit::kCannotRun;
  } else if (blocks == max_warps / warps) {
    occupancy.limit = OccupancyLimit::kWarps;
  } else if (blocks == max_blocks_per_multiprocessor(device.compute_major, device.compute_minor)) {
    occupancy.limit = OccupancyLimit::kBlocks;
  } else if (blocks == resident_blocks(with_registers, device)) {
    occupancy.limit = OccupancyLimit::kRegisters;
  } else {
    occupancy.limit = OccupancyLimit::kSharedMemory;
  }
  return occupancy;
}

std::int64_t kineto_occupancy_percent(const LaunchShape& shape, const DeviceProperties& device) {
  DeviceProperties without_opting_in = device;
  without_opting_in.shared_mem_per_block_optin = 0;
  return achieved_occupancy_percent(shape, without_opting_in);
}

}  // namespace tracebook
