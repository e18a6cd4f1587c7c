// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/sql_exercise.h"

#include <gtest/gtest.h>

#include <limits>

#include <string>

#include "common/trace/error.h"

namespace tracebook {
namespace {

class RowDifferenceTest : public testing::Test {
 protected:
  RowDifferenceTest() {
    exercise_.file = "probe.sql";
    exercise_.columns = {"step", "us"};
  }

  SqlExercise exercise_;
  QueryResult expected_{{"step", "us"}, {{std::int64_t{2}, 10.0}, {std::int64_t{3}, 20.0}}};
};

TEST_F(RowDifferenceTest, EqualWithinRoundingInAnyOrderOfColumns) {
  EXPECT_EQ(row_difference(exercise_, expected_, expected_), "");
  const QueryResult given{{"US", "more", "Step"},
                          {{10.000001, "x", 2.0}, {std::int64_t{20}, "y", std::int64_t{3}}}};
  EXPECT_EQ(row_difference(exercise_, given, expected_), "");
}

TEST_F(RowDifferenceTest, SaysHowTheyDiffer) {
  EXPECT_EQ(row_difference(exercise_, {{"step"}, {}}, expected_),
            "the result has no column us; it has step");
  EXPECT_EQ(row_difference(exercise_, {{"step", "us"}, {}}, expected_),
            "0 rows where 2 are expected");
  EXPECT_EQ(
      row_difference(exercise_, {{"step", "us"}, {{std::int64_t{2}, std::monostate()}}}, expected_),
      "1 row where 2 are expected; row 1: us is -, expected 10");
  EXPECT_EQ(row_difference(exercise_,
                           {{"step", "us"}, {{std::int64_t{2}, 10.0}, {std::int64_t{3}, "20"}}},
                           expected_),
            "row 2: us is 20, expected 20, a number");
}

TEST_F(RowDifferenceTest, InfinityIsNoNumberBetweenOthers) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double given : {infinite, -infinite}) {
    EXPECT_NE(row_difference(exercise_, {{"step", "us"}, {{2.0, given}, {3.0, 20.0}}}, expected_),
              "");
    EXPECT_NE(
        row_difference(exercise_, {{"step", "us"}, {{given, 10.0}, {given, 20.0}}}, expected_), "");
  }
  expected_.rows[0][1] = infinite;
  EXPECT_EQ(row_difference(exercise_, expected_, expected_), "");
  EXPECT_NE(row_difference(exercise_, {{"step", "us"}, {{2.0, -infinite}, {3.0, 20.0}}}, expected_),
            "");
}

TEST_F(RowDifferenceTest, WhatIsQuotedIsShortAndPrintable) {
  const std::string name(10'000, 'x');
  EXPECT_EQ(
      row_difference(exercise_, {{name, "\033[2J\xFF"}, {}}, expected_),
      "the result has no column step and us; it has " + std::string(69, 'x') + "… and ?[2J\uFFFD");
  const std::vector<std::string> many(2000, "c");
  EXPECT_NE(row_difference(exercise_, {many, {}}, expected_).find("c, c and 1988 more"),
            std::string::npos);
  const auto differ = [this](const std::string& is, const std::string& should) {
    return row_difference(exercise_, {{"step", "us"}, {{std::int64_t{2}, is}}},
                          {{"step", "us"}, {{std::int64_t{2}, should}}});
  };
  EXPECT_EQ(differ(name, "\033\xFF"),
            "row 1: us is " + std::string(69, 'x') + "…, expected ?\uFFFD");
  EXPECT_EQ(differ(name + "yes", name + "no"), "row 1: us is …" + std::string(20, 'x') +
                                                   "yes, expected …" + std::string(20, 'x') + "no");
}

TEST_F(RowDifferenceTest, OrderCountsOnlyWhereTheExerciseSaysSo) {
  const QueryResult turned{{"step", "us"}, {{std::int64_t{3}, 20.0}, {2.0, 10.0}}};
  EXPECT_EQ(row_difference(exercise_, turned, expected_), "row 1: step is 3, expected 2");
  exercise_.ordered = false;
  EXPECT_EQ(row_difference(exercise_, turned, expected_), "");
}

TEST(JudgeExerciseTest, Utf16IsNamed) {
  const SqlExercise exercise = chapter_exercises("03_schedule_tweak").front();
  for (const std::string& sql :
       {std::string("\xFF\xFES\0E\0", 6), std::string("\xFE\xFF\0S\0E", 6)}) {
    const JudgedExercise judged = judge_exercise(exercise, sql);
    EXPECT_EQ(judged.outcome, ExerciseOutcome::kFailed);
    EXPECT_EQ(judged.says, "the file is UTF-16; save it as UTF-8");
    EXPECT_FALSE(judged.hint_helps);
  }
}

TEST(FindExerciseTest, AnUnknownFileListsTheExercises) {
  try {
    find_exercise("nowhere/nothing.sql");
    FAIL();
  } catch (const UsageError& error) {
    const std::string says = error.what();
    EXPECT_NE(says.find("is no exercise; there are exercises/01_cold_trace/"), std::string::npos);
    EXPECT_NE(says.find(".sql"), std::string::npos);
    EXPECT_NE(says.find(".cu"), std::string::npos) << says;
  }
}

}  // namespace
}  // namespace tracebook
