// SPDX-License-Identifier: Apache-2.0
//
// Markdown as a terminal shows it: paragraphs and lists at its width, tables with their columns
// aligned, links as their words, comments gone, code as it stands.
//
//   std::cout << markdown_text(read_file(lesson), {.width = 80, .color = false});
//
// For the Markdown of this workbook's pages: headings, paragraphs, lists, quotes, tables, fenced
// code, emphasis, links. Plain function of values; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tracebook {

struct MarkdownStyle {
  std::size_t width = 80;  ///< columns; lines of code are never broken, words neither
  bool color = false;      ///< headings and what is printed bold are bold
  bool ascii = false;
};

std::string markdown_text(std::string_view markdown, const MarkdownStyle& style);

}  // namespace tracebook
