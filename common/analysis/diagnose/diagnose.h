// SPDX-License-Identifier: Apache-2.0
//
// What holds the work back: one verdict with its arithmetic, and the findings of all rules, largest
// share first.
//
//   const Diagnosis diagnosis = diagnose(trace, structure);
//   std::cout << diagnosis_text(diagnosis, 80) << diagnosis_json(diagnosis);
//
// A value; trace and structure may go. Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/analysis/diagnose/finding.h"
#include "common/analysis/diagnose/rule.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

struct Diagnosis {
  /// "overhead-bound", "compute-bound", "memory-bound", "transfer-bound", "input-bound",
  /// "sync-bound", "mixed", or "unknown" where the trace cannot say (no device work).
  std::string verdict;
  std::string arithmetic;  ///< the figures that the verdict rests on, one or two sentences
  std::vector<Finding> findings;

  std::int64_t window_ns = 0;  ///< what the shares are of
  std::int64_t busy_ns = 0;    ///< of it, when `device` worked
  std::int32_t device = -1;    ///< the GPU that was looked at, -1 if none worked
  std::map<std::int32_t, std::int64_t> device_busy_ns;  ///< of each GPU, where there are several
  std::int32_t device_count = 0;
  std::int64_t steps = 0;
  Health health;
  std::vector<std::string> problems;  ///< what is wrong with the trace, a clause each
  std::vector<Issue> issues;          ///< what the reader repaired or skipped
};

Diagnosis diagnose(const Trace& trace, const Structure& structure);

/// For people: the verdict on top, then findings by share, each with its evidence; wrapped at
/// `width` columns (not below 40). Findings of severity kInfo are one line each unless `all`.
std::string diagnosis_text(const Diagnosis& diagnosis, std::size_t width, bool all = false);

/// {"schema":1,"verdict",…,"findings":[…],"health":{…}}, one line's end at the end.
std::string diagnosis_json(const Diagnosis& diagnosis);

/// All rules as Markdown: docs/cheatsheet.md.
std::string cheatsheet_markdown();

}  // namespace tracebook
