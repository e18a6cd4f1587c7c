// SPDX-License-Identifier: Apache-2.0
#include "common/render/wrap.h"

#include <algorithm>

#include "common/render/terminal.h"

namespace tracebook {
namespace {

/// Blanks before what goes on from `line`.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", start);
  const std::size_t second = gap == line.npos ? line.npos : line.find_first_not_of(' ', gap);
  if (second != line.npos && display_width(line.substr(0, second)) <= width / 2) {
    return display_width(line.substr(0, second));
  }
  const bool is_item = line.substr(start).starts_with("- ");
  return std::min(start + (is_item || second != line.npos ? 2 : 0), width / 2);
}

/// Bytes of `line` that fit into `width` columns, up to a blank if there is one behind `indent`.
std::size_t fitting(std::string_view line, std::size_t width, std::size_t indent) {
  std::size_t cut = line.npos;
  for (std::size_t at = line.find(' ', indent); at != line.npos; at = line.find(' ', at + 1)) {
    if (cut != line.npos && display_width(line.substr(0, at)) > width) break;
    cut = at;
  }
  return cut;
}

void append_wrapped(std::string& out, std::string_view line, std::size_t width) {
  const std::string margin(hanging_indent(line, width), ' ');
  std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::string rest(line);
  while (display_width(rest) > width) {
    const std::size_t cut = fitting(rest, width, indent);
    const std::size_t next = rest.find_first_not_of(' ', cut);
    if (cut == rest.npos || next == rest.npos) break;
    out += rest.substr(0, rest.find_last_not_of(' ', cut) + 1);
    out += '\n';
    rest = margin + rest.substr(next);
    indent = margin.size();
  }
  out += rest;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += printable(text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string wrapped_lines(std::string_view text, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    append_wrapped(out, text.substr(0, end), width);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string fitted_to_stdout(std::string text) {
  const Terminal terminal = stdout_terminal();
  if (!terminal.is_terminal) return text;
  return wrapped_lines(text, static_cast<std::size_t>(terminal.width));
}

std::string fitted_to_stderr(const std::string& said) {
  std::string text = printable_lines(said);
  if (!stderr_is_terminal()) return text;
  return wrapped_lines(text, static_cast<std::size_t>(stderr_width()));
}

}  // namespace tracebook
