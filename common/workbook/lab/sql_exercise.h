// SPDX-License-Identifier: Apache-2.0
//
// SQL exercises: a query with a TODO, judged by its rows on several recordings beside those of the
// solution. exercises/NN_name/exercises.json lists them; each solution is the source of what the
// student is given.
//
//   const SqlExercise exercise = find_exercise("exercises/03_schedule_tweak/covered_offset.sql");
//   JudgedExercise judged = judge_exercise(exercise, read_file(file));
//
// Plain functions; docs/exercises.md describes the files.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/database.h"

namespace tracebook {

class ExerciseRecordings;

struct SqlExercise {
  std::string chapter;  ///< "03_schedule_tweak"
  std::string file;     ///< "covered_offset.sql"
  std::string title;
  std::vector<std::string> recordings;  ///< labels, of the chapter or "NN_name/h200/NAME"
  std::vector<std::string> columns;     ///< that the rows must have
  std::vector<std::string> hints;
  bool ordered = true;  ///< the order of the rows counts

  [[nodiscard]] std::string name() const;  ///< "covered_offset"
  [[nodiscard]] std::filesystem::path skeleton_file() const;
  [[nodiscard]] std::filesystem::path solution_file() const;
  /// The skeleton as it was handed out, in a copy without solutions.
  [[nodiscard]] std::filesystem::path kept_skeleton_file() const;
};

enum class ExerciseOutcome { kPassed, kFailed, kNotStarted };

struct JudgedExercise {
  ExerciseOutcome outcome = ExerciseOutcome::kFailed;
  std::string says;  ///< which recording differs, and how
  bool runs = true;  ///< false: the query itself is at fault
};

/// The chapter's; none if it has no exercises.json. InputError naming what is wrong in it.
std::vector<SqlExercise> chapter_exercises(const std::string& chapter);

/// The exercise that `file` is an attempt at: by its folder's name and its own, else by its name
/// alone. UsageError, listing all exercises, if there is none.
SqlExercise find_exercise(const std::filesystem::path& file);

/// What the student is given, from the marked solution: the lines between "-- solution begin" and
/// "-- solution end" are gone, those between "-- instead begin" and "-- instead end" stand without
/// their "-- | ". InputError naming `where` if the marks do not fit together.
std::string skeleton_of(std::string_view solution, const std::string& where);

/// What the student was given: made from the solution, or in a copy without solutions the file kept
/// under exercises/skeletons/. Nothing if neither is there.
std::optional<std::string> original_skeleton(const SqlExercise& exercise);

/// Runs `sql` and the solution on each recording. Where the solution is not there, the query must
/// run and have the columns; then CannotJudge. `limit`: what it may take on one recording.
JudgedExercise judge_exercise(const SqlExercise& exercise, const std::string& sql);
JudgedExercise judge_exercise(const SqlExercise& exercise, const std::string& sql,
                              ExerciseRecordings& recordings, std::chrono::milliseconds limit);

/// How `given` differs from `expected` in the columns asked for; "" if it does not. Numbers are
/// equal within 1e-6 of their size.
std::string row_difference(const SqlExercise& exercise, const QueryResult& given,
                           const QueryResult& expected);

}  // namespace tracebook
