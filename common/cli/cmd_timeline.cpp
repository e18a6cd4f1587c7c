// SPDX-License-Identifier: Apache-2.0
//
// tracebook timeline: a trace as a picture in the terminal.
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/terminal.h"
#include "common/render/timeline.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

struct TimelineCommand {
  std::string file;
  std::optional<std::int64_t> step;
  int width = 0;
  int max_steps = 5;
  bool ascii = false;
  bool salvage = false;
};

bool has_step(const Structure& structure, std::int64_t number) {
  for (const Step& step : structure.steps) {
    if (step.number == number) return true;
  }
  return false;
}

int print_timeline(const TimelineCommand& wish) {
  const auto open = open_trace(wish.file, wish.salvage, /*keep_args=*/false);
  warn_of_health(wish.file, *open);
  if (wish.step && !has_step(open->structure, *wish.step)) {
    throw UsageError(
        "--step " + std::to_string(*wish.step) + ": the trace has no such step; it has " +
        std::to_string(open->structure.steps.size()) +
        (open->structure.steps.empty()
             ? " steps"
             : " steps, the first is " + std::to_string(open->structure.steps.front().number)));
  }
  const Terminal terminal = stdout_terminal();
  TimelineOptions options;
  options.width = wish.width > 0 ? wish.width : terminal.width;
  options.color = terminal.color;
  options.ascii = wish.ascii || !terminal.utf8;
  options.max_steps = wish.max_steps;
  options.only_step = wish.step;
  std::cout << render_timeline(open->trace, open->structure, options);
  return open->exit_code;
}

}  // namespace

void add_timeline_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "timeline", "a picture of the CPU and GPU lanes, step by step");
  auto wish = std::make_shared<TimelineCommand>();
  sub.add_option("file", wish->file, "trace (.json, .json.gz, or - for standard input)")
      .required()
      .type_name("FILE");
  sub.add_option("--step", wish->step, "only ProfilerStep#N").type_name("N");
  sub.add_option("--width", wish->width, "columns (default: the terminal's, else 80)")
      .check_range(40, 400)
      .type_name("N");
  sub.add_option("--max-steps", wish->max_steps, "steps to draw")
      .check_range(1, 1000)
      .capture_default_str()
      .type_name("N");
  sub.add_flag("--ascii", wish->ascii, "no box-drawing characters");
  sub.add_flag("--salvage", wish->salvage, "read what is whole of a file that is cut or broken");
  sub.callback([wish, &command] { command.run = [wish] { return print_timeline(*wish); }; });
}

}  // namespace tracebook
