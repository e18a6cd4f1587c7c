// SPDX-License-Identifier: Apache-2.0
//
// `tracebook`: reads a trace and says what it means.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>

#include "common/cli/commands.h"
#include "common/render/wrap.h"
#include "common/trace/error.h"
#include "common/workbook/lab/tool_name.h"
#include "tracebook_version.h"

namespace {

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// What to say where no command was understood: all there are.
std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::string list;
  for (const CLI::App* const sub : app.get_subcommands({})) {
    if (sub->get_group().empty()) continue;
    list += (list.empty() ? "" : ", ") + sub->get_name();
  }
  return "no such command: " + word + "; expected one of " + list + " (see tracebook --help)";
}

int parse_and_run(CLI::App& app, const tracebook::Command& command, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << tracebook::fitted_to_stdout(app.help());
    return static_cast<int>(tracebook::ExitCode::kGood);
  } catch (const CLI::Success& wish) {
    return app.exit(wish, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    const bool has_command = !app.get_subcommands().empty();
    const std::string word = argc > 1 ? argv[1] : "";
    if (!has_command && !word.empty() && word.front() != '-') {
      throw tracebook::UsageError(unknown_command(app, word));
    }
    throw tracebook::UsageError(one_line(error.what()) + " (see tracebook --help)");
  }
  if (!command.run) {
    std::cout << tracebook::fitted_to_stdout(app.help());
    return static_cast<int>(tracebook::ExitCode::kUsage);
  }
  return command.run();
}

int run(int argc, char** argv) {
  CLI::App app("Reads a GPU profiler trace and says what it means.", "tracebook");
  app.set_version_flag("--version", std::string("tracebook ") + tracebook::version());
  app.require_subcommand(0, 1);
  tracebook::Command command;
  tracebook::add_chapters_command(app, command);
  tracebook::add_table_command(app, command);
  tracebook::add_timeline_command(app, command);
  tracebook::add_check_command(app, command);
  tracebook::add_query_command(app, command);
  tracebook::add_info_command(app, command);
  tracebook::add_diagnose_command(app, command);
  tracebook::add_next_command(app, command);
  tracebook::add_lesson_command(app, command);
  tracebook::add_lab_command(app, command);
  tracebook::add_quiz_command(app, command);
  tracebook::add_hint_command(app, command);
  tracebook::add_exercise_command(app, command);
  tracebook::add_reset_command(app, command);
  tracebook::add_grade_command(app, command);
  tracebook::add_compare_command(app, command);
  tracebook::add_redact_command(app, command);
  tracebook::add_cheatsheet_command(app, command);
  tracebook::add_doctor_command(app, command);
  tracebook::add_manifest_command(app, command);
  tracebook::add_numbers_command(app, command);
  tracebook::add_matrix_command(app, command);
  for (CLI::App* const sub : app.get_subcommands({})) {
    sub->set_version_flag("--version", std::string("tracebook ") + tracebook::version());
  }
  const int exit_code = parse_and_run(app, command, argc, argv);
  std::cout.flush();
  if (!std::cout) throw tracebook::InputError("cannot write the output");
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 0) tracebook::set_tool_name(argv[0]);
    return run(argc, argv);
  } catch (const tracebook::Error& error) {
    std::cout.flush();
    std::cerr << tracebook::fitted_to_stderr("tracebook: " + one_line(error.what()) + "\n");
    return error.exit_code();
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << tracebook::fitted_to_stderr("tracebook: unexpected: " + one_line(error.what()) +
                                             "\n");
    return static_cast<int>(tracebook::ExitCode::kBadInput);
  }
}
