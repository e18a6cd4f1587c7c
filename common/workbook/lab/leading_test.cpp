// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/leading.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/render/terminal.h"
#include "common/trace/file.h"
#include "common/workbook/lab/scratch_workbook.h"
#include "common/workbook/lab/tool_name.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

class LeadingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (ScratchWorkbook::is_handout()) GTEST_SKIP() << ScratchWorkbook::kHandoutSays;
  }
  NextStep next() { return next_step(reader_.workbook()); }
  /// Broken nowhere.
  std::string text() { return next_text(next(), 1000); }
  std::string question(std::size_t index) const {
    return chapter_questions("01_cold_trace").questions[index].id;
  }

  ScratchWorkbook book_;
  ProgressReader reader_{book_.answers()};
};

TEST_F(LeadingTest, AFreshWorkbookBeginsWithTheFirstLesson) {
  EXPECT_EQ(next().kind, NextKind::kLesson);
  const std::string shown = text();
  EXPECT_TRUE(has(shown, "Begin chapter 01 (A cold trace)")) << shown;
  EXPECT_TRUE(has(shown, "1  read the lesson")) << shown;
  EXPECT_TRUE(has(shown, "tracebook lesson 01")) << shown;
  EXPECT_TRUE(has(shown, "2  run the program       01_cold_trace\n")) << shown;
  EXPECT_TRUE(has(shown, "3  answer its questions  tracebook quiz 01\n")) << shown;
}

TEST_F(LeadingTest, WhatIsWrongComesBeforeWhatIsUnanswered) {
  book_.answer("01_cold_trace", {.right = 2, .wrong = 1});
  EXPECT_EQ(next().kind, NextKind::kWrong);
  EXPECT_TRUE(has(text(), "Your answer to " + question(2))) << text();
  EXPECT_TRUE(has(text(), "tracebook hint 01 " + question(2))) << text();
  save_answer(answers_file("01_cold_trace"), question(2), "");
  EXPECT_EQ(next().kind, NextKind::kQuestion);
  EXPECT_TRUE(has(text(), "The next is " + question(2))) << text();
  EXPECT_TRUE(has(text(), "6 questions are unanswered")) << text();
}

TEST_F(LeadingTest, ExercisesComeBehindTheQuestions) {
  book_.answer("01_cold_trace", {.right = 1000});
  const WorkItem item = chapter_work("01_cold_trace").front();
  EXPECT_EQ(next().kind, NextKind::kExercise);
  EXPECT_TRUE(has(text(), "Now its SQL exercise " + item.name)) << text();
  EXPECT_EQ(next().offers[0].opens_in, OpensIn::kEditor);
  EXPECT_EQ(next().offers[0].file, item.file);
  write_file(item.file, "SELECT");
  EXPECT_TRUE(has(text(), "fails: the query does not run")) << text();
  EXPECT_TRUE(has(text(), "1  correct it")) << text();
  ScratchWorkbook::solve("01_cold_trace");
  EXPECT_EQ(next().kind, NextKind::kLesson);
  EXPECT_EQ(next().chapter, "02_warmup");
}

TEST_F(LeadingTest, AnEarlierChapterThatIsOpenAgainComesFirst) {
  book_.finish("01_cold_trace");
  book_.answer("02_warmup", {.right = 2});
  EXPECT_EQ(next().chapter, "02_warmup");
  save_answer(answers_file("01_cold_trace"), question(0), "-1");
  EXPECT_EQ(next().chapter, "01_cold_trace");
}

TEST_F(LeadingTest, BrokenAnswersAreToBeMended) {
  write_file(answers_file("01_cold_trace"), "{");
  EXPECT_EQ(next().kind, NextKind::kRepair);
  EXPECT_TRUE(has(text(), "cannot be read")) << text();
  EXPECT_TRUE(has(text(), "tracebook reset 01")) << text();
  write_file(answers_file("01_cold_trace"),
             R"({"schema": 1, "chapter": "01_cold_trace", "answers": {"mystery": "5"}})");
  EXPECT_EQ(next().kind, NextKind::kRepair);
  EXPECT_TRUE(has(text(), "\"mystery\"")) << text();
}

