// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/launches.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace tracebook {
namespace {

bool is_launch_name(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kPrefixes = {"cuda", "cu", "hip"};
  static constexpr std::array<std::string_view, 7> kCalls = {
      "Launch", "GraphLaunch", "ModuleLaunch", "ExtLaunch", "ExtModuleLaunch", "Memcpy", "Memset"};
  const auto calls = [name](std::string_view prefix) {
    if (!name.starts_with(prefix)) return false;
    const std::string_view call = name.substr(prefix.size());
    return !call.starts_with("LaunchHostFunc") &&
           std::ranges::any_of(kCalls, [call](auto known) { return call.starts_with(known); });
  };
  return std::ranges::any_of(kPrefixes, calls);
}

}  // namespace

std::vector<SliceId> find_launches(const Trace& trace, const Structure& structure) {
  const Slices& slices = trace.slices;
  std::vector<std::int8_t> by_name(trace.strings.size(), -1);
  std::vector<SliceId> calls;
  std::vector<bool> holds_launch(slices.size(), false);
  for (SliceId id = 0; id < slices.size(); ++id) {
    if (!is_api_call(slices.category[id])) continue;
    calls.push_back(id);
    const SliceId outer = structure.parent[id];
    if (outer != kNoSlice && !structure.launched_by(id).empty()) holds_launch[outer] = true;
  }
  std::vector<SliceId> launches;
  for (const SliceId call : calls) {
    if (!structure.launched_by(call).empty()) {
      launches.push_back(call);
      continue;
    }
    std::int8_t& known = by_name[slices.name[call]];
    if (known < 0) known = is_launch_name(trace.name(call)) ? 1 : 0;
    const SliceId outer = structure.parent[call];
    const bool is_inner = outer != kNoSlice && is_api_call(slices.category[outer]);
    if (known == 1 && !is_inner && !holds_launch[call]) launches.push_back(call);
  }
  return launches;
}

}  // namespace tracebook
