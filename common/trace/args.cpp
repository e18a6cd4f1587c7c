// SPDX-License-Identifier: Apache-2.0
#include "common/trace/args.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "common/trace/json_text.h"

namespace tracebook {
namespace {

constexpr std::size_t kEnd = std::string_view::npos;
constexpr std::uint32_t kReplacement = 0xFFFD;  // stands for what is no character

std::string_view without_space(std::string_view text) {
  text.remove_prefix(skip_json_space(text, 0));
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Behind the closing bracket of the object or array that begins at `at`.
std::size_t skip_brackets(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      at = skip_json_string(text, at);
      if (at == kEnd) return kEnd;
      continue;
    }
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') --depth;
    ++at;
    if (depth == 0) return at;
  }
  return kEnd;
}

/// Behind the value that begins at `at`; kEnd if there is none.
std::size_t skip_value(std::string_view text, std::size_t at) {
  if (at >= text.size()) return kEnd;
  if (text[at] == '"') return skip_json_string(text, at);
  if (text[at] == '{' || text[at] == '[') return skip_brackets(text, at);
  const std::size_t begin = at;
  while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']' &&
         !is_json_space(text[at])) {
    ++at;
  }
  return at == begin ? kEnd : at;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  const auto tail = [&](int shift) { byte(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12));
    tail(6);
    tail(0);
  } else {
    byte(0xF0U | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// The four hexadecimal digits at `at`, or nothing.
std::optional<std::uint32_t> hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  const char* const end = text.data() + at + 4;
  std::uint32_t code = 0;
  if (std::from_chars(text.data() + at, end, code, 16).ptr != end) return std::nullopt;
  return code;
}

/// The character of the "\u" escape whose digits begin at `at`, and where it ends.
std::pair<std::uint32_t, std::size_t> escaped_character(std::string_view text, std::size_t at) {
  const auto first = hex4(text, at);
  if (!first) return {kReplacement, at};
  at += 4;
  if (*first < 0xD800 || *first > 0xDFFF) return {*first, at};
  // Characters beyond 16 bits come as two escapes: a high surrogate, then a low one.
  if (*first < 0xDC00 && text.substr(at, 2) == "\\u") {
    const auto second = hex4(text, at + 2);
    if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
      return {0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00), at + 6};
    }
  }
  return {kReplacement, at};
}

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"';
}

std::optional<std::int64_t> whole(std::string_view text) {
  if (is_quoted(text)) text = text.substr(1, text.size() - 2);
  const char* const end = text.data() + text.size();
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// Length of the UTF-8 character at `at`, or 0 if the bytes there are none. `bad` is then how many
/// bytes one replacement stands for: as much as could have begun a character.
std::size_t utf8_length(std::string_view text, std::size_t at, std::size_t& bad) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  bad = 1;
  std::size_t length = 0;
  // Bounds of the second byte: they exclude longer forms than needed, surrogates, and what lies
  // beyond U+10FFFF.
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (length == 0 || byte(1) < low || byte(1) > high) return 0;
  for (bad = 2; bad < length; ++bad) {
    if (byte(bad) < 0x80 || byte(bad) > 0xBF) return 0;
  }
  return length;
}

/// ASCII that stands for itself in a JSON string.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte <= 0x7F && c != '"' && c != '\\';
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    default:
      out += "\\u00";
      out += kHex[static_cast<std::size_t>(c) >> 4];
      out += kHex[static_cast<std::size_t>(c) & 0xF];
  }
}

}  // namespace

std::optional<std::string_view> ArgsView::raw(std::string_view key) const {
  std::size_t at = skip_json_space(object_, 0);
  if (at >= object_.size() || object_[at] != '{') return std::nullopt;
  while (true) {
    at = skip_json_space(object_, at + 1);
    if (at >= object_.size() || object_[at] != '"') return std::nullopt;
    const std::size_t key_end = skip_json_string(object_, at);
    if (key_end == kEnd) return std::nullopt;
    const std::string_view name = object_.substr(at + 1, key_end - at - 2);
    at = skip_json_space(object_, key_end);
    if (at >= object_.size() || object_[at] != ':') return std::nullopt;
    at = skip_json_space(object_, at + 1);
    const std::size_t end = skip_value(object_, at);
    if (end == kEnd) return std::nullopt;
    const bool found = name.find('\\') == kEnd ? name == key : unescape_json(name) == key;
    if (found) return object_.substr(at, end - at);
    at = skip_json_space(object_, end);
    if (at >= object_.size() || object_[at] != ',') return std::nullopt;
  }
}

std::optional<std::int64_t> ArgsView::integer(std::string_view key) const {
  const auto text = raw(key);
  return text ? whole(*text) : std::nullopt;
}

std::optional<double> ArgsView::number(std::string_view key) const {
  const auto text = raw(key);
  if (!text) return std::nullopt;
  // from_chars would take "inf" and "nan" as well.
  const std::size_t digit = text->starts_with('-') ? 1 : 0;
  if (digit >= text->size() || !is_digit((*text)[digit])) return std::nullopt;
  const char* const end = text->data() + text->size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::string> ArgsView::text(std::string_view key) const {
  const auto value = raw(key);
  if (!value || !is_quoted(*value)) return std::nullopt;
  return unescape_json(value->substr(1, value->size() - 2));
}

std::optional<std::array<std::int64_t, 3>> ArgsView::dim3(std::string_view key) const {
  const auto value = raw(key);
  if (!value || value->front() != '[' || value->back() != ']') return std::nullopt;
  std::array<std::int64_t, 3> out{};
  std::string_view rest = value->substr(1, value->size() - 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool last = i + 1 == out.size();
    const std::size_t item_end = last ? rest.size() : rest.find(',');
    if (item_end == kEnd) return std::nullopt;
    const auto number = whole(without_space(rest.substr(0, item_end)));
    if (!number) return std::nullopt;
    out.at(i) = *number;
    if (!last) rest.remove_prefix(item_end + 1);
  }
  return out;
}

std::string unescape_json(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t plain_end = std::min(text.find('\\', at), text.size());
    out.append(text, at, plain_end - at);
    at = plain_end + 1;
    if (at >= text.size()) break;
    const char escape = text[at++];
    switch (escape) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u': {
        const auto [code, end] = escaped_character(text, at);
        append_utf8(out, code);
        at = end;
        break;
      }
      default:
        out += escape;
    }
  }
  return out;
}

void append_json_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_plain(text[at])) {
      ++at;
      continue;
    }
    std::size_t bad = 1;
    const bool ascii = static_cast<unsigned char>(text[at]) < 0x80;
    if (const std::size_t length = ascii ? 0 : utf8_length(text, at, bad); length != 0) {
      at += length;
      continue;
    }
    out.append(text, copied, at - copied);
    if (ascii) {
      append_escape(out, text[at]);
    } else {
      append_utf8(out, kReplacement);
    }
    at += bad;
    copied = at;
  }
  out.append(text, copied, at - copied);
  out += '"';
}

std::string json_quote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_json_quoted(out, text);
  return out;
}

}  // namespace tracebook
