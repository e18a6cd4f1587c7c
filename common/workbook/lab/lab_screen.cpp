// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/lab_screen.h"

#include <algorithm>

#include "common/render/terminal.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/leading.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/tool_name.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

constexpr std::size_t kState = 13;  // columns of "not started" and the like

const char* const kBold = "1";
const char* const kDim = "2";
const char* const kRed = "31";
const char* const kGreen = "32";
const char* const kYellow = "33";

struct ScreenLine {
  std::string text;
  const char* color = "";
};

/// What is shown between the head and the keys.
struct ScreenBody {
  std::vector<ScreenLine> lines;
  std::size_t first_open = 0;  ///< the line of the first item that is not done
  bool any_open = false;
};

class BodyWriter {
 public:
  BodyWriter(int width, bool ascii) : width_(width), ascii_(ascii) {}

  void line(const std::string& text, const char* color = "") {
    body_.lines.push_back(
        {shortened(printable(text, ascii_), static_cast<std::size_t>(width_), ascii_), color});
  }
  void paragraph(const std::string& text, int indent, const char* color = "") {
    // Text is kept at least 20 columns wide.
    std::string rest = wrapped(printable(text, ascii_), std::min(indent, width_ / 3), width_);
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      line(rest.substr(0, end), color);
      rest.erase(0, end + 1);
    }
  }
  void open_here() {
    if (!body_.any_open) body_.first_open = body_.lines.size();
    body_.any_open = true;
  }
  ScreenBody take() { return std::move(body_); }

 private:
  int width_;
  bool ascii_;
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

void write_question(const QuestionProgress& question, std::size_t names, BodyWriter& out) {
  const JudgedAnswer& judged = question.judged;
  if (!is_done(judged.outcome)) out.open_here();
  std::string line = fitted(outcome_name(judged.outcome), kState) + fitted(judged.id, names);
  if (question.hints_used > 0) {
    line += "(" + counted(static_cast<std::size_t>(question.hints_used), "hint") + ")  ";
  }
  out.line(line + (judged.given.empty() ? question.prompt : judged.given),
           color_of(judged.outcome));
  if (judged.outcome != AnswerOutcome::kRight && !judged.says.empty()) {
    out.paragraph(judged.says, static_cast<int>(kState));
  }
}

void write_work(const WorkProgress& work, std::size_t names, BodyWriter& out) {
  const WorkOutcome outcome = work.judged.outcome;
  if (is_open_work(outcome)) out.open_here();
  const bool started = outcome != WorkOutcome::kNotStarted;
  out.line(fitted(work_outcome_name(outcome), kState) + fitted(work.item.name, names) +
               (started ? work.item.kind + " exercise" : work.item.title),
           color_of(outcome));
  if (!started) {
    out.paragraph(shown_path(work.item.file), static_cast<int>(kState), kDim);
  } else if (!work.judged.says.empty() && outcome != WorkOutcome::kPassed) {
    out.paragraph(work.judged.says + ".", static_cast<int>(kState));
  }
}

ScreenBody body_of(const ChapterProgress& chapter, const std::string& message, int width,
                   bool ascii) {
  BodyWriter out(width, ascii);
  if (!message.empty()) {
    std::string rest = message;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      out.paragraph(rest.substr(0, end), 0, kYellow);
      rest.erase(0, end + 1);
    }
    out.line("");
  }
  std::size_t names = 0;
  for (const QuestionProgress& one : chapter.questions) {
    names = std::max(names, one.judged.id.size() + 2);
  }
  for (const WorkProgress& one : chapter.work) names = std::max(names, one.item.name.size() + 2);
  if (!chapter.broken.empty()) {
    out.open_here();
    out.paragraph("The answers cannot be read: " + chapter.broken, 0, kRed);
  } else if (!chapter.begun && !chapter.questions.empty()) {
    out.paragraph("Nothing is answered yet. `" + tool_name() + " quiz " + chapter.number +
                      "` asks; `" + tool_name() + " quiz " + chapter.number + " --start` makes " +
                      shown_path(chapter.answers) + " for your editor.",
                  0, kDim);
  }
  for (const std::string& fault : chapter.faults) {
    out.open_here();
    out.paragraph(fault, 0, kRed);
  }
  if (chapter.broken.empty()) {
    for (const QuestionProgress& one : chapter.questions) write_question(one, names, out);
  }
  for (const WorkProgress& one : chapter.work) write_work(one, names, out);
  if (chapter.all() == 0) out.line("There are no questions or exercises here.");
  return out.take();
}

