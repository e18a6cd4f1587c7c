// SPDX-License-Identifier: Apache-2.0
//
// What CUPTI recorded, as plain structures: the decoder fills them (cupti/decode.h), build_trace.h
// makes a Trace of them. No CUDA header is needed to use or to test them. Times are nanoseconds of
// clock.h; names are owned by the `strings` of the records.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/trace/string_table.h"
#include "common/trace/trace.h"

namespace tracebook {

/// A call into the CUDA runtime or driver.
struct ApiCall {
  bool driver = false;
  bool starts_flow = false;  ///< launches, copies, synchronisations: Kineto draws an arrow from it
  std::uint32_t cbid = 0;    ///< CUPTI's number of the function
  StringId name = 0;         ///< "cudaLaunchKernel"
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t thread = 0;
  std::int64_t correlation = 0;
};

/// A kernel, copy or fill on the GPU.
struct DeviceWork {
  Category category = Category::kKernel;  ///< kKernel, kMemcpy or kMemset
  StringId name = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device = 0;
  std::int64_t context = 0;
  std::int64_t stream = 0;
  std::int64_t correlation = 0;
  std::int64_t bytes = 0;  ///< copies and fills
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  std::int64_t registers = 0;  ///< per thread
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  /// A copy between GPUs: source, destination device and context; else -1.
  std::int32_t from_device = -1;
  std::int32_t to_device = -1;
  std::int64_t from_context = -1;
  std::int64_t to_context = -1;
};

/// What the profiler, or loading code on demand, cost.
struct Overhead {
  StringId name = 0;  ///< "Activity Buffer Request"
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// What a stream or the device waited for.
struct SyncRecord {
  StringId name = 0;  ///< "Context Sync"
  bool of_event = false;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t context = 0;
  std::int64_t stream = -1;  ///< -1: the whole context
  std::int64_t event = 0;
  std::int64_t correlation = 0;
};

/// A range was open when the call with this correlation was made.
struct ExternalLink {
  bool annotation = false;  ///< a user annotation, not an op
  std::uint64_t push_id = 0;
  std::int64_t correlation = 0;
};

/// All that was decoded, in the order of the buffers.
struct ActivityRecords {
  StringTable strings;
  std::vector<ApiCall> calls;
  std::vector<DeviceWork> work;
  std::vector<Overhead> overheads;
  std::vector<SyncRecord> syncs;
  std::vector<ExternalLink> links;
  std::int64_t dropped = 0;       ///< records that CUPTI had to throw away
  std::int64_t unknown = 0;       ///< records of kinds that the decoder does not know
  std::int64_t cut_buffers = 0;   ///< buffers that end inside a record
  std::int64_t without_time = 0;  ///< device work for which CUPTI had no timestamps
};

}  // namespace tracebook
