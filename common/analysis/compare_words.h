// SPDX-License-Identifier: Apache-2.0
//
// What a comparison says in words: times with their spread, the verdict's sentence, and what a
// reader must know to trust the figures.
//
//   spread_text(series);   // "193.1 ± 2.0 µs"
//   change_text(-0.034);   // "-3.4 %"
//
// For compare.cpp and those who print a Comparison. Plain functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "common/analysis/compare.h"

namespace tracebook {

/// "2.91 µs", "193.1 µs", "-12.3 ms", "1.20 s".
std::string duration_text(double ns);
/// A median with its spread, both in the median's unit: "193.1 ± 2.0 µs"; without the spread where
/// there is one value only.
std::string spread_text(const Series& series);
/// "+12 %", "-3.4 %".
std::string change_text(double share);
/// At most two decimals: "3", "0.33".
std::string number_text(double number);

std::string comparison_verdict(const Comparison& comparison);
std::vector<std::string> comparison_notes(const Comparison& comparison);

}  // namespace tracebook
