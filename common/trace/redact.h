// SPDX-License-Identifier: Apache-2.0
//
// Takes out of a trace what its owner may not want to show: paths, names of hosts, users and jobs,
// Python frames, ranges' names, free text. Times, structure, ids, counts, kernels' and ops' names
// stay, so that every table and diagnosis of the trace stays the same. docs/redact.md says exactly
// what goes and what stays.
//
//   const std::vector<TakenOut> taken_out = redact(trace);
//   write_trace_file(trace, "for_the_bug_report.json.gz");
//
// What is not known to be torch's, CUDA's or the profiler's own goes, not what is known to be
// secret. The same text has the same stand-in everywhere ("annotation 1"). Any thread; the trace
// must not be used meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/trace/trace.h"

namespace tracebook {

struct RedactOptions {
  bool keep_annotations = false;  ///< names of record_function ranges stay, but for paths in them
  bool renumber = false;          ///< other pids and tids
  bool hide_date = false;         ///< times count from the first event, at 1 ms
};

/// One text that was taken out.
struct TakenOut {
  std::string what;     ///< "annotation", "python frame", "path", "text", …
  std::string text;     ///< as it stood
  std::string instead;  ///< what stands there now; "" where nothing does
  std::int64_t count = 0;
};

/// In order of appearance.
std::vector<TakenOut> redact(Trace& trace, const RedactOptions& options = {});

}  // namespace tracebook
