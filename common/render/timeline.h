// SPDX-License-Identifier: Apache-2.0
//
// The trace as a picture in the terminal: an overview of all steps to one scale, then each step by
// itself: the CPU's ranges by depth, its CUDA calls, what the profiler cost, and the GPU's streams.
//
//   std::cout << render_timeline(trace, structure, {.width = 80});
//
// A kernel is drawn in the step that launched it, also when it ran later, and has the letter of the
// call that launched it. A trace without steps is one picture. Lines are never longer than `width`,
// and their number does not grow with the trace. A function of values, usable from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

struct TimelineOptions {
  int width = 80;                              ///< columns, 40 to 400
  bool color = false;                          ///< ANSI colours, as decoration
  bool ascii = false;                          ///< no box-drawing characters
  int max_steps = 5;                           ///< further steps are summed up in a line
  std::optional<std::int64_t> only_step = {};  ///< number N of ProfilerStep#N
};

std::string render_timeline(const Trace& trace, const Structure& structure,
                            const TimelineOptions& options = {});

}  // namespace tracebook
