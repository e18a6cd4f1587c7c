// SPDX-License-Identifier: Apache-2.0
//
// tracebook cheatsheet: all patterns that diagnose knows, as Markdown.
#include <CLI/CLI.hpp>
#include <iostream>

#include "common/analysis/diagnose/diagnose.h"
#include "common/cli/commands.h"
#include "common/render/wrap.h"

namespace tracebook {

void add_cheatsheet_command(CLI::App& app, Command& command) {
  CLI::App* const sub =
      app.add_subcommand("cheatsheet", "every pattern that diagnose knows, as Markdown");
  sub->callback([&command] {
    command.run = [] {
      std::cout << fitted_to_stdout(cheatsheet_markdown());
      return 0;
    };
  });
}

}  // namespace tracebook
