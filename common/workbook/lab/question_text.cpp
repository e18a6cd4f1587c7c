// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/question_text.h"

#include <algorithm>

#include "common/render/terminal.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

constexpr int kIndent = 2;

/// A path is one word, which no width may break.
std::string trace_line(const std::filesystem::path& trace) {
  return trace.empty() ? "" : std::string(kIndent, ' ') + "on " + shown_path(trace) + "\n";
}

}  // namespace

std::string question_text(const Question& question, const std::string& head, int width) {
  std::string out = wrapped(head + question.prompt, /*indent=*/0, width);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    constexpr int kChoiceIndent = 5;
    out += "  " + std::to_string(i + 1) + "  " +
           wrapped(question.choices[i], kChoiceIndent, width).substr(kChoiceIndent);
  }
  return out + wrapped("(" + expected_answer(question) + ")", kIndent, width);
}

std::string question_list(const QuestionSheet& sheet, const std::vector<JudgedAnswer>& judged,
                          const std::vector<std::filesystem::path>& traces, int width) {
  std::string out;
  for (std::size_t i = 0; i < sheet.questions.size(); ++i) {
    const Question& question = sheet.questions[i];
    out += (i > 0 ? "\n" : "") + question_text(question, question.id + ": ", width);
    if (i < traces.size()) out += trace_line(traces[i]);
    if (question.predict) {
      out += wrapped("a guess before you look goes into \"predictions\"", kIndent, width);
    }
    const auto found = std::find_if(judged.begin(), judged.end(), [&](const JudgedAnswer& answer) {
      return answer.id == question.id;
    });
    if (found == judged.end()) continue;
    std::string state = outcome_name(found->outcome);
    if (!found->given.empty()) state += ": " + short_text(found->given);
    out += wrapped(printable(state), kIndent, width);
  }
  return out;
}

}  // namespace tracebook
