// SPDX-License-Identifier: Apache-2.0
//
// What lies under exercises/: every question has an answer that is judged right and mistakes that
// are told apart, every skeleton comes from its solution and is not started, every solution
// passes, and every planted wrong one is rejected for its own reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/claims.h"
#include "common/workbook/lab/judge_answers.h"
#include "common/workbook/lab/quantity.h"
#include "common/workbook/lab/skeleton.h"
#include "common/workbook/lab/sql_exercise.h"
#include "common/workbook/paths.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

class ChapterTest : public testing::TestWithParam<std::string> {
 protected:
  /// The question's own recording first, then the chapter's others.
  std::vector<fs::path> traces(const QuestionSheet& sheet, const Question& question) {
    std::vector<fs::path> out{keys_.trace_of(sheet, question, "")};
    for (const Recording& recording :
         read_manifest(workbook_root() / "expected" / sheet.chapter).recordings) {
      if (recording.path != out.front()) out.push_back(recording.path);
    }
    return out;
  }

  /// The mistake's value, typed as an answer, is wrong, and one of the mistakes says why. False
  /// where it equals the right answer, or has no value.
  static bool mistake_is_told(const Question& question, const AnswerKey& key, std::size_t mistake) {
    AnswerKey as_right;
    as_right.right = key.mistakes[mistake];
    const std::string typed = right_answer(question, as_right);
    if (typed.empty()) return false;
    const JudgedAnswer judged = judge_answer(question, typed, key);
    if (judged.outcome == AnswerOutcome::kRight) return false;
    EXPECT_EQ(judged.outcome, AnswerOutcome::kWrong) << question.id << ": " << judged.says;
    EXPECT_TRUE(std::any_of(question.mistakes.begin(), question.mistakes.end(),
                            [&judged](const Mistake& one) { return one.says == judged.says; }))
        << question.id << ": " << typed << " is told: " << judged.says;
    return true;
  }

  AnswerKeys keys_;
};

TEST_P(ChapterTest, HasEnoughQuestionsAndHints) {
  const QuestionSheet sheet = chapter_questions(GetParam());
  EXPECT_GE(sheet.questions.size(), 6);
  EXPECT_TRUE(std::any_of(sheet.questions.begin(), sheet.questions.end(),
                          [](const Question& question) { return question.predict; }));
  for (const Question& question : sheet.questions)
    EXPECT_EQ(question.hints.size(), 3) << question.id;
  // `tracebook hint 03 NAME` takes either.
  for (const SqlExercise& exercise : chapter_exercises(GetParam())) {
    EXPECT_EQ(sheet.find(exercise.name()), nullptr) << "a question has the name of an exercise";
  }
}

TEST_P(ChapterTest, EachAnswerIsRightAndEachMistakeIsTold) {
  const QuestionSheet sheet = chapter_questions(GetParam());
  if (sheet.handout) GTEST_SKIP() << "a handout has no queries to answer its questions by";
  for (const Question& question : sheet.questions) {
    std::vector<bool> told(question.mistakes.size(), false);
    int answered = 0;
    for (const fs::path& trace : traces(sheet, question)) {
      const AnswerKey& key = keys_.key(sheet, question, trace);
      const bool own = trace == keys_.trace_of(sheet, question, "");
      EXPECT_TRUE(!own || key.has_answer()) << question.id << " has no answer on its recording";
      if (!key.has_answer()) continue;
      ++answered;
      const JudgedAnswer judged = judge_answer(question, right_answer(question, key), key);
      EXPECT_EQ(judged.outcome, AnswerOutcome::kRight)
          << question.id << " on " << trace << ": " << judged.given << ": " << judged.says;
      for (std::size_t i = 0; i < told.size(); ++i) {
        if (mistake_is_told(question, key, i)) told[i] = true;
      }
      const bool all_told = std::find(told.begin(), told.end(), false) == told.end();
      if (answered >= 2 && all_told) break;
    }
    EXPECT_GE(answered, 2) << question.id << " has an answer on one recording alone";
    for (std::size_t i = 0; i < told.size(); ++i) {
      EXPECT_TRUE(told[i]) << question.id << ": mistake " << i + 1 << " differs on no recording";
    }
  }
}

