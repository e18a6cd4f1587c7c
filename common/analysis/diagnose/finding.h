// SPDX-License-Identifier: Apache-2.0
//
// What a rule says of a trace: a pattern that it found, the evidence, and how much of the recorded
// window would at most vanish if its cause did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/trace/trace.h"

namespace tracebook {

/// By share: below 2 % kInfo, from 2 % kAdvice, from 10 % kWarning. A pattern that is only
/// recognised has share 0.
enum class Severity : std::uint8_t { kInfo, kAdvice, kWarning };

/// "info", "advice", "warning".
std::string_view severity_name(Severity severity);

/// One event that the reader can look up in the trace.
struct Evidence {
  std::string name;
  std::int64_t ts_ns = 0;  ///< from the trace's first timed event
  std::int64_t dur_ns = 0;
  std::optional<std::int64_t> step;  ///< N of ProfilerStep#N
};

struct Finding {
  std::string id;     ///< of the rule: "X4"
  std::string title;  ///< one line, with this trace's figures
  Severity severity = Severity::kInfo;
  double share = 0;        ///< of the recorded window, 0 to 1
  std::string arithmetic;  ///< how the share was reckoned, with its numbers; "" where share is 0
  std::string meaning;
  std::string next;                ///< what to try
  std::string experiment;          ///< what would confirm or refute it
  std::string chapter;             ///< stem of the chapter that teaches it, "" if none does yet
  std::vector<Evidence> evidence;  ///< the most telling first, a handful
  std::int64_t occurrences = 0;    ///< how many there are in all
};

/// kInfo below 2 %, kAdvice from 2 %, kWarning from 10 %.
Severity severity_of(double share);

}  // namespace tracebook
