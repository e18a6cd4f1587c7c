// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/lab_body.h"

#include <algorithm>

#include "common/render/terminal.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/question_text.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/tool_name.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

constexpr std::size_t kState = 13;  // columns of "not started" and the like

const char* const kRed = "31";
const char* const kGreen = "32";
const char* const kYellow = "33";

class BodyWriter {
 public:
  explicit BodyWriter(const BodyStyle& style) : style_(style) {}

  void line(const std::string& text, const char* color = "") {
    body_.lines.push_back({shortened(printable(text, style_.ascii), width(), style_.ascii), color});
  }
  /// Each line of `text` broken at blanks.
  void paragraph(const std::string& text, int indent, const char* color = "") {
    std::string rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      // Text is kept at least 20 columns wide.
      for_lines(wrapped(printable(rest.substr(0, end), style_.ascii),
                        std::min(indent, style_.width / 3), style_.width),
                [&](const std::string& one) { line(one, color); });
      rest.erase(0, end + 1);
    }
  }
  /// Text that has its lines already.
  void block(const std::string& text, const char* color = "") {
    for_lines(text, [&](const std::string& one) { line(one, color); });
  }
  /// A command or a path, to be copied: nothing of it is cut off. Where it is too long it goes on
  /// in the next line.
  void command(const std::string& text, int indent, const char* color = kDim) {
    std::string rest = printable(text, style_.ascii);
    const auto room = [&](int margin) { return width() - static_cast<std::size_t>(margin); };
    int margin = std::min(indent, style_.width / 3);
    if (display_width(rest) > room(margin)) margin = std::min(margin, 2);
    while (!rest.empty()) {
      std::size_t cut = rest.size();
      if (display_width(rest) > room(margin)) {
        cut = rest.rfind(' ', room(margin));
        if (cut == std::string::npos || cut == 0) cut = whole_characters(rest, room(margin));
      }
      const std::string part = rest.substr(0, cut);
      line(std::string(static_cast<std::size_t>(margin), ' ') + std::string(trimmed(part)), color);
      rest.erase(0, cut);
      rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
    }
  }
  void begin_item() { body_.items.emplace_back(body_.lines.size(), 0); }
  void end_item() { body_.items.back().second = body_.lines.size(); }
  /// What was written so far is the message.
  void end_message() { body_.message_lines = body_.lines.size(); }
  ScreenBody take() { return std::move(body_); }

 private:
  [[nodiscard]] std::size_t width() const {
    return static_cast<std::size_t>(std::max(1, style_.width));
  }
  /// Bytes of as many characters of `text` as fit, at least one.
  static std::size_t whole_characters(const std::string& text, std::size_t columns) {
    std::size_t count = std::max<std::size_t>(1, columns);
    while (count > 1 && display_width(first_characters(text, count)) > columns) --count;
    return first_characters(text, count).size();
  }
  template <typename Take>
  static void for_lines(std::string text, const Take& take) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(text.substr(0, end));
      text.erase(0, end + 1);
    }
  }

  BodyStyle style_;
  ScreenBody body_;
};

const char* color_of(AnswerOutcome outcome) {
  switch (outcome) {
    case AnswerOutcome::kRight:
      return kGreen;
    case AnswerOutcome::kWrong:
    case AnswerOutcome::kInvalid:
      return kRed;
    case AnswerOutcome::kUnanswered:
    case AnswerOutcome::kNoAnswer:
    case AnswerOutcome::kNoted:
      return "";
  }
  return "";
}

const char* color_of(WorkOutcome outcome) {
  switch (outcome) {
    case WorkOutcome::kPassed:
      return kGreen;
    case WorkOutcome::kFailed:
      return kRed;
    case WorkOutcome::kNotStarted:
      return "";
    case WorkOutcome::kNeedsGpu:
    case WorkOutcome::kNotJudged:
      return kYellow;
  }
  return "";
}

/// The state, a mark where the item is the chosen one, its name.
std::string item_head(const char* state, bool marked, const std::string& name, std::size_t names) {
  std::string out = fitted(state, kState);
  if (marked) out[kState - 1] = '>';
  return out + fitted(name, names);
}

std::string judging_command(const WorkProgress& work) {
  return tool_name() + " exercise " + shown_path(work.item.file);
}

void write_question(const QuestionProgress& question, std::size_t names, bool marked,
                    BodyWriter& out) {
  const JudgedAnswer& judged = question.judged;
  std::string line = item_head(outcome_name(judged.outcome), marked, judged.id, names);
  if (question.hints_used > 0) {
    line += "(" + counted(static_cast<std::size_t>(question.hints_used), "hint") + ")  ";
  }
  out.line(line + (judged.given.empty() ? question.prompt : judged.given),
           color_of(judged.outcome));
  if (judged.outcome != AnswerOutcome::kRight && !judged.says.empty()) {
    out.paragraph(judged.says, static_cast<int>(kState));
  }
}

void write_work(const WorkProgress& work, std::size_t names, bool marked, BodyWriter& out) {
  const WorkOutcome outcome = work.judged.outcome;
  const bool started = outcome != WorkOutcome::kNotStarted;
  out.line(item_head(work_outcome_name(outcome), marked, work.item.name, names) +
               (started ? work.item.kind + " exercise" : work.item.title),
           color_of(outcome));
  if (started && !work.judged.says.empty() && outcome != WorkOutcome::kPassed) {
    out.paragraph(work.judged.says + ".", static_cast<int>(kState));
  }
  out.command(judging_command(work), static_cast<int>(kState));
}

