// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/run_exercise.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "common/analysis/averages.h"
#include "common/render/compact_table.h"
#include "common/render/terminal.h"
#include "common/render/timeline.h"
#include "common/render/wrap.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/trace/structure.h"
#include "common/trace/writer.h"
#include "common/workbook/chapter.h"
#include "common/workbook/json_file.h"
#include "tracebook_version.h"

namespace tracebook {
namespace {

struct ExerciseArguments {
  std::string out;
};

std::string_view& own_source() {
  static std::string_view text;
  return text;
}

/// Ends as CLI11 asks after --help and --version, which it has printed then.
std::optional<ExerciseArguments> parse_exercise_arguments(const ExerciseProgram& program, int argc,
                                                          char** argv) {
  const std::string number = chapter_number(program.chapter);
  ExerciseArguments arguments;
  arguments.out = "traces/exercises/" + number + "_" + program.name + ".json";
  CLI::App app("Exercise " + program.name + " of chapter " + number +
               ": runs live, leaves its trace. Judge it with `tracebook exercise`.");
  app.set_version_flag("--version", program.name + " of tracebook " + version());
  app.add_option("--out", arguments.out, "the trace")->type_name("FILE")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return std::nullopt;
    }
    throw UsageError(error.what());
  }
  return arguments;
}

void expect_gpu(const ExerciseRun& run) {
  const std::optional<std::string> why = run.why_no_gpu ? run.why_no_gpu() : std::nullopt;
  if (!why) return;
  const char* const required = std::getenv("TRACEBOOK_REQUIRE_GPU");
  if (required != nullptr && std::string_view(required) == "1") {
    throw Error(ExitCode::kMissed, "TRACEBOOK_REQUIRE_GPU=1, but no GPU can be used: " + *why);
  }
  throw CannotJudge("needs a GPU: " + *why);
}

int run_and_report(const ExerciseProgram& program, int argc, char** argv, const ExerciseRun& run) {
  const auto arguments = parse_exercise_arguments(program, argc, argv);
  if (!arguments) return static_cast<int>(ExitCode::kGood);
  expect_gpu(run);
  Trace trace = run.record();
  Provenance& made = trace.head.provenance;
  made.chapter = "exercises/" + program.chapter;
  made.recording = program.name;
  made.command = "exercises/" + program.chapter + "/" + program.name;
  if (!own_source().empty()) {
    trace.head.members.emplace_back(kExerciseSource, exercise_source_json(own_source()));
  }

  const Structure structure = build_structure(trace);
  Averages averages = key_averages(trace, structure);
  sort_averages(averages, "cuda_time_total");
  const Terminal terminal = stdout_terminal();
  std::cout << fitted_to_stdout("Source: live run on " + made.gpu + ", driver " + made.driver +
                                ", CUDA " + made.cuda + "\n\n")
            << render_table_for(averages, {.row_limit = 15}, terminal) << "\n"
            << render_timeline(
                   trace, structure,
                   {.width = terminal.width, .color = terminal.color, .ascii = !terminal.utf8})
            << "\n";
  write_file(arguments->out, write_trace_text(trace));
  std::cout << "Trace: " << arguments->out << "  (open it in ui.perfetto.dev)\n";
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace

bool set_exercise_source(std::string_view text) {
  own_source() = text;
  return true;
}

std::string exercise_source_json(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

int run_exercise(const ExerciseProgram& program, int argc, char** argv, const ExerciseRun& run) {
  int exit_code = static_cast<int>(ExitCode::kBadInput);
  std::string says;
  try {
    exit_code = run_and_report(program, argc, argv, run);
  } catch (const Error& error) {
    exit_code = error.exit_code();
    says = error.what();
  } catch (const std::exception& error) {
    says = std::string("unexpected: ") + error.what();
  }
  std::cout.flush();
  if (!says.empty()) std::cerr << fitted_to_stderr(program.name + ": " + says + "\n");
  return exit_code;
}

}  // namespace tracebook
