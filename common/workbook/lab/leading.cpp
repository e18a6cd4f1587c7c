// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/leading.h"

#include <algorithm>

#include "common/render/terminal.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/tool_name.h"
#include "common/workbook/lab/words.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

Offer tool_offer(const std::string& label, std::vector<std::string> words) {
  words.insert(words.begin(), tool_name());
  return {label, OpensIn::kProgram, {}, std::move(words)};
}

std::string chapter_name(const ChapterProgress& chapter) {
  return "chapter " + chapter.number + " (" + chapter.title + ")";
}

NextStep lesson_step(const ChapterProgress& chapter) {
  NextStep next{NextKind::kLesson, chapter.chapter, "", {}};
  next.says = "Begin " + chapter_name(chapter) + ": read the lesson, run its program, then answer.";
  next.offers.push_back(tool_offer("read the lesson", {"lesson", chapter.number}));
  next.offers.push_back(
      {"run the program", OpensIn::kProgram, {}, {program_as_typed(chapter.chapter)}});
  next.offers.push_back(tool_offer("answer its questions", {"quiz", chapter.number}));
  return next;
}

NextStep broken_step(const ChapterProgress& chapter) {
  NextStep next{NextKind::kRepair, chapter.chapter, "", {}};
  next.says = "The answers of " + chapter_name(chapter) + " cannot be read: " + chapter.broken +
              ". Correct the file, or set it aside and begin the chapter anew.";
  next.offers.push_back({"correct it", OpensIn::kEditor, chapter.answers, {}});
  next.offers.push_back(tool_offer("begin anew (a copy is kept)", {"reset", chapter.number}));
  return next;
}

NextStep fault_step(const ChapterProgress& chapter) {
  NextStep next{NextKind::kRepair, chapter.chapter, "", {}};
  next.says = "Correct this in " + chapter_name(chapter) + ": " + chapter.faults.front();
  if (!chapter.begun) return next;  // a file of the workbook's, not of the student's
  next.offers.push_back({"correct it", OpensIn::kEditor, chapter.answers, {}});
  next.offers.push_back(tool_offer("judge it again", {"quiz", chapter.number, "--check"}));
  return next;
}

NextStep question_step(const ChapterProgress& chapter, const QuestionProgress& question,
                       NextKind kind) {
  NextStep next{kind, chapter.chapter, "", {}};
  const JudgedAnswer& judged = question.judged;
  if (kind == NextKind::kWrong) {
    const bool wrong = judged.outcome == AnswerOutcome::kWrong;
    next.says = "Your answer to " + judged.id + " in " + chapter_name(chapter) +
                (wrong ? " is wrong: " : " cannot be read: ") + short_text(judged.given) + ". " +
                judged.says;
    next.offers.push_back(tool_offer("answer it again", {"quiz", chapter.number}));
    next.offers.push_back(tool_offer("take a hint", {"hint", chapter.number, judged.id}));
    return next;
  }
  if (judged.outcome == AnswerOutcome::kNoAnswer) {
    next.says = "Your trace gives no answer to " + judged.id + " in " + chapter_name(chapter) +
                ": " + judged.says + " Clear \"trace\" in the answers to use the recording.";
    next.offers.push_back({"choose the trace", OpensIn::kEditor, chapter.answers, {}});
    return next;
  }
  const std::size_t open =
      chapter.count(AnswerOutcome::kUnanswered) + chapter.count(AnswerOutcome::kNoAnswer);
  next.says = "Go on with " + chapter_name(chapter) + ": " + counted(open, "question") +
              (open == 1 ? " is" : " are") + " unanswered. The next is " + judged.id + ": " +
              question.prompt;
  next.offers.push_back(tool_offer("answer it", {"quiz", chapter.number}));
  next.offers.push_back(tool_offer("take a hint", {"hint", chapter.number, judged.id}));
  return next;
}

NextStep work_step(const ChapterProgress& chapter, const WorkProgress& work) {
  NextStep next{NextKind::kExercise, chapter.chapter, "", {}};
  const bool failed = work.judged.outcome == WorkOutcome::kFailed;
  next.says = failed ? "The " + work.item.kind + " exercise " + work.item.name + " of " +
                           chapter_name(chapter) + " fails: " + work.judged.says + "."
                     : "The questions of " + chapter_name(chapter) + " are done. Now its " +
                           work.item.kind + " exercise " + work.item.name + ": " + work.item.title;
  if (is_missing(work.item)) {
    next.offers.push_back(tool_offer("put it back", {"reset", chapter.number, "--missing"}));
    return next;
  }
  next.offers.push_back({failed ? "correct it" : "write it", OpensIn::kEditor, work.item.file, {}});
  next.offers.push_back(tool_offer("judge it", {"exercise", shown_path(work.item.file)}));
  next.offers.push_back(tool_offer("take a hint", {"hint", chapter.number, work.item.name}));
  return next;
}

