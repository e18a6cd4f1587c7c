// SPDX-License-Identifier: Apache-2.0
//
// X4, X5, X6, X13: kernels that take longer than their work needs.
#include <algorithm>
#include <cstdio>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

std::string times_text(double factor) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.1f", factor);
  return buffer;
}

/// How much longer a product takes than its aligned twin. Measured on an H200 in bf16, 4095 against
/// 4096 (one element a load): 5.4. Two elements a load: 2, taken with care. Wider loads cost
/// little.
double misaligned_factor(const DecodedKernel& kernel) {
  const int bytes = kernel.alignment * dtype_bytes(kernel.dtype);
  if (bytes <= 2) return 5.4;
  return bytes <= 4 ? 2.0 : 1.0;
}

void misaligned_gemm(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> found;
  double beyond = 0;
  double largest = 1;
  for (const SliceId id : context.work) {
    const DecodedKernel& kernel = context.kernel(id);
    if (!is_misaligned(kernel)) continue;
    found.push_back(id);
    const double factor = misaligned_factor(kernel);
    beyond += static_cast<double>(context.dur_ns(id)) * (1 - 1 / factor);
    largest = std::max(largest, factor);
  }
  if (found.empty()) return;
  const auto own = static_cast<std::int64_t>(beyond);
  const std::vector<KernelSum> sums = sum_by_name(context, found);
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(found.size()), "product") +
                  " on a kernel that loads " +
                  count_text(context.kernel(sums.front().ids.front()).alignment, "element") +
                  " at a time, " + time_text(total_dur(context, found));
  finding.share = context.share(own);
  finding.arithmetic =
      "time beyond an aligned kernel's, taken as " + times_text(largest) +
      " times faster (measured for align1, assumed for align2): " + of_window(context, own);
  finding.evidence = longest(context, found);
  finding.occurrences = static_cast<std::int64_t>(found.size());
  out.push_back(std::move(finding));
}

constexpr std::int64_t kVolta = 7;  // and Turing: the first tensor cores, for fp16

bool is_off_tensor_cores(const DecodedKernel& kernel) {
  const bool product = kernel.kind == KernelKind::kGemm || kernel.kind == KernelKind::kConv;
  // Tensor cores cannot help where each channel is convolved alone.
  const bool direct = kernel.kind == KernelKind::kConv && kernel.operation == "direct";
  return product && !direct && kernel.tensor_cores == TensorCores::kNo && kernel.dtype != "fp64";
}

/// Major compute capability: 0 where the trace does not tell.
std::int64_t generation(const RuleContext& context) {
  return context.properties == nullptr ? 0 : context.properties->compute_major;
}

/// How to get products and convolutions onto the tensor cores: each library has its own switch.
std::string tensor_core_advice(const RuleContext& context, const std::vector<SliceId>& found) {
  if (generation(context) == kVolta) {
    return "Autocast to fp16, where the result allows it: the tensor cores of this GPU know "
           "neither TF32 nor bf16.";
  }
  std::int64_t conv = 0;
  for (const SliceId id : found) {
    if (context.kernel(id).kind == KernelKind::kConv) conv += context.dur_ns(id);
  }
  if (conv == 0) return {};
  const std::string_view other = 2 * conv < total_dur(context, found)
                                     ? " for convolutions, "
                                       "torch.set_float32_matmul_precision(\"high\") for products"
                                     : "";
  return "torch.backends.cudnn.allow_tf32 = True for TF32" + std::string(other) +
         ", or autocast to bf16 (with channels_last), where the result allows it.";
}

void off_tensor_cores(const RuleContext& context, std::vector<Finding>& out) {
  // TF32's peak is 7 to 8 times that of fp32 on A100 and H100; half of it is reached with ease.
  constexpr double kFactor = 4.0;
  constexpr std::int64_t kShort = 5'000;  // ns: too small for tensor cores to matter
  const std::int64_t major = generation(context);
  if (major > 0 && major < kVolta) return;  // no tensor cores at all
  std::vector<SliceId> found;
  for (const SliceId id : context.work) {
    if (is_off_tensor_cores(context.kernel(id)) && context.dur_ns(id) >= kShort)
      found.push_back(id);
  }
  if (found.empty()) return;
  const std::int64_t all = total_dur(context, found);
  const auto own = static_cast<std::int64_t>(static_cast<double>(all) * (1 - 1 / kFactor));
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(found.size()), "product") +
                  " off the tensor cores, " + time_text(all);
  finding.share = context.share(own);
  finding.arithmetic = std::string("time beyond ") + (major == kVolta ? "fp16's" : "TF32's") +
                       " on tensor cores, taken as " + times_text(kFactor) +
                       " times faster: " + of_window(context, own);
  finding.next = tensor_core_advice(context, found);
  finding.evidence = longest(context, found);
  finding.occurrences = static_cast<std::int64_t>(found.size());
  out.push_back(std::move(finding));
}

void layout_copies(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> found;
  for (const SliceId id : context.work) {
    if (is_layout_copy(context, id)) found.push_back(id);
  }
  if (found.empty()) return;
  const std::int64_t own = total_dur(context, found);
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(found.size()), "kernel") +
                  " that only reorder data, " + time_text(own);
  std::vector<SliceId> asking;
  for (const SliceId id : found) {
    const SliceId op = enclosing(context, id, [](std::string_view name) {
      return name == "aten::contiguous" || name == "aten::reshape" || name == "aten::clone" ||
             contains(name, "convolution") || contains(name, "conv2d");
    });
    if (op != kNoSlice) asking.push_back(op);
  }
  if (!asking.empty())
    finding.title += ", under " + short_kernel_name(context.trace.name(asking.front()));
  finding.share = context.share(own);
  finding.arithmetic = "time of these kernels: " + of_window(context, own);
  finding.evidence = longest(context, found);
  finding.occurrences = static_cast<std::int64_t>(found.size());
  out.push_back(std::move(finding));
}

