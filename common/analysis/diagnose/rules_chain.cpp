// SPDX-License-Identifier: Apache-2.0
//
// D1 to D4: the dispatch chain from the step down to the kernel.
#include <algorithm>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

void whole_chain(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> best;
  for (const SliceId id : context.work) {
    if (context.trace.slices.category[id] != Category::kKernel) continue;
    const SliceId launch = context.structure.launch[id];
    if (launch == kNoSlice) continue;
    std::vector<SliceId> chain{id, launch};
    for (SliceId up = context.structure.parent[launch]; up != kNoSlice;
         up = context.structure.parent[up]) {
      if (is_op(context.trace.slices.category[up])) chain.push_back(up);
    }
    if (context.trace.name(chain.back()).starts_with("ProfilerStep#") &&
        chain.size() > best.size()) {
      best = chain;
    }
    if (best.size() > 5) break;  // complete enough to teach
  }
  if (best.size() < 4) return;
  std::ranges::reverse(best);
  Finding finding;
  for (const SliceId id : best) {
    if (!finding.title.empty()) finding.title += " -> ";
    finding.title += short_kernel_name(context.trace.name(id), 32);
    finding.evidence.push_back(evidence_of(context, id));
  }
  finding.occurrences = 1;
  out.push_back(std::move(finding));
}

/// Ops of one name right inside ops of another.
void resolves(const RuleContext& context, std::string_view from, std::string_view to,
              std::vector<Finding>& out) {
  std::vector<SliceId> found =
      ops_named(context, [&](std::string_view name) { return name == to; });
  std::erase_if(found, [&](SliceId id) {
    const SliceId parent = context.structure.parent[id];
    return parent == kNoSlice || context.trace.name(parent) != from;
  });
  if (found.empty()) return;
  Finding finding;
  finding.title = std::string(from) + " resolves to " + std::string(to) + ", " +
                  count_text(static_cast<std::int64_t>(found.size()), "time");
  finding.evidence = earliest(context, found);
  finding.occurrences = static_cast<std::int64_t>(found.size());
  out.push_back(std::move(finding));
}

void matmul_to_mm(const RuleContext& context, std::vector<Finding>& out) {
  resolves(context, "aten::matmul", "aten::mm", out);
}

void matmul_to_bmm(const RuleContext& context, std::vector<Finding>& out) {
  resolves(context, "aten::matmul", "aten::bmm", out);
}

void addmm(const RuleContext& context, std::vector<Finding>& out) {
  const std::vector<SliceId> ops =
      ops_named(context, [](std::string_view name) { return name == "aten::addmm"; });
  if (ops.empty()) return;
  Finding finding;
  finding.title =
      count_text(static_cast<std::int64_t>(ops.size()), "addmm call") + " in place of mm and add";
  for (const SliceId id : context.work) {
    const SliceId op = context.structure.op[id];
    if (op == kNoSlice || context.trace.name(op) != "aten::addmm") continue;
    if (context.kernel(id).kind != KernelKind::kGemm) continue;
    finding.title += "; epilogue: " + (context.kernel(id).epilogue.empty()
                                           ? std::string("not in the kernel's name")
                                           : context.kernel(id).epilogue);
    break;
  }
  finding.evidence = earliest(context, ops);
  finding.occurrences = static_cast<std::int64_t>(ops.size());
  out.push_back(std::move(finding));
}

}  // namespace

std::vector<Rule> chain_rules() {
  return {
      {.id = "D1",
       .title = "The dispatch chain",
       .looks_for = "A kernel whose launch lies in an op, in a range, in a ProfilerStep.",
       .means = "Every kernel has a line of the program behind it; the chain leads there.",
       .next = "Follow it upwards from the kernel that takes most time.",
       .experiment = "Put a record_function around one line: its kernels should hang below it.",
       .chapter = "01_cold_trace",
       .apply = whole_chain,
       .information = true},
      {.id = "D2",
       .title = "matmul resolves to mm",
       .looks_for = "aten::mm directly inside aten::matmul.",
       .means = "Two matrices: one product.",
       .next = "Nothing.",
       .experiment = "Add a batch dimension: bmm should appear instead (D3).",
       .chapter = "01_cold_trace",
       .apply = matmul_to_mm,
       .information = true},
      {.id = "D3",
       .title = "matmul resolves to bmm",
       .looks_for = "aten::bmm directly inside aten::matmul.",
       .means =
           "A batch of products in one launch. The rows for expand, reshape and view around it are "
           "bookkeeping on the CPU.",
       .next =
           "Nothing; a single large product instead of a batch of small ones fills the GPU better.",
       .experiment =
           "Compare eight products in one launch with one: on an H200 at size 64 they take the "
           "same time.",
       .chapter = "05_batched_bmm",
       .apply = matmul_to_bmm,
       .information = true},
      {.id = "D4",
       .title = "addmm in place of mm and add",
       .looks_for = "aten::addmm.",
       .means = "Product and addition are one op for the dispatcher. Whether they are one kernel "
                "is told "
                "by its name (bias, beta=1) and by a copy before it (G5).",
       .next = "With a full-matrix bias, look at C6.",
       .experiment = "Compare the GPU time with that of mm followed by add.",
       .chapter = "08_addmm_fusion",
       .apply = addmm,
       .information = true},
  };
}

}  // namespace tracebook
