// SPDX-License-Identifier: Apache-2.0
//
// tracebook lab: one screen on a chapter, checked again at each save; without a terminal, once.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include <unistd.h>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/lab.h"
#include "common/workbook/lab/leading.h"
#include "common/workbook/lab/progress.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

struct LabCommand {
  std::string chapter;
  bool poll = false;
};

/// A terminal that knows how to move its cursor, with somebody at its keys.
bool has_screen(const Terminal& terminal) {
  const char* const term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return terminal.is_terminal && !dumb && isatty(STDIN_FILENO) == 1;
}

/// The chapter asked for, else the whole workbook and the chapter that is next.
int print_state(const std::string& chapter) {
  const Terminal terminal = stdout_terminal();
  const bool ascii = !terminal.utf8;
  ProgressReader reader = progress_reader();
  std::vector<ChapterProgress> chapters;
  if (chapter.empty()) {
    chapters = reader.workbook();
  } else {
    chapters.push_back(reader.chapter(find_chapter(chapter)));
  }
  const NextStep next = next_step(chapters);
  if (chapter.empty()) {
    std::cout << progress_text(chapters, next.chapter, {terminal.width, ascii, terminal.color});
  }
  for (const ChapterProgress& one : chapters) {
    if (!chapter.empty() || one.chapter == next.chapter) {
      std::cout << (chapter.empty() ? "\n" : "") << lab_text(one, terminal.width, ascii);
    }
  }
  for (const ChapterProgress& one : chapters) {
    if (!one.broken.empty()) throw InputError(one.broken);
  }
  const int code = progress_exit_code(chapters);
  const std::string where = chapter.empty() ? "the workbook" : "chapter " + chapters[0].number;
  if (code == static_cast<int>(ExitCode::kCannotJudge)) {
    throw CannotJudge("in " + where + " something is open, and nothing is wrong");
  }
  if (code == static_cast<int>(ExitCode::kGood)) {
    std::cout << "All of " << where << " is done.\n";
  }
  return code;
}

int lab(const LabCommand& wish) {
  const Terminal terminal = stdout_terminal();
  const std::string chapter = wish.chapter.empty() ? "" : find_chapter(wish.chapter).stem;
  if (!has_screen(terminal)) return print_state(chapter);
  Lab screen({.answers_folder = workbook_root() / "answers",
              .chapter = chapter,
              .watch_by = wish.poll ? WatchBy::kLooking : WatchBy::kEvents,
              .ascii = !terminal.utf8,
              .color = terminal.color});
  return screen.run();
}

}  // namespace

void add_lab_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "lab",
                 "one screen on a chapter's questions and exercises, checked at each save");
  auto wish = std::make_shared<LabCommand>();
  sub.add_option("chapter", wish->chapter,
                 "03, or 03_schedule_tweak (default: the first with anything open)")
      .type_name("CHAPTER");
  sub.add_flag("--poll", wish->poll,
               "look at the files every second, and wait for no word from the file system");
  sub.callback([wish, &command] { command.run = [wish] { return lab(*wish); }; });
}

}  // namespace tracebook