/// A handout keeps the skeleton instead; a full copy that has lost a solution fails.
bool has_solution(const SqlExercise& exercise) {
  return fs::exists(exercise.solution_file()) ||
         !fs::exists(kept_skeleton_path(exercise.chapter, exercise.file));
}

TEST_P(ChapterTest, ExercisesTellSkeletonAndSolutionApart) {
  const std::vector<SqlExercise> exercises = chapter_exercises(GetParam());
  EXPECT_FALSE(exercises.empty());
  for (const SqlExercise& exercise : exercises) {
    if (!has_solution(exercise)) GTEST_SKIP() << "this copy has no solutions";
    const std::string solution = read_file(exercise.solution_file());
    const std::string made = skeleton_of(solution, exercise.file);
    // Once a student has begun, what lies there is the attempt, which the entry exercises/NN_NAME
    // judges; a skeleton that has drifted from its solution fails there, and so does a deleted one.
    const std::string skeleton =
        fs::exists(exercise.skeleton_file()) ? read_file(exercise.skeleton_file()) : made;
    if (judge_exercise(exercise, skeleton).outcome == ExerciseOutcome::kNotStarted) {
      EXPECT_EQ(skeleton, made) << "make it anew: tracebook exercise --skeleton "
                                << exercise.solution_file();
    }
    EXPECT_EQ(judge_exercise(exercise, made).outcome, ExerciseOutcome::kNotStarted);
    const JudgedExercise passed = judge_exercise(exercise, solution);
    EXPECT_EQ(passed.outcome, ExerciseOutcome::kPassed) << passed.says;
    // With the TODO only taken for done, it fails.
    const JudgedExercise untouched = judge_exercise(exercise, made + " LIMIT 1000000");
    EXPECT_EQ(untouched.outcome, ExerciseOutcome::kFailed) << exercise.file;
  }
}

/// NAME.wrong.sql and NAME.WHAT.wrong.sql beside the solution.
std::vector<fs::path> wrong_solutions(const SqlExercise& exercise) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(exercise.solution_file().parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(exercise.name() + ".") && name.ends_with(".wrong.sql")) {
      out.push_back(entry.path());
    }
  }
  return out;
}

TEST_P(ChapterTest, EachWrongSolutionIsRejectedForItsOwnReason) {
  for (const SqlExercise& exercise : chapter_exercises(GetParam())) {
    if (!has_solution(exercise)) GTEST_SKIP() << "this copy has no solutions";
    const std::vector<fs::path> files = wrong_solutions(exercise);
    EXPECT_GE(files.size(), 3) << exercise.file;
    for (const fs::path& file : files) {
      const std::string wrong = read_file(file);
      const JudgedExercise failed = judge_exercise(exercise, wrong);
      EXPECT_EQ(failed.outcome, ExerciseOutcome::kFailed) << file;
      constexpr std::string_view kExpect = "-- expect: ";
      ASSERT_EQ(wrong.compare(0, kExpect.size(), kExpect), 0) << file;
      const std::string words = wrong.substr(kExpect.size(), wrong.find('\n') - kExpect.size());
      EXPECT_NE(failed.says.find(words), std::string::npos)
          << file << ": " << failed.says << "\nlacks " << words;
    }
  }
}

std::vector<std::string> chapters_with_questions() {
  std::vector<std::string> out;
  for (const ChapterInfo& chapter : all_chapters()) {
    if (fs::exists(questions_file(chapter.stem))) out.push_back(chapter.stem);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, ChapterTest, testing::ValuesIn(chapters_with_questions()),
                         [](const auto& chapter) { return chapter.param; });

}  // namespace
}  // namespace tracebook
