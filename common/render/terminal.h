// SPDX-License-Identifier: Apache-2.0
//
// What standard output is, and text measured in its columns: how wide it is, whether colours and
// box-drawing characters are welcome, and how to cut and pad UTF-8 so that columns line up.
//
//   const Terminal terminal = stdout_terminal();
//   render_timeline(trace, structure, {.width = terminal.width, .color = terminal.color});
//   fitted("aten::matmul", 8);  // "aten::m…"
//
// Names come from files that anyone may have written: pass them through `printable` before they
// reach a terminal. Plain functions on values, usable from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tracebook {

inline constexpr int kMinWidth = 40;
inline constexpr int kMaxWidth = 400;

struct Terminal {
  bool is_terminal = false;
  int width = 80;      ///< columns: the terminal's, else $COLUMNS, else 80; from 40 to 400
  bool color = false;  ///< a terminal, NO_COLOR unset, TERM not "dumb"
  bool utf8 = true;    ///< the locale's encoding; true for pipes
};

Terminal stdout_terminal();
bool stderr_is_terminal();
/// Columns, as `Terminal::width`.
int stderr_width();

/// Columns that UTF-8 `text` takes on a terminal: none for a combining mark, two for the wide
/// letters of East Asia and for emoji. A byte that is no UTF-8 counts as one.
std::size_t display_width(std::string_view text);

/// Unicode characters (code points) of `text`: Python's len(). A byte that is no UTF-8 counts as
/// one.
std::size_t character_count(std::string_view text);

/// The first `count` characters of `text`: Python's text[:count].
std::string_view first_characters(std::string_view text, std::size_t count);

/// `text` with control characters (escape sequences among them) as "?" and bytes that are no UTF-8
/// as U+FFFD; with `ascii`, everything beyond ASCII is "?" too.
std::string printable(std::string_view text, bool ascii = false);

/// `text` cut to at most `width` columns, with "…" ("~" in ASCII) where something is missing.
std::string shortened(std::string_view text, std::size_t width, bool ascii = false);

/// `shortened`, padded with blanks to exactly `width` columns.
std::string fitted(std::string_view text, std::size_t width, bool ascii = false);

}  // namespace tracebook
