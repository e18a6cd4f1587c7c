// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "common/analysis/diagnose/diagnose.h"

namespace tracebook {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000.0; }

Json json_of(const Evidence& evidence) {
  Json out;
  out["name"] = evidence.name;
  out["ts_us"] = microseconds(evidence.ts_ns);
  out["dur_us"] = microseconds(evidence.dur_ns);
  out["step"] = evidence.step ? Json(*evidence.step) : Json(nullptr);
  return out;
}

Json json_of(const Finding& finding) {
  Json out;
  out["id"] = finding.id;
  out["title"] = finding.title;
  out["severity"] = severity_name(finding.severity);
  out["share"] = finding.share;
  out["arithmetic"] = finding.arithmetic;
  out["meaning"] = finding.meaning;
  out["next"] = finding.next;
  out["experiment"] = finding.experiment;
  out["chapter"] = finding.chapter;
  out["occurrences"] = finding.occurrences;
  out["evidence"] = Json::array();
  for (const Evidence& each : finding.evidence) out["evidence"].push_back(json_of(each));
  return out;
}

Json json_of(const Health& health, const std::vector<std::string>& problems,
             const std::vector<Issue>& issues) {
  Json out;
  out["device_work"] = health.device_work;
  out["launches"] = health.launches;
  out["launches_without_work"] = health.launches_without_work;
  out["launches_unlinked"] = health.launches_unlinked;
  out["launches_at_end"] = health.launches_at_end;
  out["short_replays"] = health.short_replays;
  out["work_without_launch"] = health.work_without_launch;
  out["work_without_launch_inside"] = health.work_without_launch_inside;
  out["impossible_times"] = health.impossible_times;
  out["starts_before_launch"] = health.starts_before_launch;
  out["starts_long_before_launch"] = health.starts_long_before_launch;
  out["starts_long_after_launch"] = health.starts_long_after_launch;
  out["overlaps_on_stream"] = health.overlaps_on_stream;
  out["overruns"] = health.overruns;
  out["orphan_flows"] = health.orphan_flows;
  out["uncategorised"] = health.uncategorised;
  out["unplaced"] = health.unplaced;
  out["problems"] = problems;
  out["issues"] = Json::array();
  for (const Issue& issue : issues) {
    out["issues"].push_back({{"kind", issue.kind},
                             {"says", issue.says},
                             {"count", issue.count},
                             {"first_offset", issue.first_offset}});
  }
  return out;
}

}  // namespace

std::string diagnosis_json(const Diagnosis& diagnosis) {
  Json out;
  out["schema"] = 1;
  out["verdict"] = diagnosis.verdict;
  out["arithmetic"] = diagnosis.arithmetic;
  out["window_us"] = microseconds(diagnosis.window_ns);
  out["gpu_busy_us"] = microseconds(diagnosis.busy_ns);
  out["gpu"] = diagnosis.device;
  out["steps"] = diagnosis.steps;
  out["findings"] = Json::array();
  for (const Finding& finding : diagnosis.findings) out["findings"].push_back(json_of(finding));
  out["health"] = json_of(diagnosis.health, diagnosis.problems, diagnosis.issues);
  // A trace's names may hold bytes that are no UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tracebook
