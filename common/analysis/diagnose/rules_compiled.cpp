// SPDX-License-Identifier: Apache-2.0
//
// P1 to P5: what torch.compile leaves in a trace. X8: that it compiles again and again.
#include <algorithm>
#include <map>
#include <set>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

constexpr std::string_view kRegion = "Torch-Compiled Region";
constexpr std::string_view kLookup = "TorchDynamo Cache Lookup";
constexpr std::string_view kPrologue = "AOTDispatcher Runtime Wrapper Prologue";
constexpr std::string_view kCall = "## Call CompiledFxGraph ";

std::vector<SliceId> named(const RuleContext& context, std::string_view start) {
  return ops_named(context, [start](std::string_view name) { return name.starts_with(start); });
}

/// "16 calls, 12.3 us each (median)".
Finding recognised(const RuleContext& context, const std::vector<SliceId>& ids,
                   std::string_view what) {
  Finding finding;
  finding.title = count_text(static_cast<std::int64_t>(ids.size()), what) + ", " +
                  time_text(median_dur(context, ids)) + " each (median)";
  finding.evidence = earliest(context, ids);
  finding.occurrences = static_cast<std::int64_t>(ids.size());
  return finding;
}

void region(const RuleContext& context, std::vector<Finding>& out) {
  const std::vector<SliceId> ids = named(context, kRegion);
  if (ids.empty()) return;
  std::set<std::string_view> kinds;
  for (const SliceId id : ids) kinds.insert(context.trace.name(id));
  Finding finding = recognised(context, ids, "compiled region");
  finding.title += "; " + count_text(static_cast<std::int64_t>(kinds.size()), "version");
  out.push_back(std::move(finding));
}

void lookup(const RuleContext& context, std::vector<Finding>& out) {
  const std::vector<SliceId> ids = named(context, kLookup);
  if (!ids.empty()) out.push_back(recognised(context, ids, "guard check"));
}

void prologue(const RuleContext& context, std::vector<Finding>& out) {
  const std::vector<SliceId> ids = named(context, kPrologue);
  if (!ids.empty()) out.push_back(recognised(context, ids, "prologue"));
}

void graph_hash(const RuleContext& context, std::vector<Finding>& out) {
  const std::vector<SliceId> ids = named(context, kCall);
  if (ids.empty()) return;
  std::set<std::string_view> names;
  for (const SliceId id : ids) names.insert(context.trace.name(id));
  Finding finding = recognised(context, ids, "call");
  finding.title += " of " + count_text(static_cast<std::int64_t>(names.size()), "graph");
  if (names.size() == 1) finding.title += ": the same each time, a cache hit";
  out.push_back(std::move(finding));
}

void tax_on_tiny_work(const RuleContext& context, std::vector<Finding>& out) {
  constexpr std::int64_t kTiny = 5;  // times as long on the CPU as what it launches takes
  const std::vector<SliceId> regions = named(context, kRegion);
  if (regions.empty()) return;
  std::int64_t device = 0;
  for (const SliceId id : context.work) {
    if (enclosing(context, id, [](std::string_view name) { return name.starts_with(kRegion); }) !=
        kNoSlice) {
      device += context.dur_ns(id);
    }
  }
  const std::int64_t cpu = total_dur(context, regions);
  if (device == 0 || cpu < kTiny * device) return;
  Finding finding;
  finding.title = "Compiled regions take " + time_text(cpu) + " of CPU time for " +
                  time_text(device) + " of GPU work";
  finding.evidence = longest(context, regions);
  finding.occurrences = static_cast<std::int64_t>(regions.size());
  out.push_back(std::move(finding));
}

/// The first call of each name that is called in one step only, by name.
std::map<std::string_view, SliceId> used_once(const RuleContext& context,
                                              const std::vector<SliceId>& calls) {
  std::map<std::string_view, std::set<std::int32_t>> steps;
  std::map<std::string_view, SliceId> first;
  for (const SliceId id : calls) {
    steps[context.trace.name(id)].insert(context.structure.step[id]);
    first.try_emplace(context.trace.name(id), id);
  }
  std::erase_if(first, [&](const auto& each) { return steps[each.first].size() > 1; });
  return first;
}

/// Versions of one frame ("Torch-Compiled Region: K/M") of which two or more are used once.
std::vector<SliceId> versions_used_once(const RuleContext& context) {
  std::map<std::string_view, std::vector<SliceId>> frames;
  for (const auto& [name, id] : used_once(context, named(context, kRegion))) {
    const std::size_t version = name.rfind('/');
    if (version != name.npos) frames[name.substr(0, version)].push_back(id);
  }
  std::vector<SliceId> out;
  for (const auto& [frame, ids] : frames) {
    if (ids.size() >= 2) out.insert(out.end(), ids.begin(), ids.end());
  }
  return out;
}

