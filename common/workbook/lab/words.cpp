// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/words.h"

#include "common/render/terminal.h"

namespace tracebook {
namespace {

/// The no-break and thin ones are what a word processor, or a page that is copied from, puts
/// between a number and its unit.
constexpr std::string_view kBlanks[] = {" ", "\t", "\r", "\n", "\u00A0", "\u202F", "\u2009"};

/// Bytes of the blank at the start of `text`; 0 if there is none.
std::size_t blank_at_start(std::string_view text) {
  for (const std::string_view blank : kBlanks) {
    if (text.starts_with(blank)) return blank.size();
  }
  return 0;
}

std::size_t blank_at_end(std::string_view text) {
  for (const std::string_view blank : kBlanks) {
    if (text.ends_with(blank)) return blank.size();
  }
  return 0;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (const std::size_t blank = blank_at_start(text)) text.remove_prefix(blank);
  while (const std::size_t blank = blank_at_end(text)) text.remove_suffix(blank);
  return text;
}

std::string folded(std::string_view text) {
  std::string out;
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    if (const std::size_t blank = blank_at_start(rest)) {
      if (out.back() != ' ') out += ' ';
      rest.remove_prefix(blank);
      continue;
    }
    const char c = rest.front();
    const bool upper = c >= 'A' && c <= 'Z';
    out += upper ? static_cast<char>(c - 'A' + 'a') : c;
    rest.remove_prefix(1);
  }
  return out;
}

std::optional<std::string> shape_of(std::string_view text) {
  std::string out;
  std::size_t numbers = 0;
  bool in_number = false;
  // With each run of blanks as one of one byte. "×" is two bytes.
  std::string plain = folded(text);
  for (std::size_t at = plain.find("×"); at != std::string::npos; at = plain.find("×", at)) {
    plain.replace(at, std::string_view("×").size(), "x");
  }
  for (const char c : plain) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && std::string_view(" \t,;xX*()[]{}").find(c) == std::string_view::npos) return {};
    if (digit && !in_number && numbers++ > 0) out += ',';
    if (digit) out += c;
    in_number = digit;
  }
  return numbers == 3 ? std::optional(out) : std::nullopt;
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:,@%=";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string short_text(std::string_view text) {
  constexpr std::size_t kColumns = 70;
  return shortened(printable(text), kColumns);
}

std::string in_quotes(std::string_view text) { return '"' + short_text(text) + '"'; }

std::string listed(const std::vector<std::string>& items, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " " + std::string(last) + " " : ", ";
    out += items[i];
  }
  return out;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace tracebook
