// SPDX-License-Identifier: Apache-2.0
//
// tracebook exercise: judges attempts at exercises, SQL and code.
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/code_exercise.h"
#include "common/workbook/lab/grade.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/skeleton.h"
#include "common/workbook/lab/sql_exercise.h"
#include "common/workbook/lab/tool_name.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

struct ExerciseCommand {
  std::vector<std::string> files;
  bool skeleton = false;
  bool wrong = false;
  CodeAttempt attempt;
};

/// What was judged, whatever its kind.
struct Judged {
  JudgedExercise judged;
  std::string title;
  std::string chapter;
  std::string name;
  double of = 0;  ///< points that it is worth
};

/// What is left of its points after the hints that were used.
double points_of(const Judged& one) {
  if (one.judged.outcome != ExerciseOutcome::kPassed) return 0;
  try {
    const AnswerSheet answers =
        read_answers(answers_file(one.chapter), chapter_questions(one.chapter));
    return one.of * points_after(answers.hints_used(one.name));
  } catch (const Error&) {
    return one.of;  // no answers, no hints
  }
}

/// InputError unless it is there and a plain file; one of the workbook's can be had again.
void expect_attempt(const std::filesystem::path& file, const std::filesystem::path& handed_out,
                    const std::string& chapter) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, error)) &&
      std::filesystem::absolute(file).lexically_normal() == handed_out.lexically_normal()) {
    throw InputError(file.string() + ": no such file; `" + tool_name() + " reset " +
                     chapter_number(chapter) + " --missing` puts it back");
  }
  expect_plain_file(file);
}

Judged judged_file(const std::string& file, const ExerciseCommand& wish) {
  if (const std::optional<CodeExercise> code = find_code_exercise(file)) {
    expect_attempt(file, code->skeleton_file(), code->chapter);
    CodeAttempt attempt = wish.attempt;
    attempt.file = file;
    return {.judged = judge_code_exercise(*code, attempt),
            .title = code->title,
            .chapter = code->chapter,
            .name = code->name(),
            .of = kCodeExercisePoints};
  }
  const SqlExercise sql = find_exercise(file);
  if (!wish.attempt.trace.empty() || !wish.attempt.program.empty() || wish.attempt.run_again) {
    throw UsageError("exercise: --trace, --program and --again are for programs, not for " + file);
  }
  expect_attempt(file, sql.skeleton_file(), sql.chapter);
  const std::string text = read_file(file);
  PassingLine line;
  line.say("judging " + file + " …");
  return {.judged = judge_exercise(sql, text),
          .title = sql.title,
          .chapter = sql.chapter,
          .name = sql.name(),
          .of = kExercisePoints};
}

struct FileEnd {
  ExitCode exit = ExitCode::kGood;
  const char* outcome = "";
};

/// Prints what is to be said of one attempt.
FileEnd judge_file(const std::string& file, const ExerciseCommand& wish) {
  constexpr int kIndent = 13;
  const Judged one = judged_file(file, wish);
  const int width = stdout_terminal().width;
  std::string head = outcome_name(one.judged.outcome);
  head.resize(kIndent, ' ');
  std::cout << head << printable(file) << "\n";
  std::string says = printable(one.judged.says) + ".";
  ExitCode exit = ExitCode::kCannotJudge;
  switch (one.judged.outcome) {
    case ExerciseOutcome::kPassed:
      exit = ExitCode::kGood;
      break;
    case ExerciseOutcome::kFailed:
      exit = ExitCode::kMissed;
      if (one.judged.hint_helps) {
        says +=
            " Next hint: " + tool_name() + " hint " + chapter_number(one.chapter) + " " + one.name;
      }
      break;
    case ExerciseOutcome::kNotStarted:
      says = one.title + " Write below the TODO, then run this again.";
      break;
    case ExerciseOutcome::kNeedsGpu:
      break;
  }
  std::cout << wrapped(says, kIndent, width);
  std::istringstream detail(one.judged.detail);
  for (std::string line; std::getline(detail, line);) std::cout << printable(line) << "\n";
  std::cout << "points: " << points_text(points_of(one)) << " of " << points_text(one.of) << "\n";
  return {exit, outcome_name(one.judged.outcome)};
}

int judge_files(const ExerciseCommand& wish) {
  const bool one_only = !wish.attempt.program.empty() || !wish.attempt.trace.empty();
  if (one_only && wish.files.size() != 1) {
    throw UsageError("exercise: --program and --trace are for one file, not for " +
                     std::to_string(wish.files.size()));
  }
  std::string reasons;  // for what cannot be judged here
  bool failed = false;
  for (const std::string& file : wish.files) {
    if (wish.skeleton) {
      std::cout << skeleton_of(read_file(file), file);
      continue;
    }
    if (wish.wrong) {
      const WrongSolution wrong = wrong_solution(read_file(file), file);
      std::cout << "// expect: " << wrong.words << "\n" << wrong.text;
      continue;
    }
    const FileEnd code = judge_file(file, wish);
    failed = failed || code.exit == ExitCode::kMissed;
    if (code.exit == ExitCode::kCannotJudge) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(code.outcome) + ": " + file;
    }
  }
  if (failed) return static_cast<int>(ExitCode::kMissed);
  if (!reasons.empty()) throw CannotJudge(reasons);
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_exercise_command(CLI::App& app, Command& command) {
  Subcommand sub(
      app, "exercise",
      "judge exercises: SQL by its rows on several recordings, code by the trace it records");
  auto wish = std::make_shared<ExerciseCommand>();
  sub.add_option("files", wish->files, "attempts, exercises/NN_name/NAME.sql or NAME.cu")
      .required()
      .type_name("FILE");
  const Argument skeleton =
      sub.add_flag("--skeleton", wish->skeleton,
                   "print what a marked solution leaves to the student, judge nothing");
  sub.add_flag("--wrong", wish->wrong,
               "code: print a marked solution's planted wrong one, judge nothing")
      .excludes(skeleton);
  const Argument trace =
      sub.add_option("--trace", wish->attempt.trace,
                     "code: judge this trace of it, recorded elsewhere; build and run nothing")
          .type_name("FILE")
          .excludes(skeleton);
  sub.add_option("--program", wish->attempt.program, "code: its program, built already")
      .type_name("FILE")
      .excludes(skeleton)
      .excludes(trace);
  sub.add_option("--out", wish->attempt.out, "code: where traces are left")
      .type_name("DIR")
      .capture_default_str();
  sub.add_flag("--again", wish->attempt.run_again,
               "code: run it even if there is a trace of the same source");
  sub.callback([wish, &command] { command.run = [wish] { return judge_files(*wish); }; });
}

}  // namespace tracebook
