// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "common/trace/file.h"
#include "common/workbook/lab/scratch_workbook.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScheduleTweak = "03_schedule_tweak";

class ProgressTest : public testing::Test {
 protected:
  void SetUp() override {
    if (ScratchWorkbook::is_handout()) GTEST_SKIP() << ScratchWorkbook::kHandoutSays;
  }
  ChapterProgress read() { return reader_.chapter(find_chapter(kScheduleTweak)); }
  fs::path answers() const { return book_.answers() / (std::string(kScheduleTweak) + ".json"); }
  static fs::path exercise() { return chapter_work(kScheduleTweak).front().file; }

  ScratchWorkbook book_;
  ProgressReader reader_{book_.answers()};
};

TEST_F(ProgressTest, NothingIsDoneInAFreshWorkbook) {
  const std::vector<ChapterProgress> all = reader_.workbook();
  ASSERT_EQ(all.size(), all_chapters().size());
  for (const ChapterProgress& chapter : all) {
    EXPECT_FALSE(chapter.begun) << chapter.chapter;
    EXPECT_EQ(chapter.done() + chapter.wrong(), 0) << chapter.chapter;
    EXPECT_EQ(chapter.count(AnswerOutcome::kUnanswered), chapter.questions.size());
    EXPECT_EQ(chapter.count(WorkOutcome::kNotStarted), chapter.work.size());
    EXPECT_TRUE(chapter.is_open());
    EXPECT_EQ(chapter.exit_code(), 77);
  }
  EXPECT_EQ(progress_exit_code(all), 77);
  EXPECT_FALSE(fs::exists(book_.answers())) << "looking must not write";
}

TEST_F(ProgressTest, TellsWhatIsJudged) {
  std::string told;
  ProgressReader reader(book_.answers(), [&told](const WorkItem* item) {
    told += item == nullptr ? ")" : "(" + item->name;
  });
  const ChapterProgress chapter = reader.chapter(find_chapter(kScheduleTweak));
  std::string expected;
  for (const WorkProgress& one : chapter.work) expected += "(" + one.item.name + ")";
  EXPECT_EQ(told, expected);
  EXPECT_FALSE(told.empty());
}

TEST_F(ProgressTest, Utf16AnswersAreNamed) {
  fs::create_directories(book_.answers());
  write_file(answers(), std::string("\xFF\xFE{\0}\0", 6));
  EXPECT_NE(read().broken.find(".json: the file is UTF-16; save it as UTF-8"), std::string::npos)
      << read().broken;
}

TEST_F(ProgressTest, AnEmptyAnswersFileIsNoBeginning) {
  start_answers(chapter_questions(kScheduleTweak), answers());
  EXPECT_FALSE(read().begun);
  save_prediction(answers(), chapter_questions(kScheduleTweak).questions.front().id, "5 us");
  EXPECT_TRUE(read().begun);
}

TEST_F(ProgressTest, RightAndWrongAnswersAreCounted) {
  book_.answer(kScheduleTweak, {.right = 3, .wrong = 2});
  save_hints(answers(), chapter_questions(kScheduleTweak).questions[1].id, 2);
  const ChapterProgress chapter = read();
  EXPECT_TRUE(chapter.begun);
  EXPECT_EQ(chapter.count(AnswerOutcome::kRight), 3);
  EXPECT_EQ(chapter.wrong(), 2);
  EXPECT_EQ(chapter.count(AnswerOutcome::kUnanswered), chapter.questions.size() - 5);
  EXPECT_EQ(chapter.done(), 3);
  EXPECT_EQ(chapter.all(), chapter.questions.size() + chapter.work.size());
  EXPECT_EQ(chapter.questions[1].hints_used, 2);
  EXPECT_EQ(chapter.exit_code(), 1);
}

TEST_F(ProgressTest, AllDoneIsNotOpen) {
  book_.finish("01_cold_trace");
  const ChapterProgress chapter = reader_.chapter(find_chapter("01"));
  EXPECT_EQ(chapter.done(), chapter.all());
  EXPECT_FALSE(chapter.is_open());
  EXPECT_EQ(chapter.exit_code(), 0);
}

TEST_F(ProgressTest, AnExerciseIsJudgedAnewWhenItsTextIsAnother) {
  const std::string skeleton = read_file(exercise());
  write_file(exercise(), "SELECT 1 AS step");
  EXPECT_EQ(read().work.front().judged.outcome, WorkOutcome::kFailed);
  EXPECT_NE(read().work.front().judged.says.find("no column"), std::string::npos);
  ScratchWorkbook::solve(kScheduleTweak);
  EXPECT_EQ(read().work.front().judged.outcome, WorkOutcome::kPassed);
  write_file(exercise(), skeleton);
  EXPECT_EQ(read().work.front().judged.outcome, WorkOutcome::kNotStarted);
}

TEST_F(ProgressTest, AnExerciseThatCannotBeReadFailsAndRecovers) {
  ScratchWorkbook::solve(kScheduleTweak);
  const std::string solved = read_file(exercise());
  EXPECT_EQ(read().work.front().judged.outcome, WorkOutcome::kPassed);
  fs::remove(exercise());
  EXPECT_EQ(read().work.front().judged.outcome, WorkOutcome::kFailed);
  EXPECT_NE(read().work.front().judged.says.find("no such file"), std::string::npos);
  fs::create_directory(exercise());
  EXPECT_NE(read().work.front().judged.says.find("expected a plain file"), std::string::npos);
  fs::remove(exercise());
  write_file(exercise(), solved);
  EXPECT_EQ(read().work.front().judged.outcome, WorkOutcome::kPassed);
}

