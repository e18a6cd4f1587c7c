// SPDX-License-Identifier: Apache-2.0
//
// A comparison of two traces for people: verdict, figures per step, what changed on the GPU and on
// the CPU, and the kernels that took another's place.
//
//   const Comparison comparison = compare_traces(a, b);
//   std::cout << comparison_text(comparison, {.width = 80, .row_limit = 20});
//
// Plain function on values, usable from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "common/analysis/compare.h"

namespace tracebook {

struct CompareTextOptions {
  std::size_t width = 80;  ///< no line is longer; not below 40; below 60 rows show the change only
  std::size_t row_limit = 20;  ///< rows of each table
  bool ascii = false;
};

std::string comparison_text(const Comparison& comparison, const CompareTextOptions& options = {});

}  // namespace tracebook
