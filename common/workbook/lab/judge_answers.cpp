// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/judge_answers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "common/render/rows.h"
#include "common/trace/error.h"
#include "common/workbook/claims.h"
#include "common/workbook/lab/quantity.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

constexpr std::size_t kShortestName = 4;  // characters of an event's name that may stand for it
constexpr const char* kNotIt = "That is not it.";

std::optional<double> number_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

bool is_within(const Question& question, double given, double right) {
  constexpr double kRounding = 1e-9;  // of sums in another order
  const double size = std::abs(right);
  const double tolerance =
      std::max(question.relative_tolerance * size, question.absolute_tolerance);
  return std::abs(given - right) <= tolerance + kRounding * size;
}

/// A slip that needs no query to be seen, or "".
std::string slip(const Question& question, double given, double right) {
  if (right == 0) return "";
  const auto is_right = [&](double value) { return is_within(question, value, right); };
  const bool scales = unit_factor(question.unit, "us") || unit_factor(question.unit, "bytes");
  if (scales && is_right(given / 1000)) {
    return "That is 1000 times too much: look at the unit of what you read; the question asks "
           "for " +
           question.unit + ".";
  }
  if (scales && is_right(given * 1000)) {
    return "That is 1000 times too little: look at the unit of what you read; the question asks "
           "for " +
           question.unit + ".";
  }
  if (question.unit == "%" && is_right(given * 100)) {
    return "That is the fraction; the question asks for per cent.";
  }
  if (is_right(-given)) return "The size is right, the sign is not.";
  const bool is_ratio = question.unit == "x" || question.unit == "%";
  const double whole = question.unit == "%" ? 100 : 1;
  if (is_ratio && given != 0 && is_right(whole * whole / given)) {
    return "That is the inverse: swap what you divide and what you divide by.";
  }
  constexpr const char* kThousands = ": look again in what the number is to be given.";
  if (question.unit.empty() && is_right(given / 1000)) {
    return std::string("That is 1000 times too much") + kThousands;
  }
  if (question.unit.empty() && is_right(given * 1000)) {
    return std::string("That is 1000 times too little") + kThousands;
  }
  return "";
}

void judge_number(const Question& question, const AnswerKey& key, JudgedAnswer& judged) {
  const ReadNumber read = read_number(judged.given, question.unit);
  if (!read.value) {
    judged.outcome = AnswerOutcome::kInvalid;
    judged.says = read.fault;
    return;
  }
  const double right = *number_of(key.right);
  if (is_within(question, *read.value, right)) {
    judged.outcome = AnswerOutcome::kRight;
    return;
  }
  judged.outcome = AnswerOutcome::kWrong;
  for (std::size_t i = 0; i < key.mistakes.size(); ++i) {
    const std::optional<double> mistaken = number_of(key.mistakes[i]);
    if (!mistaken || is_within(question, *mistaken, right)) continue;
    if (is_within(question, *read.value, *mistaken)) {
      judged.says = question.mistakes[i].says;
      return;
    }
  }
  judged.says = slip(question, *read.value, right);
  if (judged.says.empty()) judged.says = kNotIt;
}

/// What texts are the same by: a grid can be written in several ways.
std::string comparable(std::string_view text) { return shape_of(text).value_or(folded(text)); }

/// `answer` against the key, both as text.
void judge_words(const Question& question, const AnswerKey& key, const std::string& answer,
                 JudgedAnswer& judged) {
  const std::string given = comparable(answer);
  const std::string right = comparable(cell_text(key.right));
  if (given == right) {
    judged.outcome = AnswerOutcome::kRight;
    return;
  }
  judged.outcome = AnswerOutcome::kWrong;
  judged.says = kNotIt;
  for (std::size_t i = 0; i < key.mistakes.size(); ++i) {
    const Cell& mistake = key.mistakes[i];
    if (std::holds_alternative<std::monostate>(mistake)) continue;
    if (comparable(cell_text(mistake)) == given) {
      judged.says = question.mistakes[i].says;
      return;
    }
  }
}

/// The choice that `text` means: its words, or its number from 1. Null if it is none.
const std::string* choice_of(const Question& question, std::string_view text) {
  for (const std::string& choice : question.choices) {
    if (folded(choice) == folded(text)) return &choice;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || number < 1 || number > question.choices.size()) return nullptr;
  return &question.choices[number - 1];
}

