// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer target: whatever the bytes, reading ends with a trace or an InputError, the same for
// any window; what was read is written and read back as the same trace; and whatever says what a
// trace means ends as well. `make fuzz` runs it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "common/analysis/averages.h"
#include "common/analysis/compare.h"
#include "common/analysis/database.h"
#include "common/analysis/diagnose/diagnose.h"
#include "common/render/compact_table.h"
#include "common/render/compare_text.h"
#include "common/render/timeline.h"
#include "common/trace/error.h"
#include "common/trace/reader.h"
#include "common/trace/redact.h"
#include "common/trace/writer.h"

namespace {

using tracebook::Averages;
using tracebook::ReadOptions;
using tracebook::ReadResult;
using tracebook::Structure;
using tracebook::Trace;

/// Holds every input in one window, and is made faster than the default.
constexpr std::size_t kOneWindow = std::size_t{1} << 16U;

std::optional<ReadResult> read(std::string_view text, ReadOptions options) {
  if (options.window_bytes > kOneWindow) options.window_bytes = kOneWindow;
  try {
    return tracebook::read_trace_text(text, "fuzz", options);
  } catch (const tracebook::InputError&) {
    return std::nullopt;
  }
}

void require(bool holds, const char* what, const std::string& detail = "") {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s %s\n", what, detail.c_str());
  std::abort();
}

std::string counts(const ReadResult& result) {
  std::string out = std::to_string(result.events);
  for (const tracebook::Issue& issue : result.trace.issues) {
    out += ' ' + issue.kind + ' ' + std::to_string(issue.count);
  }
  return out;
}

void check_reading(std::string_view text, const ReadResult& result) {
  const auto windowed = read(text, {.window_bytes = 100});
  require(windowed.has_value(), "reading depends on the window");
  require(counts(result) == counts(*windowed), "counts depend on the window",
          counts(result) + " / " + counts(*windowed));
  const std::string difference = first_difference(result.trace, windowed->trace);
  require(difference.empty(), "the trace depends on the window", difference);
}

void check_writing(const Trace& trace) {
  const std::string written = write_trace_text(trace);
  const auto back = read(written, {});
  require(back.has_value(), "what was written can be read", written);
  const std::string difference = first_difference(trace, back->trace);
  require(difference.empty(), "what was written is the same trace", difference + "\n" + written);
}

void check_table(Averages averages) {
  sort_averages(averages, "cuda_time_total");
  require(!averages_json(averages).empty(), "a table as JSON");
  require(render_table(averages).empty() == averages.rows.empty(), "torch's table");
  require(!render_compact_table(averages, {}, 80).empty(), "a narrow table");
}

void check_tables(const Trace& trace, const Structure& structure) {
  check_table(key_averages(trace, structure));
  check_table(key_averages(trace, structure, {.by_step = true, .stats = true}));
  try {
    check_table(key_averages(trace, structure, {.by_shape = true}));
  } catch (const tracebook::InputError&) {
    // No shapes were recorded.
  }
}

void check_meaning(const Trace& trace, const Structure& structure) {
  const tracebook::Diagnosis diagnosis = diagnose(trace, structure);
  require(!diagnosis_text(diagnosis, 80, /*all=*/true).empty(), "a diagnosis as text");
  require(!diagnosis_json(diagnosis).empty(), "a diagnosis as JSON");
  require(!render_timeline(trace, structure).empty(), "a timeline");
  const tracebook::TraceView view{trace, structure, "fuzz"};
  const tracebook::Comparison comparison = compare_traces(view, view);
  require(!is_slower_by(comparison, 0), "no trace is slower than itself", comparison.verdict);
  require(!comparison_text(comparison).empty(), "a comparison as text");
  require(!comparison_json(comparison).empty(), "a comparison as JSON");
}

void check_queries(const Trace& trace, const Structure& structure) {
  const tracebook::Database database(trace, structure);
  for (const char* const view :
       {"slice", "op", "launch", "kernel", "step", "overhead", "average", "info"}) {
    const auto result = database.query(std::string("SELECT * FROM ") + view);
    require(!result.columns.empty(), "a view has columns", view);
  }
}

/// Last, since it changes the trace.
void check_redacted(Trace& trace, const Structure& structure) {
  const Averages before = key_averages(trace, structure);
  redact(trace, {.renumber = true, .hide_date = true});
  const Averages after = key_averages(trace, build_structure(trace));
  require(before.self_cpu_total_ns == after.self_cpu_total_ns &&
              before.self_device_total_ns == after.self_device_total_ns,
          "a redacted trace keeps its times");
  check_writing(trace);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = read(text, {});
  auto salvaged = read(text, {.salvage = true});
  if (result) {
    require(salvaged.has_value(), "what can be read can be salvaged");
    check_reading(text, *result);
  }
  if (!salvaged) return 0;
  require(salvaged->exit_code == 0, "salvaging ends well");
  check_writing(salvaged->trace);
  const Structure structure = build_structure(salvaged->trace);
  check_tables(salvaged->trace, structure);
  check_meaning(salvaged->trace, structure);
  check_queries(salvaged->trace, structure);
  check_redacted(salvaged->trace, structure);
  return 0;
}
