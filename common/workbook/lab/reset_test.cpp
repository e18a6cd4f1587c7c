// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/reset.h"

#include <gtest/gtest.h>

#include <string>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/lab/scratch_workbook.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChapter = "03_schedule_tweak";

class ResetTest : public testing::Test {
 protected:
  void SetUp() override {
    if (ScratchWorkbook::is_handout()) GTEST_SKIP() << ScratchWorkbook::kHandoutSays;
  }
  static ResetPlan plan() { return plan_reset(kChapter, answers_file(kChapter)); }
  static fs::path exercise() { return chapter_work(kChapter).front().file; }

  ScratchWorkbook book_;
};

std::string error_of(const ResetPlan& plan) {
  try {
    reset_chapter(plan, "T");
  } catch (const InputError& fault) {
    return fault.what();
  }
  return "";
}

TEST_F(ResetTest, NothingToDoInAFreshChapter) {
  EXPECT_TRUE(plan().empty());
  start_answers(chapter_questions(kChapter), answers_file(kChapter));
  EXPECT_TRUE(plan().empty());
  const std::string blank = read_file(answers_file(kChapter));
  write_file(answers_file(kChapter), blank + "\n\n");
  EXPECT_TRUE(plan().empty()) << "blanks are no work";
}

TEST_F(ResetTest, KeepsACopyAndBeginsAnew) {
  const std::string skeleton = read_file(exercise());
  book_.answer(kChapter, {.right = 3, .wrong = 1});
  save_hints(answers_file(kChapter), "lane", 2);
  const std::string answers = read_file(answers_file(kChapter));
  write_file(exercise(), "SELECT 1");
  ASSERT_EQ(plan().files.size(), 2);
  const fs::path kept = reset_chapter(plan(), "20250131T235959Z");
  EXPECT_EQ(kept, book_.answers() / "kept/03_schedule_tweak.20250131T235959Z");
  EXPECT_EQ(read_file(kept / "03_schedule_tweak.json"), answers);
  EXPECT_EQ(read_file(kept / exercise().filename()), "SELECT 1");
  EXPECT_EQ(read_file(exercise()), skeleton);
  const AnswerSheet empty = read_answers(answers_file(kChapter), chapter_questions(kChapter));
  EXPECT_FALSE(empty.anything_given());
  EXPECT_EQ(empty.hints_used("lane"), 0);
  EXPECT_TRUE(plan().empty());
}

TEST_F(ResetTest, AHintAloneIsWorkToo) {
  start_answers(chapter_questions(kChapter), answers_file(kChapter));
  save_hints(answers_file(kChapter), "lane", 1);
  EXPECT_EQ(plan().files.size(), 1);
}

TEST_F(ResetTest, TheStudentsNameStays) {
  book_.answer(kChapter, {.right = 1});
  Json document = parse_json_file(answers_file(kChapter), 1);
  document["student"] = "Ada";
  write_file(answers_file(kChapter), document.dump());
  reset_chapter(plan(), "T");
  EXPECT_EQ(read_answers(answers_file(kChapter), chapter_questions(kChapter)).student, "Ada");
}

TEST_F(ResetTest, NeverOverwritesAnEarlierCopy) {
  for (const std::string text : {"SELECT 1", "SELECT 2", "SELECT 3"}) {
    write_file(exercise(), text);
    reset_chapter(plan(), "T");
  }
  const fs::path kept = book_.answers() / "kept";
  EXPECT_EQ(read_file(kept / "03_schedule_tweak.T" / exercise().filename()), "SELECT 1");
  EXPECT_EQ(read_file(kept / "03_schedule_tweak.T.2" / exercise().filename()), "SELECT 2");
  EXPECT_EQ(read_file(kept / "03_schedule_tweak.T.3" / exercise().filename()), "SELECT 3");
}

TEST_F(ResetTest, BrokenAnswersAreKeptAsTheyAre) {
  write_file(answers_file(kChapter), "{,");
  const fs::path kept = reset_chapter(plan(), "T");
  EXPECT_EQ(read_file(kept / "03_schedule_tweak.json"), "{,");
  EXPECT_FALSE(read_answers(answers_file(kChapter), chapter_questions(kChapter)).anything_given());
}

