// SPDX-License-Identifier: Apache-2.0
//
// X9 to X12: work that could be merged, replayed or run side by side.
#include <algorithm>
#include <set>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

void memory_bound_work(const RuleContext& context, std::vector<Finding>& out) {
  constexpr double kDominates = 0.4;  // of device time
  std::vector<SliceId> all;
  for (const SliceId id : context.work) {
    const DecodedKernel& kernel = context.kernel(id);
    const bool moves = kernel.kind == KernelKind::kElementwise ||
                       kernel.kind == KernelKind::kReduction || kernel.kind == KernelKind::kCopy;
    const bool on_the_gpu = context.trace.slices.category[id] == Category::kKernel;
    if (moves && on_the_gpu && !is_layout_copy(context, id)) all.push_back(id);
  }
  const std::int64_t ns = total_dur(context, all);
  if (static_cast<double>(ns) < kDominates * static_cast<double>(context.work_ns) || ns == 0)
    return;
  // Fused, a run takes about as long as its longest kernel: it reads and writes most.
  std::int64_t beyond = 0;
  std::int64_t fusable = 0;
  for (const Run& run : context.memory_runs) {
    std::int64_t most = 0;
    for (const SliceId id : run.kernels) most = std::max(most, context.dur_ns(id));
    beyond += total_dur(context, run.kernels) - most;
    fusable += static_cast<std::int64_t>(run.kernels.size());
  }
  Finding finding;
  finding.title = "Memory-bound kernels take " + time_text(ns) + ", " +
                  percent_text(static_cast<double>(ns) / static_cast<double>(context.work_ns)) +
                  " of the GPU's time; " + count_text(fusable, "kernel") + " of them stand in runs";
  finding.share = context.share(beyond);
  if (beyond > 0) {
    finding.arithmetic =
        "what the runs take beyond the longest kernel of each: " + of_window(context, beyond);
  }
  finding.evidence = longest(context, all);
  finding.occurrences = static_cast<std::int64_t>(all.size());
  out.push_back(std::move(finding));
}

struct OptimizerLoop {
  std::string_view name;
  std::vector<SliceId> kernels;
  std::int64_t beyond_ns = 0;
};

/// Elementwise kernels that an optimizer's step launched one tensor at a time.
OptimizerLoop optimizer_loop(const RuleContext& context) {
  constexpr std::int64_t kMany = 20;  // a step
  OptimizerLoop out;
  std::map<std::string_view, std::int64_t> by_op;
  for (const SliceId id : context.work) {
    const KernelKind kind = context.kernel(id).kind;
    if (kind != KernelKind::kElementwise && kind != KernelKind::kCopy) continue;
    const SliceId range = enclosing_with(context, id, kOptimizerStep);
    if (range == kNoSlice) continue;
    out.name = context.trace.name(range);
    out.kernels.push_back(id);
    if (context.structure.op[id] != kNoSlice) ++by_op[context.trace.name(context.structure.op[id])];
  }
  const auto steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(context.step_count()));
  const auto count = static_cast<std::int64_t>(out.kernels.size());
  if (count < kMany * steps) return {};
  // Every op runs once a tensor at least, so the rarest one counts the tensors. A kernel
  // touches 2.5 tensors' worth of memory; all that Adam has to touch is 7 (4 reads, 3 writes).
  std::int64_t tensors = count;
  for (const auto& [name, calls] : by_op) {
    if (calls >= 5 * steps) tensors = std::min(tensors, calls);
  }
  const double passes =
      static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(1, tensors));
  const double part = std::max(0.0, 1 - 7 / (2.5 * passes));
  out.beyond_ns =
      static_cast<std::int64_t>(part * static_cast<double>(total_dur(context, out.kernels)));
  return out;
}

void tiny_kernel_swarm(const RuleContext& context, std::vector<Finding>& out) {
  const OptimizerLoop optimizer = optimizer_loop(context);
  std::vector<SliceId> tiny;
  for (const Run& run : context.swarms)
    tiny.insert(tiny.end(), run.kernels.begin(), run.kernels.end());
  if (tiny.empty() && optimizer.kernels.empty()) return;
  const std::int64_t idle = context.idle_ns(IdleCause::kSwarm);
  const std::int64_t own = idle + optimizer.beyond_ns;
  Finding finding;
  const std::vector<SliceId>& shown = tiny.empty() ? optimizer.kernels : tiny;
  finding.title = count_text(static_cast<std::int64_t>(shown.size()), "kernel") + " of " +
                  time_text(median_dur(context, shown)) + " (median), one launch each";
  if (!optimizer.kernels.empty()) {
    finding.title +=
        "; " +
        count_text(static_cast<std::int64_t>(optimizer.kernels.size()), "launch", "launches") +
        " from " + std::string(optimizer.name);
  }
  finding.share = context.share(own);
  if (own > 0) finding.arithmetic = "GPU idle within these runs, " + time_text(idle);
  if (optimizer.beyond_ns > 0) {
    finding.arithmetic +=
        ", and device time beyond one pass over each tensor, " + time_text(optimizer.beyond_ns);
  }
  if (own > 0) finding.arithmetic += ": " + of_window(context, own);
  finding.evidence = earliest(context, shown);
  finding.occurrences = static_cast<std::int64_t>(shown.size());
  out.push_back(std::move(finding));
}

