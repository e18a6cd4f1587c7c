// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/quiz.h"
#include "common/workbook/chapter.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <ostream>

#include "common/render/terminal.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/hints.h"
#include "common/workbook/lab/quantity.h"
#include "common/workbook/lab/question_text.h"
#include "common/workbook/lab/tool_name.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// The student's own reading as the key: what a prediction is compared with where nothing is
/// judged.
AnswerKey key_of_reading(const Question& question, const std::string& reading) {
  AnswerKey key;
  const std::optional<double> number = read_number(reading, question.unit).value;
  key.right = question.kind == QuestionKind::kNumber && number
                  ? Cell(*number)
                  : Cell(meant_answer(question, reading));
  return key;
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.' && text.back() != '!' && text.back() != '?') text += '.';
  return text;
}

}  // namespace

std::string shown_path(const fs::path& path) {
  std::error_code error;
  const fs::path near = fs::proximate(path, error);
  const bool below = !error && !near.empty() && *near.begin() != "..";
  return below ? near.string() : path.string();
}

std::string with_shown_path(const std::string& message, const fs::path& file) {
  const std::string path = file.string();
  return message.rfind(path, 0) == 0 ? shown_path(file) + message.substr(path.size()) : message;
}

std::string against_prediction(const Question& question, const std::string& prediction,
                               const AnswerKey& key) {
  if (question.kind != QuestionKind::kNumber) {
    const bool same = judge_answer(question, prediction, key).outcome == AnswerOutcome::kRight;
    return same ? "as you predicted" : "not as you predicted";
  }
  const std::optional<double> predicted = read_number(prediction, question.unit).value;
  const std::optional<double> right = read_number(right_answer(question, key), question.unit).value;
  if (!predicted || !right) return "";
  if (judge_answer(question, prediction, key).outcome == AnswerOutcome::kRight) {
    return "as you predicted";
  }
  if (*predicted <= 0 || *right <= 0) return "not as you predicted";
  const double ratio = std::max(*predicted / *right, *right / *predicted);
  return quantity_text(ratio, "", ratio < 10 ? 2 : 3) +
         (*right > *predicted ? " times what you predicted" : " times less than you predicted");
}

Quiz::Quiz(QuestionSheet sheet, fs::path file, fs::path own, QuizStyle style, std::string seed)
    : sheet_(std::move(sheet)),
      file_(std::move(file)),
      own_(std::move(own)),
      style_(style),
      seed_(std::move(seed)),
      answers_(read_answers(file_, sheet_)) {
  expect_savable(file_);
}

const AnswerKey& Quiz::key(const Question& question) {
  return keys_.key(sheet_, question, keys_.trace_of(sheet_, question, own_));
}

void Quiz::show_prompt(const Question& question, const std::string& head, std::ostream& out) const {
  out << "\n" << question_text(question, head, style_.width);
}

Quiz::Reply Quiz::read_reply(std::istream& in, std::ostream& out, std::string& text) const {
  out << "> " << std::flush;
  std::string line;
  if (!std::getline(in, line)) {
    out << "\n";
    return Reply::kLeave;
  }
  text = trimmed(line);
  if (!style_.person) out << short_text(text) << "\n";
  if (text == "q" || text == "Q") return Reply::kLeave;
  return text.empty() ? Reply::kSkip : Reply::kText;
}

/// False: the student left, and without a name there is no recording to ask on.
bool Quiz::ask_student(std::istream& in, std::ostream& out) {
  if (trimmed(answers_.student).empty()) answers_.student = known_student(file_.parent_path());
  while (trimmed(answers_.student).empty()) {
    out << wrapped(
        "Who are you? Your name, number or address, as your class knows you: by it your recordings "
        "are chosen.",
        0, style_.width);
    const Reply reply = read_reply(in, out, answers_.student);
    if (reply == Reply::kLeave) return false;
    if (answers_.student == "?") answers_.student.clear();
  }
  save_student(file_, answers_.student);
  keys_.choose(seed_, answers_.student);
  return true;
}

