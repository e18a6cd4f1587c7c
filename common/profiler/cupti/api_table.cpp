// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/cupti/api_table.h"

#include <cupti.h>

#include <algorithm>
#include <array>

namespace tracebook {
namespace {

/// A name, or the beginning of names ("cuMemcpy*").
struct Rule {
  std::string_view pattern;
  bool starts_flow = false;
};

constexpr std::array kUnwantedRuntimeCalls = {
    std::string_view("cudaGetDevice"),    std::string_view("cudaSetDevice"),
    std::string_view("cudaGetLastError"), std::string_view("cudaEventCreate"),
    std::string_view("cudaEventDestroy"), std::string_view("cudaEventCreateWithFlags"),
};

constexpr std::array kRuntimeFlows = {
    std::string_view("cudaLaunchKernel"),
    std::string_view("cudaLaunchKernelExC"),
    std::string_view("cudaLaunchCooperativeKernel"),
    std::string_view("cudaLaunchCooperativeKernelMultiDevice"),
    std::string_view("cudaGraphLaunch"),
    std::string_view("cudaMemcpy*"),
    std::string_view("cudaMemset*"),
    std::string_view("cudaStreamSynchronize"),
    std::string_view("cudaDeviceSynchronize"),
    std::string_view("cudaStreamWaitEvent"),
};

constexpr std::array kDriverCalls = {
    Rule{"cuLaunchKernel", true},
    Rule{"cuLaunchKernelEx", true},
    Rule{"cuLaunchCooperativeKernel", true},
    Rule{"cuLaunchCooperativeKernelMultiDevice", true},
    Rule{"cuGraphLaunch", true},
    Rule{"cuOccupancy*", false},
    Rule{"cuMemAlloc*", false},
    Rule{"cuMemFree*", false},
    Rule{"cuMemCreate", false},
    Rule{"cuMemRelease", false},
    Rule{"cuMemMap", false},
    Rule{"cuMemUnmap", false},
    Rule{"cuMemPrefetchAsync", false},
    Rule{"cuMemcpy*", true},
    Rule{"cuMemset*", true},
    Rule{"cuCtxSynchronize", true},
    Rule{"cuStreamSynchronize", true},
    Rule{"cuEventSynchronize", false},
    Rule{"cuStreamWaitEvent", true},
};

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.ends_with('*')) {
    pattern.remove_suffix(1);
    return name.starts_with(pattern);
  }
  return name == pattern;
}

/// Removes `_v` and at least `digits` digits from the end.
std::string_view without_version(std::string_view name, std::size_t digits) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last == 0 || name.size() - last - 1 < digits) return name;
  if (name[last] != 'v' || name[last - 1] != '_') return name;
  return name.substr(0, last - 1);
}

/// The function without its variants' suffixes: cuMemcpyHtoDAsync_v2_ptsz is cuMemcpyHtoDAsync.
std::string_view base_name(std::string_view name) {
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return without_version(name, 1);
}

std::string_view cupti_name(CUpti_CallbackDomain domain, std::uint32_t cbid) {
  const char* name = nullptr;
  if (cuptiGetCallbackName(domain, cbid, &name) != CUPTI_SUCCESS || name == nullptr) return {};
  return name;
}

}  // namespace

ApiFunction describe_runtime_call(std::string_view cupti_name) {
  if (cupti_name.empty()) return {.name = "INVALID", .kept = true};
  // CUPTI's own version has four digits or more; _v2 belongs to the function's name.
  const std::string_view name = without_version(cupti_name, 4);
  const std::string_view base = base_name(name);
  return {.name = std::string(name),
          .kept = std::ranges::find(kUnwantedRuntimeCalls, base) == kUnwantedRuntimeCalls.end(),
          .starts_flow = std::ranges::any_of(
              kRuntimeFlows, [&](std::string_view pattern) { return matches(base, pattern); })};
}

ApiFunction describe_driver_call(std::string_view cupti_name) {
  if (cupti_name.empty()) return {.name = "INVALID"};
  const std::string_view base = base_name(cupti_name);
  const auto* rule = std::ranges::find_if(
      kDriverCalls, [&](const Rule& candidate) { return matches(base, candidate.pattern); });
  if (rule == kDriverCalls.end()) return {.name = std::string(cupti_name)};
  return {.name = std::string(cupti_name), .kept = true, .starts_flow = rule->starts_flow};
}

const ApiFunction& ApiTable::runtime(std::uint32_t cbid) {
  const auto found = runtime_.find(cbid);
  if (found != runtime_.end()) return found->second;
  const std::string_view name = cupti_name(CUPTI_CB_DOMAIN_RUNTIME_API, cbid);
  return runtime_.emplace(cbid, describe_runtime_call(name)).first->second;
}

const ApiFunction& ApiTable::driver(std::uint32_t cbid) {
  const auto found = driver_.find(cbid);
  if (found != driver_.end()) return found->second;
  const std::string_view name = cupti_name(CUPTI_CB_DOMAIN_DRIVER_API, cbid);
  return driver_.emplace(cbid, describe_driver_call(name)).first->second;
}

std::vector<std::uint32_t> ApiTable::unwanted_runtime_calls() {
  std::vector<std::uint32_t> unwanted;
  for (std::uint32_t cbid = 1; cbid < CUPTI_RUNTIME_TRACE_CBID_SIZE; ++cbid) {
    if (!runtime(cbid).kept) unwanted.push_back(cbid);
  }
  return unwanted;
}

std::vector<std::uint32_t> ApiTable::unwanted_driver_calls() {
  std::vector<std::uint32_t> unwanted;
  for (std::uint32_t cbid = 1; cbid < CUPTI_DRIVER_TRACE_CBID_SIZE; ++cbid) {
    if (!driver(cbid).kept) unwanted.push_back(cbid);
  }
  return unwanted;
}

}  // namespace tracebook
