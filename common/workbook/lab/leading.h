// SPDX-License-Identifier: Apache-2.0
//
// The one thing to do next, as a teacher would say it: in the first chapter with anything open,
// what is wrong before what is unanswered, and the questions before the exercises.
//
//   const NextStep next = next_step(reader.workbook());
//   std::cout << progress_text(chapters, next.chapter, style) << next_text(next, 80);
//
// Plain functions of values; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/workbook/lab/progress.h"

namespace tracebook {

enum class NextKind : std::uint8_t {
  kLesson,    ///< nothing is answered in the chapter yet
  kRepair,    ///< a file cannot be read
  kWrong,     ///< an answer is wrong or invalid
  kQuestion,  ///< a question is unanswered
  kExercise,  ///< an exercise failed or is not started
  kDone,
};

/// "lesson", "repair", "wrong", "question", "exercise", "done".
const char* next_kind_name(NextKind kind);

/// How an offer is opened: in an editor, or by running it.
enum class OpensIn : std::uint8_t { kEditor, kProgram };

struct Offer {
  std::string label;  ///< "answer its questions"
  OpensIn opens_in = OpensIn::kProgram;
  std::filesystem::path file;        ///< for an editor
  std::vector<std::string> command;  ///< for a program: its words

  /// The command's words, or the file as the reader types it.
  [[nodiscard]] std::string shown() const;
};

struct NextStep {
  NextKind kind = NextKind::kDone;
  std::string chapter;        ///< "03_schedule_tweak"; "" if all are done
  std::string says;           ///< a sentence or more
  std::vector<Offer> offers;  ///< in the order in which to take them
};

NextStep next_step(const std::vector<ChapterProgress>& chapters);

struct ProgressStyle {
  int width = 80;
  bool ascii = false;
  bool color = false;
};

/// "[####------]" of so many columns, brackets included.
std::string progress_bar(std::size_t done, std::size_t all, std::size_t columns,
                         const ProgressStyle& style);

/// One line a chapter: bar, counts, title; `current` is marked.
std::string progress_text(const std::vector<ChapterProgress>& chapters, std::string_view current,
                          const ProgressStyle& style);

/// What to do, and a numbered line for each offer.
std::string next_text(const NextStep& next, int width);

/// "3 wrong, 2 open, 1 needs a GPU"; "" where all is done.
std::string open_counts(const ChapterProgress& chapter);

/// A program of the workbook as the reader types it, beside the tool: "build/bin/02_warmup".
std::string program_as_typed(std::string_view name);

}  // namespace tracebook
