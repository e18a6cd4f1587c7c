// SPDX-License-Identifier: Apache-2.0
//
// X1, X2, X3, X7: what the host does that leaves the GPU idle.
#include <algorithm>
#include <cmath>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

struct Bandwidth {
  double bytes_per_ns = 0;
  bool measured = false;
};

std::string_view direction(std::string_view copy_name) {
  return contains(copy_name, "HtoD") || contains(copy_name, "HostToDevice") ? "HtoD" : "DtoH";
}

/// What a pinned copy of this direction reaches: measured in this trace, or what the GPU's bus
/// gives.
Bandwidth pinned_bandwidth(const RuleContext& context, std::string_view way) {
  constexpr std::int64_t kLarge = 1 << 20;  // bytes: below, the start costs more than the bytes
  Bandwidth out;
  for (const SliceId id : context.work) {
    if (context.trace.slices.category[id] != Category::kMemcpy) continue;
    const std::string_view name = context.trace.name(id);
    if (!contains(name, way) || !contains(name, "Pinned") || context.dur_ns(id) == 0) continue;
    const std::int64_t bytes = copied_bytes(context, id);
    if (bytes < kLarge) continue;
    out.measured = true;
    out.bytes_per_ns = std::max(
        out.bytes_per_ns, static_cast<double>(bytes) / static_cast<double>(context.dur_ns(id)));
  }
  if (out.measured) return out;
  // PCIe 5, 4, 3 with 16 lanes, a fifth off for what is reached in practice.
  const std::int64_t major = context.properties == nullptr ? 8 : context.properties->compute_major;
  out.bytes_per_ns = major >= 9 ? 50.0 : major >= 8 ? 20.0 : 10.0;
  return out;
}

void pageable_copies(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> copies;
  for (const SliceId id : context.work) {
    if (is_pageable_copy(context, id)) copies.push_back(id);
  }
  if (copies.empty()) return;
  std::int64_t bytes = 0;
  double beyond = 0;
  // Once a direction: each looks at all copies.
  const Bandwidth to_gpu = pinned_bandwidth(context, "HtoD");
  const Bandwidth from_gpu = pinned_bandwidth(context, "DtoH");
  Bandwidth pinned;
  for (const SliceId id : copies) {
    const std::int64_t own = copied_bytes(context, id);
    pinned = direction(context.trace.name(id)) == "HtoD" ? to_gpu : from_gpu;
    bytes += own;
    beyond += std::max(0.0, static_cast<double>(context.dur_ns(id)) -
                                static_cast<double>(own) / pinned.bytes_per_ns);
  }
  const std::int64_t copying = total_dur(context, copies);
  const std::int64_t idle = context.idle_ns(IdleCause::kPageable);
  const auto own = static_cast<std::int64_t>(beyond) + idle;
  Finding finding;
  const double rate =
      static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(1, copying));
  finding.title = count_text(static_cast<std::int64_t>(copies.size()), "copy", "copies") +
                  " between pageable memory and the GPU, " + count_text(bytes >> 20, "MiB", "MiB") +
                  " in " + time_text(copying) + " (" +
                  count_text(std::lround(rate), "GB/s", "GB/s") + ")";
  finding.share = context.share(own);
  finding.arithmetic =
      "copy time beyond " + count_text(std::lround(pinned.bytes_per_ns), "GB/s", "GB/s") +
      (pinned.measured ? " (the best pinned copy of this trace)" : " (assumed for pinned memory)") +
      ", " + time_text(static_cast<std::int64_t>(beyond)) + ", and GPU idle around them, " +
      time_text(idle) + ": " + of_window(context, own);
  finding.evidence = longest(context, copies);
  finding.occurrences = static_cast<std::int64_t>(copies.size());
  out.push_back(std::move(finding));
}

void sync_every_step(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> syncs;
  for (const SliceId id : context.api_calls) {
    if (!context.is(id, kWait)) continue;
    if (!context.structure.steps.empty() && context.structure.step[id] == kNoStep) continue;
    syncs.push_back(id);
  }
  const auto steps = static_cast<std::int64_t>(context.step_count());
  if (syncs.empty() || (steps > 1 && steps_touched(context, syncs) < 2)) return;
  const std::int64_t own = context.idle_ns(IdleCause::kSync);
  Finding finding;
  finding.title =
      "The CPU waits for the GPU " + count_text(static_cast<std::int64_t>(syncs.size()), "time");
  if (steps > 0) finding.title += " in " + count_text(steps, "step");
  if (const std::string ops = ops_around(context, syncs); !ops.empty()) finding.title += ": " + ops;
  finding.share = context.share(own);
  if (own > 0) {
    finding.arithmetic =
        "GPU idle in the waits and until the CPU had launched again: " + of_window(context, own);
  }
  finding.evidence = longest(context, syncs);
  finding.occurrences = static_cast<std::int64_t>(syncs.size());
  out.push_back(std::move(finding));
}

