// SPDX-License-Identifier: Apache-2.0
//
// Makes the Trace of one recorded window: what Kineto's JSON would hold for the same ranges and
// records, had we read it. A pure function, so it is tested without a GPU.
//
//   Trace trace = build_trace(window, ranges, records, environment);
//
// Where it follows Kineto: categories, names, the args' keys and their order, `ac2g` arrows,
// tracks, sort order, the Trace span, the two instants, and that a gpu_user_annotation spans the
// device work launched inside an annotation, per stream, 1 ns early and 2 ns longer. Work belongs
// to the innermost annotation only. Where it differs: the profiler's name; occupancy
// (launch_shape.h); only GPUs that exist are named; no "Sequence number", which is PyTorch's
// autograd's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/profiler/activity.h"
#include "common/profiler/record_function.h"
#include "common/trace/trace.h"

namespace tracebook {

/// The time during which events were kept, in ns since 1970.
struct RecordedWindow {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;       ///< after the final synchronisation
  std::int64_t disabled_ns = 0;  ///< when CUPTI was off again: "Record Window End"
};

/// The machine and process that a window was recorded in.
struct TraceEnvironment {
  std::int64_t pid = 0;
  std::string process_name;  ///< as the kernel knows it, "01_cold_trace"
  std::vector<DeviceProperties> devices;
  std::int64_t driver_version = 0;   ///< cuDriverGetVersion: 13000
  std::int64_t runtime_version = 0;  ///< cudaRuntimeGetVersion
  std::int64_t cupti_version = 0;    ///< 130001
  std::string trace_id;              ///< 32 hexadecimal digits
  Provenance provenance;
};

/// Events outside the window are left out, as is device work whose call came before it. Links come
/// from `records.links` if `links_from_cupti`, else from nesting.
Trace build_trace(const RecordedWindow& window, const RangeLog& ranges,
                  const ActivityRecords& records, const TraceEnvironment& environment,
                  bool links_from_cupti = false);

}  // namespace tracebook
