// SPDX-License-Identifier: Apache-2.0
//
// tracebook diagnose: what holds the work back.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "common/analysis/diagnose/diagnose.h"
#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/terminal.h"

namespace tracebook {
namespace {

struct DiagnoseCommand {
  std::string file;
  bool salvage = false;
  bool all = false;
  Format format = Format::kText;
};

int print_diagnosis(const DiagnoseCommand& wish) {
  const auto open = open_trace(wish.file, wish.salvage);
  const Diagnosis diagnosis = diagnose(open->trace, open->structure);
  if (wish.format == Format::kJson) {
    std::cout << diagnosis_json(diagnosis);
  } else {
    const Terminal terminal = stdout_terminal();
    const auto width = static_cast<std::size_t>(terminal.is_terminal ? terminal.width : 80);
    std::cout << diagnosis_text(diagnosis, std::min<std::size_t>(width, 100), wish.all);
  }
  return open->exit_code;
}

}  // namespace

void add_diagnose_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "diagnose",
                 "what holds the work back: a verdict, findings by share, the next experiment");
  auto wish = std::make_shared<DiagnoseCommand>();
  sub.add_option("file", wish->file, "trace (.json, .json.gz, or - for standard input)")
      .required()
      .type_name("FILE");
  sub.add_flag("--all", wish->all, "explain also what was only recognised");
  sub.add_flag("--salvage", wish->salvage, "read what is whole of a file that is cut or broken");
  add_format_option(sub, wish->format, /*with_csv=*/false);
  sub.callback([wish, &command] { command.run = [wish] { return print_diagnosis(*wish); }; });
}

}  // namespace tracebook
