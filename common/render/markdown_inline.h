// SPDX-License-Identifier: Apache-2.0
//
// What stands within a line of Markdown: emphasis, links, comments; and such text broken to a
// width.
//
//   const std::string text = inline_text("see [the table](docs/views.md), **not** this");
//   for (const std::string& line : broken(text, 40)) out += finished(line, color) + "\n";
//
// Between the two, what is bold stands between two marks that take no columns. Plain functions of
// values; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

/// Marks in a text on its way to the terminal; printable() leaves neither in what others wrote.
inline constexpr char kBoldOn = '\x01';
inline constexpr char kBoldOff = '\x02';

/// Without the comments, those over several lines too. Lines that held nothing else are gone; what
/// stands in fenced code is left.
std::string without_comments(std::string_view markdown);

/// Links as their words, emphasis without its stars, code in its backquotes.
std::string inline_text(std::string_view text);

/// Columns of such a text.
std::size_t marked_width(std::string_view text);

/// Lines of at most `width` columns, broken at blanks; a word that is longer has a line of its own.
/// At least one line.
std::vector<std::string> broken(std::string_view text, std::size_t width);

/// The marks as escape sequences, or gone.
std::string finished(std::string_view text, bool color);

}  // namespace tracebook
