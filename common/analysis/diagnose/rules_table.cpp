// SPDX-License-Identifier: Apache-2.0
//
// T1 to T5: what the profiler table shows.
#include <algorithm>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

std::int64_t launching_ns(const RuleContext& context) {
  return context.idle_ns(IdleCause::kLaunch) + context.idle_ns(IdleCause::kSwarm) +
         context.idle_ns(IdleCause::kGraph);
}

void overhead_bound(const RuleContext& context, std::vector<Finding>& out) {
  if (context.device < 0) return;
  if (!context.cpu_far_above_gpu() || launching_ns(context) == 0) return;
  const std::int64_t own = context.idle_ns(IdleCause::kLaunch);
  Finding finding;
  finding.title = "The CPU works " + time_text(context.cpu_work_ns) + ", the GPU " +
                  time_text(context.busy_ns) + ": overhead-bound";
  finding.share = context.share(own);
  finding.arithmetic = "GPU idle while the CPU was launching: " + of_window(context, own);
  if (const std::int64_t swarm = context.idle_ns(IdleCause::kSwarm); swarm > 0) {
    finding.arithmetic += "; another " + time_text(swarm) + " counts under X10";
  }
  if (const std::int64_t graph = context.idle_ns(IdleCause::kGraph); graph > 0) {
    finding.arithmetic += "; another " + time_text(graph) + " counts under X11";
  }
  finding.evidence = longest_idle(context, IdleCause::kLaunch, "GPU idle, CPU launching");
  finding.occurrences = static_cast<std::int64_t>(context.idle_of(IdleCause::kLaunch).size());
  out.push_back(std::move(finding));
}

void gpu_busy(const RuleContext& context, std::vector<Finding>& out) {
  constexpr double kNearlyAll = 0.9;
  if (context.device < 0 || context.share(context.busy_ns) < kNearlyAll) return;
  Finding finding;
  finding.title =
      "The GPU is busy " + percent_text(context.share(context.busy_ns)) + " of the window";
  finding.evidence = longest(context, context.work);
  finding.occurrences = static_cast<std::int64_t>(context.work.size());
  out.push_back(std::move(finding));
}

void hotspot(const RuleContext& context, std::vector<Finding>& out) {
  constexpr double kDominates = 0.5;
  if (context.work_ns == 0) return;
  const std::vector<KernelSum> sums = sum_by_name(context, context.work);
  const KernelSum& first = sums.front();
  const double part = static_cast<double>(first.ns) / static_cast<double>(context.work_ns);
  if (part < kDominates) return;
  Finding finding;
  finding.title = short_kernel_name(first.name) + " is " + percent_text(std::min(part, 1.0)) +
                  " of the GPU's time";
  finding.evidence = longest(context, first.ids);
  finding.occurrences = static_cast<std::int64_t>(first.ids.size());
  out.push_back(std::move(finding));
}

void many_calls(const RuleContext& context, std::vector<Finding>& out) {
  constexpr std::int64_t kHuge = 50;       // of one op in one step
  constexpr std::int64_t kShort = 20'000;  // ns of GPU time a call
  const auto steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(context.step_count()));
  const AverageRow* most = nullptr;
  for (const AverageRow& row : context.averages.rows) {
    if (row.is_span || row.device_type != DeviceType::kCpu || !row.key.starts_with("aten::"))
      continue;
    if (row.self_device_ns == 0 || row.count < kHuge * steps) continue;
    if (row.self_device_ns / row.count > kShort) continue;
    if (most == nullptr || row.count > most->count) most = &row;
  }
  if (most == nullptr) return;
  Finding finding;
  finding.title = count_text(most->count, "call") + " of " + most->key + ", " +
                  time_text(most->self_device_ns / most->count) + " of GPU time each";
  finding.evidence = earliest(
      context, ops_named(context, [&](std::string_view name) { return name == most->key; }));
  finding.occurrences = most->count;
  out.push_back(std::move(finding));
}

