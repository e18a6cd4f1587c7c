// SPDX-License-Identifier: Apache-2.0
//
// Which API calls are kept, under which name, and which of them begin an arrow to the GPU.
//
//   ApiTable table;
//   table.driver(652);   // {"cuLaunchKernelEx", kept, starts_flow}
//
// Names come from CUPTI (cuptiGetCallbackName), less the version that CUPTI appends for itself:
// cudaLaunchKernel_v7000 is cudaLaunchKernel.
//
// Runtime calls: all, less those that Kineto leaves out too, which are many and say little
//   cudaGetDevice cudaSetDevice cudaGetLastError
//   cudaEventCreate cudaEventCreateWithFlags cudaEventDestroy
// Driver calls: those of programs and libraries that call the driver themselves (cuBLAS does), as
//   launches          cuLaunchKernel cuLaunchKernelEx cuLaunchCooperativeKernel… cuGraphLaunch
//   occupancy queries cuOccupancy…
//   memory            cuMemAlloc… cuMemFree… cuMemCreate cuMemRelease cuMemMap cuMemUnmap
//                     cuMemcpy… cuMemset… cuMemPrefetchAsync
//   waiting           cuCtxSynchronize cuStreamSynchronize cuEventSynchronize cuStreamWaitEvent
// Kineto keeps fewer: no occupancy queries, copies or waits. Calls such as cuKernelGetAttribute,
// of which cuBLAS makes two per product, are left out by both. Suffixes (_v2, _ptsz) do not matter.
// Driver calls that the runtime makes on its own are not reported by CUPTI, or have the runtime
// call's correlation id and are dropped by build_trace.
//
// Not for concurrent use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tracebook {

struct ApiFunction {
  std::string name;
  bool kept = false;
  bool starts_flow = false;
};

class ApiTable {
 public:
  /// "INVALID" (Kineto's word) is the name of a number that this CUPTI does not know.
  const ApiFunction& runtime(std::uint32_t cbid);
  const ApiFunction& driver(std::uint32_t cbid);

  /// Numbers of all calls that are not kept, for CUPTI to switch off at the source.
  std::vector<std::uint32_t> unwanted_runtime_calls();
  std::vector<std::uint32_t> unwanted_driver_calls();

 private:
  std::unordered_map<std::uint32_t, ApiFunction> runtime_;
  std::unordered_map<std::uint32_t, ApiFunction> driver_;
};

/// The rules above, by name as CUPTI gives it.
ApiFunction describe_runtime_call(std::string_view cupti_name);
ApiFunction describe_driver_call(std::string_view cupti_name);

}  // namespace tracebook
