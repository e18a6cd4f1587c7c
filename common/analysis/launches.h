// SPDX-License-Identifier: Apache-2.0
//
// The calls that start work on the GPU, and those that should have.
//
//   for (SliceId call : find_launches(trace, structure)) …
//
// Plain functions, usable from any thread.
#pragma once

#include <vector>

#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

/// Calls of CUDA's or HIP's runtime or driver that own device work, and those whose name says that
/// they put work on a stream though the trace lacks it (captured into a graph, out of the recorded
/// window, lost). A runtime call and the driver call inside it are one launch: that which owns the
/// work, or the outer one. In file order.
std::vector<SliceId> find_launches(const Trace& trace, const Structure& structure);

}  // namespace tracebook
