// SPDX-License-Identifier: Apache-2.0
//
// Makes the RuleContext: the recorded window, what the GPU did in it, and one cause for each idle
// nanosecond.
//
//   const Averages averages = key_averages(trace, structure);
//   const RuleContext context = build_context(trace, structure, averages);
//
// The result refers to the three arguments, which must outlive it.
#pragma once

#include "common/analysis/diagnose/rule.h"

namespace tracebook {

RuleContext build_context(const Trace& trace, const Structure& structure, const Averages& averages);

/// Fills `idle_by_cause` (idle.cpp); the rest of the context must stand.
void attribute_idle(RuleContext& context);

/// `from` without the times of `without`.
Intervals subtract(const Intervals& from, const Intervals& without);

/// A copy from or to memory that is not pinned, larger than what a scalar's `.item()` moves.
bool is_pageable_copy(const RuleContext& context, SliceId work);
/// A kernel that only changes the order of data: cuDNN's conversions, strided copies, and copies
/// under contiguous, clone or reshape.
bool is_layout_copy(const RuleContext& context, SliceId work);
/// A kernel of 20 us or more with fewer blocks than half of the multiprocessors.
bool has_small_grid(const RuleContext& context, SliceId kernel);
/// Whether an op or annotation with this role stands around a piece of device work or a call.
bool is_under(const RuleContext& context, SliceId id, Role role);
/// "bytes" of a copy; 0 where it does not say.
std::int64_t copied_bytes(const RuleContext& context, SliceId work);

}  // namespace tracebook
