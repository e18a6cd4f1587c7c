// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/exercise_recordings.h"

#include <algorithm>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/claims.h"
#include "common/workbook/lab/questions.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// "h200/NAME" of the chapter, "NN_name/h200/NAME" of another one, or "planted/NAME".
fs::path file_of(const SqlExercise& exercise, const std::string& label) {
  if (label.starts_with("planted/")) return workbook_root() / "expected" / (label + ".json.gz");
  const bool foreign = std::count(label.begin(), label.end(), '/') == 2;
  const std::size_t slash = label.find('/');
  return recording_file(foreign ? label.substr(0, slash) : exercise.chapter,
                        foreign ? label.substr(slash + 1) : label, exercise.file);
}

}  // namespace

const Database& ExerciseRecordings::database(const SqlExercise& exercise,
                                             const std::string& label) {
  fs::path& file = files_[exercise.chapter + "/" + label];
  if (file.empty()) file = file_of(exercise, label);
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
