// SPDX-License-Identifier: Apache-2.0
//
// How many blocks of a kernel one multiprocessor (SM) can hold at once, and what limits them:
// warps, block slots, registers or shared memory.
//
//   const auto shape = launch_shape_of(trace, kernel);                    // from its args
//   const auto occupancy = theoretical_occupancy(*shape, *trace.device(0));
//   occupancy->percent; occupancy->limit;                                 // 75.0, kRegisters
//
// Theoretical occupancy asks what fits; whether the grid has enough blocks to fill the SMs is
// another question, which Kineto's "est. achieved occupancy %" mixes in. Pure functions of numbers;
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/trace/launch_shape.h"
#include "common/trace/trace.h"

namespace tracebook {

/// What an SM runs out of first; of several at once, the first in this order.
enum class OccupancyLimit : std::uint8_t {
  kWarps,   ///< the SM is full of warps: 100 %, or what is left is less than a block
  kBlocks,  ///< block slots: many small blocks
  kRegisters,
  kSharedMemory,
  kCannotRun,  ///< not even one block fits
};

/// "warps", "blocks", "registers", "shared memory", "cannot run".
std::string_view occupancy_limit_name(OccupancyLimit limit);

struct Occupancy {
  std::int64_t blocks_per_sm = 0;  ///< resident at once
  std::int64_t warps_per_sm = 0;
  std::int64_t max_warps_per_sm = 0;
  double percent = 0.0;  ///< warps_per_sm of max_warps_per_sm
  OccupancyLimit limit = OccupancyLimit::kCannotRun;
};

/// The shape in a kernel's args ("grid", "block", "registers per thread", "shared memory"), or
/// nothing where they lack grid, block or registers, as those of other than CUDA kernels do.
std::optional<LaunchShape> launch_shape_of(const Trace& trace, SliceId kernel);

/// Nothing if the device's properties (its registers and shared memory are missing in older files)
/// or the shape do not suffice to tell. Reckons with the shared memory that a kernel can opt in to.
std::optional<Occupancy> theoretical_occupancy(const LaunchShape& shape,
                                               const DeviceProperties& device);

/// "est. achieved occupancy %" exactly as Kineto writes it, digit for digit: it knows only the
/// shared memory that a block has without opting in, and answers 0 above that. For comparing with
/// PyTorch's files; achieved_occupancy_percent() of launch_shape.h is what a reader wants to know.
std::int64_t kineto_occupancy_percent(const LaunchShape& shape, const DeviceProperties& device);

}  // namespace tracebook
