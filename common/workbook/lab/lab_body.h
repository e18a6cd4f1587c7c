// SPDX-License-Identifier: Apache-2.0
//
// What the lab shows between its head and its keys: a chapter's list of questions and exercises, or
// one of them in full.
//
//   const ScreenBody body = list_body(chapter, message, selected, {80, /*ascii=*/false});
//   for (const ScreenLine& line : body.lines) std::cout << line.text << "\n";
//
// Plain functions of values; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/workbook/lab/progress.h"

namespace tracebook {

struct ScreenLine {
  std::string text;
  const char* color = "";  ///< the number of an escape sequence, or ""
};

struct ScreenBody {
  std::vector<ScreenLine> lines;
  std::size_t message_lines = 0;  ///< of `lines`, at the top: the message
  /// The first line of each item and the one behind its last: questions first, then exercises.
  std::vector<std::pair<std::size_t, std::size_t>> items;
};

struct BodyStyle {
  int width = 80;
  bool ascii = false;
};

inline constexpr const char* kBold = "1";
inline constexpr const char* kDim = "2";

/// One line an item, with what is to be said of it below. `selected`: which item is marked.
ScreenBody list_body(const ChapterProgress& chapter, const std::string& message,
                     std::optional<std::size_t> selected, const BodyStyle& style);

/// One item with all its words, and the commands that go with it.
ScreenBody item_body(const ChapterProgress& chapter, std::size_t item, const std::string& message,
                     const BodyStyle& style);

/// How many items the list has: none of the questions if the answers cannot be read.
std::size_t item_count(const ChapterProgress& chapter);

/// The question of that item, or null; the exercise of that item, or null.
const QuestionProgress* question_at(const ChapterProgress& chapter, std::size_t item);
const WorkProgress* work_at(const ChapterProgress& chapter, std::size_t item);

/// The first item that is not done; 0 if all are.
std::size_t first_open_item(const ChapterProgress& chapter);

}  // namespace tracebook
