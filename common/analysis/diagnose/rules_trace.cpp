// SPDX-License-Identifier: Apache-2.0
//
// X14, X15: the trace itself, and cold starts inside it.
#include <algorithm>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

constexpr std::size_t kShown = 5;

void unhealthy_trace(const RuleContext& context, std::vector<Finding>& out) {
  const Health& health = context.health;
  const std::vector<std::string> problems = health_problems(context.trace, health);
  if (problems.empty()) return;
  Finding finding;
  for (const std::string& problem : problems) {
    if (!finding.title.empty()) finding.title += "; ";
    finding.title += problem;
  }
  if (health.records_lost() || health.times_impossible() || health.undecided_work > 0)
    finding.severity = Severity::kAdvice;
  std::vector<SliceId> shown = health.impossible;
  for (const Structure::CutEnd& overrun : context.structure.overruns) {
    if (shown.size() < kShown) shown.push_back(overrun.id);
  }
  for (const SliceId id : health.lost_launches) {
    if (shown.size() < kShown) shown.push_back(id);
  }
  for (const SliceId id : health.waiting_for_unseen) {
    if (shown.size() < kShown) shown.push_back(id);
  }
  finding.evidence = earliest(context, shown);
  finding.occurrences = health.launches_without_work + health.undecided_work +
                        health.waits_for_unseen + health.short_replays + health.impossible_times +
                        health.overruns + health.starts_before_launch + health.overlaps_on_stream +
                        health.work_without_launch_inside;
  out.push_back(std::move(finding));
}

void loading_inside_steps(const RuleContext& context, std::vector<Finding>& out) {
  const std::int64_t own = context.idle_ns(IdleCause::kLoading);
  std::vector<SliceId> ops;
  for (SliceId id = 0; id < context.loading_op.size(); ++id) {
    if (context.loading_op[id]) ops.push_back(id);
  }
  std::vector<SliceId> records;
  for (const SliceId id : context.overheads) {
    if (context.is(id, kLoadingRecord)) records.push_back(id);
  }
  if (own == 0 && records.empty()) return;
  Finding finding;
  finding.title = "Code is loaded inside recorded steps";
  if (!ops.empty())
    finding.title += ", in " + count_text(static_cast<std::int64_t>(ops.size()), "op");
  if (!records.empty()) {
    finding.title += "; " +
                     count_text(static_cast<std::int64_t>(records.size()), "loading record") +
                     ", " + time_text(total_dur(context, records));
  }
  finding.share = context.share(own);
  if (own > 0) {
    finding.arithmetic =
        "GPU idle while ops that loaded code were open (opening the libraries "
        "included): " +
        of_window(context, own);
  }
  finding.evidence = longest(context, ops.empty() ? records : ops);
  finding.occurrences = static_cast<std::int64_t>(ops.empty() ? records.size() : ops.size());
  out.push_back(std::move(finding));
}

}  // namespace

std::vector<Rule> trace_rules() {
  return {
      {.id = "X14",
       .title = "An unhealthy trace",
       .looks_for =
           "Launches without device records, waits for a GPU that shows no work, no device work at "
           "all, times that no clock gave, "
           "kernels before their launches or far beyond the start of the next, overlaps on a "
           "stream, device work without a launch, what the reader repaired.",
       .means =
           "Records were lost or clocks disagree: sums may be too low, and what looks like an idle "
           "GPU may be none. Device work that was launched before the recording began is normal, "
           "and so are a few overlaps on a stream.",
       .next = "Record fewer steps, or larger buffers; run tracebook info for the details.",
       .experiment = "Record again with active=1: the counts should be 0.",
       .chapter = "",
       .apply = unhealthy_trace},
      {.id = "X15",
       .title = "Loading and compiling inside recorded steps",
       .looks_for = "Lazy Function Loading and Module Loading records, module-load calls, first "
                    "allocations; an op that holds one counts whole.",
       .means =
           "CUDA loads each kernel's code when it is first used, and libraries set themselves up: "
           "once per process, not per step.",
       .next = "Warm up before recording. If start-up time itself matters, load ahead "
               "(CUDA_MODULE_LOADING=EAGER) or in the background.",
       .experiment =
           "Run the step ten times before the profiler starts: the records should vanish.",
       .chapter = "02_warmup",
       .apply = loading_inside_steps},
  };
}

}  // namespace tracebook
