// SPDX-License-Identifier: Apache-2.0
//
// Is an answer right? And if not, which way did it go wrong: a mistake that the question foresees,
// a slip of units, or something that cannot be read as an answer.
//
//   JudgedAnswer judged = judge_answer(question, "2154 us", key);
//   JudgedSheet all = judge_sheet(sheet, answers, keys, own_trace);
//   return all.exit_code();
//
// Sentences never give the right answer away. Plain functions; as thread-safe as their arguments.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/workbook/lab/answer_key.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/questions.h"

namespace tracebook {

enum class AnswerOutcome {
  kRight,
  kWrong,
  kUnanswered,
  kInvalid,   ///< cannot be read as an answer
  kNoAnswer,  ///< the trace gives no right answer, so none can be judged
  kNoted,     ///< a possible answer, to be judged where the queries are
};

struct JudgedAnswer {
  std::string id;
  AnswerOutcome outcome = AnswerOutcome::kUnanswered;
  std::string given;  ///< as the student wrote it; a choice in words
  std::string says;   ///< why, in a sentence or more; "" if it is right
};

struct JudgedSheet {
  std::vector<JudgedAnswer> answers;  ///< in the order of the questions
  std::vector<std::string> faults;    ///< of the file: what is no answer to a question
  bool handout = false;               ///< of a sheet without queries: nothing is judged

  [[nodiscard]] std::size_t count(AnswerOutcome outcome) const;
  /// 1 if anything is wrong or invalid, else 77 if anything is open, else 0.
  [[nodiscard]] int exit_code() const;
};

/// "right", "wrong", "unanswered", "invalid", "no answer", "noted".
const char* outcome_name(AnswerOutcome outcome);

/// Right, or noted where nothing is judged: the student need not come back to it.
bool is_done(AnswerOutcome outcome);

/// Why `text` cannot be an answer, whatever the trace: no number, another unit, none of the
/// choices.
/// "" if it can be one.
std::string answer_fault(const Question& question, std::string_view text);

/// The same of a prediction, which need not be there.
std::string prediction_fault(const Question& question, std::string_view text);

/// `text` as the question has it: a choice's words for its number, else the text itself.
std::string meant_answer(const Question& question, std::string_view text);

JudgedAnswer judge_answer(const Question& question, std::string_view text, const AnswerKey& key);

/// `own`: a trace instead of the sheet's recording, or "". `own_fault`: why there is none although
/// the answers name one. Answers that need it are invalid then, the others count.
JudgedSheet judge_sheet(const QuestionSheet& sheet, const AnswerSheet& answers, AnswerKeys& keys,
                        const std::filesystem::path& own, const std::string& own_fault = "");

/// The key's answer as it would be written: "2154.3 us", "aten::mm". "" if it has none.
std::string right_answer(const Question& question, const AnswerKey& key);

/// What kind of answer is expected, for a prompt: "a number in us", "1 to 3, or the words".
std::string expected_answer(const Question& question);

}  // namespace tracebook
