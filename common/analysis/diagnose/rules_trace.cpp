// SPDX-License-Identifier: Apache-2.0
//
// X14, X15: the trace itself, and cold starts inside it.
#include <algorithm>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

void unhealthy_trace(const RuleContext& context, std::vector<Finding>& out) {
  const Health& health = context.health;
  std::string says;
  const auto add = [&says](std::int64_t count, std::string_view singular, std::string_view plural) {
    if (count == 0) return;
    if (!says.empty()) says += ", ";
    says += count_text(count, singular, plural);
  };
  add(health.launches_without_work, "launch without its device record",
      "launches without their device records");
  add(health.impossible_times, "impossible time", "impossible times");
  add(health.starts_before_launch, "kernel before its launch", "kernels before their launches");
  add(health.overlaps_on_stream, "overlap on a stream", "overlaps on a stream");
  add(health.work_without_launch_inside, "piece of device work without its launch",
      "pieces of device work without their launches");
  for (const Issue& issue : context.trace.issues) {
    if (!says.empty()) says += ", ";
    says += std::to_string(issue.count) + " " + issue.kind;
  }
  if (says.empty()) return;
  Finding finding;
  finding.title = says;
  if (health.records_lost() || health.impossible_times > 0) finding.severity = Severity::kAdvice;
  std::vector<SliceId> shown;
  for (SliceId id = 0; id < context.trace.slices.size() && shown.size() < 5; ++id) {
    if (has_impossible_time(context.trace, id)) shown.push_back(id);
  }
  for (const SliceId id : context.api_calls) {
    if (shown.size() >= 5 || !health.records_lost()) break;
    if (context.is(id, kLaunch) && context.structure.launched_by(id).empty()) {
      shown.push_back(id);
    }
  }
  finding.evidence = earliest(context, shown);
  finding.occurrences = health.launches_without_work + health.impossible_times +
                        health.starts_before_launch + health.overlaps_on_stream +
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
           "Launches without device records, times that no clock gave, kernels before their "
           "launches, overlaps on a stream, device work without a launch, what the reader "
           "repaired.",
       .means =
           "Records were lost or clocks disagree: sums may be too low and gaps too wide. Device "
           "work "
           "that was launched before the recording began is normal, and so are a few overlaps on a "
           "stream.",
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