TEST_F(ProgressTest, WithoutSolutionsOnlyWhatDoesNotRunOrFitIsSaidAgainstAnExercise) {
  ScratchWorkbook::solve(kScheduleTweak);
  fs::remove_all(book_ / "exercises/solutions");
  const ChapterProgress chapter = read();
  EXPECT_EQ(chapter.work.front().judged.outcome, WorkOutcome::kNotJudged);
  EXPECT_EQ(chapter.wrong(), 0);
  write_file(exercise(), "SELECT 1 AS nothing_asked_for");
  EXPECT_EQ(read().work.front().judged.outcome, WorkOutcome::kFailed);
}

TEST_F(ProgressTest, ACodeExerciseIsPassedByItsTraceAlone) {
  const WorkItem item = chapter_work("08_addmm_fusion").back();
  ASSERT_EQ(item.kind, "code");
  const auto outcome = [this] {
    return reader_.chapter(find_chapter("08")).work.back().judged.outcome;
  };
  EXPECT_EQ(outcome(), WorkOutcome::kNotStarted);
  ScratchWorkbook::solve("08_addmm_fusion");
  EXPECT_EQ(outcome(), WorkOutcome::kNeedsGpu);
  EXPECT_FALSE(item.trace.empty());
  const ChapterProgress chapter = reader_.chapter(find_chapter("08"));
  EXPECT_NE(std::find(chapter.files.begin(), chapter.files.end(), item.trace), chapter.files.end());
}

TEST_F(ProgressTest, BrokenAnswersAreAFaultOfTheirChapterAlone) {
  book_.answer("01_cold_trace", {.right = 2});
  write_file(answers(), "{\"schema\": 1,\n\"answers\": {,}}");
  const std::vector<ChapterProgress> all = reader_.workbook();
  EXPECT_EQ(all[0].count(AnswerOutcome::kRight), 2);
  EXPECT_NE(all[2].broken.find("not JSON at line 2"), std::string::npos) << all[2].broken;
  EXPECT_EQ(all[2].exit_code(), 3);
  EXPECT_TRUE(all[2].is_open());
  EXPECT_EQ(all[2].count(AnswerOutcome::kUnanswered), all[2].questions.size());
  EXPECT_EQ(progress_exit_code(all), 3);
}

TEST_F(ProgressTest, LinesThatAreNoQuestionAreFaultsAndTheOthersCount) {
  book_.answer(kScheduleTweak, {.right = 1000});
  ScratchWorkbook::solve(kScheduleTweak);
  save_answer(answers(), "mystery", "5");
  const ChapterProgress chapter = read();
  EXPECT_EQ(chapter.count(AnswerOutcome::kRight), chapter.questions.size());
  ASSERT_EQ(chapter.faults.size(), 1);
  EXPECT_NE(chapter.faults[0].find("\"mystery\""), std::string::npos);
  EXPECT_EQ(chapter.exit_code(), 1);
}

TEST_F(ProgressTest, BrokenFilesOfTheWorkbookAreFaultsToo) {
  write_file(book_ / "exercises/03_schedule_tweak/questions.json", "{");
  write_file(book_ / "exercises/03_schedule_tweak/exercises.json", "{");
  const ChapterProgress chapter = read();
  EXPECT_EQ(chapter.faults.size(), 2);
  EXPECT_EQ(chapter.all(), 0);
  EXPECT_TRUE(chapter.is_open());
}

TEST_F(ProgressTest, ATraceOfTheStudentsIsReadAgainEachTime) {
  const QuestionSheet sheet = chapter_questions(kScheduleTweak);
  book_.answer(kScheduleTweak, {.right = 1000});
  Json document = parse_json_file(answers(), 1);
  document["trace"] = "my.json";
  write_file(answers(), document.dump());
  EXPECT_GT(read().count(AnswerOutcome::kInvalid), 0);
  const fs::path recording = recording_file(kScheduleTweak, sheet.recording, "");
  fs::copy_file(recording, book_ / "my.json");
  EXPECT_EQ(read().count(AnswerOutcome::kRight), sheet.questions.size());
  const ChapterProgress chapter = read();
  EXPECT_NE(std::find(chapter.files.begin(), chapter.files.end(), book_ / "my.json"),
            chapter.files.end());
  write_file(book_ / "my.json", "[]");
  EXPECT_LT(read().count(AnswerOutcome::kRight), sheet.questions.size());
}

TEST_F(ProgressTest, AWholeWorkbookIsReadAtOnce) {
  for (const ChapterInfo& chapter : all_chapters()) book_.finish(chapter.stem);
  const auto begin = std::chrono::steady_clock::now();
  ProgressReader fresh(book_.answers());
  for (const ChapterProgress& chapter : fresh.workbook()) {
    EXPECT_FALSE(chapter.is_open()) << chapter.chapter;
  }
  const auto first = std::chrono::steady_clock::now() - begin;
  // A second where nothing slows us down; sanitizers and busy machines do.
  EXPECT_LT(first, std::chrono::seconds(10));
  RecordProperty(
      "ms", static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(first).count()));
}

}  // namespace
}  // namespace tracebook
