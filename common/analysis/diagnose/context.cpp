// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/diagnose/context.h"

#include <algorithm>
#include <map>

#include "common/trace/args.h"

namespace tracebook {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

constexpr std::int64_t kTinyKernel = 10'000;  // ns: a launch costs the CPU about as much
constexpr std::size_t kSwarmLength = 20;      // fewer are normal between two matrix products
constexpr std::int64_t kLongKernel = 20'000;  // ns: shorter ones are X10's or nobody's matter
constexpr std::int64_t kSmallWork = 5'000;    // ns: below it launching, not memory, sets the time

void find_window(RuleContext& context) {
  const Trace& trace = context.trace;
  const Structure& structure = context.structure;
  const auto [first, last] = window_ns(trace, structure);
  context.first_event_ns = first;
  context.window = {first, last};
  std::int64_t start = last;
  std::int64_t end = first;
  for (const Step& step : structure.steps) {
    if (has_impossible_time(trace, step.slice)) continue;
    start = std::min(start, trace.slices.ts_ns[step.slice]);
    end = std::max(end, trace.slices.end_ns(step.slice));
  }
  if (start >= end) return;
  // Where no work knows its step, all of it may be the steps'.
  const bool any_step = std::ranges::any_of(
      structure.device_order, [&](SliceId id) { return structure.step[id] != kNoStep; });
  for (const SliceId id : structure.device_order) {
    if (any_step && structure.step[id] == kNoStep) continue;
    if (!has_impossible_time(trace, id)) end = std::max(end, context.end_ns(id));
  }
  context.window = {start, end};
}

/// A profiler that records cycle after cycle into one file is off between them: the step's number
/// is not the next one, and nothing at all was recorded just before it.
void find_pauses(RuleContext& context) {
  const Trace& trace = context.trace;
  const std::vector<Step>& steps = context.structure.steps;
  std::vector<std::int64_t> restarts_ns;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const bool follows = steps[i].number == steps[i - 1].number + 1;
    if (!follows && !has_impossible_time(trace, steps[i].slice))
      restarts_ns.push_back(trace.slices.ts_ns[steps[i].slice]);
  }
  if (restarts_ns.empty()) return;
  Intervals recorded;
  const auto add = [&](SliceId id) {
    if (!has_impossible_time(trace, id))
      recorded.push_back({trace.slices.ts_ns[id], context.end_ns(id)});
  };
  for (const SliceId id : context.structure.device_order) add(id);
  for (const SliceId id : context.structure.cpu_order) add(id);
  recorded = merge_intervals(std::move(recorded));
  for (const std::int64_t restart_ns : restarts_ns) {
    const auto next = std::ranges::lower_bound(recorded, restart_ns, {}, &Interval::start_ns);
    if (next == recorded.begin()) continue;
    const std::int64_t end_ns = std::prev(next)->end_ns;
    if (end_ns < restart_ns && end_ns >= context.window.start_ns)
      context.pauses.push_back({end_ns, restart_ns});
  }
  context.pauses = merge_intervals(std::move(context.pauses));
}

/// The GPU with most work in the window; the others are not looked at.
void choose_device(RuleContext& context) {
  std::map<std::int32_t, std::int64_t> work;
  std::map<std::int32_t, Intervals> busy;
  for (const SliceId id : context.structure.device_order) {
    if (has_impossible_time(context.trace, id)) continue;
    const std::int64_t start = std::max(context.trace.slices.ts_ns[id], context.window.start_ns);
    const std::int64_t end = std::min(context.end_ns(id), context.window.end_ns);
    if (end > start) {
      const std::int32_t device = context.trace.tracks[context.trace.slices.track[id]].device;
      work[device] += end - start;
      busy[device].push_back({start, end});
    }
  }
  if (busy.size() > 1) {
    for (auto& [device, times] : busy)
      context.device_busy_ns[device] = total_ns(merge_intervals(std::move(times)));
  }
  context.device_count = static_cast<std::int32_t>(work.size());
  std::int64_t most = 0;
  for (const auto& [device, ns] : work) {
    if (ns > most) {
      most = ns;
      context.device = device;
    }
  }
  context.properties = context.trace.device(context.device);
}

