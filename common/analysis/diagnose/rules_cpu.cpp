// SPDX-License-Identifier: Apache-2.0
//
// C1 to C6: what the CPU's lane shows.
#include <algorithm>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

void wide_first_step(const RuleContext& context, std::vector<Finding>& out) {
  constexpr double kMuchWider = 1.8;
  const auto& steps = context.structure.steps;
  if (steps.size() < 2) return;
  std::vector<SliceId> others;
  others.reserve(steps.size());
  for (std::size_t i = 1; i < steps.size(); ++i) others.push_back(steps[i].slice);
  const std::int64_t median = median_dur(context, others);
  const std::int64_t first = context.dur_ns(steps.front().slice);
  if (static_cast<double>(first) < kMuchWider * static_cast<double>(median)) return;
  const std::int64_t own = context.idle_ns(IdleCause::kFirstStep);
  Finding finding;
  finding.title = "The first recorded step takes " + time_text(first) + ", the others " +
                  time_text(median) + " (median)";
  finding.share = context.share(own);
  if (own > 0) {
    finding.arithmetic =
        "GPU idle while the first step launched, loading (X15) and the profiler (G1) "
        "left out: " +
        of_window(context, own);
  }
  std::vector<SliceId> all;
  all.reserve(steps.size());
  for (const Step& step : steps) all.push_back(step.slice);
  finding.evidence = earliest(context, all);
  finding.occurrences = 1;
  out.push_back(std::move(finding));
}

/// Annotations other than the profiler's own steps, whose first op comes late.
void late_first_op(const RuleContext& context, std::vector<Finding>& out) {
  constexpr std::int64_t kLate = 10'000;  // ns
  constexpr double kPart = 0.1;           // of the range
  std::vector<SliceId> late;
  std::int64_t sum = 0;
  SliceId range = kNoSlice;
  for (const SliceId id : context.structure.cpu_order) {
    const Category category = context.trace.slices.category[id];
    if (category == Category::kUserAnnotation && context.in_window(id)) {
      range = context.trace.name(id).starts_with("ProfilerStep#") ? kNoSlice : id;
    } else if (range != kNoSlice && category == Category::kCpuOp) {
      const std::int64_t gap = context.trace.slices.ts_ns[id] - context.trace.slices.ts_ns[range];
      if (context.structure.parent[id] == range && gap >= kLate &&
          static_cast<double>(gap) >= kPart * static_cast<double>(context.dur_ns(range))) {
        late.push_back(range);
        sum += gap;
      }
      range = kNoSlice;
    }
  }
  if (late.empty()) return;
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(late.size()), "range") +
                  " whose first op starts " +
                  time_text(sum / static_cast<std::int64_t>(late.size())) + " late (mean)";
  finding.evidence = earliest(context, late);
  finding.occurrences = static_cast<std::int64_t>(late.size());
  out.push_back(std::move(finding));
}

struct Launches {
  std::vector<SliceId> with_query;
  std::vector<SliceId> without;
};

/// Launches of products, by whether an occupancy query precedes them in the same op.
Launches product_launches(const RuleContext& context) {
  Launches out;
  SliceId queried_op = kNoSlice;
  for (const SliceId id : context.api_calls) {
    const SliceId op = context.structure.op[id];
    if (contains(context.trace.name(id), "OccupancyMaxActive")) queried_op = op;
    for (const SliceId work : context.structure.launched_by(id)) {
      if (context.trace.slices.category[work] != Category::kKernel) continue;
      (op != kNoSlice && op == queried_op ? out.with_query : out.without).push_back(id);
      break;
    }
    if (op != queried_op) queried_op = kNoSlice;
  }
  return out;
}

void occupancy_query(const RuleContext& context, std::vector<Finding>& out) {
  const Launches launches = product_launches(context);
  if (launches.with_query.empty()) return;
  Finding finding;
  finding.title =
      count_text(static_cast<std::int64_t>(launches.with_query.size()), "launch", "launches") +
      " after an occupancy query in the same op: adaptive";
  finding.evidence = earliest(context, launches.with_query);
  finding.occurrences = static_cast<std::int64_t>(launches.with_query.size());
  out.push_back(std::move(finding));
}

void no_occupancy_query(const RuleContext& context, std::vector<Finding>& out) {
  const Launches launches = product_launches(context);
  if (launches.without.empty()) return;
  Finding finding;
  finding.title =
      count_text(static_cast<std::int64_t>(launches.without.size()), "launch", "launches") +
      " without an occupancy query: fixed configuration";
  finding.evidence = earliest(context, launches.without);
  finding.occurrences = static_cast<std::int64_t>(launches.without.size());
  out.push_back(std::move(finding));
}

