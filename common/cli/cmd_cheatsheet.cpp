// SPDX-License-Identifier: Apache-2.0
//
// tracebook cheatsheet: all patterns that diagnose knows, as Markdown.
#include <iostream>
#include <regex>
#include <sstream>
#include <string>

#include "common/analysis/diagnose/diagnose.h"
#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/render/terminal.h"
#include "common/render/wrap.h"

namespace tracebook {
namespace {

/// Paragraphs in one line each, to be broken where the terminal ends.
std::string joined_paragraphs(const std::string& markdown) {
  std::string out;
  bool in_paragraph = false;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    const bool is_text = !line.empty() && line.find_first_of("#-|") != 0;
    if (!out.empty()) out += in_paragraph && is_text ? ' ' : '\n';
    out += line;
    in_paragraph = is_text;
  }
  return out + "\n";
}

/// A terminal does not follow links: "[name](../chapters/name/README.md)" becomes the path.
std::string without_links(const std::string& markdown) {
  static const std::regex kLink(R"(\[[^\]\n]*\]\((?:\.\./)*([^)\n]*)\))");
  return std::regex_replace(markdown, kLink, "$1");
}

}  // namespace

void add_cheatsheet_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "cheatsheet", "every pattern that diagnose knows, as Markdown");
  sub.callback([&command] {
    command.run = [] {
      const std::string markdown = cheatsheet_markdown();
      std::cout << (stdout_terminal().is_terminal
                        ? fitted_to_stdout(joined_paragraphs(without_links(markdown)))
                        : markdown);
      return 0;
    };
  });
}

}  // namespace tracebook
