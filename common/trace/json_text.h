// SPDX-License-Identifier: Apache-2.0
//
// The grammar of JSON text, piece by piece, for code that keeps text and looks into it now and
// then: the reader, mostly. Members are looked up with ArgsView; whole documents of ours go through
// nlohmann/json.
//
//   is_json_number("1e5");                    // true
//   std::size_t end = skip_json_value(text, at);
//
// Plain functions of texts; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tracebook {

constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The first place from `at` on that holds no white space, or the text's size.
inline std::size_t skip_json_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_space(text[at])) ++at;
  return at;
}

/// Behind the closing quote of the string that begins at `at`, or npos.
inline std::size_t skip_json_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

/// Behind the value that begins at `at`, or npos where the text ends first. Brackets and strings
/// are followed, the rest is not examined: for text known to be well formed.
std::size_t skip_json_value(std::string_view text, std::size_t at);

/// Behind the number that begins at `at`, as JSON spells numbers, or null. Reads up to the first
/// character that cannot belong to it: the text must end with one.
inline const char* skip_json_number(const char* at) {
  if (*at == '-') ++at;
  if (*at == '0') {
    ++at;
  } else if (is_digit(*at)) {
    while (is_digit(*at)) ++at;
  } else {
    return nullptr;
  }
  if (*at == '.') {
    if (!is_digit(*++at)) return nullptr;
    while (is_digit(*at)) ++at;
  }
  if (*at == 'e' || *at == 'E') {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    if (!is_digit(*at)) return nullptr;
    while (is_digit(*at)) ++at;
  }
  return at;
}
bool is_json_number(std::string_view text);

/// Whether every backslash begins an escape that JSON knows. For text whose backslashes all stand
/// in strings.
bool has_valid_escapes(std::string_view text);

/// A whole number, also one between quotes; nothing if it is none or does not fit.
std::optional<std::int64_t> parse_integer(std::string_view text);
/// The same for short runs of digits, which most are, without a call.
inline std::optional<std::int64_t> parse_short_integer(std::string_view text) {
  constexpr std::size_t kSafeDigits = 18;
  if (text.empty() || text.size() > kSafeDigits) return parse_integer(text);
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return parse_integer(text);
    value = value * 10 + (c - '0');
  }
  return value;
}

/// Length of the UTF-8 character at `at`; 0 if the bytes there are none.
std::size_t utf8_length(std::string_view text, std::size_t at);
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

/// Appends the escape of a character below space.
void append_control_escape(std::string& out, char c);

}  // namespace tracebook
