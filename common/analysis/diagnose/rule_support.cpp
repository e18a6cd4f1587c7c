// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/diagnose/rule_support.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <unordered_map>

namespace tracebook {
namespace {

constexpr std::size_t kEvidence = 5;

std::string printed(const char* format, double value) {
  char buffer[48];
  std::snprintf(buffer, sizeof(buffer), format, value);
  return buffer;
}

}  // namespace

std::string time_text(std::int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1'000) return printed("%.0f ns", value);
  if (ns < 1'000'000) return printed(ns < 100'000 ? "%.1f us" : "%.0f us", value / 1e3);
  if (ns < 1'000'000'000) return printed(ns < 10'000'000 ? "%.2f ms" : "%.1f ms", value / 1e6);
  return printed("%.2f s", value / 1e9);
}

std::string percent_text(double share) {
  return printed(share >= 0.0995 ? "%.0f %%" : "%.1f %%", share * 100);
}

std::string count_text(std::int64_t count, std::string_view singular, std::string_view plural) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  digits += ' ';
  if (count == 1) return digits.append(singular);
  if (!plural.empty()) return digits.append(plural);
  return digits.append(singular) + "s";
}

std::string of_window(const RuleContext& context, std::int64_t ns) {
  return time_text(ns) + " of the window's " + time_text(context.window_ns()) + " (" +
         percent_text(context.share(ns)) + ")";
}

Evidence evidence_of(const RuleContext& context, SliceId id) {
  Evidence out;
  const std::string_view name = context.trace.name(id);
  out.name = std::string(name);
  out.ts_ns = context.trace.slices.ts_ns[id] - context.first_event_ns;
  out.dur_ns = context.trace.slices.dur_ns[id];
  const std::int32_t step = context.structure.step[id];
  if (step != kNoStep) out.step = context.structure.steps[static_cast<std::size_t>(step)].number;
  return out;
}

Evidence evidence_of(const RuleContext& context, const Interval& idle, std::string_view what) {
  Evidence out{.name = std::string(what),
               .ts_ns = idle.start_ns - context.first_event_ns,
               .dur_ns = idle.end_ns - idle.start_ns,
               .step = {}};
  for (const Step& step : context.structure.steps) {
    const std::int64_t start = context.trace.slices.ts_ns[step.slice];
    if (start <= idle.start_ns && idle.start_ns < context.trace.slices.end_ns(step.slice)) {
      out.step = step.number;
    }
  }
  return out;
}

std::vector<Evidence> longest(const RuleContext& context, std::vector<SliceId> ids) {
  const std::size_t count = std::min(kEvidence, ids.size());
  std::ranges::partial_sort(ids, ids.begin() + static_cast<std::ptrdiff_t>(count),
                            [&context](SliceId a, SliceId b) {
                              const std::int64_t left = context.dur_ns(a);
                              const std::int64_t right = context.dur_ns(b);
                              return left != right ? left > right : a < b;
                            });
  ids.resize(count);
  return earliest(context, ids);
}

std::vector<Evidence> earliest(const RuleContext& context, std::span<const SliceId> ids) {
  std::vector<Evidence> out;
  for (const SliceId id : ids.first(std::min(kEvidence, ids.size()))) {
    out.push_back(evidence_of(context, id));
  }
  return out;
}

std::vector<Evidence> longest_idle(const RuleContext& context, IdleCause cause,
                                   std::string_view what) {
  return longest_idle(context, context.idle_of(cause), what);
}

std::vector<Evidence> longest_idle(const RuleContext& context, Intervals times,
                                   std::string_view what) {
  std::ranges::stable_sort(times, std::greater{},
                           [](const Interval& each) { return each.end_ns - each.start_ns; });
  if (times.size() > kEvidence) times.resize(kEvidence);
  std::vector<Evidence> out;
  for (const Interval& each : times) out.push_back(evidence_of(context, each, what));
  return out;
}

std::vector<KernelSum> sum_by_name(const RuleContext& context, std::span<const SliceId> ids) {
  std::unordered_map<StringId, std::size_t> place;
  std::vector<KernelSum> out;
  for (const SliceId id : ids) {
    const auto [at, fresh] = place.try_emplace(context.trace.slices.name[id], out.size());
    if (fresh) out.push_back({.name = context.trace.name(id), .ids = {}, .ns = 0});
    out[at->second].ids.push_back(id);
    out[at->second].ns += context.dur_ns(id);
  }
  std::ranges::stable_sort(out, std::greater{}, &KernelSum::ns);
  return out;
}

std::int64_t steps_touched(const RuleContext& context, std::span<const SliceId> ids) {
  std::set<std::int32_t> steps;
  for (const SliceId id : ids) {
    if (context.structure.step[id] != kNoStep) steps.insert(context.structure.step[id]);
  }
  return static_cast<std::int64_t>(steps.size());
}

std::string ops_around(const RuleContext& context, std::span<const SliceId> ids) {
  std::map<std::string_view, std::int64_t> counts;
  for (const SliceId id : ids) {
    const SliceId op = context.structure.op[id];
    if (op != kNoSlice && context.trace.slices.category[op] == Category::kCpuOp) {
      ++counts[context.trace.name(op)];
    }
  }
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  order.reserve(counts.size());
  for (const auto& [name, count] : counts) order.emplace_back(count, name);
  std::ranges::stable_sort(order, std::greater{}, [](const auto& each) { return each.first; });
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) {
    if (!out.empty()) out += ", ";
    out += short_kernel_name(order[i].second) + " (" + std::to_string(order[i].first) + ")";
  }
  return out;
}

std::int64_t total_dur(const RuleContext& context, std::span<const SliceId> ids) {
  std::int64_t sum = 0;
  for (const SliceId id : ids) sum += context.dur_ns(id);
  return sum;
}

std::int64_t median_dur(const RuleContext& context, std::vector<SliceId> ids) {
  if (ids.empty()) return 0;
  const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
  std::ranges::nth_element(ids, middle, {}, [&context](SliceId id) { return context.dur_ns(id); });
  return context.dur_ns(*middle);
}

}  // namespace tracebook
