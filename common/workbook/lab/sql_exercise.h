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
#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/database.h"
#include "common/workbook/lab/exercise_outcome.h"

namespace tracebook {

class ExerciseRecordings;

struct SqlExercise {
  std::string chapter;  ///< "03_schedule_tweak"
  std::string file;     ///< "covered_offset.sql"
  std::string title;
  std::vector<std::string>
      recordings;                    ///< labels: "h200/NAME", "NN_name/h200/NAME", "planted/NAME"
  std::vector<std::string> columns;  ///< that the rows must have
  std::vector<std::string> hints;
  bool ordered = true;  ///< the order of the rows counts

  [[nodiscard]] std::string name() const;  ///< "covered_offset"
  [[nodiscard]] std::filesystem::path skeleton_file() const;
  [[nodiscard]] std::filesystem::path solution_file() const;
};

/// The chapter's; none if it has no exercises.json. InputError naming what is wrong in it.
std::vector<SqlExercise> chapter_exercises(const std::string& chapter);

/// The exercise that `file` is an attempt at: by its folder's name and its own, else by its name
/// alone. UsageError, listing all exercises, if there is none.
SqlExercise find_exercise(const std::filesystem::path& file);

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