NextStep all_done(const std::vector<ChapterProgress>& chapters) {
  NextStep next;
  std::size_t needs_gpu = 0;
  std::size_t not_judged = 0;
  for (const ChapterProgress& chapter : chapters) {
    needs_gpu += chapter.count(WorkOutcome::kNeedsGpu);
    not_judged += chapter.count(WorkOutcome::kNotJudged);
  }
  next.says = needs_gpu + not_judged == 0
                  ? "All " + counted(chapters.size(), "chapter") + " are done."
                  : "All that can be judged here is done.";
  if (needs_gpu > 0) {
    next.says += " " + counted(needs_gpu, "exercise") + (needs_gpu == 1 ? " needs" : " need") +
                 " a machine with a GPU.";
  }
  if (not_judged > 0) {
    next.says += " " + counted(not_judged, "exercise") + (not_judged == 1 ? " is" : " are") +
                 " judged elsewhere: hand in.";
  }
  next.says +=
      " Now read a trace of your own work: record it with torch.profiler, and ask what "
      "holds it back.";
  for (const ChapterProgress& chapter : chapters) {
    for (const WorkProgress& work : chapter.work) {
      if (work.judged.outcome != WorkOutcome::kNeedsGpu) continue;
      next.offers.push_back(
          tool_offer("run " + work.item.name, {"exercise", shown_path(work.item.file)}));
    }
  }
  next.offers.push_back(tool_offer("the commands for a trace of yours", {"cheatsheet"}));
  return next;
}

NextStep step_in(const ChapterProgress& chapter) {
  if (!chapter.broken.empty()) return broken_step(chapter);
  if (!chapter.faults.empty()) return fault_step(chapter);
  const auto question = [&](AnswerOutcome outcome) {
    return std::find_if(chapter.questions.begin(), chapter.questions.end(),
                        [outcome](const auto& one) { return one.judged.outcome == outcome; });
  };
  const auto none = chapter.questions.end();
  if (!chapter.begun && !chapter.questions.empty()) return lesson_step(chapter);
  for (const AnswerOutcome outcome : {AnswerOutcome::kInvalid, AnswerOutcome::kWrong}) {
    const auto found = question(outcome);
    if (found != none) return question_step(chapter, *found, NextKind::kWrong);
  }
  for (const AnswerOutcome outcome : {AnswerOutcome::kUnanswered, AnswerOutcome::kNoAnswer}) {
    const auto found = question(outcome);
    if (found != none) return question_step(chapter, *found, NextKind::kQuestion);
  }
  const WorkProgress* chosen = nullptr;
  for (const WorkProgress& work : chapter.work) {
    if (!is_open_work(work.judged.outcome)) continue;
    const bool failed = work.judged.outcome == WorkOutcome::kFailed;
    if (chosen == nullptr || (failed && chosen->judged.outcome != WorkOutcome::kFailed)) {
      chosen = &work;
    }
  }
  return work_step(chapter, *chosen);
}

/// `text` between the escape sequences of a colour, where there are colours.
std::string colored(const std::string& text, const char* code, bool color) {
  return color ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
}

}  // namespace

const char* next_kind_name(NextKind kind) {
  switch (kind) {
    case NextKind::kLesson:
      return "lesson";
    case NextKind::kRepair:
      return "repair";
    case NextKind::kWrong:
      return "wrong";
    case NextKind::kQuestion:
      return "question";
    case NextKind::kExercise:
      return "exercise";
    case NextKind::kDone:
      return "done";
  }
  return "";
}

