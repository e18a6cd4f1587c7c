// SPDX-License-Identifier: Apache-2.0
//
// The recordings that SQL exercises run on, with what their solutions give there, each read and
// asked once: for judging many attempts.
//
//   ExerciseRecordings recordings;
//   judge_exercise(exercise, sql, recordings, std::chrono::seconds(2));
//
// Holds the traces in memory. One thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "common/analysis/database.h"
#include "common/workbook/lab/loaded_trace.h"
#include "common/workbook/lab/sql_exercise.h"

namespace tracebook {

class ExerciseRecordings {
 public:
  /// `label`: "h200/NAME" of the exercise's chapter, "NN_name/h200/NAME", or "planted/NAME".
  /// InputError if there is no such recording.
  const Database& database(const SqlExercise& exercise, const std::string& label);

  /// What the solution gives there. InputError if it does not run, or is not there.
  const QueryResult& expected(const SqlExercise& exercise, const std::string& label);

 private:
  std::map<std::filesystem::path, std::unique_ptr<LoadedTrace>> traces_;
  std::map<std::string, std::filesystem::path> files_;  // by "chapter/label"
  std::map<std::string, QueryResult> expected_;         // by "chapter/file label"
};

}  // namespace tracebook