void collect_work(RuleContext& context) {
  const Slices& slices = context.trace.slices;
  Intervals busy;
  for (const SliceId id : context.structure.device_order) {
    if (context.trace.tracks[slices.track[id]].device != context.device) continue;
    if (has_impossible_time(context.trace, id)) continue;
    const std::int64_t start = std::max(slices.ts_ns[id], context.window.start_ns);
    const std::int64_t end = std::min(context.end_ns(id), context.window.end_ns);
    if (end <= start) continue;
    context.work.push_back(id);
    context.work_ns += end - start;
    busy.push_back({start, end});
  }
  std::ranges::stable_sort(
      context.work, [&slices](SliceId a, SliceId b) { return slices.ts_ns[a] < slices.ts_ns[b]; });
  context.busy = merge_intervals(std::move(busy));
  context.busy_ns = total_ns(context.busy);
  // Where no GPU was seen to work, or not when, none was seen to be idle.
  if (context.device >= 0 && !context.health.clocks_disagree())
    context.idle = subtract(subtract({context.window}, context.pauses), context.busy);
}

void decode_names(RuleContext& context) {
  constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  context.decoded_index.assign(context.trace.strings.size(), kNone);
  for (const SliceId id : context.structure.device_order) {
    std::uint32_t& index = context.decoded_index[context.trace.slices.name[id]];
    if (index != kNone) continue;
    index = static_cast<std::uint32_t>(context.decoded.size());
    context.decoded.push_back(decode_kernel_name(context.trace.name(id)));
  }
}

/// Blocks of each kernel long enough to be asked for them: args are costly to read.
void read_grids(RuleContext& context) {
  context.blocks.assign(context.trace.slices.size(), 0);
  for (const SliceId id : context.work) {
    if (context.dur_ns(id) < kSmallWork) continue;
    const auto grid = ArgsView(context.trace.args(id)).dim3("grid");
    if (grid) context.blocks[id] = (*grid)[0] * (*grid)[1] * (*grid)[2];
  }
}

void name_roles(RuleContext& context) {
  const StringTable& strings = context.trace.strings;
  context.roles.resize(strings.size());
  for (StringId id = 0; id < strings.size(); ++id)
    context.roles[id] = event_roles(strings.view(id));
}

void collect_cpu(RuleContext& context) {
  const Trace& trace = context.trace;
  const Slices& slices = trace.slices;
  context.loading_op.assign(slices.size(), false);
  Intervals busy;
  Intervals waiting;
  const Structure& structure = context.structure;
  for (std::size_t thread = 0; thread + 1 < structure.thread_begin.size(); ++thread) {
    std::int64_t covered = context.window.start_ns;
    for (std::uint32_t i = structure.thread_begin[thread]; i < structure.thread_begin[thread + 1];
         ++i) {
      const SliceId id = structure.cpu_order[i];
      const Category category = slices.category[id];
      const bool call = is_api_call(category);
      if (!call && category != Category::kCpuOp && category != Category::kOverhead) continue;
      if (has_impossible_time(trace, id)) continue;
      const std::int64_t start = std::max(slices.ts_ns[id], context.window.start_ns);
      const std::int64_t end = std::min(slices.end_ns(id), context.window.end_ns);
      if (end <= start) continue;
      if (category == Category::kOverhead) {
        context.overheads.push_back(id);
        continue;
      }
      // Most lie within an op that stands before them and need not be kept.
      if (end > covered) {
        busy.push_back({start, end});
        covered = end;
      }
      if (call) {
        context.api_calls.push_back(id);
        if (context.is(id, kWait)) waiting.push_back({start, end});
      }
    }
  }
  context.cpu_busy = merge_intervals(std::move(busy));
  context.cpu_waiting = merge_intervals(std::move(waiting));
  context.cpu_work_ns = total_ns(subtract(context.cpu_busy, context.cpu_waiting));
}

/// Copies that only change the order of data do not count as work that could be fused.
bool belongs_to_memory_run(const RuleContext& context, SliceId id) {
  const DecodedKernel& kernel = context.kernel(id);
  if (context.dur_ns(id) < kSmallWork || context.trace.slices.category[id] != Category::kKernel) {
    return false;
  }
  if (is_layout_copy(context, id) || is_under(context, id, kOptimizerStep)) return false;
  if (has_small_grid(context, id) || kernel.split_k) return false;
  // What torch.compile wrote it has fused already.
  if (kernel.library == KernelLibrary::kTriton && contains(context.trace.name(id), "_fused_"))
    return false;
  return kernel.kind == KernelKind::kElementwise || kernel.kind == KernelKind::kReduction ||
         kernel.kind == KernelKind::kCopy;
}

void finish_run(Run& run, std::vector<Run>& out, std::size_t least, const RuleContext& context) {
  if (run.kernels.size() >= least) {
    run.start_ns = context.trace.slices.ts_ns[run.kernels.front()];
    run.end_ns = context.end_ns(run.kernels.back());
    out.push_back(run);
  }
  run.kernels.clear();
}

