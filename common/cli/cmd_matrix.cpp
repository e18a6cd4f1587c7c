// SPDX-License-Identifier: Apache-2.0
//
// tracebook matrix: every chapter's claims on every chapter's recordings. For those who maintain
// the workbook.
#include <iostream>
#include <memory>
#include <string>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/claims_matrix.h"

namespace tracebook {
namespace {

int run_matrix(bool update) {
  const std::string text = matrix_text(claims_matrix());
  if (update) {
    NewFile file(matrix_file());
    file.write(text);
    file.commit();
    std::cout << matrix_file() << " written\n";
  } else {
    std::cout << text;
  }
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_matrix_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "matrix",
                 "every chapter's claims on every chapter's recordings: + held, - missed");
  sub.group("");  // for those who maintain the workbook
  auto update = std::make_shared<bool>(false);
  sub.add_flag("--update", *update, "write expected/claims_matrix.txt");
  sub.callback([update, &command] { command.run = [update] { return run_matrix(*update); }; });
}

}  // namespace tracebook
