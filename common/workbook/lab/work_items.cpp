// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/work_items.h"

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/chapter.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/code_exercise.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/skeleton.h"
#include "common/workbook/lab/sql_exercise.h"
#include "common/workbook/lab/tool_name.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

WorkOutcome outcome_of(ExerciseOutcome outcome) {
  switch (outcome) {
    case ExerciseOutcome::kPassed:
      return WorkOutcome::kPassed;
    case ExerciseOutcome::kFailed:
      return WorkOutcome::kFailed;
    case ExerciseOutcome::kNotStarted:
      return WorkOutcome::kNotStarted;
    case ExerciseOutcome::kNeedsGpu:
      return WorkOutcome::kNeedsGpu;
  }
  return WorkOutcome::kFailed;
}

WorkItem sql_item(const SqlExercise& exercise) {
  WorkItem item;
  item.chapter = exercise.chapter;
  item.name = exercise.name();
  item.kind = "SQL";
  item.title = exercise.title;
  item.file = exercise.skeleton_file();
  item.hints = exercise.hints;
  item.skeleton = [exercise] { return original_skeleton(exercise.chapter, exercise.file); };
  item.judge = [exercise] {
    const JudgedExercise judged = judge_exercise(exercise, read_file(exercise.skeleton_file()));
    return JudgedWork{outcome_of(judged.outcome), judged.says};
  };
  return item;
}

/// Nothing is built or run for it: what its last run has recorded counts.
WorkItem code_item(const CodeExercise& exercise) {
  WorkItem item;
  item.chapter = exercise.chapter;
  item.name = exercise.name();
  item.kind = "code";
  item.title = exercise.title;
  item.file = exercise.skeleton_file();
  item.hints = exercise.hints;
  item.trace = trace_of_attempt(exercise, {.file = item.file});
  item.skeleton = [exercise] { return original_skeleton(exercise.chapter, exercise.file); };
  item.judge = [exercise] {
    const JudgedExercise judged = judge_code_so_far(exercise, {.file = exercise.skeleton_file()});
    return JudgedWork{outcome_of(judged.outcome), judged.says};
  };
  return item;
}

}  // namespace

const char* work_outcome_name(WorkOutcome outcome) {
  switch (outcome) {
    case WorkOutcome::kPassed:
      return "passed";
    case WorkOutcome::kFailed:
      return "failed";
    case WorkOutcome::kNotStarted:
      return "not started";
    case WorkOutcome::kNeedsGpu:
      return "needs a GPU";
    case WorkOutcome::kNotJudged:
      return "not judged";
  }
  return "";
}

bool is_open_work(WorkOutcome outcome) {
  return outcome == WorkOutcome::kFailed || outcome == WorkOutcome::kNotStarted;
}

std::vector<WorkItem> chapter_work(const std::string& chapter) {
  std::vector<WorkItem> items;
  for (const SqlExercise& exercise : chapter_exercises(chapter)) {
    items.push_back(sql_item(exercise));
  }
  for (const CodeExercise& exercise : chapter_code_exercises(chapter)) {
    items.push_back(code_item(exercise));
  }
  return items;
}

bool is_missing(const WorkItem& item) {
  std::error_code error;
  return !fs::exists(fs::symlink_status(item.file, error));
}

JudgedWork judged_work(const WorkItem& item) {
  if (is_missing(item)) {
    return {WorkOutcome::kFailed, shown_path(item.file) + ": no such file; `" + tool_name() +
                                      " reset " + chapter_number(item.chapter) +
                                      " --missing` puts it back as it was handed out"};
  }
  try {
    expect_plain_file(item.file);
    return item.judge();
  } catch (const CannotJudge& reason) {
    return {WorkOutcome::kNotJudged, with_shown_path(reason.what(), item.file)};
  } catch (const Error& fault) {
    return {WorkOutcome::kFailed, with_shown_path(fault.what(), item.file)};
  }
}

}  // namespace tracebook
