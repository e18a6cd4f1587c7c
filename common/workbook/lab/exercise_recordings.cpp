// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/exercise_recordings.h"

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/claims.h"
#include "common/workbook/lab/questions.h"

namespace tracebook {

namespace fs = std::filesystem;

const Database& ExerciseRecordings::database(const SqlExercise& exercise,
                                             const std::string& label) {
  fs::path& file = files_[exercise.chapter + "/" + label];
  if (file.empty()) file = recording_file(exercise.chapter, label, exercise.file);
  std::unique_ptr<LoadedTrace>& trace = traces_[file];
  if (!trace) trace = std::make_unique<LoadedTrace>(file);
  return trace->database;
}

const QueryResult& ExerciseRecordings::expected(const SqlExercise& exercise,
                                                const std::string& label) {
  const std::string name = exercise.chapter + "/" + exercise.file + " " + label;
  const auto found = expected_.find(name);
  if (found != expected_.end()) return found->second;
  const fs::path solution = exercise.solution_file();
  try {
    QueryResult rows = database(exercise, label).query(read_file(solution), kClaimTimeLimit);
    return expected_.emplace(name, std::move(rows)).first->second;
  } catch (const SqlError& fault) {
    throw InputError(solution.string() + ": " + fault.what());
  }
}

}  // namespace tracebook
