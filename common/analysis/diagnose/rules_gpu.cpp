// SPDX-License-Identifier: Apache-2.0
//
// G1 to G5: what the GPU's lane shows.
#include <algorithm>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

void buffer_request(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> requests;
  for (const SliceId id : context.overheads) {
    if (!context.is(id, kLoadingRecord)) requests.push_back(id);
  }
  if (requests.empty()) return;
  const std::int64_t own = context.idle_ns(IdleCause::kProfiler);
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(requests.size()), "piece") +
                  " of profiler overhead inside the window, " +
                  time_text(total_dur(context, requests));
  finding.share = context.share(own);
  if (own > 0) finding.arithmetic = "GPU idle meanwhile: " + of_window(context, own);
  finding.evidence = longest(context, requests);
  finding.occurrences = static_cast<std::int64_t>(requests.size());
  out.push_back(std::move(finding));
}

/// Launch spacing where it is not T1's: the CPU is fast enough on the whole, but not everywhere.
/// What the GPU's own queue takes would not vanish with any cause on the CPU.
void gaps_between_kernels(const RuleContext& context, std::vector<Finding>& out) {
  if (context.device < 0) return;
  const bool is_overhead_bound = context.cpu_far_above_gpu();
  const std::int64_t launching = context.idle_ns(IdleCause::kLaunch);
  const std::int64_t queue = context.idle_ns(IdleCause::kQueue);
  const std::int64_t unknown = context.idle_ns(IdleCause::kNoCpu);
  const std::int64_t own = is_overhead_bound ? 0 : launching + unknown;
  if (launching + queue + unknown == 0) return;
  Finding finding;
  const auto part = [&](IdleCause cause, std::string_view why) {
    const auto count = static_cast<std::int64_t>(context.idle_of(cause).size());
    if (count == 0) return;
    if (!finding.title.empty()) finding.title += "; ";
    finding.title += count_text(count, "gap") + ", " + time_text(context.idle_ns(cause)) + ": ";
    finding.title += why;
    finding.occurrences += count;
  };
  part(IdleCause::kLaunch,
       is_overhead_bound ? "launch spacing (counted under T1)" : "launch spacing");
  part(IdleCause::kQueue, "the GPU's own queue");
  part(IdleCause::kNoCpu, "no CPU events to tell the cause");
  finding.share = context.share(own);
  if (own > 0)
    finding.arithmetic =
        "GPU idle between kernels, its own queue left out: " + of_window(context, own);
  const IdleCause shown = unknown > 0     ? IdleCause::kNoCpu
                          : launching > 0 ? IdleCause::kLaunch
                                          : IdleCause::kQueue;
  finding.evidence = longest_idle(context, shown, "GPU idle between kernels");
  out.push_back(std::move(finding));
}

void same_kernel_varies(const RuleContext& context, std::vector<Finding>& out) {
  constexpr std::size_t kEnough = 5;
  constexpr std::int64_t kLong = 5'000;  // ns: below it the clock's steps show
  constexpr double kSpread = 1.25;       // slowest to fastest
  const KernelSum* worst = nullptr;
  double worst_spread = kSpread;
  const std::vector<KernelSum> sums = sum_by_name(context, context.work);
  std::vector<SliceId> shown;
  for (const KernelSum& sum : sums) {
    if (sum.ids.size() < kEnough || sum.ns < kLong * static_cast<std::int64_t>(sum.ids.size()))
      continue;
    // The same name serves many shapes: compare those of one grid.
    std::map<std::int64_t, std::vector<SliceId>> by_grid;
    for (const SliceId id : sum.ids) by_grid[context.blocks[id]].push_back(id);
    for (auto& [grid, ids] : by_grid) {
      if (ids.size() < kEnough || grid == 0) continue;
      const auto [fast, slow] =
          std::ranges::minmax_element(ids, {}, [&](SliceId id) { return context.dur_ns(id); });
      const double spread = static_cast<double>(context.dur_ns(*slow)) /
                            static_cast<double>(std::max<std::int64_t>(1, context.dur_ns(*fast)));
      if (spread <= worst_spread) continue;
      worst_spread = spread;
      worst = &sum;
      shown = {*slow, *fast};
    }
  }
  if (worst == nullptr) return;
  Finding finding;
  finding.title = short_kernel_name(worst->name) + " takes " + time_text(context.dur_ns(shown[1])) +
                  " to " + time_text(context.dur_ns(shown[0])) + " with the same grid";
  finding.evidence = earliest(context, shown);
  finding.occurrences = static_cast<std::int64_t>(worst->ids.size());
  out.push_back(std::move(finding));
}

