// SPDX-License-Identifier: Apache-2.0
//
// What is mended where clocks disagree: calls that seem to begin before the op that made them, and
// device work that seems to last far beyond the next work of its stream. A part of
// build_structure().
//
//   adopt_crossing_calls(trace, structure);            // before device work is attributed
//   structure.overruns = find_overruns(trace, structure);  // when launches are known
//
// Plain functions, usable from any thread.
#pragma once

#include <vector>

#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

/// API calls are timed by CUPTI, ops by the CPU's clock; these differ by some hundred ns, so that a
/// call may cross the start or the end of its op. Such a call gets that op, and its step, unless
/// its External id names another.
void adopt_crossing_calls(const Trace& trace, Structure& structure);

/// A stream runs one piece of work after another. Work of which more than four fifths, and more
/// than 100 us, lie beyond the start of the next is an overrun (ROCm records them, by seconds).
/// Small overlaps are normal, and so are any within a graph's replay or between two processes
/// whose streams have one number.
std::vector<Structure::CutEnd> find_overruns(const Trace& trace, const Structure& structure);

}  // namespace tracebook
