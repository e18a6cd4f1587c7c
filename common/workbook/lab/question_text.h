// SPDX-License-Identifier: Apache-2.0
//
// Questions in full, for whoever answers them in an editor: all the words, the choices, what is
// expected, and the trace to read.
//
//   std::cout << question_list(sheet, judged.answers, traces, 80);
//
// Plain functions of values; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/workbook/lab/judge_answers.h"
#include "common/workbook/lab/questions.h"

namespace tracebook {

/// `head` and the question, its choices with their numbers, and the kind of answer expected.
std::string question_text(const Question& question, const std::string& head, int width);

/// All questions of the sheet, each with its state. `traces`: where each is to be read, one for
/// each question, "" where that is not known.
std::string question_list(const QuestionSheet& sheet, const std::vector<JudgedAnswer>& judged,
                          const std::vector<std::filesystem::path>& traces, int width);

}  // namespace tracebook