std::string Offer::shown() const {
  if (opens_in != OpensIn::kProgram) return shown_path(file);
  std::string out;
  for (const std::string& word : command) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string program_as_typed(std::string_view name) {
  const fs::path tool = tool_name();
  return tool.has_parent_path() ? (tool.parent_path() / name).string() : std::string(name);
}

NextStep next_step(const std::vector<ChapterProgress>& chapters) {
  const auto open = std::find_if(chapters.begin(), chapters.end(),
                                 [](const ChapterProgress& one) { return one.is_open(); });
  return open == chapters.end() ? all_done(chapters) : step_in(*open);
}

std::string progress_bar(std::size_t done, std::size_t all, std::size_t columns,
                         const ProgressStyle& style) {
  const std::size_t inside = columns < 3 ? 1 : columns - 2;
  std::size_t full = all == 0 ? 0 : done * inside / all;
  // Whatever is done shows, and only a whole bar is whole.
  if (done > 0) full = std::max<std::size_t>(full, 1);
  if (done < all) full = std::min(full, inside - 1);
  std::string filled;
  std::string rest;
  for (std::size_t i = 0; i < full; ++i) filled += style.ascii ? "#" : "█";
  for (std::size_t i = full; i < inside; ++i) rest += style.ascii ? "-" : "░";
  return "[" + colored(filled, "32", style.color && full > 0) + rest + "]";
}

std::string open_counts(const ChapterProgress& chapter) {
  if (!chapter.broken.empty()) return "answers cannot be read";
  std::vector<std::string> parts;
  const auto part = [&parts](std::size_t count, const std::string& words) {
    if (count > 0) parts.push_back(std::to_string(count) + " " + words);
  };
  const std::size_t gpu = chapter.count(WorkOutcome::kNeedsGpu);
  const std::size_t elsewhere = chapter.count(WorkOutcome::kNotJudged);
  part(chapter.wrong(), "wrong");
  part(chapter.faults.size(), chapter.faults.size() == 1 ? "fault" : "faults");
  part(chapter.all() - chapter.done() - chapter.wrong() - gpu - elsewhere, "open");
  part(gpu, gpu == 1 ? "needs a GPU" : "need a GPU");
  part(elsewhere, "not judged here");
  std::string out;
  for (const std::string& one : parts) out += (out.empty() ? "" : ", ") + one;
  return out;
}

std::string progress_text(const std::vector<ChapterProgress>& chapters, std::string_view current,
                          const ProgressStyle& style) {
  std::vector<std::string> counts;
  std::vector<std::string> states;
  std::size_t widest_count = 0;
  std::size_t widest_state = 0;
  for (const ChapterProgress& chapter : chapters) {
    counts.push_back(std::to_string(chapter.done()) + "/" + std::to_string(chapter.all()));
    const bool untouched = !chapter.begun && chapter.done() + chapter.wrong() == 0;
    states.push_back(untouched && chapter.is_open() ? "" : open_counts(chapter));
    if (states.back().empty() && !chapter.is_open()) {
      states.back() = chapter.all() == 0 ? "no exercises" : "done";
    }
    widest_count = std::max(widest_count, counts.back().size());
    widest_state = std::max(widest_state, states.back().size());
  }
  const auto width = static_cast<std::size_t>(style.width);
  const std::size_t bar = width < 60 ? 10 : 18;
  std::string out;
  for (std::size_t i = 0; i < chapters.size(); ++i) {
    const ChapterProgress& chapter = chapters[i];
    std::string tail = std::string(widest_count - counts[i].size(), ' ') + counts[i] + "  ";
    if (widest_state > 0) tail += fitted(states[i], widest_state, style.ascii) + "  ";
    tail += printable(chapter.title, style.ascii);
    const bool marked = chapter.chapter == current;
    tail = shortened(tail, width - bar - 6, style.ascii);
    tail.erase(tail.find_last_not_of(' ') + 1);
    out += (marked ? "> " : "  ") + chapter.number + " " +
           progress_bar(chapter.done(), chapter.all(), bar, style) + " " +
           colored(tail, "1", style.color && marked) + "\n";
  }
  return out;
}

std::string next_text(const NextStep& next, int width) {
  std::size_t widest = 0;
  for (const Offer& offer : next.offers) widest = std::max(widest, offer.label.size());
  std::string out = wrapped(printable(next.says), 0, width);
  for (std::size_t i = 0; i < next.offers.size(); ++i) {
    const Offer& offer = next.offers[i];
    const std::string shown = printable(offer.shown());
    const std::string head = "  " + std::to_string(i + 1) + "  ";
    // A command stays whole, so that it can be copied: below its label where both do not fit.
    const bool fits =
        head.size() + widest + 2 + display_width(shown) <= static_cast<std::size_t>(width);
    out += fits ? head + fitted(offer.label, widest + 2) + shown + "\n"
                : head + offer.label + "\n     " + shown + "\n";
  }
  return out;
}

}  // namespace tracebook