TEST_F(ResetTest, AMissingExerciseIsPutBackWithoutACopy) {
  const std::string skeleton = read_file(exercise());
  fs::remove(exercise());
  EXPECT_EQ(reset_chapter(plan(), "T"), "");
  EXPECT_EQ(read_file(exercise()), skeleton);
  EXPECT_FALSE(fs::exists(book_.answers() / "kept"));
}

TEST_F(ResetTest, WhatIsNoFileIsRefusedBeforeAnythingChanges) {
  book_.answer(kChapter, {.right = 1});
  const std::string answers = read_file(answers_file(kChapter));
  fs::remove(exercise());
  fs::create_directory(exercise());
  EXPECT_THROW(plan(), InputError);
  EXPECT_EQ(read_file(answers_file(kChapter)), answers);
}

TEST_F(ResetTest, WithoutAPlaceForTheCopiesNothingChanges) {
  write_file(exercise(), "SELECT 1");
  write_file(book_.answers() / "kept", "a file in the way");
  EXPECT_NE(error_of(plan()).find("nothing was changed"), std::string::npos) << error_of(plan());
  EXPECT_EQ(read_file(exercise()), "SELECT 1");
}

TEST_F(ResetTest, WhenAChangeFailsAllIsAsItWas) {
  book_.answer(kChapter, {.right = 1});
  const std::string answers = read_file(answers_file(kChapter));
  write_file(exercise(), "SELECT 1");
  ResetPlan wished = plan();
  // The second file cannot be written: its folder is none.
  wished.files[1].path = exercise() / "below" / "x.sql";
  EXPECT_NE(error_of(wished).find("everything is as it was"), std::string::npos);
  EXPECT_EQ(read_file(answers_file(kChapter)), answers);
  EXPECT_EQ(read_file(exercise()), "SELECT 1");
  EXPECT_FALSE(fs::exists(book_.answers() / "kept/03_schedule_tweak.T"));
}

TEST_F(ResetTest, WithoutSolutionsTheExercisesStayAndThatIsSaid) {
  write_file(exercise(), "SELECT 1");
  fs::remove_all(book_ / "exercises/solutions");
  EXPECT_TRUE(plan().empty());
  ASSERT_EQ(plan().left.size(), chapter_work(kChapter).size());
  EXPECT_NE(plan().left[0].find("stays as it is"), std::string::npos);
}

TEST(UtcStampTest, SortsByTime) {
  const std::string stamp = utc_stamp();
  ASSERT_EQ(stamp.size(), 16);
  EXPECT_EQ(stamp[8], 'T');
  EXPECT_EQ(stamp[15], 'Z');
  EXPECT_GE(stamp, "20250101T000000Z");
}

TEST(ResetMissingTest, OnlyWhatIsMissingIsPutBack) {
  ScratchWorkbook book;
  book.answer("03_schedule_tweak", {.right = 1});
  const std::vector<WorkItem> work = chapter_work("03_schedule_tweak");
  write_file(work[1].file, "mine");
  std::filesystem::remove(work[0].file);
  EXPECT_NE(judged_work(work[0]).says.find("reset 03 --missing"), std::string::npos);
  EXPECT_EQ(judged_work(work[0]).outcome, WorkOutcome::kFailed);
  ResetPlan plan = plan_reset("03_schedule_tweak", answers_file("03_schedule_tweak"));
  EXPECT_TRUE(plan.keeps_copies());
  plan.keep_only_missing();
  ASSERT_EQ(plan.files.size(), 1U);
  EXPECT_FALSE(plan.keeps_copies());
  EXPECT_EQ(reset_chapter(plan, "now"), "");
  EXPECT_EQ(judged_work(work[0]).outcome, WorkOutcome::kNotStarted);
  EXPECT_EQ(read_file(work[1].file), "mine");
  EXPECT_FALSE(std::filesystem::exists(plan.kept_folder));
}

}  // namespace
}  // namespace tracebook