/// The one event whose name is `text` or begins with it; else `fault` says why there is none.
std::string event_of(const AnswerKey& key, std::string_view text, std::string& fault) {
  std::string wanted = folded(text);
  // Tables cut long names and put dots behind them.
  for (const std::string_view dots : {"...", "…"}) {
    if (wanted.size() > dots.size() &&
        wanted.compare(wanted.size() - dots.size(), dots.size(), dots) == 0) {
      wanted.resize(wanted.size() - dots.size());
    }
  }
  std::string right = key.has_answer() ? cell_text(key.right) : "";
  if (wanted == folded(right)) return right;
  std::vector<std::string> beginning;
  if (key.events) {
    for (const std::string& name : *key.events) {
      const std::string candidate = folded(name);
      if (candidate == wanted) return name;
      if (candidate.compare(0, wanted.size(), wanted) == 0) beginning.push_back(name);
    }
  }
  const std::string shown = in_quotes(text);
  if (beginning.empty()) {
    fault = "no event of the trace has a name that begins with " + shown +
            "; expected an event's name, as the table or the timeline shows it";
  } else if (wanted.size() < kShortestName) {
    fault = shown + " is too short; write at least " + std::to_string(kShortestName) +
            " characters of the event's name";
  } else if (beginning.size() > 1) {
    fault = std::to_string(beginning.size()) + " different events begin with " + shown +
            "; write more of the name";
  } else {
    return beginning.front();
  }
  return "";
}

/// Whether it can be an answer at all, where the query is not here to judge it.
void judge_form(const Question& question, const AnswerKey& key, JudgedAnswer& judged) {
  judged.says = answer_fault(question, judged.given);
  if (judged.says.empty() && question.kind == QuestionKind::kEvent) {
    event_of(key, judged.given, judged.says);
  }
  judged.outcome = judged.says.empty() ? AnswerOutcome::kNoted : AnswerOutcome::kInvalid;
  judged.given = meant_answer(question, judged.given);
}

}  // namespace

const char* outcome_name(AnswerOutcome outcome) {
  switch (outcome) {
    case AnswerOutcome::kRight:
      return "right";
    case AnswerOutcome::kWrong:
      return "wrong";
    case AnswerOutcome::kUnanswered:
      return "unanswered";
    case AnswerOutcome::kInvalid:
      return "invalid";
    case AnswerOutcome::kNoAnswer:
      return "no answer";
    case AnswerOutcome::kNoted:
      return "noted";
  }
  return "";
}

bool is_done(AnswerOutcome outcome) {
  return outcome == AnswerOutcome::kRight || outcome == AnswerOutcome::kNoted;
}

std::size_t JudgedSheet::count(AnswerOutcome outcome) const {
  return static_cast<std::size_t>(
      std::count_if(answers.begin(), answers.end(),
                    [outcome](const JudgedAnswer& judged) { return judged.outcome == outcome; }));
}

int JudgedSheet::exit_code() const {
  if (!faults.empty() || count(AnswerOutcome::kWrong) > 0 || count(AnswerOutcome::kInvalid) > 0) {
    return static_cast<int>(ExitCode::kMissed);
  }
  return static_cast<int>(count(AnswerOutcome::kRight) == answers.size() ? ExitCode::kGood
                                                                         : ExitCode::kCannotJudge);
}

std::string answer_fault(const Question& question, std::string_view text) {
  if (question.kind == QuestionKind::kNumber) return read_number(text, question.unit).fault;
  if (question.kind != QuestionKind::kChoice) return "";
  if (choice_of(question, trimmed(text)) != nullptr) return "";
  return in_quotes(trimmed(text)) + " is none of the choices; expected " +
         listed(question.choices, "or");
}

std::string prediction_fault(const Question& question, std::string_view text) {
  return trimmed(text).empty() ? "" : answer_fault(question, text);
}

std::string meant_answer(const Question& question, std::string_view text) {
  const bool is_choice = question.kind == QuestionKind::kChoice;
  const std::string* const choice = is_choice ? choice_of(question, trimmed(text)) : nullptr;
  return choice == nullptr ? std::string(trimmed(text)) : *choice;
}

