// SPDX-License-Identifier: Apache-2.0
//
// Hints of a question, one at a time, each nearer than the last.
//
//   const GivenHint hint = next_hint(question, answers.hints_used(question.id));
//   std::cout << hint.text;   save_hints(file, question.id, hint.used);
//
// Plain functions of values; any thread.
#pragma once

#include <string>

#include "common/workbook/lab/judge_answers.h"
#include "common/workbook/lab/questions.h"

namespace tracebook {

struct GivenHint {
  std::string text;  ///< "Hint 1 of 3: …"; all of them again when none is left
  int used = 0;      ///< how many have been shown with this one
};

GivenHint next_hint(const Question& question, int used);

/// The question to help with: the first wrong, invalid or unanswered one. Null if all are right, or
/// answered where nothing is judged.
const Question* first_open(const QuestionSheet& sheet, const JudgedSheet& judged);

}  // namespace tracebook
