// SPDX-License-Identifier: Apache-2.0
//
// tracebook numbers: the measured numbers of the lessons against the recordings (part of
// `make record`, and a test).
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "common/cli/commands.h"
#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/numbers.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

int check_lessons(std::filesystem::path expected) {
  const std::filesystem::path root = workbook_root();
  if (expected.empty()) expected = root / "expected";
  std::size_t checked = 0;
  std::size_t wrong = 0;
  for (const ChapterInfo& chapter : all_chapters()) {
    const std::filesystem::path lesson = root / "chapters" / chapter.stem / "README.md";
    for (const LessonNumber& number : check_numbers(lesson, expected / chapter.stem)) {
      ++checked;
      if (number.agrees) continue;
      ++wrong;
      std::cout << "chapters/" << chapter.stem << "/README.md:" << number.line << ": written "
                << number.written << ", " << number.recording << " gives " << number.measured
                << "\n";
    }
  }
  std::cout << checked << " numbers in the lessons, " << wrong << " differ from the recordings\n";
  return static_cast<int>(wrong == 0 ? ExitCode::kGood : ExitCode::kMissed);
}

}  // namespace

void add_numbers_command(CLI::App& app, Command& command) {
  CLI::App* const sub =
      app.add_subcommand("numbers", "the measured numbers of the lessons against the recordings");
  auto expected = std::make_shared<std::string>();
  sub->add_option("expected", *expected, "folder of the recordings (default: expected/)")
      ->check(CLI::ExistingDirectory)
      ->type_name("FOLDER");
  sub->group("");  // for maintainers: not in --help
  sub->callback([expected, &command] {
    command.run = [expected] { return check_lessons(*expected); };
  });
}

}  // namespace tracebook
