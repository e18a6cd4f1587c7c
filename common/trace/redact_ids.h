// SPDX-License-Identifier: Apache-2.0
//
// What redaction takes out of a trace's numbers where it is asked to: pids and tids, and the date.
// Part of redact(). One thread.
#pragma once

#include "common/trace/trace.h"

namespace tracebook {

/// Gives the processes and threads of the CPU new numbers, from 1000 on by appearance. Lanes of
/// GPUs and numbers below 64 stay: the one are devices and streams, the other say nothing.
void renumber(Trace& trace);

/// Moves all times so that the first event stands at 1 ms, with no base time.
void hide_date(Trace& trace);

}  // namespace tracebook
