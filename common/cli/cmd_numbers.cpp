// SPDX-License-Identifier: Apache-2.0
//
// tracebook numbers: the measured numbers of the lessons against the recordings (part of
// `make record`, and a test).
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/numbers.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

int check_lessons(std::filesystem::path expected, bool update) {
  const std::filesystem::path root = workbook_root();
  if (expected.empty()) expected = root / "expected";
  std::size_t checked = 0;
  std::size_t wrong = 0;
  for (const ChapterInfo& chapter : all_chapters()) {
    // Fresh recordings may be those of one chapter alone.
    if (!std::filesystem::exists(expected / chapter.stem)) continue;
    const std::filesystem::path lesson = root / "chapters" / chapter.stem / "README.md";
    const std::vector<LessonNumber> numbers = check_numbers(lesson, expected / chapter.stem);
    if (update) write_file(lesson, updated_lesson(read_file(lesson), numbers));
    for (const LessonNumber& number : numbers) {
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
  Subcommand sub(app, "numbers", "the measured numbers of the lessons against the recordings");
  struct Wish {
    std::string expected;
    bool update = false;
  };
  auto wish = std::make_shared<Wish>();
  sub.add_flag("--update", wish->update, "write what the recordings give into the lessons");
  sub.add_option("expected", wish->expected, "folder of the recordings (default: expected/)")
      .check_folder()
      .type_name("FOLDER");
  sub.group("");  // for maintainers: not in --help
  sub.callback([wish, &command] {
    command.run = [wish] { return check_lessons(wish->expected, wish->update); };
  });
}

}  // namespace tracebook