/// Runs of each stream: broken by other work and by a new step.
void find_runs(RuleContext& context) {
  const Structure& structure = context.structure;
  Run swarm;
  Run memory;
  for (std::size_t stream = 0; stream + 1 < structure.stream_begin.size(); ++stream) {
    std::int32_t step = kNoStep;
    for (std::uint32_t i = structure.stream_begin[stream]; i < structure.stream_begin[stream + 1];
         ++i) {
      const SliceId id = structure.device_order[i];
      if (context.trace.tracks[context.trace.slices.track[id]].device != context.device) break;
      if (!context.in_window(id) || has_impossible_time(context.trace, id)) continue;
      if (structure.step[id] != step) {
        finish_run(swarm, context.swarms, kSwarmLength, context);
        finish_run(memory, context.memory_runs, 2, context);
        step = structure.step[id];
      }
      const DecodedKernel& kernel = context.kernel(id);
      if (kernel.operation == "memset") continue;
      // Split-K reductions belong to their product.
      const bool light = !kernel.split_k && (kernel.kind == KernelKind::kElementwise ||
                                             kernel.kind == KernelKind::kCopy ||
                                             kernel.kind == KernelKind::kReduction);
      // One replayed graph launches all of its kernels at once: nothing left to merge.
      const SliceId launch = structure.launch[id];
      const bool replayed = launch != kNoSlice && structure.launched_by(launch).size() > 1;
      if (light && !replayed && context.dur_ns(id) < kTinyKernel)
        swarm.kernels.push_back(id);
      else if (kernel.kind != KernelKind::kOptimizer) {
        finish_run(swarm, context.swarms, kSwarmLength, context);
      }
      if (belongs_to_memory_run(context, id))
        memory.kernels.push_back(id);
      else if (context.dur_ns(id) >= kSmallWork) {
        finish_run(memory, context.memory_runs, 2, context);
      }
    }
    finish_run(swarm, context.swarms, kSwarmLength, context);
    finish_run(memory, context.memory_runs, 2, context);
  }
}

}  // namespace

Intervals subtract(const Intervals& from, const Intervals& without) {
  Intervals out;
  std::size_t next = 0;
  for (const Interval& piece : from) {
    std::int64_t at = piece.start_ns;
    while (next < without.size() && without[next].end_ns <= at) ++next;
    for (std::size_t i = next; i < without.size() && without[i].start_ns < piece.end_ns; ++i) {
      if (without[i].start_ns > at) out.push_back({at, without[i].start_ns});
      at = std::max(at, without[i].end_ns);
    }
    if (at < piece.end_ns) out.push_back({at, piece.end_ns});
  }
  return out;
}

std::int64_t copied_bytes(const RuleContext& context, SliceId work) {
  const auto bytes = ArgsView(context.trace.args(work)).integer("bytes");
  return bytes.value_or(0);
}

bool is_pageable_copy(const RuleContext& context, SliceId work) {
  constexpr std::int64_t kStagedAtOnce = std::int64_t{64} << 10;  // bytes: goes with the command
  return context.trace.slices.category[work] == Category::kMemcpy &&
         contains(context.trace.name(work), "Pageable") &&
         copied_bytes(context, work) > kStagedAtOnce;
}

bool has_small_grid(const RuleContext& context, SliceId kernel) {
  if (context.properties == nullptr || context.dur_ns(kernel) < kLongKernel) return false;
  if (context.kernel(kernel).kind == KernelKind::kCommunication) return false;  // small by design
  const std::int64_t blocks = context.blocks[kernel];
  return blocks > 0 && 2 * blocks <= context.properties->num_sms;
}

bool is_under(const RuleContext& context, SliceId id, Role role) {
  for (SliceId up = context.structure.op[id]; up != kNoSlice; up = context.structure.parent[up]) {
    if (is_op(context.trace.slices.category[up]) && context.is(up, role)) return true;
  }
  return false;
}

bool is_layout_copy(const RuleContext& context, SliceId work) {
  const DecodedKernel& kernel = context.kernel(work);
  if (kernel.layout_change) return true;
  if (kernel.kind != KernelKind::kCopy || kernel.library != KernelLibrary::kAten) return false;
  if (kernel.operation != "copy") return false;
  // The vectorized and unrolled forms run over contiguous data: a change of type, or a plain copy.
  if (contains(context.trace.name(work), "::elementwise_kernel<")) return true;
  return is_under(context, work, kCopyForLayout);
}

RuleContext build_context(const Trace& trace, const Structure& structure,
                          const Averages& averages) {
  RuleContext context(trace, structure, averages);
  context.health = examine_health(trace, structure);
  find_window(context);
  find_pauses(context);
  choose_device(context);
  collect_work(context);
  decode_names(context);
  name_roles(context);
  read_grids(context);
  collect_cpu(context);
  find_runs(context);
  attribute_idle(context);
  return context;
}

}  // namespace tracebook
