// SPDX-License-Identifier: Apache-2.0
//
// Reads single members out of an event's `args` text without parsing the whole of it, since most
// events' args are never looked at.
//
//   ArgsView args(trace.args(id));
//   args.integer("registers per thread");   // std::optional<std::int64_t>
//   args.dim3("grid");                       // {4, 2, 1}
//
// The text must be one JSON object (the reader and the profiler keep nothing else). Keys are
// matched at the top level only. A view: valid as long as the text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tracebook {

class ArgsView {
 public:
  explicit ArgsView(std::string_view object) : object_(object) {}

  /// JSON text of the value of `key`, as written, or nothing.
  [[nodiscard]] std::optional<std::string_view> raw(std::string_view key) const;
  /// A whole number (also one written as a string of digits); nothing for other values.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
  /// Any JSON number.
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  /// A string, unescaped.
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  /// An array of three whole numbers, such as "grid" and "block".
  [[nodiscard]] std::optional<std::array<std::int64_t, 3>> dim3(std::string_view key) const;

 private:
  std::string_view object_;
};

/// What stands between the quotes of a JSON string, unescaped.
std::string unescape_json(std::string_view inside);

/// `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
std::string json_quote(std::string_view text);
/// The same, behind what `out` holds.
void append_json_quoted(std::string& out, std::string_view text);

}  // namespace tracebook
