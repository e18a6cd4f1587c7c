// SPDX-License-Identifier: Apache-2.0
//
// The fast way through a window of events: simdjson finds the brackets, commas and quotes of the
// whole window at once (and checks UTF-8 and control bytes); a walk over their places hands over
// event after event. It is strict: whatever is not JSON, in args too, makes it stop before the
// event, and the tolerant scanner takes over. Part of the reader.
//
//   WindowParser parser;
//   const WindowResult result = parser.parse(text, offset, false, builder);
//   text.remove_prefix(result.consumed);
//
// The text must be followed by TextWindow::kPadding readable bytes, the first of which is a space,
// a comma or a zero. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace tracebook {

/// How many lists and objects within one another a member of an event may have.
inline constexpr std::size_t kDeepestMember = 1000;

class EventBuilder;

enum class WindowEnd : std::uint8_t {
  kMore,        ///< the text ends, perhaps inside an event
  kArrayEnd,    ///< the bracket behind the last event was consumed
  kRefused,     ///< what follows is not strictly JSON
  kOpenString,  ///< nothing consumed: the text ends inside a string
};

struct WindowResult {
  std::size_t consumed = 0;  ///< whole events and commas
  WindowEnd end = WindowEnd::kMore;
  bool after_event = false;  ///< a comma or the end of the array comes next
};

class WindowParser {
 public:
  WindowParser();
  WindowParser(const WindowParser&) = delete;
  WindowParser& operator=(const WindowParser&) = delete;
  ~WindowParser();

  /// `offset` is where the text begins in the file. `after_event`: whether it follows an event.
  WindowResult parse(std::string_view text, std::uint64_t offset, bool after_event,
                     EventBuilder& builder);

 private:
  class Tokens;
  std::unique_ptr<Tokens> tokens_;
};

}  // namespace tracebook
