// SPDX-License-Identifier: Apache-2.0
//
// A chapter's questions asked one by one: predictions first, then the readings, then one against
// the other. At a terminal and through a pipe alike: every line that is read is one answer.
//
//   Quiz quiz(sheet, file, own_trace, {.width = 80});
//   int exit_code = quiz.ask(std::cin, std::cout);    // saves after each answer
//
// One thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "common/workbook/lab/answer_key.h"
#include "common/workbook/lab/judge_answers.h"

namespace tracebook {

struct QuizStyle {
  int width = 80;
  /// A person types: what is wrong may be tried again at once. Otherwise each line is the answer to
  /// the next question, and is repeated behind its prompt.
  bool person = false;
  /// What the commands in messages carry on: " --answers mine.json", or "".
  std::string options;
};

class Quiz {
 public:
  /// Reads `file`, which must be there (see start_answers). `own`: a trace instead of the
  /// recording, or "". `seed`: of the class (see variants.h), whose students are asked for their
  /// name first, or "".
  Quiz(QuestionSheet sheet, std::filesystem::path file, std::filesystem::path own, QuizStyle style,
       std::string seed = "");

  /// Asks what is not right yet until the end of `in` or "q". The exit code is that of the file's
  /// state afterwards: see JudgedSheet.
  int ask(std::istream& in, std::ostream& out);

 private:
  enum class Reply { kText, kSkip, kLeave };
  Reply read_reply(std::istream& in, std::ostream& out, std::string& text) const;
  bool ask_student(std::istream& in, std::ostream& out);
  bool ask_prediction(const Question& question, std::istream& in, std::ostream& out);
  bool ask_reading(const Question& question, std::istream& in, std::ostream& out);
  void give_hint(const Question& question, std::ostream& out);
  void show_prompt(const Question& question, const std::string& head, std::ostream& out) const;
  void reveal(std::ostream& out);
  const AnswerKey& key(const Question& question);

  QuestionSheet sheet_;
  std::filesystem::path file_;
  std::filesystem::path own_;
  QuizStyle style_;
  std::string seed_;
  AnswerKeys keys_;
  AnswerSheet answers_;
};

/// One line an answer, and below it what is to be said of it. `chapter`: "03". `options`: see
/// QuizStyle.
std::string judged_text(const JudgedSheet& judged, const std::string& chapter, int width,
                        const std::string& options = "");

/// "3 of 7 questions right, 4 unanswered; go on with `tracebook quiz 03`". Of a handout, what is to
/// be handed in.
std::string closing_text(const JudgedSheet& judged, const std::string& chapter,
                         const std::string& options = "");

/// "21.5 times what you predicted"; "" if the prediction is no number that can be compared.
std::string against_prediction(const Question& question, const std::string& prediction,
                               const AnswerKey& key);

/// `path` as a reader types it: relative to the working folder where it lies below.
std::string shown_path(const std::filesystem::path& path);
/// A message that begins with the file's whole path, with the path as the reader types it.
std::string with_shown_path(const std::string& message, const std::filesystem::path& file);

}  // namespace tracebook
