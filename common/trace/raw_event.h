// SPDX-License-Identifier: Apache-2.0
//
// One event as text: what the window parser finds and the event builder turns into columns. Part of
// the reader. Views into the window; valid until the next event.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/trace/trace.h"

namespace tracebook {

/// A member's value: a string (without its quotes, escapes as written), a number or literal, or
/// something with brackets.
struct RawText {
  enum class Kind : std::uint8_t { kAbsent, kString, kScalar, kBrackets };
  std::string_view text;
  Kind kind = Kind::kAbsent;

  [[nodiscard]] bool given() const {
    return kind == Kind::kString || (kind == Kind::kScalar && text != "null");
  }
};

struct RawEvent {
  std::uint64_t offset = 0;  ///< where it begins, in the uncompressed file
  bool empty = false;        ///< {}
  bool bad_args = false;     ///< args that are neither an object nor null
  bool escaped = false;      ///< holds a backslash somewhere
  RawText phase;
  RawText name;
  RawText category;
  RawText pid;
  RawText tid;
  RawText ts;
  RawText dur;
  RawText id;
  RawText scope;          ///< "s"
  RawText binding;        ///< "bp"
  std::string_view args;  ///< text of the args object, or ""
  std::int64_t correlation = kNoId;
  std::int64_t external_id = kNoId;
  std::int64_t device = kNoId;
};

}  // namespace tracebook
