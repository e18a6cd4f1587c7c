// SPDX-License-Identifier: Apache-2.0
//
// tracebook exercise: judges attempts at SQL exercises.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/commands.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/grade.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/sql_exercise.h"
#include "common/workbook/lab/tool_name.h"

namespace tracebook {
namespace {

struct ExerciseCommand {
  std::vector<std::string> files;
  bool skeleton = false;
};

/// Of an attempt that passed, less what the hints cost.
double points_of(const SqlExercise& exercise) {
  try {
    const AnswerSheet answers =
        read_answers(answers_file(exercise.chapter), chapter_questions(exercise.chapter));
    return kExercisePoints * points_after(answers.hints_used(exercise.file));
  } catch (const Error&) {
    return kExercisePoints;  // no answers, no hints
  }
}

void print_points(double points) {
  std::cout << "points: " << points_text(points) << " of " << points_text(kExercisePoints) << "\n";
}

/// Prints what is to be said of one attempt; its exit code.
ExitCode judge_file(const std::string& file) {
  const SqlExercise exercise = find_exercise(file);
  expect_plain_file(file);
  const JudgedExercise judged = judge_exercise(exercise, read_file(file));
  const std::string number = exercise.chapter.substr(0, exercise.chapter.find('_'));
  const int width = stdout_terminal().width;
  const std::string hint = "Next hint: " + tool_name() + " hint " + number + " " + exercise.file;
  switch (judged.outcome) {
    case ExerciseOutcome::kPassed:
      std::cout << "passed       " << file << "\n" << wrapped(judged.says + ".", 13, width);
      print_points(points_of(exercise));
      return ExitCode::kGood;
    case ExerciseOutcome::kFailed:
      std::cout << "failed       " << file << "\n"
                << wrapped(printable(judged.says) + ". " + hint, 13, width);
      print_points(0);
      return ExitCode::kMissed;
    case ExerciseOutcome::kNotStarted:
      std::cout << "not started  " << file << "\n"
                << wrapped(exercise.title + " Write the query below its TODO, then run this again.",
                           13, width);
      print_points(0);
      return ExitCode::kCannotJudge;
  }
  return ExitCode::kMissed;
}

int judge_files(const ExerciseCommand& wish) {
  std::string open;  // files that are not started
  bool failed = false;
  for (const std::string& file : wish.files) {
    if (wish.skeleton) {
      std::cout << skeleton_of(read_file(file), file);
      continue;
    }
    const ExitCode code = judge_file(file);
    failed = failed || code == ExitCode::kMissed;
    if (code == ExitCode::kCannotJudge) open += (open.empty() ? "" : ", ") + file;
  }
  if (failed) return static_cast<int>(ExitCode::kMissed);
  if (!open.empty()) throw CannotJudge("not started: " + open);
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_exercise_command(CLI::App& app, Command& command) {
  CLI::App* const sub =
      app.add_subcommand("exercise", "judge SQL exercises, by their rows on several recordings");
  auto wish = std::make_shared<ExerciseCommand>();
  sub->add_option("files", wish->files, "attempts, exercises/NN_name/NAME.sql")
      ->required()
      ->type_name("FILE.sql");
  sub->add_flag("--skeleton", wish->skeleton,
                "print what a marked solution leaves to the student, judge nothing");
  sub->callback([wish, &command] { command.run = [wish] { return judge_files(*wish); }; });
}

}  // namespace tracebook
