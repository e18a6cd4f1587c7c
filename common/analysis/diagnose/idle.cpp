// SPDX-License-Identifier: Apache-2.0
//
// One cause for each idle nanosecond of the GPU. Each cause proposes the times in which it was at
// work; the first of IdleCause's order takes what of them is idle and still unclaimed.
//
// A wait, a freed block and a pageable copy do more than take their own time: they let the GPU run
// dry. The rest of the gap in which they end, the refill, is theirs as well.
#include <algorithm>

#include "common/analysis/diagnose/context.h"
#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

/// A stretch without any op or CUDA call is the program's own Python from here on, not the glue
/// between two ops: a launch and its glue take 5 to 100 us.
constexpr std::int64_t kHostStretch = 200'000;
/// A first step this much wider than the median of the others is a cold one; a warm first recorded
/// step is up to three times as wide.
constexpr double kColdStep = 4.0;
/// The GPU's end of work and the call that waits for it meet within this.
constexpr std::int64_t kSlack = 20'000;

Interval span(const RuleContext& context, SliceId id) {
  return {context.trace.slices.ts_ns[id], context.end_ns(id)};
}

/// Each call's own time, and the rest of the idle gap in which it ends if it emptied the GPU.
Intervals with_refill(const RuleContext& context, Intervals calls) {
  std::ranges::sort(calls, {}, &Interval::start_ns);
  Intervals out;
  std::size_t gap = 0;
  for (const Interval& call : calls) {
    out.push_back(call);
    while (gap < context.idle.size() && context.idle[gap].end_ns <= call.end_ns) ++gap;
    // Calls overlap across threads, so look back no further than one.
    if (gap == context.idle.size()) break;
    const Interval& rest = context.idle[gap];
    if (rest.start_ns <= call.end_ns + kSlack && rest.start_ns >= call.start_ns - kSlack) {
      out.push_back({std::max(rest.start_ns, call.start_ns), rest.end_ns});
    }
  }
  return merge_intervals(std::move(out));
}

/// When the work of launches may have run whose device records were lost: from each to the start of
/// the first work that was launched later. And what a wait saw of an idle GPU.
Intervals lost_times(const RuleContext& context) {
  Intervals out = context.health.unseen;
  if (context.health.lost_launches.empty()) return out;
  const Slices& slices = context.trace.slices;
  Intervals later;  // from launch to start
  for (const SliceId id : context.work) {
    const SliceId launch = context.structure.launch[id];
    if (launch != kNoSlice) later.push_back({slices.ts_ns[launch], slices.ts_ns[id]});
  }
  std::ranges::sort(later, {}, &Interval::start_ns);
  std::int64_t first = context.window.end_ns;
  for (std::size_t i = later.size(); i-- > 0;)
    first = later[i].end_ns = std::min(first, later[i].end_ns);
  for (const SliceId launch : context.health.lost_launches) {
    const std::int64_t at = slices.ts_ns[launch];
    const auto next = std::ranges::upper_bound(later, at, {}, &Interval::start_ns);
    out.push_back({at, next == later.end() ? context.window.end_ns : next->end_ns});
  }
  return merge_intervals(std::move(out));
}

/// What directly precedes the first call of a graph that was made for it, with nobody in an op or a
/// CUDA call: compiling, where its own events were not recorded.
void add_unseen_compiling(const RuleContext& context, Intervals& out) {
  const std::vector<SliceId> graphs = graphs_used_once(context);
  if (graphs.empty()) return;
  Intervals others = context.cpu_busy;
  for (const SliceId id : ops_with(context, kDataLoader)) others.push_back(span(context, id));
  const Intervals quiet = subtract({context.window}, merge_intervals(std::move(others)));
  for (const SliceId id : graphs) {
    SliceId outer = id;  // the compiled region and the ops around the graph's call
    for (SliceId up = id; up != kNoSlice; up = context.structure.parent[up]) {
      if (context.trace.slices.category[up] == Category::kCpuOp ||
          context.trace.name(up).starts_with("Torch-Compiled Region")) {
        outer = up;
      }
    }
    const std::int64_t at = context.trace.slices.ts_ns[outer];
    const auto after = std::ranges::lower_bound(quiet, at, {}, &Interval::start_ns);
    if (after == quiet.begin()) continue;
    // Where a guard check lies between, the time before that was no compiling.
    const Interval before = *std::prev(after);
    if (before.end_ns >= at && at - before.start_ns >= kHostStretch) {
      out.push_back({before.start_ns, at});
    }
  }
}

