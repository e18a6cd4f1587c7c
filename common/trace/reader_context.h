// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the reader share: the window on the text, the builder that takes events, and
// the ways to give up. Part of the reader; one per file that is read. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/trace/byte_source.h"
#include "common/trace/event_builder.h"
#include "common/trace/reader.h"
#include "common/trace/text_window.h"
#include "common/trace/tolerant_scanner.h"

namespace tracebook {

inline constexpr std::string_view kExpectedTrace =
    "expected a trace in Chrome's JSON format: an object with traceEvents, or a list of events";

struct ReaderContext {
  ReaderContext(ByteSource& bytes, std::string_view file, const ReadOptions& wishes, Trace& trace)
      : source(bytes),
        name(file),
        options(wishes),
        window(bytes, wishes.window_bytes),
        builder(trace, wishes) {}

  /// Steps over white space, filling as needed; '\0' at the end of the file (see ended()).
  char next_character();
  /// Whether nothing but the end of the file is left; asked after next_character().
  [[nodiscard]] bool ended() const { return window.text().empty(); }
  [[nodiscard]] std::uint64_t end_of_text() const { return window.offset() + window.text().size(); }
  void skip_rest();

  void note(const std::vector<Repair>& repairs);
  /// Text that cannot be understood, from the window's beginning on.
  void note_broken(const IssueKind& kind);

  /// The file ends inside what begins at the window's beginning: an InputError, or, when salvaging,
  /// a warning. `where` is "inside an event" or the like.
  void report_cut(const std::string& where);
  /// InputError if the compressed data ended early, unless salvaging.
  void fail_if_cut_gzip() const;
  [[noreturn]] void fail(const std::string& what) const;

  ByteSource& source;
  std::string name;
  const ReadOptions& options;
  TextWindow window;
  EventBuilder builder;
  bool in_object = false;   ///< else the file is a bare list
  bool has_events = false;  ///< the list has begun
  std::int64_t broken = 0;  ///< stretches of text that could not be understood
};

}  // namespace tracebook