void final_sync(const RuleContext& context, std::vector<Finding>& out) {
  SliceId last = kNoSlice;
  for (const SliceId id : context.structure.cpu_order) {
    if (!is_api_call(context.trace.slices.category[id])) continue;
    if (!contains(context.trace.name(id), "DeviceSynchronize")) continue;
    if (last == kNoSlice || context.trace.slices.ts_ns[id] > context.trace.slices.ts_ns[last])
      last = id;
  }
  if (last == kNoSlice || context.structure.step[last] != kNoStep ||
      context.structure.steps.empty()) {
    return;
  }
  const Interval wait{context.trace.slices.ts_ns[last], context.trace.slices.end_ns(last)};
  Intervals busy;
  for (const SliceId id : context.structure.device_order) {
    if (has_impossible_time(context.trace, id)) continue;
    busy.push_back({context.trace.slices.ts_ns[id], context.end_ns(id)});
  }
  const std::int64_t covered =
      covered_ns(merge_intervals(std::move(busy)), wait.start_ns, wait.end_ns);
  Finding finding;
  finding.title = "The final cudaDeviceSynchronize takes " + time_text(context.dur_ns(last)) +
                  ", " + time_text(context.dur_ns(last) - covered) + " of it over an idle GPU";
  finding.evidence = {evidence_of(context, last)};
  finding.occurrences = 1;
  out.push_back(std::move(finding));
}

/// Copies within the GPU that an op made by itself: its caller asked for something else.
void unwritten_copy(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> copies;
  for (const SliceId id : context.work) {
    if (context.trace.slices.category[id] != Category::kMemcpy) continue;
    if (!contains(context.trace.name(id), "DtoD")) continue;
    const SliceId asked = enclosing(context, id, [](std::string_view name) {
      return name == "aten::copy_" || name == "aten::clone" || name == "aten::contiguous" ||
             name == "aten::_foreach_copy_";
    });
    if (asked == kNoSlice && context.structure.op[id] != kNoSlice) copies.push_back(id);
  }
  if (copies.empty()) return;
  const std::int64_t ns = total_dur(context, copies);
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(copies.size()), "copy", "copies") +
                  " within the GPU that no line of the program asks for, " + time_text(ns);
  if (const std::string ops = ops_around(context, copies); !ops.empty())
    finding.title += ": " + ops;
  finding.share = context.share(ns);
  finding.arithmetic = "time of the copies: " + of_window(context, ns);
  finding.evidence = longest(context, copies);
  finding.occurrences = static_cast<std::int64_t>(copies.size());
  out.push_back(std::move(finding));
}

}  // namespace

std::vector<Rule> cpu_rules() {
  return {
      {.id = "C1",
       .title = "First recorded step much wider",
       .looks_for = "A first ProfilerStep at least 1.8 times the median of the others.",
       .means =
           "A cold step loads code, builds handles and allocates; it says nothing about the steps "
           "after it. A warm first recorded step may still be two to three times as wide.",
       .next = "Judge the later steps. Warm up before recording: some iterations of your own, then "
               "warmup=1 or more in the schedule.",
       .experiment =
           "Record with ten warm-up iterations before the profiler: what stays wide is the "
           "profiler's, what vanishes was loading.",
       .chapter = "02_warmup",
       .apply = wide_first_step},
      {.id = "C2",
       .title = "Gap between a range's start and its first op",
       .looks_for =
           "A record_function range whose first op starts 10 us or more after it, a tenth of "
           "the range at least.",
       .means = "Python ran: entering the range, resolving arguments, dispatching. No GPU work can "
                "start.",
       .next =
           "Nothing, if the gap is a few microseconds. If it is wide, move the Python in it out of "
           "the step.",
       .experiment = "Record with with_stack=True and look at the frames in the gap.",
       .chapter = "02_warmup",
       .apply = late_first_op},
      {.id = "C3",
       .title = "Occupancy query before a launch",
       .looks_for =
           "cuda/cuOccupancyMaxActiveBlocks… in the same op as the launch that follows it.",
       .means =
           "The library asks how many blocks fit before it chooses its grid: an adaptive kernel. "
           "The queries of a library's set-up stand in no launching op and are not meant.",
       .next = "Nothing: the query costs a microsecond or so.",
       .experiment =
           "Change the size to a multiple of 8: on Hopper cuBLAS then takes a kernel that does "
           "not ask.",
       .chapter = "06_occupancy_query",
       .apply = occupancy_query,
       .information = true},
      {.id = "C4",
       .title = "Launch without an occupancy query",
       .looks_for = "Launches with no such query in their op.",
       .means =
           "The grid follows from the shape alone. Kineto records only some driver calls: a trace "
           "of PyTorch may lack a query that took place.",
       .next = "Nothing.",
       .experiment = "Record the same call with all driver calls enabled and look for the query.",
       .chapter = "06_occupancy_query",
       .apply = no_occupancy_query,
       .information = true},
      {.id = "C5",
       .title = "The final cudaDeviceSynchronize",
       .looks_for = "The last synchronize call, after the last step.",
       .means = "The profiler waits for the GPU before it stops. Its time counts as CPU time in "
                "the table "
                "but is waiting, and what it covers of an idle GPU is only the call itself.",
       .next = "Leave it out when you compare CPU with GPU time.",
       .experiment =
           "Record twice as many steps: it does not grow with them unless the GPU lags behind.",
       .chapter = "01_cold_trace",
       .apply = final_sync,
       .information = true},
      {.id = "C6",
       .title = "A copy that nobody wrote",
       .looks_for = "Memcpy DtoD launched inside an op that is no copy: not under copy_, clone or "
                    "contiguous.",
       .means = "The op prepares its output with a copy, as addmm does with a full-matrix bias.",
       .next = "Choose a form that does not need it: a bias vector, an output in place, a fused "
               "epilogue.",
       .experiment = "Replace the bias by a vector: the copy should go, and its time with it.",
       .chapter = "08_addmm_fusion",
       .apply = unwritten_copy},
  };
}

}  // namespace tracebook