Intervals compile_times(const RuleContext& context) {
  Intervals out;
  for (const SliceId id : context.structure.cpu_order) {
    if (is_op(context.trace.slices.category[id]) && context.is(id, kCompiler)) {
      out.push_back(span(context, id));
    }
  }
  add_unseen_compiling(context, out);
  return merge_intervals(std::move(out));
}

/// Loading shows as calls and overhead records far shorter than what it costs: an op that holds one
/// counts whole, its libraries were opened in it too.
Intervals loading_times(RuleContext& context, bool allocations_are_cold) {
  Intervals out;
  const auto take = [&](SliceId id) {
    out.push_back(span(context, id));
    const SliceId op = context.structure.op[id];
    if (op != kNoSlice && context.trace.slices.category[op] == Category::kCpuOp) {
      context.loading_op[op] = true;
      out.push_back(span(context, op));
    }
  };
  for (const SliceId id : context.overheads) {
    if (context.is(id, kLoadingRecord)) take(id);
  }
  for (const SliceId id : context.api_calls) {
    if (context.is(id, kLoadingCall) || (allocations_are_cold && context.is(id, kAllocator)))
      take(id);
  }
  return merge_intervals(std::move(out));
}

Intervals profiler_times(const RuleContext& context) {
  Intervals out;
  for (const SliceId id : context.overheads) {
    if (!context.is(id, kLoadingRecord)) out.push_back(span(context, id));
  }
  return merge_intervals(std::move(out));
}

/// Ops on the CPU that take long without any CUDA call in them: outermost ones.
void add_host_ops(const RuleContext& context, Intervals& out) {
  const Structure& structure = context.structure;
  std::vector<bool> calls(context.trace.slices.size(), false);
  for (const SliceId id : context.api_calls) {
    for (SliceId up = structure.parent[id]; up != kNoSlice && !calls[up];
         up = structure.parent[up]) {
      calls[up] = true;
    }
  }
  std::int64_t covered = context.window.start_ns;
  for (const SliceId id : structure.cpu_order) {
    if (context.trace.slices.category[id] != Category::kCpuOp || calls[id]) continue;
    if (context.dur_ns(id) < kHostStretch || !context.in_window(id)) continue;
    if (has_impossible_time(context.trace, id)) continue;
    const Interval own = span(context, id);
    if (own.start_ns >= covered || own.end_ns > covered) out.push_back(own);
    covered = own.end_ns;
  }
}

/// From each launch to the start of its work, where that ended a gap: nobody was late any more.
Intervals launched_times(const RuleContext& context) {
  const Slices& slices = context.trace.slices;
  Intervals out;
  std::size_t next = 0;
  for (const Interval& gap : context.idle) {
    while (next < context.work.size() && slices.ts_ns[context.work[next]] < gap.end_ns) ++next;
    if (next == context.work.size()) break;
    const SliceId launch = context.structure.launch[context.work[next]];
    if (launch != kNoSlice && slices.end_ns(launch) < gap.end_ns) {
      out.push_back({slices.end_ns(launch), gap.end_ns});
    }
  }
  return merge_intervals(std::move(out));
}

Intervals input_times(const RuleContext& context) {
  Intervals out;
  for (const SliceId id : context.structure.cpu_order) {
    if (is_op(context.trace.slices.category[id]) && context.is(id, kDataLoader) &&
        context.dur_ns(id) >= kSlack) {
      out.push_back(span(context, id));
    }
  }
  for (const Interval& quiet : subtract({context.window}, context.cpu_busy)) {
    if (quiet.end_ns - quiet.start_ns >= kHostStretch) out.push_back(quiet);
  }
  add_host_ops(context, out);
  return subtract(merge_intervals(std::move(out)), launched_times(context));
}

Intervals allocator_times(const RuleContext& context) {
  Intervals waiting;
  Intervals out;
  for (const SliceId id : context.api_calls) {
    if (!context.is(id, kAllocator)) continue;
    (context.is(id, kFreeing) ? waiting : out).push_back(span(context, id));
  }
  for (const Interval& each : with_refill(context, std::move(waiting))) out.push_back(each);
  return merge_intervals(std::move(out));
}

struct Waits {
  Intervals pageable;
  Intervals sync;
};

