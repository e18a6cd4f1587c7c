// SPDX-License-Identifier: Apache-2.0
//
// All steps of a trace to one scale, so that a wide one looks wide.
//
//   draw_overview(page, trace, structure);
//
// The trace must have at least one step.
#pragma once

#include "common/render/timeline_page.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

/// A lane with the steps and what lies outside them, and a lane with how busy the GPUs were.
void draw_overview(TimelinePage& page, const Trace& trace, const Structure& structure);

/// A line on the steps beyond `max_steps`; nothing if there are none.
void sum_up_further_steps(TimelinePage& page, const Trace& trace, const Structure& structure,
                          const TimelineOptions& options);

}  // namespace tracebook