/// Time in which only this kernel's stream worked.
std::int64_t alone_ns(const RuleContext& context, const std::map<TrackId, Intervals>& streams,
                      SliceId id) {
  const Interval own{context.trace.slices.ts_ns[id], context.end_ns(id)};
  std::int64_t alone = own.end_ns - own.start_ns;
  for (const auto& [track, busy] : streams) {
    if (track != context.trace.slices.track[id])
      alone -= covered_ns(busy, own.start_ns, own.end_ns);
  }
  return std::max<std::int64_t>(0, alone);
}

void small_grid(const RuleContext& context, std::vector<Finding>& out) {
  if (context.properties == nullptr || context.properties->num_sms == 0) return;
  const std::int64_t sms = context.properties->num_sms;
  std::map<TrackId, Intervals> streams;
  for (const SliceId id : context.work) {
    streams[context.trace.slices.track[id]].push_back(
        {context.trace.slices.ts_ns[id], context.end_ns(id)});
  }
  for (auto& [track, busy] : streams) busy = merge_intervals(std::move(busy));
  std::vector<SliceId> found;
  double beyond = 0;
  std::int64_t least = sms;
  for (const SliceId id : context.work) {
    if (context.trace.slices.category[id] != Category::kKernel || !has_small_grid(context, id))
      continue;
    const DecodedKernel& kernel = context.kernel(id);
    if (is_misaligned(kernel) || is_off_tensor_cores(kernel) || is_layout_copy(context, id))
      continue;
    const std::int64_t blocks = context.blocks[id];
    found.push_back(id);
    least = std::min(least, blocks);
    beyond += static_cast<double>(alone_ns(context, streams, id)) *
              (1 - static_cast<double>(blocks) / static_cast<double>(sms));
  }
  if (found.empty()) return;
  const auto own = static_cast<std::int64_t>(beyond);
  const std::vector<KernelSum> sums = sum_by_name(context, found);
  Finding finding;
  finding.title = short_kernel_name(sums.front().name) + " runs on " + count_text(least, "block") +
                  ", the GPU has " + std::to_string(sms) + " multiprocessors; " +
                  time_text(total_dur(context, found));
  finding.share = context.share(own);
  finding.arithmetic =
      "time beyond what the same work would take on all of them: " + of_window(context, own);
  finding.evidence = longest(context, found);
  finding.occurrences = static_cast<std::int64_t>(found.size());
  out.push_back(std::move(finding));
}

}  // namespace

std::vector<Rule> product_rules() {
  return {
      {.id = "X4",
       .title = "Misaligned GEMM",
       .looks_for =
           "A tensor-core product whose name says that it loads fewer than 16 bytes at a time: "
           "align1, align2 in bf16 or fp16.",
       .means =
           "A size or an offset is odd, so the fast kernels cannot be used: the wide loads need "
           "rows that start at multiples of 16 bytes.",
       .next = "Pad the size to a multiple of 8 (a vocabulary of 50257 to 50304), and keep views "
               "aligned.",
       .experiment =
           "Pad and compare: on an H200 in bf16 size 4095 takes 5.4 times as long as 4096.",
       .chapter = "06_occupancy_query",
       .apply = misaligned_gemm},
      {.id = "X5",
       .title = "GEMM off the tensor cores",
       .looks_for =
           "Products and convolutions on kernels without tensor cores: sgemm, simt, xmma in "
           "f32f32.",
       .means = "fp32 products run on the ordinary units, at a seventh of TF32's rate or less.",
       .next = "torch.set_float32_matmul_precision(\"high\") for TF32 (convolutions: "
               "torch.backends.cudnn.allow_tf32), or autocast to bf16, where the result allows it.",
       .experiment = "Switch it on: the kernel's name changes, and with it its time. Compare the "
                     "results.",
       .chapter = "06_occupancy_query",
       .apply = off_tensor_cores},
      {.id = "X6",
       .title = "Copies made for layout",
       .looks_for =
           "Strided copy kernels under contiguous, clone, reshape or copy_, and cuDNN's nchw to "
           "nhwc conversions.",
       .means = "Data is read and written once more only to change its order.",
       .next = "Keep one layout throughout (channels_last for convolutions), transpose inside the "
               "product, "
               "drop contiguous() where a view will do.",
       .experiment =
           "Take the copy out, or make the producer write in the consumer's layout: the kernel "
           "should vanish.",
       .chapter = "",
       .apply = layout_copies},
  };
}

Rule small_grid_rule() {
  return {.id = "X13",
          .title = "A grid that cannot fill the GPU",
          .looks_for =
              "Kernels of 20 us or more with fewer blocks than half of the multiprocessors, with "
              "nothing beside them on another stream.",
          .means = "Most multiprocessors have no block of this kernel to run.",
          .next =
              "Give the kernel more parallel work: a larger batch, a split along the reduced "
              "dimension, or run it beside other work.",
          .experiment = "Double the batch: if the time stays the same, the GPU was not full.",
          .chapter = "06_occupancy_query",
          .apply = small_grid};
}

}  // namespace tracebook
