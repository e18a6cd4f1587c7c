// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/diagnose/event_names.h"

#include <algorithm>
#include <iterator>

namespace tracebook {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

constexpr std::string_view kAllocating[] = {
    "cudaMalloc",         "cudaMallocHost",      "cudaHostAlloc",
    "cudaMallocManaged",  "cudaMallocPitch",     "cudaHostRegister",
    "cuMemAlloc",         "cuMemAlloc_v2",       "cuMemCreate",
    "cuMemMap",           "cuMemSetAccess",      "cuMemUnmap",
    "cuMemRelease",       "cuMemAddressReserve", "cuMemHostAlloc",
    "cudaHostUnregister", "hipMalloc",           "hipExtMallocWithFlags",
    "hipHostMalloc"};
constexpr std::string_view kFreeingCalls[] = {"cudaFree",     "cudaFreeHost",  "cuMemFree",
                                              "cuMemFree_v2", "cuMemFreeHost", "hipFree",
                                              "hipHostFree"};
constexpr std::string_view kBlockingCopies[] = {"cudaMemcpy", "hipMemcpy", "hipMemcpyWithStream"};
constexpr std::string_view kLoadingCalls[] = {"cuModuleGetFunction", "cuLibraryGetKernel",
                                              "cuLibraryGetModule"};
constexpr std::string_view kLoadingStarts[] = {"cuModuleLoad", "cuLibraryLoad", "cuLinkCreate",
                                               "cuLinkComplete", "hipModuleLoad"};
constexpr std::string_view kLayoutOps[] = {"aten::contiguous", "aten::clone", "aten::reshape"};

}  // namespace

std::uint16_t event_roles(std::string_view name) {
  unsigned roles = 0;
  const auto add = [&roles](Role role, bool applies) {
    if (applies) roles |= role;
  };
  add(kWait, has(name, "Synchronize") || is_one_of(kBlockingCopies, name));
  add(kFreeing, is_one_of(kFreeingCalls, name));
  add(kAllocator, (roles & kFreeing) != 0 || is_one_of(kAllocating, name));
  add(kLoadingCall, is_one_of(kLoadingCalls, name) ||
                        std::ranges::any_of(kLoadingStarts, [name](std::string_view start) {
                          return name.starts_with(start);
                        }));
  add(kLoadingRecord, has(name, "Loading"));
  add(kCompiler, name.ends_with("(dynamo_timed)") || has(name, "_compile.compile_inner") ||
                     has(name, "compile_fx") || has(name, "OutputGraph.call_user_compiler"));
  add(kDataLoader, name.starts_with("enumerate(DataLoader)"));
  add(kGraphLaunch, has(name, "GraphLaunch"));
  add(kLaunch, (roles & kGraphLaunch) != 0 || has(name, "LaunchKernel") ||
                   has(name, "LaunchCooperativeKernel"));
  add(kOptimizerStep, name.starts_with("Optimizer.step#"));
  add(kCopyForLayout, is_one_of(kLayoutOps, name));
  return static_cast<std::uint16_t>(roles);
}

}  // namespace tracebook
