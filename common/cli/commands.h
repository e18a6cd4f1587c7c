// SPDX-License-Identifier: Apache-2.0
//
// The commands of `tracebook`, each in a file of its own: it adds its options to the application
// and leaves what to run in `Command::run`.
#pragma once

#include <functional>

namespace CLI {
class App;
}  // namespace CLI

namespace tracebook {

/// What the command line asked for: returns the exit code, may throw Error.
struct Command {
  std::function<int()> run;
};

void add_chapters_command(CLI::App& app, Command& command);
void add_table_command(CLI::App& app, Command& command);
void add_timeline_command(CLI::App& app, Command& command);
void add_check_command(CLI::App& app, Command& command);
void add_query_command(CLI::App& app, Command& command);
void add_info_command(CLI::App& app, Command& command);
void add_diagnose_command(CLI::App& app, Command& command);
void add_compare_command(CLI::App& app, Command& command);
void add_redact_command(CLI::App& app, Command& command);
void add_cheatsheet_command(CLI::App& app, Command& command);
void add_doctor_command(CLI::App& app, Command& command);
void add_manifest_command(CLI::App& app, Command& command);
void add_numbers_command(CLI::App& app, Command& command);
void add_matrix_command(CLI::App& app, Command& command);
void add_quiz_command(CLI::App& app, Command& command);
void add_hint_command(CLI::App& app, Command& command);
void add_lesson_command(CLI::App& app, Command& command);
void add_next_command(CLI::App& app, Command& command);
void add_lab_command(CLI::App& app, Command& command);
void add_reset_command(CLI::App& app, Command& command);
void add_exercise_command(CLI::App& app, Command& command);
void add_grade_command(CLI::App& app, Command& command);

}  // namespace tracebook
