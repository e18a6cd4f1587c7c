// SPDX-License-Identifier: Apache-2.0
//
// Writes a Trace as what Kineto writes for the same events, so that Perfetto, HTA and torch's own
// readers take it. What is written and read back is the same trace.
//
//   write_trace_file(trace, "traces/01_cold_trace/64_bf16_cold_eager.json");   // or .json.gz
//
// Args are written as they stand, so they must name the ids themselves; where there are none, the
// ids of the slice become its args. Times are microseconds with up to three decimals. Any thread;
// the trace must not change meanwhile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/trace/trace.h"

namespace tracebook {

std::string write_trace_text(const Trace& trace);

/// Gzip if the name ends in ".gz". The file appears whole or not at all (see file.h). However long
/// the trace, only some 256 KiB of its text are in memory at a time.
void write_trace_file(const Trace& trace, const std::filesystem::path& path);

}  // namespace tracebook
