// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/hints.h"

#include <algorithm>

namespace tracebook {

GivenHint next_hint(const Question& question, int used) {
  const int count = static_cast<int>(question.hints.size());
  if (count == 0) return {"There are no hints for " + question.id + ".", used};
  if (used < count) {
    return {"Hint " + std::to_string(used + 1) + " of " + std::to_string(count) + ": " +
                question.hints[static_cast<std::size_t>(used)],
            used + 1};
  }
  std::string text = "There is no further hint for " + question.id + "; these were they:";
  for (const std::string& hint : question.hints) text += " " + hint;
  return {text, used};
}

const Question* first_open(const QuestionSheet& sheet, const JudgedSheet& judged) {
  for (const JudgedAnswer& answer : judged.answers) {
    if (!is_done(answer.outcome)) return sheet.find(answer.id);
  }
  return nullptr;
}

}  // namespace tracebook