void recompiles(const RuleContext& context, std::vector<Finding>& out) {
  std::vector<SliceId> compiles = ops_with(context, kCompiler);
  // Outermost events only: each compile writes dozens.
  std::erase_if(compiles, [&](SliceId id) {
    for (SliceId up = context.structure.parent[id]; up != kNoSlice;
         up = context.structure.parent[up]) {
      if (context.is(up, kCompiler)) return true;
    }
    return false;
  });
  const std::vector<SliceId> once = graphs_used_once(context);
  const std::int64_t own = context.idle_ns(IdleCause::kCompile);
  if (once.empty() && compiles.empty()) return;
  const std::int64_t steps =
      std::max(steps_touched(context, compiles), steps_touched(context, once));
  Finding finding;
  const auto count = static_cast<std::int64_t>(compiles.empty() ? once.size() : compiles.size());
  finding.title = "torch.compile compiles " + count_text(count, "time") + " in " +
                  count_text(steps, "recorded step");
  if (!compiles.empty()) finding.title += ", " + time_text(total_dur(context, compiles));
  finding.share = context.share(own);
  if (own > 0)
    finding.arithmetic =
        "GPU idle while compiling, or directly before the first call of a new graph: " +
        of_window(context, own);
  finding.evidence = compiles.empty() ? earliest(context, once) : longest(context, compiles);
  finding.occurrences = count;
  out.push_back(std::move(finding));
}

}  // namespace

std::vector<SliceId> graphs_used_once(const RuleContext& context) {
  std::vector<SliceId> out;
  for (const auto& [name, id] : used_once(context, named(context, kCall))) out.push_back(id);
  if (steps_touched(context, out) >= 2) return out;
  out = versions_used_once(context);
  return steps_touched(context, out) >= 2 ? out : std::vector<SliceId>{};
}

std::vector<Rule> compiled_rules() {
  return {
      {.id = "P1",
       .title = "Torch-Compiled Region",
       .looks_for = "Ranges named Torch-Compiled Region: K/M.",
       .means =
           "A call into compiled code. K counts the compiled frames, M the versions of one frame: "
           "a growing M means recompiling (X8).",
       .next = "Nothing.",
       .experiment = "Call with a new shape: M should grow by one, once.",
       .chapter = "",
       .apply = region,
       .information = true},
      {.id = "P2",
       .title = "TorchDynamo Cache Lookup each step",
       .looks_for = "Ranges named TorchDynamo Cache Lookup.",
       .means = "The guards are checked on every call: that compiled code may still be used.",
       .next =
           "Nothing, unless it takes longer than the work: then compile a larger piece at once.",
       .experiment = "Compile the caller instead: one lookup should remain.",
       .chapter = "",
       .apply = lookup,
       .information = true},
      {.id = "P3",
       .title = "AOTDispatcher prologue",
       .looks_for = "Ranges named AOTDispatcher Runtime Wrapper Prologue.",
       .means = "Arguments are unpacked and checked before the compiled graph runs.",
       .next = "Nothing.",
       .experiment = "Compare its time with the region's: it does not depend on tensor sizes.",
       .chapter = "",
       .apply = prologue,
       .information = true},
      {.id = "P4",
       .title = "CompiledFxGraph hash",
       .looks_for = "Ranges named ## Call CompiledFxGraph HASH ##.",
       .means = "The hash names the generated code. The same hash each step: the cache hits.",
       .next = "If hashes come and go, see X8.",
       .experiment = "Look for the hash in the compiler's cache folder: the code lies there.",
       .chapter = "",
       .apply = graph_hash,
       .information = true},
      {.id = "P5",
       .title = "Compiling costs CPU time per call",
       .looks_for =
           "Compiled regions that take the CPU five times as long as what they launch takes the "
           "GPU.",
       .means =
           "Guards, prologue and call cost 100 us or more a call, whatever the size: for tiny work "
           "more than eager does.",
       .next =
           "Compile more at once, use mode=\"reduce-overhead\" (a CUDA graph), or leave tiny work "
           "eager.",
       .experiment = "Record the same step eagerly and compare the CPU time of a step.",
       .chapter = "",
       .apply = tax_on_tiny_work,
       .information = true},
  };
}

Rule recompile_rule() {
  return {.id = "X8",
          .title = "Compiling inside recorded steps",
          .looks_for =
              "Events of torch.compile's own work inside the window, or a CompiledFxGraph whose "
              "hash, or a compiled region whose version, is new in each step.",
          .means =
              "A guard fails on each call: a changing shape, a number or list that is treated as a "
              "constant. Each new version costs from 0.1 s to minutes.",
          .next =
              "Run with TORCH_LOGS=recompiles to see which guard. Mark the changing size dynamic, "
              "pad to few sizes, or pass the number as a tensor.",
          .experiment =
              "Fix the input's shape and values: the compile events should vanish after the "
              "first step.",
          .chapter = "",
          .apply = recompiles};
}

}  // namespace tracebook
