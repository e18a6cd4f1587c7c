// SPDX-License-Identifier: Apache-2.0
#include "common/trace/tolerant_scanner.h"

#include <algorithm>

#include "common/trace/json_text.h"

namespace tracebook {
namespace {

/// What C, C++, Python and others print for numbers that JSON cannot spell.
constexpr std::array kNoNumbers{
    std::string_view{"nan"},       std::string_view{"-nan"},      std::string_view{"+nan"},
    std::string_view{"NaN"},       std::string_view{"-NaN"},      std::string_view{"NAN"},
    std::string_view{"inf"},       std::string_view{"-inf"},      std::string_view{"+inf"},
    std::string_view{"Inf"},       std::string_view{"-Inf"},      std::string_view{"+Inf"},
    std::string_view{"INF"},       std::string_view{"-INF"},      std::string_view{"Infinity"},
    std::string_view{"-Infinity"}, std::string_view{"+Infinity"}, std::string_view{"infinity"},
    std::string_view{"-infinity"}, std::string_view{"nan(ind)"},  std::string_view{"-nan(ind)"},
    std::string_view{"nan(snan)"}, std::string_view{"1.#INF"},    std::string_view{"-1.#INF"},
    std::string_view{"1.#IND"},    std::string_view{"-1.#IND"},   std::string_view{"1.#QNAN"},
    std::string_view{"-1.#QNAN"},  std::string_view{"N/A"},       std::string_view{"n/a"},
};

constexpr std::array kEventKeys{
    std::string_view{"ph"},  std::string_view{"name"}, std::string_view{"cat"},
    std::string_view{"pid"}, std::string_view{"tid"},  std::string_view{"ts"},
    std::string_view{"dur"}, std::string_view{"args"}, std::string_view{"id"},
};

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool ends_scalar(char c) {
  return is_json_space(c) || c == ',' || c == '}' || c == ']' || c == '{' || c == '[' || c == ':' ||
         c == '"';
}

/// Whether the brace at `at` begins something with an event's keys.
bool begins_event(std::string_view text, std::size_t at) {
  const std::size_t quote = skip_json_space(text, at + 1);
  if (quote >= text.size() || text[quote] != '"') return false;
  const std::string_view rest = text.substr(quote + 1);
  return std::any_of(kEventKeys.begin(), kEventKeys.end(), [rest](std::string_view key) {
    if (!rest.starts_with(key) || rest.size() <= key.size() || rest[key.size()] != '"') {
      return false;
    }
    const std::size_t colon = skip_json_space(rest, key.size() + 1);
    return colon < rest.size() && rest[colon] == ':';
  });
}

/// The last character before `at` that is no space, as a place; 0 if there is none behind 0.
std::size_t before_space(std::string_view text, std::size_t at) {
  while (at > 0 && is_json_space(text[at - 1])) --at;
  return at == 0 ? 0 : at - 1;
}

/// Whether `text` is the rest of an object behind a member: `, "key": value … }` and nothing else.
bool is_object_tail(std::string_view text) {
  TolerantScanner scanner(text, 0);
  std::size_t at = skip_json_space(text, 0);
  while (at < text.size() && text[at] == ',') {
    at = skip_json_space(text, at + 1);
    if (at < text.size() && text[at] == '}') break;
    if (at >= text.size() || text[at] != '"') return false;
    const Scan key = scanner.scan(at);
    at = skip_json_space(text, key.end);
    if (key.status != ScanStatus::kWhole || at >= text.size() || text[at] != ':') return false;
    const Scan value = scanner.scan(skip_json_space(text, at + 1));
    if (value.status != ScanStatus::kWhole) return false;
    at = skip_json_space(text, value.end);
  }
  if (at == text.size()) return true;  // the closing brace may be missing
  return text[at] == '}' && skip_json_space(text, at + 1) == text.size();
}

}  // namespace

Scan TolerantScanner::scan(std::size_t at) {
  clean_.clear();
  repairs_.clear();
  closers_.clear();
  depth_ = 0;
  enum class Next : std::uint8_t { kValue, kValueOrEnd, kKey, kKeyOrEnd, kCommaOrEnd };
  Next next = Next::kValue;
  std::size_t comma = 0;        // of the comma before a value or key
  std::size_t clean_comma = 0;  // the same in clean_
  while (true) {
    at = copy_space(at);
    if (at >= text_.size()) return cut();
    const char c = text_[at];
    const bool closes = !closers_.empty() && c == closers_.back();
    if (closes && next != Next::kCommaOrEnd && next != Next::kValueOrEnd &&
        next != Next::kKeyOrEnd) {
      if (comma == 0) return bad(at);
      note(issue::kTrailingComma, comma);
      clean_.erase(clean_comma, 1);
    }
    if (closes) {
      clean_ += c;
      closers_.pop_back();
      ++at;
    } else if (next == Next::kCommaOrEnd) {
      if (c != ',') return bad(at);
      clean_comma = clean_.size();
      clean_ += ',';
      comma = at++;
      next = closers_.back() == '}' ? Next::kKey : Next::kValue;
      continue;
    } else if (next == Next::kKey || next == Next::kKeyOrEnd) {
      if (c != '"') return bad(at);
      const Scan key = scan_string(at);
      if (key.status != ScanStatus::kWhole) return key;
      at = copy_space(key.end);
      if (at >= text_.size()) return cut();
      if (text_[at] != ':') return bad(at);
      clean_ += ':';
      ++at;
      comma = 0;
      next = Next::kValue;
      continue;
    } else if (c == '{' || c == '[') {
      clean_ += c;
      closers_.push_back(c == '{' ? '}' : ']');
      depth_ = std::max(depth_, closers_.size());
      ++at;
      comma = 0;
      next = c == '{' ? Next::kKeyOrEnd : Next::kValueOrEnd;
      continue;
    } else {
      const Scan value = c == '"' ? scan_string(at) : scan_scalar(at);
      if (value.status != ScanStatus::kWhole) return value;
      at = value.end;
    }
    if (closers_.empty()) return whole(at);
    next = Next::kCommaOrEnd;
  }
}

std::size_t TolerantScanner::copy_space(std::size_t at) {
  const std::size_t end = skip_json_space(text_, at);
  clean_.append(text_.substr(std::min(at, text_.size()), end - at));
  return end;
}

Scan TolerantScanner::scan_string(std::size_t at) {
  const std::size_t begin = at;
  bool bad_utf8 = false;
  bool control_bytes = false;
  clean_ += '"';
  ++at;
  while (at < text_.size()) {
    const auto c = static_cast<unsigned char>(text_[at]);
    if (c == '"') {
      clean_ += '"';
      if (bad_utf8) note(issue::kBadUtf8, begin);
      if (control_bytes) note(issue::kControlBytes, begin);
      return whole(at + 1);
    }
    if (c == '\\') {
      const Scan escape = scan_escape(at);
      if (escape.status != ScanStatus::kWhole) return escape;
      clean_.append(text_.substr(at, escape.end - at));
      at = escape.end;
    } else if (c < 0x20) {
      append_control_escape(clean_, text_[at]);
      control_bytes = true;
      ++at;
    } else if (const std::size_t length = utf8_length(text_, at); length > 0) {
      clean_.append(text_.substr(at, length));
      at += length;
    } else {
      clean_ += kReplacementCharacter;
      bad_utf8 = true;
      ++at;
    }
  }
  return cut();
}

Scan TolerantScanner::scan_escape(std::size_t at) {
  if (at + 1 >= text_.size()) return cut();
  if (text_[at + 1] != 'u') {
    return has_valid_escapes(text_.substr(at, 2)) ? whole(at + 2) : bad(at);
  }
  constexpr std::size_t kLength = 6;  // \u0041
  for (std::size_t i = at + 2; i < at + kLength; ++i) {
    if (i >= text_.size()) return cut();
    if (!is_hex(text_[i])) return bad(at);
  }
  return whole(at + kLength);
}

Scan TolerantScanner::scan_scalar(std::size_t at) {
  std::size_t end = at;
  while (end < text_.size() && !ends_scalar(text_[end])) ++end;
  if (end == text_.size()) return cut();
  const std::string_view word = text_.substr(at, end - at);
  if (word == "true" || word == "false" || word == "null" || is_json_number(word)) {
    clean_.append(word);
  } else if (std::find(kNoNumbers.begin(), kNoNumbers.end(), word) != kNoNumbers.end()) {
    note(issue::kBareNan, at);
    clean_ += "null";
  } else {
    return bad(at);
  }
  return whole(end);
}

void TolerantScanner::note(const IssueKind& kind, std::size_t at) {
  for (Repair& repair : repairs_) {
    if (repair.kind.kind == kind.kind) {
      ++repair.count;
      return;
    }
  }
  repairs_.push_back({kind, 1, offset_ + at});
}

Resume find_next_event(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('{', from + 1); at != std::string_view::npos;
       at = text.find('{', at + 1)) {
    const std::size_t comma = before_space(text, at);
    if (comma <= from || text[comma] != ',') continue;
    if (text[before_space(text, comma)] != '}') continue;
    if (begins_event(text, at)) return {Resume::Where::kEvent, at};
  }
  return {};
}

Resume find_array_end(std::string_view text, std::size_t from, bool in_object) {
  int candidates = 100;  // each may be followed to the end of the text
  for (std::size_t at = text.find(']', from); at != std::string_view::npos && candidates > 0;
       at = text.find(']', at + 1)) {
    const std::size_t brace = before_space(text, at);
    if (brace <= from || text[brace] != '}') continue;
    --candidates;
    const std::string_view rest = text.substr(at + 1);
    const bool fits = in_object ? is_object_tail(rest) : skip_json_space(rest, 0) == rest.size();
    if (fits) return {Resume::Where::kArrayEnd, at};
  }
  return {};
}

}  // namespace tracebook