/// A pageable copy blocks its call, and waits again right after it: both are the copy's.
Waits wait_times(const RuleContext& context) {
  Waits out;
  std::int64_t after_copy = context.window.start_ns;
  for (const SliceId id : context.api_calls) {
    bool pageable = false;
    for (const SliceId work : context.structure.launched_by(id)) {
      pageable = pageable || is_pageable_copy(context, work);
    }
    const Interval own = span(context, id);
    if (pageable) {
      out.pageable.push_back(own);
      after_copy = own.end_ns;
    } else if (context.is(id, kWait)) {
      const bool of_the_copy = own.start_ns >= after_copy && own.start_ns - after_copy < 200'000 &&
                               after_copy > context.window.start_ns;
      (of_the_copy ? out.pageable : out.sync).push_back(own);
      after_copy = context.window.start_ns;
    }
  }
  out.pageable = with_refill(context, std::move(out.pageable));
  out.sync = with_refill(context, std::move(out.sync));
  return out;
}

struct GapsByLaunch {
  Intervals queue;
  Intervals graph;
};

/// What the gaps end with: work that had been launched before the gap began, or a graph's replay.
GapsByLaunch gaps_by_launch(const RuleContext& context) {
  constexpr std::int64_t kStart = 20'000;  // ns: longer than that no queue takes
  GapsByLaunch out;
  const Slices& slices = context.trace.slices;
  std::size_t next = 0;
  for (const Interval& gap : context.idle) {
    while (next < context.work.size() && slices.ts_ns[context.work[next]] < gap.end_ns) ++next;
    if (next == context.work.size()) break;
    const SliceId launch = context.structure.launch[context.work[next]];
    if (launch == kNoSlice) continue;
    if (slices.end_ns(launch) <= gap.start_ns && gap.end_ns - gap.start_ns <= kStart) {
      out.queue.push_back(gap);
    } else if (context.is(launch, kGraphLaunch)) {
      out.graph.push_back(gap);
    }
  }
  return out;
}

/// The first step, if the others show that it was cold.
Intervals cold_first_step(const RuleContext& context) {
  const auto& steps = context.structure.steps;
  if (steps.size() < 2) return {};
  std::vector<std::int64_t> others;
  for (std::size_t i = 1; i < steps.size(); ++i) others.push_back(context.dur_ns(steps[i].slice));
  std::ranges::nth_element(others, others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2));
  const auto median = static_cast<double>(others[others.size() / 2]);
  const Interval first = span(context, steps.front().slice);
  const auto first_ns = static_cast<double>(first.end_ns - first.start_ns);
  if (first_ns < kColdStep * median) return {};
  return {first};
}

bool allocations_stop_after_first_step(const RuleContext& context) {
  const auto& steps = context.structure.steps;
  if (steps.size() < 2) return false;
  const std::int64_t first_end = context.trace.slices.end_ns(steps.front().slice);
  return std::ranges::none_of(context.api_calls, [&](SliceId id) {
    return context.trace.slices.ts_ns[id] >= first_end && context.is(id, kAllocator);
  });
}

}  // namespace

void attribute_idle(RuleContext& context) {
  Intervals left = context.idle;
  const auto claim = [&](IdleCause cause, const Intervals& times) {
    context.idle_by_cause[static_cast<std::size_t>(cause)] = intersect(left, times);
    left = subtract(left, times);
  };
  claim(IdleCause::kLost, lost_times(context));
  if (context.cpu_busy.empty()) {
    claim(IdleCause::kNoCpu, {context.window});
    return;
  }
  const bool cold_allocations = allocations_stop_after_first_step(context);
  const Waits waits = wait_times(context);
  claim(IdleCause::kCompile, compile_times(context));
  claim(IdleCause::kProfiler, profiler_times(context));
  claim(IdleCause::kLoading, loading_times(context, cold_allocations));
  claim(IdleCause::kInput, input_times(context));
  claim(IdleCause::kAllocator, allocator_times(context));
  claim(IdleCause::kPageable, waits.pageable);
  claim(IdleCause::kSync, waits.sync);
  const GapsByLaunch gaps = gaps_by_launch(context);
  claim(IdleCause::kQueue, gaps.queue);
  claim(IdleCause::kFirstStep, cold_first_step(context));
  if (!context.work.empty()) {
    const std::int64_t first = context.trace.slices.ts_ns[context.work.front()];
    if (first > context.window.start_ns) {
      claim(IdleCause::kLeadIn, {{context.window.start_ns, first}});
    }
  }
  claim(IdleCause::kGraph, gaps.graph);
  Intervals swarms;
  for (const Run& run : context.swarms) swarms.push_back({run.start_ns, run.end_ns});
  claim(IdleCause::kSwarm, merge_intervals(std::move(swarms)));
  claim(IdleCause::kLaunch, {context.window});
}

}  // namespace tracebook
