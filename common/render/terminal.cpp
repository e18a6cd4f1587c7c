// SPDX-License-Identifier: Apache-2.0
#include "common/render/terminal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace tracebook {
namespace {

/// One character of a UTF-8 text: its bytes, and what they mean.
struct Character {
  std::size_t bytes = 1;
  char32_t code = 0;
  bool valid = false;
};

/// The character at the start of `text`, which must not be empty. Overlong forms, surrogates and
/// cut sequences are invalid and take one byte.
Character character_at_start(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[bytes] || code > 0x10FFFF || surrogate) return {};
  return {bytes, code, true};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t kCount>
bool contains(const std::array<Range, kCount>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

/// Combining marks, joiners and variation selectors of the scripts that names are written in.
constexpr std::array kNoColumns{
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489},  Range{0x0591, 0x05BD}, Range{0x064B, 0x065F},
    Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},  Range{0x200B, 0x200F}, Range{0x202A, 0x202E},
    Range{0x2060, 0x2064}, Range{0x20D0, 0x20FF},  Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F},
    Range{0xFEFF, 0xFEFF}, Range{0xE0100, 0xE01EF}};
/// East Asian wide and fullwidth blocks, and emoji.
constexpr std::array kTwoColumns{
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

std::size_t columns_of(const Character& character) {
  if (character.code < 0x0300) return 1;
  if (contains(kNoColumns, character.code)) return 0;
  return contains(kTwoColumns, character.code) ? 2 : 1;
}

/// C0 and C1 controls, DEL, and the marks that turn the direction of writing.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

int width_of(int output) {
  winsize size{};
  if (ioctl(output, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view columns = variable("COLUMNS");
  int width = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  const bool whole = error == std::errc() && end == columns.data() + columns.size();
  return whole && width > 0 ? width : 80;
}

bool locale_is_utf8() {
  std::string_view locale = variable("LC_ALL");
  if (locale.empty()) locale = variable("LC_CTYPE");
  if (locale.empty()) locale = variable("LANG");
  std::string lower(locale);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  // Nothing set at all is what containers have, and their terminals show UTF-8.
  return lower.empty() || lower.find("utf-8") != std::string::npos ||
         lower.find("utf8") != std::string::npos;
}

}  // namespace

Terminal stdout_terminal() {
  Terminal terminal;
  terminal.is_terminal = isatty(STDOUT_FILENO) == 1;
  terminal.width = std::clamp(width_of(STDOUT_FILENO), kMinWidth, kMaxWidth);
  terminal.color =
      terminal.is_terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  terminal.utf8 = !terminal.is_terminal || locale_is_utf8();
  return terminal;
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }
int stderr_width() { return std::clamp(width_of(STDERR_FILENO), kMinWidth, kMaxWidth); }

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = character_at_start(text);
    width += columns_of(character);
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(character_at_start(text).bytes);
    ++count;
  }
  return count;
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) end += character_at_start(text.substr(end)).bytes;
  return text.substr(0, end);
}

std::string printable(std::string_view text, bool ascii) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = character_at_start(text);
    if (!character.valid) {
      out += ascii ? "?" : "\uFFFD";
    } else if (is_control(character.code) || (ascii && character.code >= 0x80)) {
      out += '?';
    } else {
      out += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t width, bool ascii) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t end = 0;
  std::size_t used = 0;
  while (end < text.size()) {
    const Character character = character_at_start(text.substr(end));
    if (used + columns_of(character) + 1 > width) break;
    used += columns_of(character);
    end += character.bytes;
  }
  return std::string(text.substr(0, end)) + (ascii ? "~" : "…");
}

std::string fitted(std::string_view text, std::size_t width, bool ascii) {
  std::string out = shortened(text, width, ascii);
  out.append(width - display_width(out), ' ');
  return out;
}

}  // namespace tracebook
