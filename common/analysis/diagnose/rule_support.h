// SPDX-License-Identifier: Apache-2.0
//
// What rules are written with: times and shares as text, evidence, sums over device work.
//
//   finding.title = std::to_string(n) + " copies, " + time_text(ns);
//   finding.evidence = longest(context, copies);
//
// For the rules_*.cpp and their engine only.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/diagnose/context.h"
#include "common/analysis/diagnose/rule.h"

namespace tracebook {

// The families, each in a file of its own.
std::vector<Rule> table_rules();     // T1 to T5
std::vector<Rule> cpu_rules();       // C1 to C6
std::vector<Rule> gpu_rules();       // G1 to G5
std::vector<Rule> chain_rules();     // D1 to D4
std::vector<Rule> compiled_rules();  // P1 to P5
std::vector<Rule> host_rules();      // X1 to X3
std::vector<Rule> product_rules();   // X4 to X6
Rule allocator_rule();               // X7, rules_host.cpp
Rule recompile_rule();               // X8, rules_compiled.cpp
std::vector<Rule> launch_rules();    // X9, X10
std::vector<Rule> stream_rules();    // X11, X12, rules_launch.cpp
Rule small_grid_rule();              // X13, rules_product.cpp
std::vector<Rule> trace_rules();     // X14, X15

/// "812 ns", "12.3 us", "4.56 ms", "1.23 s".
std::string time_text(std::int64_t ns);
/// "12.3 %".
std::string percent_text(double share);
/// "1 kernel", "1,204 kernels".
std::string count_text(std::int64_t count, std::string_view singular, std::string_view plural = {});
/// "x of the window's y (z %)".
std::string of_window(const RuleContext& context, std::int64_t ns);

Evidence evidence_of(const RuleContext& context, SliceId id);
/// An idle stretch of the GPU; `what` names it.
Evidence evidence_of(const RuleContext& context, const Interval& idle, std::string_view what);
/// The longest first, at most five.
std::vector<Evidence> longest(const RuleContext& context, std::vector<SliceId> ids);
/// The first five in order of time.
std::vector<Evidence> earliest(const RuleContext& context, std::span<const SliceId> ids);
std::vector<Evidence> longest_idle(const RuleContext& context, IdleCause cause,
                                   std::string_view what);
std::vector<Evidence> longest_idle(const RuleContext& context, Intervals times,
                                   std::string_view what);

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Device work of one name.
struct KernelSum {
  std::string_view name;
  std::vector<SliceId> ids;
  std::int64_t ns = 0;
};
/// Of the context's GPU in the window, most time first.
std::vector<KernelSum> sum_by_name(const RuleContext& context, std::span<const SliceId> ids);

/// The nearest enclosing op or annotation of a piece of device work or a call whose name passes.
template <typename Test>
SliceId enclosing(const RuleContext& context, SliceId id, Test&& test) {
  for (SliceId up = context.structure.op[id]; up != kNoSlice; up = context.structure.parent[up]) {
    if (is_op(context.trace.slices.category[up]) && test(context.trace.name(up))) return up;
  }
  return kNoSlice;
}

/// The nearest enclosing op or annotation with this role.
inline SliceId enclosing_with(const RuleContext& context, SliceId id, Role role) {
  for (SliceId up = context.structure.op[id]; up != kNoSlice; up = context.structure.parent[up]) {
    if (is_op(context.trace.slices.category[up]) && context.is(up, role)) return up;
  }
  return kNoSlice;
}

/// How many different steps these fell into; one without steps counts as none.
std::int64_t steps_touched(const RuleContext& context, std::span<const SliceId> ids);

/// The op names around these, commonest first, up to three: "aten::item (18)".
std::string ops_around(const RuleContext& context, std::span<const SliceId> ids);

std::int64_t total_dur(const RuleContext& context, std::span<const SliceId> ids);
std::int64_t median_dur(const RuleContext& context, std::vector<SliceId> ids);

/// CPU-side slices in the window of these categories whose name passes, in time order per thread.
template <typename Test>
std::vector<SliceId> cpu_slices(const RuleContext& context, Test&& test) {
  std::vector<SliceId> out;
  for (const SliceId id : context.structure.cpu_order) {
    if (context.in_window(id) && test(id)) out.push_back(id);
  }
  return out;
}

/// Ops and annotations in the window whose name passes. Names are tested once each.
template <typename Test>
std::vector<SliceId> ops_named(const RuleContext& context, Test&& test) {
  std::vector<signed char> known(context.trace.strings.size(), -1);
  return cpu_slices(context, [&](SliceId id) {
    if (!is_op(context.trace.slices.category[id])) return false;
    signed char& verdict = known[context.trace.slices.name[id]];
    if (verdict < 0) verdict = test(context.trace.name(id)) ? 1 : 0;
    return verdict == 1;
  });
}

/// Graphs (else versions of a compiled region) that are called in one step only, in more than one
/// step: each was made for it. Their first calls.
std::vector<SliceId> graphs_used_once(const RuleContext& context);

/// Ops and annotations in the window with this role.
inline std::vector<SliceId> ops_with(const RuleContext& context, Role role) {
  return cpu_slices(context, [&](SliceId id) {
    return is_op(context.trace.slices.category[id]) && context.is(id, role);
  });
}

}  // namespace tracebook