TEST_F(LeadingTest, AllDoneSaysWhatThen) {
  for (const ChapterInfo& chapter : all_chapters()) book_.finish(chapter.stem);
  EXPECT_EQ(next().kind, NextKind::kDone);
  EXPECT_TRUE(has(text(), "All that can be judged here is done. ")) << text();
  EXPECT_TRUE(has(text(), "  run true_fusion")) << text();
  EXPECT_TRUE(has(text(), "a trace of your own")) << text();
  std::vector<ChapterProgress> chapters = reader_.workbook();
  for (ChapterProgress& chapter : chapters) {
    for (WorkProgress& work : chapter.work) work.judged.outcome = WorkOutcome::kPassed;
  }
  EXPECT_TRUE(has(next_step(chapters).says, "chapters are done")) << next_step(chapters).says;
  const std::string bars = progress_text(chapters, "", {80, false, false});
  EXPECT_FALSE(has(bars, "░")) << bars;
}

TEST_F(LeadingTest, WhatNeedsAGpuHoldsNobodyUp) {
  std::vector<ChapterProgress> chapters(1);
  chapters[0].number = "02";
  chapters[0].work.resize(2);
  chapters[0].work[0].judged.outcome = WorkOutcome::kPassed;
  chapters[0].work[1].judged.outcome = WorkOutcome::kNeedsGpu;
  const NextStep step = next_step(chapters);
  EXPECT_EQ(step.kind, NextKind::kDone);
  EXPECT_TRUE(has(step.says, "1 exercise needs a machine with a GPU")) << step.says;
  EXPECT_FALSE(has(step.says, "are done")) << step.says;
  EXPECT_EQ(open_counts(chapters[0]), "1 needs a GPU");
  EXPECT_EQ(chapters[0].exit_code(), 77);
}

TEST_F(LeadingTest, AChapterWithoutExercisesIsPassedBy) {
  fs::remove_all(book_ / "exercises/01_cold_trace");
  EXPECT_EQ(next().chapter, "02_warmup");
  const std::string bars = progress_text(reader_.workbook(), "", {80, true, false});
  EXPECT_TRUE(has(bars, "  01 [----------------]  0/0  no exercises  A cold trace\n")) << bars;
}

TEST_F(LeadingTest, OneLineAChapterFitsTheTerminal) {
  book_.finish("01_cold_trace");
  book_.answer("02_warmup", {.right = 2, .wrong = 3});
  write_file(answers_file("03_schedule_tweak"), "{");
  const std::vector<ChapterProgress> chapters = reader_.workbook();
  for (const int width : {40, 60, 80, 200}) {
    std::string lines = progress_text(chapters, "02_warmup", {width, false, false});
    std::size_t count = 0;
    for (; !lines.empty(); ++count) {
      const std::size_t end = lines.find('\n');
      EXPECT_LE(display_width(lines.substr(0, end)), static_cast<std::size_t>(width));
      lines.erase(0, end + 1);
    }
    EXPECT_EQ(count, chapters.size());
  }
  const std::string lines = progress_text(chapters, "02_warmup", {80, true, false});
  EXPECT_TRUE(has(lines, "  01 [################]  9/9  done")) << lines;
  EXPECT_TRUE(has(lines, "> 02 [##--------------] 2/11  3 wrong, 6 open")) << lines;
  EXPECT_TRUE(has(lines, "answers cannot be read")) << lines;
  for (const char c : lines) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(ProgressBarTest, ShowsWhatIsDoneAndIsFullOnlyAtTheEnd) {
  const ProgressStyle style{80, true, false};
  EXPECT_EQ(progress_bar(0, 10, 12, style), "[----------]");
  EXPECT_EQ(progress_bar(1, 100, 12, style), "[#---------]");
  EXPECT_EQ(progress_bar(99, 100, 12, style), "[#########-]");
  EXPECT_EQ(progress_bar(100, 100, 12, style), "[##########]");
  EXPECT_EQ(progress_bar(5, 10, 12, {80, true, true}), "[\033[32m#####\033[0m-----]");
  EXPECT_EQ(progress_bar(5, 10, 4, {80, false, false}), "[█░]");
}

}  // namespace
}  // namespace tracebook