void look_at_children(const RuleContext& context, std::vector<Finding>& out) {
  constexpr double kOwn = 0.1;      // of its total
  constexpr double kWorthIt = 0.2;  // of all CPU time
  const AverageRow* most = nullptr;
  for (const AverageRow& row : context.averages.rows) {
    if (row.device_type != DeviceType::kCpu || !row.key.starts_with("aten::")) continue;
    const auto total = static_cast<double>(row.cpu_ns);
    if (static_cast<double>(row.self_cpu_ns) > kOwn * total) continue;
    if (total < kWorthIt * static_cast<double>(context.averages.self_cpu_total_ns)) continue;
    if (most == nullptr || row.cpu_ns > most->cpu_ns) most = &row;
  }
  if (most == nullptr) return;
  Finding finding;
  finding.title = most->key + " takes " + time_text(most->cpu_ns) + " of CPU time, " +
                  time_text(most->self_cpu_ns) + " of it its own";
  finding.evidence = longest(
      context, ops_named(context, [&](std::string_view name) { return name == most->key; }));
  finding.occurrences = most->count;
  out.push_back(std::move(finding));
}

}  // namespace

std::vector<Rule> table_rules() {
  return {
      {.id = "T1",
       .title = "Overhead-bound",
       .looks_for =
           "CPU work (waiting for the GPU left out) at least 1.5 times the GPU's busy time, "
           "and a GPU that is idle while the CPU launches.",
       .means =
           "The GPU finishes each kernel before the CPU has launched the next one. Faster kernels "
           "would change nothing.",
       .next =
           "Give each launch more work (larger batches, fused ops, torch.compile), or launch less "
           "often (a CUDA graph, reduce-overhead).",
       .experiment =
           "Double the batch: if the step takes no longer, it was overhead. Capture the step "
           "in a CUDA graph: the idle time between its kernels should vanish.",
       .chapter = "01_cold_trace",
       .apply = overhead_bound},
      {.id = "T2",
       .title = "GPU busy nearly all of the time",
       .looks_for = "Device work covering at least 90 % of the window.",
       .means =
           "The CPU keeps ahead of the GPU: what is left to gain lies in the kernels themselves. "
           "A CPU that waits in a synchronize call is not working.",
       .next =
           "Look at the kernels that take most time: whether they are the right ones (X4, X5), and "
           "whether their work is needed (X6, X9).",
       .experiment =
           "Reckon what the largest product should take at the GPU's peak rate, and compare.",
       .chapter = "01_cold_trace",
       .apply = gpu_busy,
       .information = true},
      {.id = "T3",
       .title = "Hotspot",
       .looks_for =
           "One kernel name with at least half of all device time; spans of annotations do "
           "not count.",
       .means = "Whatever else is improved, this kernel decides.",
       .next = "Read its name (G4), then ask which op calls it and with which shapes.",
       .experiment = "Change the size of that op alone: the step's time should follow.",
       .chapter = "01_cold_trace",
       .apply = hotspot,
       .information = true},
      {.id = "T4",
       .title = "Huge number of calls",
       .looks_for = "An op called 50 times a step or more, with less than 20 us of GPU time each.",
       .means = "Each call costs the CPU 5 to 50 us whatever its size: many small ones add up.",
       .next = "Batch them, fuse them, or use a foreach form. X10 says what it costs here.",
       .experiment = "Stack the inputs and call the op once: compare the CPU time.",
       .chapter = "05_batched_bmm",
       .apply = many_calls},
      {.id = "T5",
       .title = "CPU total far above Self CPU",
       .looks_for = "An op with a fifth of all CPU time, less than a tenth of which is its own.",
       .means = "The op only passes its work on; the time lies in what it calls.",
       .next = "Sort by Self CPU, or open the op in the timeline and look at its children.",
       .experiment = "Follow the widest child down until Self and total agree.",
       .chapter = "01_cold_trace",
       .apply = look_at_children,
       .information = true},
  };
}

}  // namespace tracebook
