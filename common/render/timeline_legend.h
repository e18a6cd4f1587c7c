// SPDX-License-Identifier: Apache-2.0
//
// The letters of the timeline's kernels, one for each name, and the list below the lanes that says
// what they stand for.
//
//   const KernelLetters letters(trace, all_work);
//   letters.of(kernel);  // 'A'
//   for (const std::string& line : kernel_legend(trace, structure, letters, work, {80, false})) …
//
// Refers to the trace, which must outlive it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

class KernelLetters {
 public:
  /// Letters in the order of appearance in `work`. If there are more than 26 names, the 26 that
  /// take longest get one.
  KernelLetters(const Trace& trace, std::span<const SliceId> work);

  static constexpr char kOther = '*';
  /// kOther for a name without a letter of its own.
  [[nodiscard]] char of(SliceId work) const;

 private:
  const Trace& trace_;
  std::map<StringId, char> letters_;
};

struct LegendForm {
  std::size_t width = 80;
  bool ascii = false;
};

/// A table of letter and name, count, total time and median delay (from the start of the launching
/// call to the start of the work) of `work`, which comes by start. The kernels that take longest
/// get a line each, the others share one. Empty without work.
std::vector<std::string> kernel_legend(const Trace& trace, const Structure& structure,
                                       const KernelLetters& letters, std::span<const SliceId> work,
                                       const LegendForm& form);

}  // namespace tracebook