void decoded_product(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> products;
  for (const SliceId id : context.work) {
    const KernelKind kind = context.kernel(id).kind;
    if (kind == KernelKind::kGemm || kind == KernelKind::kConv) products.push_back(id);
  }
  if (products.empty()) return;
  const std::vector<KernelSum> sums = sum_by_name(context, products);
  Finding finding;
  finding.title = describe(context.kernel(sums.front().ids.front()));
  if (sums.size() > 1) {
    finding.title +=
        "; and " + count_text(static_cast<std::int64_t>(sums.size()) - 1, "other name");
  }
  for (const KernelSum& sum : sums) {
    if (finding.evidence.size() == 5) break;
    finding.evidence.push_back(evidence_of(context, sum.ids.front()));
  }
  finding.occurrences = static_cast<std::int64_t>(products.size());
  out.push_back(std::move(finding));
}

void bias_copy(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> copies;
  SliceId copy = kNoSlice;
  for (const SliceId id : context.work) {
    const Category category = context.trace.slices.category[id];
    if (category == Category::kMemcpy) {
      copy = contains(context.trace.name(id), "DtoD") ? id : kNoSlice;
    } else if (category == Category::kKernel && copy != kNoSlice) {
      const bool same_op = context.structure.op[copy] == context.structure.op[id];
      if (context.kernel(id).kind == KernelKind::kGemm && same_op) copies.push_back(copy);
      copy = kNoSlice;
    }
  }
  if (copies.empty()) return;
  Finding finding;
  finding.title =
      count_text(static_cast<std::int64_t>(copies.size()), "Memcpy DtoD", "Memcpy DtoD") +
      " right before a GEMM of the same op, " + time_text(total_dur(context, copies)) +
      " (counted under C6)";
  finding.evidence = longest(context, copies);
  finding.occurrences = static_cast<std::int64_t>(copies.size());
  out.push_back(std::move(finding));
}

}  // namespace

std::vector<Rule> gpu_rules() {
  return {
      {.id = "G1",
       .title = "Activity Buffer Request, and other work of the profiler",
       .looks_for = "Overhead records that are not about loading: buffer requests and flushes.",
       .means =
           "CUPTI asks for a host buffer and zeroes it. The length follows the buffer's size and "
           "whether its pages were touched before; the GPU's memory has nothing to do with it.",
       .next = "Leave its time out of the step. With warmup=1 or more it falls before the first "
               "recorded "
               "step.",
       .experiment =
           "Record with wait=1 and warmup=1: the request leaves the window, the work does not "
           "change.",
       .chapter = "03_schedule_tweak",
       .apply = buffer_request},
      {.id = "G2",
       .title = "Gap between two kernels of one step",
       .looks_for =
           "Idle GPU between device work that no sync, request, copy or host code explains: the "
           "next launch came late, or it was in time and the GPU's queue took a moment.",
       .means = "A kernel started late because its launch came late. Where the CPU's launches are "
                "as far "
                "apart as the kernels, neither the profiler nor the GPU is to blame.",
       .next = "Let the CPU run ahead: fewer or larger launches before this place, no waits.",
       .experiment =
           "Compare the two launches' spacing with the two kernels'. Change the profiler's "
           "buffer size: a gap that stays is not the profiler's.",
       .chapter = "04_active20_buffer_gaps",
       .apply = gaps_between_kernels},
      {.id = "G3",
       .title = "Same kernel, different times",
       .looks_for =
           "Kernels of one name and grid, five or more, the slowest at least 1.25 times the "
           "fastest.",
       .means =
           "Clocks, temperature, neighbours in memory or on other streams; or shapes that share a "
           "grid.",
       .next = "Quote the median, with the spread.",
       .experiment =
           "Lock the clocks or sample them beside the run; repeat with the GPU idle before and "
           "busy before.",
       .chapter = "07_variance",
       .apply = same_kernel_varies,
       .information = true},
      {.id = "G4",
       .title = "A GEMM kernel's name, decoded",
       .looks_for =
           "Kernels of matrix products and convolutions; the one with most time is decoded.",
       .means =
           "Library, type, tile, layout, alignment and epilogue tell whether the product got the "
           "kernel that it should.",
       .next = "Look for fp32 off the tensor cores (X5), align1 and align2 (X4), a missing "
               "epilogue (C6).",
       .experiment = "Change type or size by one step and compare the names.",
       .chapter = "06_occupancy_query",
       .apply = decoded_product,
       .information = true},
      {.id = "G5",
       .title = "Memcpy DtoD before a GEMM",
       .looks_for = "A copy within the GPU, directly before a GEMM of the same op.",
       .means =
           "addmm copies its bias into the output and lets the product add to it (beta=1): one "
           "launch fewer in the dispatcher, but not fused in the kernel.",
       .next = "Use a bias vector (an epilogue), or cublasLtMatmul with C apart from D.",
       .experiment = "Compare with matmul followed by add: time, bytes and launches.",
       .chapter = "08_addmm_fusion",
       .apply = bias_copy},
  };
}

}  // namespace tracebook