bool Quiz::ask_prediction(const Question& question, std::istream& in, std::ostream& out) {
  show_prompt(question, "Predict: ", out);
  while (true) {
    std::string text;
    const Reply reply = read_reply(in, out, text);
    if (reply != Reply::kText) return reply == Reply::kSkip;
    if (text == "?") {
      out << "A guess will do; hints come with the readings.\n";
      continue;
    }
    const std::string fault = answer_fault(question, text);
    if (fault.empty()) {
      save_prediction(file_, question.id, text);
      answers_.predictions[question.id] = text;
      return true;
    }
    out << wrapped(printable(sentence(fault)), 0, style_.width);
    if (!style_.person) return true;
  }
}

void Quiz::give_hint(const Question& question, std::ostream& out) {
  const GivenHint hint = next_hint(question, answers_.hints_used(question.id));
  out << wrapped(hint.text, 0, style_.width);
  if (hint.used == answers_.hints_used(question.id)) return;
  save_hints(file_, question.id, hint.used);
  answers_.hints[question.id] = hint.used;
}

bool Quiz::ask_reading(const Question& question, std::istream& in, std::ostream& out) {
  show_prompt(question, question.id + ": ", out);
  if (!question.recording.empty()) {
    out << "  on " << shown_path(keys_.trace_of(sheet_, question, own_)) << "\n";
  }
  while (true) {
    std::string text;
    const Reply reply = read_reply(in, out, text);
    if (reply != Reply::kText) return reply == Reply::kSkip;
    if (text == "?") {
      give_hint(question, out);
      continue;
    }
    save_answer(file_, question.id, text);
    const JudgedAnswer judged = judge_answer(question, text, key(question));
    const std::string& prediction = answers_.prediction(question.id);
    if (judged.outcome == AnswerOutcome::kRight) {
      std::string line = "Right: it is " + right_answer(question, key(question));
      if (!prediction.empty()) {
        const std::string compared = against_prediction(question, prediction, key(question));
        if (!compared.empty()) line += ", " + compared;
      }
      out << wrapped(printable(line) + ".", 0, style_.width);
      return true;
    }
    if (judged.outcome == AnswerOutcome::kNoted) {
      out << "Noted.\n";
      return true;
    }
    const bool wrong = judged.outcome == AnswerOutcome::kWrong;
    out << wrapped(printable((wrong ? "Wrong. " : "") + sentence(judged.says)), 0, style_.width);
    if (!style_.person) return true;
    out << "Try again; ? is a hint, Enter goes on.\n";
  }
}

void Quiz::reveal(std::ostream& out) {
  bool first = true;
  for (const Question& question : sheet_.questions) {
    const std::string prediction = answers_.prediction(question.id);
    const std::string answer = answers_.answer(question.id);
    if (prediction.empty() || answer.empty()) continue;
    const AnswerOutcome outcome = judge_answer(question, answer, key(question)).outcome;
    const bool noted = outcome == AnswerOutcome::kNoted;
    if (outcome != AnswerOutcome::kRight && !noted) continue;
    if (first) out << "\nPredicted and read:\n";
    first = false;
    std::string line = question.id + ": predicted " +
                       short_text(meant_answer(question, prediction)) + ", read " +
                       short_text(meant_answer(question, answer));
    const std::string compared = against_prediction(
        question, prediction, noted ? key_of_reading(question, answer) : key(question));
    if (!compared.empty()) line += "; " + compared;
    out << wrapped(printable(line), 2, style_.width);
  }
}

