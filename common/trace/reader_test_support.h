// SPDX-License-Identifier: Apache-2.0
//
// What the reader's tests share: small texts with events in them, and what became of them.
//
//   const Read read = read_text(in_object(R"({"ph":"X","name":"a","ts":1,"dur":2})"));
//   EXPECT_EQ(read.names(), "a");
//
// With TRACEBOOK_SEEDS=FOLDER in the environment each small text becomes a file there as well: what
// the fuzzer begins with. Plain functions; any thread.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/trace/reader.h"

namespace tracebook {

/// Either a result or the message and exit code of an error.
struct Read {
  ReadResult result;
  std::string error;
  int exit_code = 0;

  [[nodiscard]] const Trace& trace() const { return result.trace; }
  /// Names of all slices, in order, with commas.
  [[nodiscard]] std::string names() const {
    std::string out;
    for (SliceId id = 0; id < trace().slices.size(); ++id) {
      if (id > 0) out += ',';
      out += trace().name(id);
    }
    return out;
  }
  /// Kinds of all issues with their counts: "bare_nan 2,bad_utf8 1".
  [[nodiscard]] std::string issues() const {
    std::string out;
    for (const Issue& issue : trace().issues) {
      if (!out.empty()) out += ',';
      out += issue.kind + ' ' + std::to_string(issue.count);
    }
    return out;
  }
};

inline void keep_as_seed(std::string_view text) {
  constexpr std::size_t kSmall = 4096;
  const char* const folder = std::getenv("TRACEBOOK_SEEDS");
  if (folder == nullptr || text.size() > kSmall) return;
  const std::string name = std::to_string(std::hash<std::string_view>()(text));
  write_file(std::filesystem::path(folder) / name, text);
}

inline Read read_text(std::string_view text, const ReadOptions& options = {}) {
  keep_as_seed(text);
  Read read;
  try {
    read.result = read_trace_text(text, "t.json", options);
    read.exit_code = read.result.exit_code;
  } catch (const Error& error) {
    read.error = error.what();
    read.exit_code = error.exit_code();
  }
  return read;
}
inline Read salvage(std::string_view text) { return read_text(text, {.salvage = true}); }

/// A range of 2 µs. `members` goes before the rest: `"args":{}`.
inline std::string range(std::string_view name, std::int64_t ts, std::string_view members = "") {
  std::string out = "{";
  if (!members.empty()) out += std::string(members) + ",";
  out += R"("ph":"X","cat":"cpu_op","name":")" + std::string(name) + R"(","pid":1,"tid":2,"ts":)" +
         std::to_string(ts) + R"(,"dur":2})";
  return out;
}
inline std::string in_object(std::string_view events) {
  return R"({"schemaVersion":1,"traceEvents":[)" + std::string(events) + "]}";
}
inline std::string in_list(std::string_view events) { return "[" + std::string(events) + "]"; }
/// Three events: one before and one behind `event`.
inline std::string between(std::string_view event) {
  return range("first", 10) + ",\n" + std::string(event) + ",\n" + range("last", 90);
}

/// A range on that lane; `pid`, `tid` and `args` as JSON.
inline std::string on(const std::string& category, const std::string& pid, const std::string& tid,
                      const std::string& args = "{}") {
  return R"({"ph":"X","cat":")" + category + R"(","name":"x","pid":)" + pid + R"(,"tid":)" + tid +
         R"(,"ts":1,"dur":1,"args":)" + args + "}";
}

}  // namespace tracebook