void nobody_works(const RuleContext& context, std::vector<Finding>& out) {
  // Before the window's first work the GPU was only waiting for the recording's first step.
  const std::int64_t filled = context.work.empty()
                                  ? context.window.start_ns
                                  : context.trace.slices.ts_ns[context.work.front()];
  const Intervals idle =
      subtract(context.idle_of(IdleCause::kInput), {{context.window.start_ns, filled}});
  const std::int64_t own = total_ns(idle);
  if (own == 0) return;
  std::vector<SliceId> loader = ops_with(context, kDataLoader);
  // A loader that worked while the GPU did cost nothing.
  std::erase_if(loader, [&](SliceId id) {
    const auto next =
        std::ranges::upper_bound(idle, context.trace.slices.ts_ns[id], {}, &Interval::end_ns);
    return next == idle.end() || next->start_ns >= context.end_ns(id);
  });
  Finding finding;
  const auto stretches = static_cast<std::int64_t>(idle.size());
  finding.title = "The GPU waits " + time_text(own) + " for the host in " +
                  count_text(stretches, "stretch", "stretches") +
                  (loader.empty() ? ": no op launches anything" : ", with a DataLoader at work");
  finding.share = context.share(own);
  finding.arithmetic =
      "GPU idle while a data loader ran, or no op or CUDA call for 200 us or more: " +
      of_window(context, own);
  finding.evidence = loader.empty() ? longest_idle(context, idle, "GPU idle, host busy elsewhere")
                                    : longest(context, loader);
  finding.occurrences = stretches;
  out.push_back(std::move(finding));
}

void allocator_churn(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> calls;
  for (const SliceId id : context.api_calls) {
    if (context.is(id, kAllocator)) calls.push_back(id);
  }
  const std::int64_t own = context.idle_ns(IdleCause::kAllocator);
  const auto steps = static_cast<std::int64_t>(context.step_count());
  if (calls.empty() || own == 0 || (steps > 1 && steps_touched(context, calls) < 2)) return;
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(calls.size()), "allocation call") + " (" +
                  std::string(context.trace.name(calls.front())) + " ...), " +
                  time_text(total_dur(context, calls)) + ", inside the steps";
  finding.share = context.share(own);
  finding.arithmetic =
      "GPU idle in these calls, and until the CPU had launched again after those that "
      "wait for the GPU: " +
      of_window(context, own);
  finding.evidence = longest(context, calls);
  finding.occurrences = static_cast<std::int64_t>(calls.size());
  out.push_back(std::move(finding));
}

}  // namespace

std::vector<Rule> host_rules() {
  return {
      {.id = "X1",
       .title = "Copies from or to pageable memory",
       .looks_for = "Memcpy with Pageable in its name, larger than 64 KiB.",
       .means = "The driver stages such a copy through a buffer of its own, and the calling thread "
                "waits: "
                "a fraction of the bus's bandwidth, and nothing overlaps.",
       .next =
           "Pin the memory (pin_memory=True in the DataLoader, tensor.pin_memory()) and copy with "
           "non_blocking=True, ahead of need.",
       .experiment =
           "Pin one buffer and reuse it: the copy's name turns to Pinned and its GB/s rises "
           "several times.",
       .chapter = "",
       .apply = pageable_copies},
      {.id = "X2",
       .title = "A sync in every step",
       .looks_for =
           "cuda…Synchronize (under item, nonzero, a copy to the CPU, torch.cuda.synchronize) "
           "inside two steps or more.",
       .means =
           "While the CPU waits it launches nothing: the GPU runs dry, and has to be filled again.",
       .next = "Keep the value on the GPU; read losses every hundred steps; replace nonzero and "
               "boolean "
               "masks by torch.where; drop torch.cuda.synchronize.",
       .experiment =
           "Take the sync out (or run with torch.cuda.set_sync_debug_mode(\"warn\") to find it) "
           "and compare the step's time.",
       .chapter = "",
       .apply = sync_every_step},
      {.id = "X3",
       .title = "Input stall: nobody works",
       .looks_for =
           "An idle GPU while a DataLoader runs, or while no thread is in an op or a CUDA call "
           "for 200 us or more, or during long CPU ops that launch nothing.",
       .means = "The GPU waits for data or for the program's own Python.",
       .next =
           "Load in workers (num_workers, prefetch_factor), prepare the next batch while this one "
           "runs, move preprocessing to the GPU or out of the loop.",
       .experiment =
           "Feed the same batch again and again: if the step becomes shorter, it was the input.",
       .chapter = "",
       .apply = nobody_works},
  };
}

Rule allocator_rule() {
  return {
      .id = "X7",
      .title = "cudaMalloc and cudaFree in steady state",
      .looks_for = "cudaMalloc, cudaFree, cudaHostAlloc and the like in two steps or more.",
      .means =
          "Allocating from the driver costs 0.1 to 1 ms, and cudaFree waits for the GPU. A caching "
          "allocator should have made them stop after the first steps.",
      .next =
          "Do not call empty_cache() in the loop; keep shapes steady or set "
          "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; reuse pinned buffers.",
      .experiment =
          "Take empty_cache() out, or lower the batch so that memory is not short: the calls "
          "should vanish.",
      .chapter = "",
      .apply = allocator_churn};
}

}  // namespace tracebook