/// As many of the words as fit on each line, two blanks between.
std::vector<std::string> packed(const std::vector<std::string>& words, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& word : words) {
    const bool fits =
        !lines.empty() && display_width(lines.back()) + 2 + display_width(word) <= width;
    if (fits) {
      lines.back() += "  " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::vector<std::string> keys_of(const ScreenSize& size) {
  const bool narrow = size.columns < 60;
  return packed(
      {"h hint", narrow ? "n next open" : "n next open chapter",
       size.ascii ? "[ ] chapters" : "←→ chapters", size.ascii ? "j k scroll" : "↑↓ scroll",
       narrow ? "r check" : "r check again", "q quit"},
      static_cast<std::size_t>(size.columns));
}

/// Where the parts stand: `rows` of the body between a head of two or three lines and the foot.
struct ScreenLayout {
  std::vector<std::string> keys;
  ScreenBody body;
  bool airy = false;  ///< an empty line below the head and above the foot
  std::size_t rows = 1;
  std::size_t hidden = 0;
};

ScreenLayout layout_of(const LabView& view, const ScreenSize& size) {
  ScreenLayout out;
  out.keys = keys_of(size);
  const ChapterProgress& chapter = (*view.chapters)[view.at];
  out.body = view.reading ? ScreenBody{} : body_of(chapter, view.message, size.columns, size.ascii);
  constexpr int kAiryRows = 16;
  out.airy = size.rows >= kAiryRows;
  const int taken = 3 + static_cast<int>(out.keys.size()) + (out.airy ? 2 : 0);
  out.rows = static_cast<std::size_t>(std::max(1, size.rows - taken));
  out.hidden = out.body.lines.size() > out.rows ? out.body.lines.size() - out.rows : 0;
  return out;
}

std::size_t first_line(const LabView& view, const ScreenLayout& layout) {
  if (view.first) return std::min(*view.first, layout.hidden);
  // A message comes first, and then what is open: with its reason, and what stands before it.
  if (!view.message.empty() || layout.body.first_open + 3 <= layout.rows) return 0;
  return std::min(layout.body.first_open - std::min<std::size_t>(layout.body.first_open, 1),
                  layout.hidden);
}

std::string status_of(const LabView& view, const ScreenLayout& layout, std::size_t first,
                      const ScreenSize& size) {
  if (view.reading) return "Reading the workbook ...";
  std::string out;
  if (layout.hidden > 0) {
    out = "Lines " + std::to_string(first + 1) + "-" + std::to_string(first + layout.rows) +
          " of " + std::to_string(layout.body.lines.size()) + ". ";
  }
  if (view.checking) return out + "Checking ...";
  if (size.columns < 60) return out + "Save to check.";
  return out + (out.empty() ? "Watching: save your answers or an exercise, and it is checked."
                            : "Watching: what you save is checked.");
}

std::string bar_line(const LabView& view, const ScreenSize& size) {
  const ChapterProgress& chapter = (*view.chapters)[view.at];
  std::size_t done = 0;
  std::size_t all = 0;
  for (const ChapterProgress& one : *view.chapters) {
    done += one.done();
    all += one.all();
  }
  const ProgressStyle style{size.columns, size.ascii, size.color};
  const bool narrow = size.columns < 60;
  const auto columns = static_cast<std::size_t>(std::max(1, size.columns));
  const std::size_t bar = std::min<std::size_t>(narrow ? 14 : 24, columns);
  std::string tail = std::to_string(chapter.done()) + " of " + std::to_string(chapter.all());
  const std::string open = open_counts(chapter);
  if (!open.empty()) tail += " (" + open + ")";
  const std::string whole = "   workbook: " + std::to_string(done) + " of " + std::to_string(all);
  if (bar + 1 + tail.size() + whole.size() <= columns) tail += whole;
  std::string shown = progress_bar(chapter.done(), chapter.all(), bar, style);
  if (columns < bar + 2) return shown;
  return shown + " " + shortened(tail, columns - bar - 1, size.ascii);
}

}  // namespace

std::vector<std::string> lab_screen(const LabView& view, const ScreenSize& size) {
  const ScreenLayout layout = layout_of(view, size);
  const ChapterProgress& chapter = (*view.chapters)[view.at];
  const auto columns = static_cast<std::size_t>(std::max(1, size.columns));
  std::vector<std::string> out;
  const auto add = [&](const std::string& text, const char* color = "") {
    const std::string cut = shortened(text, columns, size.ascii);
    const bool colored = size.color && *color != '\0' && !cut.empty();
    out.push_back(colored ? std::string("\033[") + color + "m" + cut + "\033[0m" : cut);
  };
  add("Chapter " + chapter.number + " of " + view.chapters->back().number + ": " +
          printable(chapter.title, size.ascii),
      kBold);
  if (view.reading) {
    add("");
  } else {
    out.push_back(bar_line(view, size));
  }
  if (layout.airy) add("");
  const std::size_t first = first_line(view, layout);
  for (std::size_t row = 0; row < layout.rows; ++row) {
    const bool there = first + row < layout.body.lines.size();
    const ScreenLine line = there ? layout.body.lines[first + row] : ScreenLine();
    add(line.text, line.color);
  }
  if (layout.airy) add("");
  add(status_of(view, layout, first, size), kDim);
  for (const std::string& keys : layout.keys) add(keys);
  // Of a screen that is far too small, the head.
  out.resize(static_cast<std::size_t>(std::max(1, size.rows)));
  return out;
}

std::size_t lab_scrolled(const LabView& view, const ScreenSize& size, int lines) {
  const ScreenLayout layout = layout_of(view, size);
  const int wanted = static_cast<int>(first_line(view, layout)) + lines;
  return std::min(static_cast<std::size_t>(std::max(0, wanted)), layout.hidden);
}

std::string lab_text(const ChapterProgress& chapter, int width, bool ascii) {
  std::string out = printable("Chapter " + chapter.number + ": " + chapter.title, ascii) + "\n" +
                    progress_bar(chapter.done(), chapter.all(), 30, {width, ascii, false}) + " " +
                    std::to_string(chapter.done()) + " of " + std::to_string(chapter.all()) +
                    "\n\n";
  for (const ScreenLine& line : body_of(chapter, "", width, ascii).lines) out += line.text + "\n";
  return out;
}

}  // namespace tracebook
