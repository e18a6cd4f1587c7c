// SPDX-License-Identifier: Apache-2.0
//
// tracebook chapters: what there is to work through.
#include <iostream>
#include <memory>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/wrap.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/paths.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

std::int64_t recordings_of(const ChapterInfo& chapter) {
  const Manifest manifest = read_manifest(workbook_root() / "expected" / chapter.stem);
  return static_cast<std::int64_t>(manifest.recordings.size());
}

int print_chapters(Format format) {
  if (format == Format::kText) {
    for (const ChapterInfo& chapter : all_chapters()) {
      std::cout << fitted_to_stdout(
          chapter.number() + "  " + chapter.title + "\n    " + chapter.question +
          "\n    run: build/bin/" + chapter.stem + "   read: chapters/" + chapter.stem +
          "/README.md   recordings: " + std::to_string(recordings_of(chapter)) + "\n");
    }
    return 0;
  }
  QueryResult rows;
  rows.columns = {"stem", "title", "question", "recordings"};
  for (const ChapterInfo& chapter : all_chapters()) {
    rows.rows.push_back({chapter.stem, chapter.title, chapter.question, recordings_of(chapter)});
  }
  print_document(std::cout, {{"chapters", rows}}, format);
  return 0;
}

}  // namespace

void add_chapters_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "chapters", "list the chapters of the workbook");
  auto format = std::make_shared<Format>(Format::kText);
  add_format_option(sub, *format);
  sub.callback([format, &command] { command.run = [format] { return print_chapters(*format); }; });
}

}  // namespace tracebook
