// SPDX-License-Identifier: Apache-2.0
#include "common/trace/json_text.h"

#include <algorithm>
#include <charconv>

namespace tracebook {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Whether four hexadecimal digits stand at `at`.
bool has_hex4(std::string_view text, std::size_t at) {
  const std::string_view digits = text.substr(std::min(at, text.size()), 4);
  return digits.size() == 4 && std::all_of(digits.begin(), digits.end(), is_hex);
}

bool is_simple_escape(char letter) {
  return letter != 0 && std::string_view("\"\\/bfnrt").find(letter) != kNone;
}

}  // namespace

std::size_t skip_json_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_json_string(text, at);
      if (at == kNone || depth == 0) return at;
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;  // the end of what the value stands in
      ++at;
      if (--depth == 0) return at;
    } else if (depth > 0) {
      ++at;
    } else {
      while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']' &&
             !is_json_space(text[at])) {
        ++at;
      }
      return at;
    }
  }
  return kNone;
}

bool is_json_number(std::string_view text) {
  const std::string ended(text);  // what follows a view may go on with digits
  return skip_json_number(ended.c_str()) == ended.c_str() + ended.size();
}

bool has_valid_escapes(std::string_view text) {
  std::size_t at = text.find('\\');
  while (at != kNone) {
    if (++at == text.size()) return false;
    if (text[at] == 'u') {
      if (!has_hex4(text, at + 1)) return false;
    } else if (!is_simple_escape(text[at])) {
      return false;
    }
    at = text.find('\\', at + 1);
  }
  return true;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [text, at](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto is_tail = [&byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return is_tail(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return is_tail(1) && is_tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first < 0xF5) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) >= 0x90;
    return is_tail(1) && is_tail(2) && is_tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

void append_control_escape(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default: {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      out += "\\u00";
      out += kHex[code >> 4U];
      out += kHex[code & 0xFU];
    }
  }
}

}  // namespace tracebook