void write_message(const std::string& message, BodyWriter& out) {
  if (message.empty()) return;
  out.paragraph(message, 0, kYellow);
  out.end_message();
  out.line("");
}

void write_whole_question(const ChapterProgress& chapter, const QuestionProgress& one,
                          const BodyStyle& style, BodyWriter& out) {
  const JudgedAnswer& judged = one.judged;
  std::string state = outcome_name(judged.outcome);
  if (!judged.given.empty()) state += ": " + short_text(judged.given);
  if (one.hints_used > 0) {
    state += "  (" + counted(static_cast<std::size_t>(one.hints_used), "hint") + ")";
  }
  out.paragraph(judged.id, 0, kBold);
  out.block(question_text(one.question, "", style.width));
  out.line("");
  out.paragraph(state, 0, color_of(judged.outcome));
  if (judged.outcome != AnswerOutcome::kRight) out.paragraph(judged.says, 0);
  if (!one.trace.empty()) {
    out.line("");
    out.line("Read it in the trace:");
    out.command(tool_name() + " timeline " + shown_path(one.trace), 2, "");
  }
  out.line("");
  out.paragraph("Write the answer behind \"" + judged.id + "\" in the file, or let the quiz ask:",
                0);
  out.command(shown_path(chapter.answers), 2, "");
  out.command(tool_name() + " quiz " + chapter.number, 2, "");
}

void write_whole_work(const WorkProgress& work, BodyWriter& out) {
  out.paragraph(work.item.name + ", " + work.item.kind + " exercise", 0, kBold);
  out.paragraph(work.item.title, 0);
  out.line("");
  out.paragraph(work_outcome_name(work.judged.outcome), 0, color_of(work.judged.outcome));
  if (!work.judged.says.empty()) out.paragraph(work.judged.says + ".", 0);
  out.line("");
  out.line("Write it in this file:");
  out.command(shown_path(work.item.file), 2, "");
  out.line("It is judged by:");
  out.command(judging_command(work), 2, "");
  if (work.item.trace.empty()) return;
  out.line("Its trace is left at:");
  out.command(shown_path(work.item.trace), 2, "");
}

}  // namespace

std::size_t item_count(const ChapterProgress& chapter) {
  return (chapter.broken.empty() ? chapter.questions.size() : 0) + chapter.work.size();
}

const QuestionProgress* question_at(const ChapterProgress& chapter, std::size_t item) {
  const bool there = chapter.broken.empty() && item < chapter.questions.size();
  return there ? &chapter.questions[item] : nullptr;
}

const WorkProgress* work_at(const ChapterProgress& chapter, std::size_t item) {
  const std::size_t before = item_count(chapter) - chapter.work.size();
  const bool there = item >= before && item < item_count(chapter);
  return there ? &chapter.work[item - before] : nullptr;
}

std::size_t first_open_item(const ChapterProgress& chapter) {
  for (std::size_t item = 0; item < item_count(chapter); ++item) {
    const QuestionProgress* const question = question_at(chapter, item);
    const bool is_open = question != nullptr ? !is_done(question->judged.outcome)
                                             : is_open_work(work_at(chapter, item)->judged.outcome);
    if (is_open) return item;
  }
  return 0;
}

ScreenBody list_body(const ChapterProgress& chapter, const std::string& message,
                     std::optional<std::size_t> selected, const BodyStyle& style) {
  BodyWriter out(style);
  write_message(message, out);
  std::size_t names = 0;
  for (const QuestionProgress& one : chapter.questions) {
    names = std::max(names, one.judged.id.size() + 2);
  }
  for (const WorkProgress& one : chapter.work) names = std::max(names, one.item.name.size() + 2);
  if (!chapter.broken.empty()) {
    out.paragraph("The answers cannot be read: " + chapter.broken, 0, kRed);
  } else if (!chapter.begun && !chapter.questions.empty()) {
    const std::string quiz = "`" + tool_name() + " quiz " + chapter.number;
    out.paragraph("Nothing is answered yet. " + quiz + "` asks; " + quiz + " --start` makes " +
                      shown_path(chapter.answers) + " for your editor, and " + quiz +
                      " --list` shows the questions in full.",
                  0, kDim);
  }
  for (const std::string& fault : chapter.faults) out.paragraph(fault, 0, kRed);
  for (std::size_t item = 0; item < item_count(chapter); ++item) {
    const bool marked = selected == item;
    out.begin_item();
    if (const QuestionProgress* const question = question_at(chapter, item)) {
      write_question(*question, names, marked, out);
    } else {
      write_work(*work_at(chapter, item), names, marked, out);
    }
    out.end_item();
  }
  if (chapter.all() == 0) out.line("There are no questions or exercises here.");
  return out.take();
}

ScreenBody item_body(const ChapterProgress& chapter, std::size_t item, const std::string& message,
                     const BodyStyle& style) {
  BodyWriter out(style);
  write_message(message, out);
  if (const QuestionProgress* const question = question_at(chapter, item)) {
    write_whole_question(chapter, *question, style, out);
  } else if (const WorkProgress* const work = work_at(chapter, item)) {
    write_whole_work(*work, out);
  }
  return out.take();
}

}  // namespace tracebook
