// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/diagnose/diagnose.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/analysis/diagnose/context.h"
#include "common/analysis/diagnose/rule_support.h"
#include "common/analysis/diagnose/verdict.h"

namespace tracebook {

Severity severity_of(double share) {
  if (share >= 0.10) return Severity::kWarning;
  return share >= 0.02 ? Severity::kAdvice : Severity::kInfo;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kAdvice:
      return "advice";
    case Severity::kWarning:
      return "warning";
  }
  return "info";
}

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> rules;
    const auto add = [&rules](std::vector<Rule> family) {
      rules.insert(rules.end(), family.begin(), family.end());
    };
    add(table_rules());
    add(cpu_rules());
    add(gpu_rules());
    add(chain_rules());
    add(compiled_rules());
    add(host_rules());
    add(product_rules());
    add({allocator_rule(), recompile_rule()});
    add(launch_rules());
    add(stream_rules());
    add({small_grid_rule()});
    add(trace_rules());
    return rules;
  }();
  return kRules;
}

Diagnosis diagnose(const Trace& trace, const Structure& structure) {
  const Averages averages = key_averages(trace, structure);
  const RuleContext context = build_context(trace, structure, averages);
  Diagnosis out;
  for (const Rule& rule : all_rules()) {
    const std::size_t before = out.findings.size();
    rule.apply(context, out.findings);
    for (std::size_t i = before; i < out.findings.size(); ++i) {
      Finding& finding = out.findings[i];
      finding.id = rule.id;
      finding.meaning = rule.means;
      if (finding.next.empty()) finding.next = rule.next;
      finding.experiment = rule.experiment;
      finding.chapter = rule.chapter;
      finding.share = std::clamp(finding.share, 0.0, 1.0);
      finding.severity = rule.information ? Severity::kInfo
                                          : std::max(finding.severity, severity_of(finding.share));
    }
  }
  // Ties keep the cheat sheet's order, but what needs action comes before what was only recognised.
  std::ranges::stable_sort(out.findings, [](const Finding& a, const Finding& b) {
    if (a.share != b.share) return a.share > b.share;
    return a.severity > b.severity;
  });
  std::tie(out.verdict, out.arithmetic) = judge(context);
  out.health = context.health;
  out.problems = health_problems(trace, context.health);
  out.window_ns = context.window_ns();
  out.busy_ns = context.busy_ns;
  out.device = context.device;
  out.device_count = context.device_count;
  out.device_busy_ns = context.device_busy_ns;
  out.steps = static_cast<std::int64_t>(context.step_count());
  for (const Issue& issue : trace.issues) out.issues.push_back(issue);
  return out;
}

}  // namespace tracebook
