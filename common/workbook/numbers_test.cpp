// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/numbers.h"

#include <gtest/gtest.h>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

TEST(FindNumbersTest, TakesTheNumberBeforeTheComment) {
  const auto numbers =
      find_numbers("lesson.md",
                   "First 291<!--= torch/a: SELECT 1 --> us,\nthen **1,234.5**<!-- = -->\n"
                   "and **1,234.5**<!--= h200/b: SELECT\n2 --> here.");
  ASSERT_EQ(numbers.size(), 2U);
  EXPECT_EQ(numbers[0].written, "291");
  EXPECT_EQ(numbers[0].recording, "torch/a");
  EXPECT_EQ(numbers[0].sql, "SELECT 1");
  EXPECT_EQ(numbers[0].line, 1);
  EXPECT_EQ(numbers[1].written, "1,234.5");
  EXPECT_EQ(numbers[1].sql, "SELECT\n2");
  EXPECT_EQ(numbers[1].line, 3);
}

TEST(FindNumbersTest, RefusesACommentWithoutNumberOrQuery) {
  EXPECT_THROW(find_numbers("x", "many<!--= torch/a: SELECT 1 -->"), InputError);
  EXPECT_THROW(find_numbers("x", "5<!--= torch/a -->"), InputError);
  EXPECT_THROW(find_numbers("x", "5<!--= torch/a: SELECT 1"), InputError);
}

TEST(UpdatedLessonTest, WritesWhatWasMeasuredAndNothingElse) {
  const std::string text = "1,234.5<!--= a: x --> and 7<!--= b: y --> and 3<!--= c: z -->";
  auto numbers = find_numbers("x", text);
  numbers[0].measured = "9876543.2";
  numbers[1].measured = "10";
  numbers[0].has_value = numbers[1].has_value = true;
  numbers[2].measured = "no such recording";
  EXPECT_EQ(updated_lesson(text, numbers),
            "9,876,543.2<!--= a: x --> and 10<!--= b: y --> and 3<!--= c: z -->");
}

TEST(CheckNumbersTest, ARecordingIsTheChaptersOwnOrAPlantedOne) {
  const auto lesson = std::filesystem::path(testing::TempDir()) / "numbers_test_lesson.md";
  write_file(
      lesson,
      "2<!--= planted/two_streams_waiting: SELECT count(DISTINCT stream) FROM kernel --> and "
      "2<!--= planted/nothing: SELECT 2 --> and 2<!--= h200/nothing: SELECT 2 -->");
  const auto numbers = check_numbers(lesson, workbook_root() / "expected/01_cold_trace");
  ASSERT_EQ(numbers.size(), 3U);
  EXPECT_TRUE(numbers[0].agrees) << numbers[0].measured;
  EXPECT_NE(numbers[1].measured.find("no recording planted/nothing in "), std::string::npos);
  EXPECT_NE(numbers[2].measured.find("no recording h200/nothing in "), std::string::npos);
}

/// Every number in every lesson is what its recording gives.
TEST(LessonsTest, NumbersComeFromTheRecordings) {
  for (const ChapterInfo& chapter : all_chapters()) {
    const auto root = workbook_root();
    const auto numbers = check_numbers(root / "chapters" / chapter.stem / "README.md",
                                       root / "expected" / chapter.stem);
    EXPECT_GE(numbers.size(), 10U) << chapter.stem << ": a lesson shows what it measured";
    for (const LessonNumber& number : numbers) {
      EXPECT_TRUE(number.agrees) << number.file << ":" << number.line << ": written "
                                 << number.written << ", " << number.recording << " gives "
                                 << number.measured << "\n  " << number.sql;
    }
  }
}

}  // namespace
}  // namespace tracebook