JudgedAnswer judge_answer(const Question& question, std::string_view text, const AnswerKey& key) {
  JudgedAnswer judged{question.id, AnswerOutcome::kUnanswered, std::string(trimmed(text)), ""};
  if (judged.given.empty()) return judged;
  if (key.deferred) {
    judge_form(question, key, judged);
    return judged;
  }
  if (!key.has_answer()) {
    judged.outcome = AnswerOutcome::kNoAnswer;
    judged.says = "This trace holds no answer to the question; read the chapter's recording.";
    return judged;
  }
  if (question.kind == QuestionKind::kNumber) {
    judge_number(question, key, judged);
    return judged;
  }
  std::string answer = judged.given;
  if (question.kind == QuestionKind::kChoice) {
    judged.says = answer_fault(question, judged.given);
    if (judged.says.empty()) answer = judged.given = meant_answer(question, judged.given);
  } else if (question.kind == QuestionKind::kEvent) {
    answer = event_of(key, judged.given, judged.says);
  }
  const bool is_shape =
      question.kind == QuestionKind::kText && shape_of(cell_text(key.right)).has_value();
  if (is_shape && !shape_of(answer)) {
    judged.says =
        in_quotes(answer) + " is no grid or block; expected three whole numbers, such as 12,5,1";
  }
  if (!judged.says.empty()) {
    judged.outcome = AnswerOutcome::kInvalid;
    return judged;
  }
  judge_words(question, key, answer, judged);
  return judged;
}

namespace {

struct OwnTrace {
  const std::filesystem::path& file;
  const std::string& fault;
};

/// A trace of the student's that cannot be read spoils only the answers that need it.
void judge_on_trace(const QuestionSheet& sheet, const Question& question, AnswerKeys& keys,
                    const OwnTrace& own, JudgedAnswer& judged) {
  const bool needs_own = question.recording.empty() && (!own.file.empty() || !own.fault.empty());
  std::string fault = needs_own ? own.fault : "";
  if (fault.empty()) {
    try {
      const std::filesystem::path trace = keys.trace_of(sheet, question, own.file);
      judged = judge_answer(question, judged.given, keys.key(sheet, question, trace));
      return;
    } catch (const InputError& error) {
      if (!needs_own) throw;
      fault = error.what();
    }
  }
  judged.outcome = AnswerOutcome::kInvalid;
  judged.says = "The trace that \"trace\" names cannot be read: " + fault;
}

}  // namespace

JudgedSheet judge_sheet(const QuestionSheet& sheet, const AnswerSheet& answers, AnswerKeys& keys,
                        const std::filesystem::path& own, const std::string& own_fault) {
  JudgedSheet out;
  out.faults = answers.unknown;
  out.handout = sheet.handout;
  if (!own_fault.empty()) out.faults.push_back("\"trace\": " + own_fault);
  for (const Question& question : sheet.questions) {
    const std::string no_guess = prediction_fault(question, answers.prediction(question.id));
    if (!no_guess.empty()) {
      out.faults.push_back('"' + question.id + "\" in \"predictions\": " + no_guess);
    }
    JudgedAnswer judged{question.id, AnswerOutcome::kUnanswered, answers.answer(question.id), ""};
    if (const auto fault = answers.faults.find(question.id); fault != answers.faults.end()) {
      judged.outcome = AnswerOutcome::kInvalid;
      judged.says = fault->second;
    } else if (!answers.has_line(question.id)) {
      judged.says = "The file has no line for it: add \"" + question.id + R"(": "" to "answers".)";
    } else if (!judged.given.empty()) {
      judge_on_trace(sheet, question, keys, {own, own_fault}, judged);
    }
    out.answers.push_back(std::move(judged));
  }
  return out;
}

std::string right_answer(const Question& question, const AnswerKey& key) {
  if (!key.has_answer()) return "";
  const std::optional<double> number = number_of(key.right);
  if (question.kind == QuestionKind::kNumber && number) {
    return quantity_text(*number, question.unit);
  }
  return cell_text(key.right);
}

std::string expected_answer(const Question& question) {
  switch (question.kind) {
    case QuestionKind::kNumber:
      if (question.unit == "x") return "a number, such as 1.5 x";
      return question.unit.empty() ? "a number" : "a number in " + question.unit;
    case QuestionKind::kChoice:
      return "1 to " + std::to_string(question.choices.size()) + ", or the words";
    case QuestionKind::kEvent:
      return "an event's name, or how it begins";
    case QuestionKind::kText:
      return "text";
  }
  return "";
}

}  // namespace tracebook
