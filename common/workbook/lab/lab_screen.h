// SPDX-License-Identifier: Apache-2.0
//
// The lab's one screen as text: made from what is known, without any terminal.
//
//   LabView view{.chapters = &chapters, .at = 2};
//   for (const std::string& line : lab_screen(view, {.columns = 80, .rows = 24})) …
//
// Plain functions of values; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/workbook/lab/progress.h"

namespace tracebook {

struct LabView {
  const std::vector<ChapterProgress>* chapters = nullptr;  ///< at least one
  std::size_t at = 0;                                      ///< the one looked at
  bool checking = false;                                   ///< something is being judged
  bool reading = false;              ///< the first look at the workbook is not over
  std::string message;               ///< a hint, or what went wrong; "" for none
  std::optional<std::size_t> first;  ///< the first line shown; nothing: so that `selected` shows
  /// The question or exercise chosen, questions first; nothing: the first that is open.
  std::optional<std::size_t> selected = {};
  bool opened = false;  ///< it is shown in full, alone
};

inline constexpr int kLeastColumns = 40;
inline constexpr int kLeastRows = 10;

struct ScreenSize {
  int columns = 80;
  int rows = 24;
  bool ascii = false;
  bool color = false;
};

/// `rows` lines of at most `columns` columns (escape sequences of colours not counted). Below
/// kLeastColumns by kLeastRows the first one says that, and how to leave.
std::vector<std::string> lab_screen(const LabView& view, const ScreenSize& size);

/// `first` of what the screen shows, moved by so many lines, as far as there are any.
std::size_t lab_scrolled(const LabView& view, const ScreenSize& size, int lines);

/// The item that is marked: `selected`, or the first that is open, as far as there are any.
std::size_t lab_selected(const LabView& view);

/// The chapter's lines alone, for where there is no terminal.
std::string lab_text(const ChapterProgress& chapter, int width, bool ascii);

}  // namespace tracebook