int Quiz::ask(std::istream& in, std::ostream& out) {
  const std::string chapter = chapter_number(sheet_.chapter);
  if (!seed_.empty() && !ask_student(in, out)) {
    throw CannotJudge("without your name there are no questions: it chooses your recordings");
  }
  const std::string trace =
      shown_path(own_.empty() ? keys_.recording_of(sheet_, sheet_.recording) : own_);
  out << wrapped("Questions of " + sheet_.chapter + ", on " + trace, 0, style_.width)
      << wrapped("Your answers are kept in " + shown_path(file_), 0, style_.width);
  if (sheet_.handout) {
    constexpr const char* kSays =
        "This copy has no queries to judge them by: hand that file in. To change an answer, edit "
        "it there.";
    out << wrapped(kSays, 0, style_.width);
  }
  out << "Enter skips, ? is a hint, q leaves.\n";
  JudgedSheet judged = judge_sheet(sheet_, answers_, keys_, own_);
  const auto is_open = [&judged](const Question& question) {
    return std::none_of(judged.answers.begin(), judged.answers.end(), [&](const JudgedAnswer& a) {
      return a.id == question.id && is_done(a.outcome);
    });
  };
  bool go_on = true;
  bool looked = false;
  for (const Question& question : sheet_.questions) {
    const std::string given = answers_.prediction(question.id);
    const bool wanted = given.empty() || !prediction_fault(question, given).empty();
    const bool predict = question.predict && wanted;
    if (!go_on || !predict || !is_open(question)) continue;
    if (!looked) {
      out << "\n"
          << wrapped("First a few predictions, before you look at the trace.", 0, style_.width);
    }
    looked = true;
    go_on = ask_prediction(question, in, out);
  }
  if (go_on && looked) {
    out << "\nNow read the trace, for instance with\n  " + tool_name() + " timeline " << trace
        << "\n  " + tool_name() + " table " << trace << "\n";
  }
  for (const Question& question : sheet_.questions) {
    if (go_on && is_open(question)) go_on = ask_reading(question, in, out);
  }
  answers_ = read_answers(file_, sheet_);
  judged = judge_sheet(sheet_, answers_, keys_, own_);
  reveal(out);
  out << "\n"
      << judged_text(judged, chapter, style_.width, style_.options)
      << wrapped(closing_text(judged, chapter, style_.options), 0, style_.width);
  return judged.exit_code();
}

std::string judged_text(const JudgedSheet& judged, const std::string& chapter, int width,
                        const std::string& options) {
  std::size_t widest = 0;
  for (const JudgedAnswer& answer : judged.answers) widest = std::max(widest, answer.id.size());
  std::string out;
  constexpr int kIndent = 12;
  for (const JudgedAnswer& answer : judged.answers) {
    const std::string given = short_text(answer.given);
    out += fitted(outcome_name(answer.outcome), kIndent);
    // A long answer in a narrow terminal goes below its question.
    const bool fits = kIndent + widest + 2 + given.size() <= static_cast<std::size_t>(width);
    out += given.empty() || !fits ? answer.id : fitted(answer.id, widest + 2) + given;
    out += "\n";
    if (!fits) out += wrapped(given, kIndent, width);
    std::string says = sentence(answer.says);
    if (answer.outcome == AnswerOutcome::kWrong) {
      says += " Next hint: " + tool_name() + " hint " + chapter + " " + answer.id + options;
    }
    if (!says.empty()) out += wrapped(printable(says), kIndent, width);
  }
  for (const std::string& fault : judged.faults) {
    out += fitted("invalid", kIndent) +
           wrapped(printable(sentence(fault)), kIndent, width).substr(kIndent);
  }
  return out;
}

std::string closing_text(const JudgedSheet& judged, const std::string& chapter,
                         const std::string& options) {
  const std::size_t right = judged.count(AnswerOutcome::kRight);
  const std::size_t noted = judged.count(AnswerOutcome::kNoted);
  const std::size_t open =
      judged.count(AnswerOutcome::kUnanswered) + judged.count(AnswerOutcome::kNoAnswer);
  const std::size_t invalid = judged.count(AnswerOutcome::kInvalid) + judged.faults.size();
  // A handout judges nothing, so nothing is right there.
  std::string out = std::to_string(judged.handout ? noted : right) + " of " +
                    counted(judged.answers.size(), "question") +
                    (judged.handout ? " answered" : " right");
  if (const std::size_t wrong = judged.count(AnswerOutcome::kWrong); wrong > 0) {
    out += ", " + std::to_string(wrong) + " wrong";
  }
  if (invalid > 0) out += ", " + std::to_string(invalid) + " invalid";
  if (open > 0) out += ", " + std::to_string(open) + " unanswered";
  if (judged.handout) {
    if (open + invalid > 0) {
      out += "; go on with `" + tool_name() + " quiz " + chapter + options + "`";
    }
    return out + "; answers are judged when you hand in answers/";
  }
  const bool all = judged.exit_code() == 0;
  return out + (all ? ": chapter " + chapter + "'s questions are done"
                    : "; go on with `" + tool_name() + " quiz " + chapter + options + "`");
}

}  // namespace tracebook
