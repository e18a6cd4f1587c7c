// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer target: whatever the bytes, reading ends with a trace or an InputError, the same for
// any window, and what was read is written and read back as the same trace.
//
//   cmake -S . -B build-fuzz -DCMAKE_CXX_COMPILER=clang++-16 -DTRACEBOOK_FUZZ=ON …
//   build-fuzz/fuzz/reader_fuzz -max_total_time=300 -dict=common/trace/reader_fuzz.dict CORPUS
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "common/trace/error.h"
#include "common/trace/reader.h"
#include "common/trace/writer.h"

namespace {

using tracebook::ReadOptions;
using tracebook::ReadResult;

std::optional<ReadResult> read(std::string_view text, const ReadOptions& options) {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = read(text, {});
  const auto salvaged = read(text, {.salvage = true});
  if (result) {
    require(salvaged.has_value(), "what can be read can be salvaged");
    const auto windowed = read(text, {.window_bytes = 100});
    require(windowed.has_value(), "reading depends on the window");
    require(counts(*result) == counts(*windowed), "counts depend on the window",
            counts(*result) + " / " + counts(*windowed));
    const std::string difference = first_difference(result->trace, windowed->trace);
    require(difference.empty(), "the trace depends on the window", difference);
  }
  if (!salvaged) return 0;
  require(salvaged->exit_code == 0, "salvaging ends well");
  const std::string written = write_trace_text(salvaged->trace);
  const auto back = read(written, {});
  require(back.has_value(), "what was written can be read", written);
  const std::string difference = first_difference(salvaged->trace, back->trace);
  require(difference.empty(), "what was written is the same trace", difference + "\n" + written);
  return 0;
}