void graph_replays(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> replays;
  std::int64_t kernels = 0;
  for (const SliceId id : context.api_calls) {
    if (!context.is(id, kGraphLaunch)) continue;
    replays.push_back(id);
    kernels += static_cast<std::int64_t>(context.structure.launched_by(id).size());
  }
  if (replays.empty()) return;
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(replays.size()), "CUDA graph replay") +
                  ", " + count_text(kernels, "piece of device work", "pieces of device work") +
                  " without a launch of their own";
  const std::int64_t own = context.idle_ns(IdleCause::kGraph);
  finding.share = context.share(own);
  if (own > 0)
    finding.arithmetic = "GPU idle until the next replay was launched: " + of_window(context, own);
  finding.evidence = longest(context, replays);
  finding.occurrences = static_cast<std::int64_t>(replays.size());
  out.push_back(std::move(finding));
}

void streams_take_turns(const RuleContext& context, std::vector<Finding>& out) {
  constexpr double kBoth = 0.01;     // of the window: a stream that counts
  constexpr double kOverlap = 0.05;  // of the lesser streams' time
  std::map<TrackId, Intervals> streams;
  for (const SliceId id : context.work) {
    streams[context.trace.slices.track[id]].push_back(
        {std::max(context.trace.slices.ts_ns[id], context.window.start_ns),
         std::min(context.end_ns(id), context.window.end_ns)});
  }
  std::int64_t sum = 0;
  std::int64_t most = 0;
  TrackId main_stream = 0;
  Intervals all;
  std::set<TrackId> counted;
  for (auto& [track, busy] : streams) {
    busy = merge_intervals(std::move(busy));
    const std::int64_t own = total_ns(busy);
    if (context.share(own) < kBoth) continue;
    counted.insert(track);
    sum += own;
    if (own > most) {
      most = own;
      main_stream = track;
    }
    all.insert(all.end(), busy.begin(), busy.end());
  }
  if (counted.size() < 2) return;
  const std::int64_t lesser = sum - most;
  const std::int64_t overlap = sum - total_ns(merge_intervals(std::move(all)));
  if (static_cast<double>(overlap) > kOverlap * static_cast<double>(lesser)) return;
  // Streams that are used one after the other (set-up, then work) are no missed chance.
  std::vector<SliceId> turns;
  TrackId last = main_stream;
  for (const SliceId id : context.work) {
    const TrackId track = context.trace.slices.track[id];
    if (!counted.contains(track)) continue;
    if (track != last && track != main_stream) turns.push_back(id);
    last = track;
  }
  if (turns.size() < 2) return;
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(counted.size()), "stream") +
                  " take turns: " + time_text(overlap) + " of overlap, the lesser ones work " +
                  time_text(lesser);
  finding.share = context.share(lesser - overlap);
  finding.arithmetic = "the lesser streams' time, if it all ran beside the main one: " +
                       of_window(context, lesser - overlap);
  finding.evidence = longest(context, turns);
  finding.occurrences = static_cast<std::int64_t>(turns.size());
  out.push_back(std::move(finding));
}

}  // namespace

std::vector<Rule> launch_rules() {
  return {
      {.id = "X9",
       .title = "Memory-bound elementwise work dominates",
       .looks_for =
           "Elementwise kernels, reductions and norms with 40 % of device time or more, and runs "
           "of them without another kernel between.",
       .means =
           "Each kernel reads its inputs from memory and writes its result back; the arithmetic is "
           "nearly free. In a run the data makes the trip many times.",
       .next = "torch.compile the function (it fuses runs), or use a fused op; a narrower type "
               "halves the "
               "bytes.",
       .experiment =
           "Compile the function alone: one triton kernel should take about as long as the "
           "longest of the run.",
       .chapter = "",
       .apply = memory_bound_work},
      {.id = "X10",
       .title = "Swarm of tiny kernels",
       .looks_for =
           "Runs of 20 or more light kernels below 10 us, and optimizer steps that launch kernels "
           "for one tensor at a time.",
       .means =
           "The launch costs more than the work. One kernel over many tensors would do the same.",
       .next = "Optimizers: fused=True or foreach=True. Chains of small ops: torch.compile, a CUDA "
               "graph, "
               "or torch._foreach functions.",
       .experiment = "Switch the optimizer to fused=True: hundreds of launches become a few "
                     "multi_tensor_apply kernels.",
       .chapter = "",
       .apply = tiny_kernel_swarm},
  };
}

std::vector<Rule> stream_rules() {
  return {
      {.id = "X11",
       .title = "CUDA graph replays",
       .looks_for = "cudaGraphLaunch, and device work that belongs to it.",
       .means = "One call starts many kernels: the CPU's cost is that of one launch. Ops do not "
                "show, since "
                "none ran. Where the GPU still waits between replays, each replay is shorter than "
                "its launch.",
       .next = "If it waits, capture more into one graph: several layers, several steps. To see "
               "which line "
               "a kernel comes from, record the eager step.",
       .experiment = "Capture two replays' work in one graph: the wait between them should halve.",
       .chapter = "",
       .apply = graph_replays},
      {.id = "X12",
       .title = "Two streams that never overlap",
       .looks_for =
           "Two streams or more, each with 1 % of the window, that take turns and work at once "
           "for less than 5 % of the lesser one's time.",
       .means =
           "The second stream buys nothing: each waits for the other, or each kernel fills the GPU "
           "alone, or the CPU launches too late.",
       .next =
           "Wait for events where the data is needed, not right after the launch; issue the other "
           "stream's work first; copy from pinned memory.",
       .experiment =
           "Take the wait out in a test run (the result may be wrong): if nothing overlaps even "
           "then, the kernels are too large or the launches too late.",
       .chapter = "",
       .apply = streams_take_turns},
  };
}

}  // namespace tracebook
