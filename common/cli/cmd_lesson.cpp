// SPDX-License-Identifier: Apache-2.0
//
// tracebook lesson: a chapter's lesson, as a terminal shows it.
#include <iostream>
#include <memory>
#include <string>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/opener.h"
#include "common/render/markdown.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

int lesson(const std::string& chapter) {
  const std::string stem = find_chapter(chapter).stem;
  const std::string markdown = read_file(workbook_root() / "chapters" / stem / "README.md");
  const Terminal terminal = stdout_terminal();
  const std::string text =
      markdown_text(markdown, {.width = static_cast<std::size_t>(terminal.width),
                               .color = terminal.color && pager_shows_bold(),
                               .ascii = !terminal.utf8});
  if (terminal.is_terminal) {
    show_in_pager(text);
  } else {
    std::cout << text;
  }
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_lesson_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "lesson", "a chapter's lesson; in your $PAGER at a terminal");
  auto chapter = std::make_shared<std::string>();
  sub.add_option("chapter", *chapter, "03, or 03_schedule_tweak").required().type_name("CHAPTER");
  sub.callback([chapter, &command] { command.run = [chapter] { return lesson(*chapter); }; });
}

}  // namespace tracebook
