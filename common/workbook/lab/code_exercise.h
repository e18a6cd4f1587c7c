// SPDX-License-Identifier: Apache-2.0
//
// Code exercises: programs with a TODO, exercises/NN_name/NAME.cu, judged by claims
// (NAME.claims.json beside it) on the trace that the program records, live. The trace holds the
// source that made it, so it can be judged anywhere: by the student again, by a teacher without a
// GPU.
//
//   const auto exercise = find_code_exercise("exercises/08_addmm_fusion/true_fusion.cu");
//   JudgedExercise judged = judge_code_exercise(*exercise, {.file = file});
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/workbook/lab/exercise_outcome.h"

namespace tracebook {

struct CodeExercise {
  std::string chapter;  ///< "08_addmm_fusion"
  std::string file;     ///< "true_fusion.cu"
  std::string title;
  std::vector<std::string> hints;
  /// Labels of recordings of the same work, on which the claims hold: what tests them without a
  /// GPU. On the recordings that a claim's `fails_on` names it misses.
  std::vector<std::string> like;

  [[nodiscard]] std::string name() const;    ///< "true_fusion"
  [[nodiscard]] std::string number() const;  ///< "08"
  [[nodiscard]] std::filesystem::path skeleton_file() const;
  [[nodiscard]] std::filesystem::path claims_file() const;
};

/// A file to judge, and how.
struct CodeAttempt {
  std::filesystem::path file;
  /// Its program, built already, which is run; "": the build folder around the running program
  /// builds it, if the trace of the last run is not of this source.
  std::filesystem::path program = {};
  /// Judge this trace, build and run nothing; "": the trace of the last run if the source is still
  /// the same, else of a new one.
  std::filesystem::path trace = {};
  std::filesystem::path out = "traces";  ///< where traces are left
  bool run_again = false;                ///< even if there is a trace of the same source
};

/// The chapter's; none if it has no exercises.json or no "code" in it. InputError naming what is
/// wrong in it.
std::vector<CodeExercise> chapter_code_exercises(const std::string& chapter);

/// The exercise that `file` is an attempt at, by its folder's name and its own (NAME.cu, or
/// NAME.wrong.cu); nothing if there is none.
std::optional<CodeExercise> find_code_exercise(const std::filesystem::path& file);

/// exercises/NN_name/FILE of all exercises, SQL and code, in the order of the chapters.
std::vector<std::string> exercise_files();

/// Where its trace is left: OUT/exercises/08_true_fusion.json; of a file under solutions/,
/// OUT/exercises/solutions/….
std::filesystem::path trace_of_attempt(const CodeExercise& exercise, const CodeAttempt& attempt);

/// Are two sources the same, apart from comments and blanks?
bool same_code(std::string_view one, std::string_view other);

/// Is `text` what was handed out, apart from comments and blanks?
bool is_untouched(const CodeExercise& exercise, std::string_view text);

/// By the claims, on a trace; nothing is built or run. InputError if it cannot be read.
JudgedExercise judge_code_trace(const CodeExercise& exercise, const std::filesystem::path& trace);

/// Whether the trace says that a program of this source recorded it.
bool recorded_by(const std::filesystem::path& trace, std::string_view source);

/// Builds and runs it if need be. Where there is no GPU, or no toolkit to compile with, the outcome
/// is kNeedsGpu, never a pass. InputError if a file cannot be read, or the attempt is neither the
/// workbook's own file nor comes with a program.
JudgedExercise judge_code_exercise(const CodeExercise& exercise, const CodeAttempt& attempt);

/// Without building or running: what the last run's trace says of this source.
JudgedExercise judge_code_so_far(const CodeExercise& exercise, const CodeAttempt& attempt);

}  // namespace tracebook
