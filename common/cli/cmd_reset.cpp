// SPDX-License-Identifier: Apache-2.0
//
// tracebook reset: begins a chapter anew, and keeps a copy of what was done.
#include <iostream>
#include <memory>
#include <string>

#include <unistd.h>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/reset.h"
#include "common/workbook/lab/tool_name.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

struct ResetCommand {
  std::string chapter;
  std::string answers;
  bool yes = false;
  bool missing = false;
};

void print_plan(const ResetPlan& plan) {
  std::cout << "Chapter " << plan.chapter
            << (plan.keeps_copies() ? " begins anew:\n" : ": files are put back:\n");
  for (const ResetPlan::File& file : plan.files) {
    const bool answers = file.path.extension() == ".json";
    std::cout << "  " << shown_path(file.path) << "  "
              << (!file.before ? "is missing, and is put back"
                  : answers    ? "is emptied; a copy is kept"
                               : "is as handed out again; a copy is kept")
              << "\n";
  }
  for (const std::string& sentence : plan.left) std::cout << "  " << sentence << "\n";
  if (plan.keeps_copies()) {
    std::cout << "Copies go into " << shown_path(plan.kept_folder) << "/\n";
  }
}

bool is_confirmed() {
  std::cout << "Go on? [y/N] " << std::flush;
  std::string line;
  if (!std::getline(std::cin, line)) std::cout << "\n";
  const std::string reply = folded(line);
  return reply == "y" || reply == "yes";
}

int reset(const ResetCommand& wish) {
  const ChapterInfo& chapter = find_chapter(wish.chapter);
  const fs::path answers =
      wish.answers.empty() ? answers_file(chapter.stem) : fs::absolute(wish.answers);
  ResetPlan plan = plan_reset(chapter.stem, answers);
  if (wish.missing) plan.keep_only_missing();
  const int width = stdout_terminal().width;
  if (plan.empty()) {
    for (const std::string& sentence : plan.left) std::cout << wrapped(sentence + ".", 0, width);
    std::cout << (wish.missing ? "No exercise file is missing in "
                               : "There is nothing to reset in ")
              << chapter.stem << ": nothing was changed there.\n";
    return static_cast<int>(ExitCode::kGood);
  }
  // What puts back a missing file takes nothing from anybody, and was asked for in so many words.
  if (!wish.yes && !wish.missing) {
    if (!stdout_terminal().is_terminal || isatty(STDIN_FILENO) != 1) {
      throw UsageError("reset: nobody is there to ask, so nothing was changed; --yes begins " +
                       chapter.stem + " anew without asking");
    }
    print_plan(plan);
    if (!is_confirmed()) {
      std::cout << "Nothing was changed.\n";
      return static_cast<int>(ExitCode::kGood);
    }
  } else {
    print_plan(plan);
  }
  const fs::path kept = reset_chapter(plan, utc_stamp());
  if (!kept.empty()) std::cout << "Kept in " << shown_path(kept) << "\n";
  std::cout << "Go on with `" << tool_name() << " next`.\n";
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_reset_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "reset", "begin a chapter anew; a copy of your work is kept");
  auto wish = std::make_shared<ResetCommand>();
  sub.add_option("chapter", wish->chapter, "03, or 03_schedule_tweak")
      .required()
      .type_name("CHAPTER");
  sub.add_option("--answers", wish->answers,
                 "your answers (default: answers/NN_name.json); copies go beside them into kept/")
      .type_name("FILE");
  sub.add_flag("--missing", wish->missing,
               "only put back exercise files that are not there, and change nothing else");
  sub.add_flag("-y,--yes", wish->yes, "do not ask");
  sub.callback([wish, &command] { command.run = [wish] { return reset(*wish); }; });
}

}  // namespace tracebook
