// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string folded(std::string_view text) {
  std::string out;
  for (const char c : trimmed(text)) {
    const bool blank = kBlanks.find(c) != std::string_view::npos;
    if (blank && out.back() == ' ') continue;
    const bool upper = c >= 'A' && c <= 'Z';
    out += blank ? ' ' : upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::optional<std::string> shape_of(std::string_view text) {
  std::string out;
  std::size_t numbers = 0;
  bool in_number = false;
  // "×" is two bytes.
  std::string plain(text);
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
