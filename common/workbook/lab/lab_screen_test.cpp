// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/lab_screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/render/terminal.h"
#include "common/workbook/lab/lab.h"
#include "common/workbook/lab/scratch_workbook.h"

namespace tracebook {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

bool shows(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

/// A made-up chapter with one of everything.
std::vector<ChapterProgress> sample() {
  std::vector<ChapterProgress> chapters(2);
  ChapterProgress& chapter = chapters[0];
  chapter.chapter = "07_sample";
  chapter.number = "07";
  chapter.title = "Ein Täst of 漢字 and a long title that goes on";
  chapter.begun = true;
  chapter.questions = {
      {{"first", AnswerOutcome::kRight, "12 us", ""}, "How long?", 0},
      {{"second", AnswerOutcome::kWrong, "13 us", "That is one kernel, not all of them."},
       "How much longer?",
       2},
      {{"third", AnswerOutcome::kInvalid, "1,5", "It has a comma."}, "How many?", 0},
      {{"fourth", AnswerOutcome::kUnanswered, "", ""},
       "Which lane is it on, of all the lanes?",
       0}};
  chapter.work.resize(3);
  const std::vector<WorkOutcome> outcomes{WorkOutcome::kPassed, WorkOutcome::kFailed,
                                          WorkOutcome::kNeedsGpu};
  for (std::size_t i = 0; i < 3; ++i) {
    chapter.work[i].item.name = "work" + std::to_string(i);
    chapter.work[i].item.kind = "SQL";
    chapter.work[i].item.title = "Write it";
    chapter.work[i].item.file = "exercises/07_sample/work" + std::to_string(i) + ".sql";
    chapter.work[i].judged = {outcomes[i], "row 2 differs on h200/64"};
  }
  chapters[1].number = "08";
  return chapters;
}

TEST(LabScreenTest, FitsEverySize) {
  const std::vector<ChapterProgress> chapters = sample();
  for (const bool ascii : {false, true}) {
    for (const int columns : {10, 40, 59, 60, 80, 200}) {
      for (const int rows : {4, 10, 15, 16, 24, 60}) {
        for (const std::string message :
             {"", "A hint that is long enough to be broken somewhere."}) {
          LabView view{.chapters = &chapters, .at = 0, .message = message};
          const auto lines = lab_screen(view, {columns, rows, ascii, false});
          EXPECT_EQ(lines.size(), static_cast<std::size_t>(rows));
          for (const std::string& line : lines) {
            EXPECT_LE(display_width(line), static_cast<std::size_t>(columns)) << line;
            if (!ascii) continue;
            EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c > 0; }))
                << line;
          }
        }
      }
    }
  }
}

TEST(LabScreenTest, ShowsEachItemWithItsMessageAndTheKeys) {
  const std::vector<ChapterProgress> chapters = sample();
  const LabView view{.chapters = &chapters, .at = 0};
  const std::string screen = joined(lab_screen(view, {80, 30, true, false}));
  EXPECT_TRUE(shows(screen, "Chapter 07 of 08: Ein T?st of ")) << screen;
  EXPECT_TRUE(shows(screen, "2 of 7 (3 wrong, 1 open, 1 needs a GPU)\n")) << screen;
  EXPECT_TRUE(shows(joined(lab_screen(view, {100, 30, true, false})), "   workbook: 2 of 7\n"));
  EXPECT_TRUE(shows(screen, "right        first   12 us\n")) << screen;
  EXPECT_TRUE(shows(screen,
                    "wrong       >second  (2 hints)  13 us\n"
                    "             That is one kernel, not all of them.\n"))
      << screen;
  EXPECT_TRUE(shows(screen, "invalid      third   1,5\n             It has a comma.\n")) << screen;
  EXPECT_TRUE(shows(screen, "unanswered   fourth  Which lane is it on")) << screen;
  EXPECT_TRUE(shows(screen, "failed       work1   SQL exercise\n             row 2 differs"))
      << screen;
  EXPECT_TRUE(shows(screen, "needs a GPU  work2   SQL exercise\n")) << screen;
  for (const char* const key :
       {"h hint", "n next open", "[ ] chapters", "r check again", "q quit"}) {
    EXPECT_TRUE(shows(screen, key)) << key << "\n" << screen;
  }
}

TEST(LabScreenTest, ASmallScreenShowsWhatIsOpenAndScrolls) {
  std::vector<ChapterProgress> chapters = sample();
  ChapterProgress& chapter = chapters[0];
  const QuestionProgress right = chapter.questions[0];
  chapter.questions.insert(chapter.questions.begin(), 10, right);
  LabView view{.chapters = &chapters, .at = 0};
  const ScreenSize size{40, 10, true, false};
  const std::string screen = joined(lab_screen(view, size));
  EXPECT_TRUE(shows(screen, "wrong       >second")) << screen;
  EXPECT_TRUE(shows(screen, "q quit")) << screen;
  EXPECT_TRUE(shows(screen, "Lines 11-")) << screen;
  view.first = lab_scrolled(view, size, -1000);
  EXPECT_EQ(view.first, 0);
  EXPECT_FALSE(shows(joined(lab_screen(view, size)), "second"));
  view.first = lab_scrolled(view, size, 1000);
  EXPECT_TRUE(shows(joined(lab_screen(view, size)), "work2")) << joined(lab_screen(view, size));
  EXPECT_EQ(lab_scrolled(view, size, 1), *view.first);
  EXPECT_EQ(lab_scrolled(view, size, -1), *view.first - 1);
}

TEST(LabScreenTest, AScreenThatIsTooSmallSaysSoAndHowToLeave) {
  const std::vector<ChapterProgress> chapters = sample();
  const LabView view{.chapters = &chapters, .at = 0};
  for (const auto& [columns, rows] :
       std::vector<std::pair<int, int>>{{39, 24}, {80, 9}, {20, 5}, {15, 3}, {6, 1}}) {
    const auto lines = lab_screen(view, {columns, rows, true, false});
    EXPECT_EQ(lines.size(), static_cast<std::size_t>(rows));
    EXPECT_TRUE(shows(lines.front(), "q quit")) << lines.front();
    EXPECT_EQ(shows(lines.front(), "40x10"), columns >= 20) << lines.front();
  }
  EXPECT_FALSE(shows(joined(lab_screen(view, {40, 10, true, false})), "40x10"));
}

TEST(LabScreenTest, EachExerciseEndsWithItsFileAndTheCommandThatJudgesIt) {
  const std::vector<ChapterProgress> chapters = sample();
  const LabView view{.chapters = &chapters, .at = 0};
  const std::string screen = joined(lab_screen(view, {80, 40, true, false}));
  for (const std::string number : {"0", "1", "2"}) {
    EXPECT_TRUE(shows(screen, "tracebook exercise exercises/07_sample/work" + number + ".sql\n"))
        << screen;
  }
  // Nothing of it is cut off where it does not fit.
  const std::string narrow = lab_text(chapters[0], 24, true);
  EXPECT_TRUE(shows(narrow, "  tracebook exercise\n  exercises/07_sample/wo\n  rk2.sql\n"))
      << narrow;
}

TEST(LabScreenTest, AnItemIsShownInFull) {
  std::vector<ChapterProgress> chapters = sample();
  QuestionProgress& fourth = chapters[0].questions[3];
  fourth.question.prompt = "Which lane is it on, of all the lanes that there are in the picture?";
  fourth.question.kind = QuestionKind::kChoice;
  fourth.question.choices = {"the first of them", "another"};
  fourth.trace = "expected/07_sample/h200/64.json";
  LabView view{.chapters = &chapters, .at = 0, .selected = 3, .opened = true};
  const std::string screen = joined(lab_screen(view, {40, 40, true, false}));
  for (const char* const words :
       {"of all the lanes\n", "that there are in the picture?\n", "  1  the first of them\n",
        "  2  another\n", "(1 to 2, or the words)", "unanswered\n",
        "tracebook timeline\n  expected/07_sample/h200/64.json\n", "tracebook quiz 07\n",
        "Esc back"}) {
    EXPECT_TRUE(shows(screen, words)) << words << "\n" << screen;
  }
  view.selected = 5;
  const std::string work = joined(lab_screen(view, {80, 30, true, false}));
  EXPECT_TRUE(shows(work, "work1, SQL exercise\nWrite it\n\nfailed\nrow 2 differs")) << work;
  view.selected = 1000;  // the list has become shorter
  EXPECT_TRUE(shows(joined(lab_screen(view, {80, 30, true, false})), "work2, SQL exercise"));
}

TEST(LabScreenTest, WhatIsChosenIsMarkedAndShows) {
  const std::vector<ChapterProgress> chapters = sample();
  LabView view{.chapters = &chapters, .at = 0};
  EXPECT_EQ(lab_selected(view), 1U) << "what is open first";
  for (std::size_t item = 0; item < 7; ++item) {
    view.selected = item;
    const std::string name =
        item < 4 ? chapters[0].questions[item].judged.id : chapters[0].work[item - 4].item.name;
    const std::string screen = joined(lab_screen(view, {40, 10, true, false}));
    EXPECT_TRUE(shows(screen, " >" + name)) << screen;
  }
}

/// A long list with long reasons: nothing of it fits beside a hint.
std::vector<ChapterProgress> long_sample() {
  std::vector<ChapterProgress> chapters = sample();
  ChapterProgress& chapter = chapters[0];
  const std::vector<QuestionProgress> questions = chapter.questions;
  for (int i = 0; i < 4; ++i) {
    for (QuestionProgress one : questions) {
      one.judged.id += std::to_string(i);
      for (int words = 0; words < i; ++words) one.judged.says += " And more is to be said of it.";
      chapter.questions.push_back(one);
    }
  }
  chapter.faults = {"A fault of the file that takes a line or two of a narrow screen."};
  return chapters;
}

TEST(LabScreenTest, WhatIsChosenShowsBesideAnyMessageAtAnySize) {
  const std::vector<ChapterProgress> chapters = long_sample();
  std::string long_hint = "Hint 1 of 3: look.";
  for (int i = 0; i < 40; ++i) long_hint += " There is more to be said.";
  const std::vector<std::string> messages{
      "", "Hint 1 of 3: look.", "Hint 1 of 3: look.\n" + long_hint.substr(0, 200), long_hint};
  const std::size_t items = chapters[0].questions.size() + chapters[0].work.size();
  for (const int columns : {40, 45, 59, 60, 61, 80, 130}) {
    for (int rows = 10; rows <= 50; rows += rows < 24 ? 1 : 13) {
      for (std::size_t item = 0; item < items; ++item) {
        for (const std::string& message : messages) {
          const LabView view{.chapters = &chapters, .at = 0, .message = message, .selected = item};
          const auto lines = lab_screen(view, {columns, rows, false, false});
          ASSERT_EQ(lines.size(), static_cast<std::size_t>(rows));
          const std::string screen = joined(lines);
          EXPECT_TRUE(shows(screen, " >")) << columns << "x" << rows << ", " << item << "\n"
                                           << screen;
          EXPECT_EQ(shows(screen, "Hint 1 of 3: look."), !message.empty()) << screen;
          for (const std::string& line : lines) {
            EXPECT_LE(display_width(line), static_cast<std::size_t>(columns)) << line;
          }
        }
      }
    }
  }
}

TEST(LabScreenTest, AMessageThatIsCutSaysSoAndScrollingShowsItWhole) {
  const std::vector<ChapterProgress> chapters = long_sample();
  LabView view{.chapters = &chapters,
               .at = 0,
               .message = "Hint 1 of 3: one.\ntwo\nthree\nfour\nfive\nsix",
               .selected = 20};
  const ScreenSize size{40, 10, true, false};
  const auto lines = lab_screen(view, size);
  EXPECT_EQ(lines[5], "four ...");
  EXPECT_TRUE(shows(lines[6], " >")) << lines[6];
  view.first = lab_scrolled(view, size, -1000);
  EXPECT_EQ(lab_screen(view, size)[6], "five");
}

TEST(LabScreenTest, BrokenAnswersAreNoQuestionsUnanswered) {
  std::vector<ChapterProgress> chapters = sample();
  chapters[0].broken = "answers/07_sample.json: not JSON at line 2";
  const LabView view{.chapters = &chapters, .at = 0};
  const std::string screen = joined(lab_screen(view, {80, 30, true, false}));
  EXPECT_TRUE(
      shows(screen, "The answers cannot be read: answers/07_sample.json: not JSON at line 2"));
  EXPECT_FALSE(shows(screen, "unanswered")) << screen;
  EXPECT_TRUE(shows(screen, "failed      >work1")) << screen;
}

TEST(LabScreenTest, AMessageStandsFirst) {
  const std::vector<ChapterProgress> chapters = sample();
  const LabView view{.chapters = &chapters, .at = 0, .message = "Hint 1 of 3: look.\nThere."};
  const auto lines = lab_screen(view, {40, 10, true, false});
  EXPECT_EQ(lines[2], "Hint 1 of 3: look.");
  EXPECT_EQ(lines[3], "There.");
}

TEST(LabScreenTest, EscapeSequencesOfAnAnswerStayHarmless) {
  std::vector<ChapterProgress> chapters = sample();
  chapters[0].questions[0].judged.given = "\033[2J evil\n\rline";
  chapters[0].faults = {"\033]0;title\a"};
  const LabView view{.chapters = &chapters, .at = 0};
  for (const std::string& line : lab_screen(view, {80, 30, false, false})) {
    EXPECT_EQ(line.find_first_of("\033\n\r\a"), std::string::npos) << line;
  }
}

TEST(LabScreenTest, ColoursAreOnlyThereWhenAskedFor) {
  const std::vector<ChapterProgress> chapters = sample();
  const LabView view{.chapters = &chapters, .at = 0};
  EXPECT_TRUE(shows(joined(lab_screen(view, {80, 30, false, true})), "\033[31m"));
  EXPECT_FALSE(shows(joined(lab_screen(view, {80, 30, false, false})), "\033"));
}

TEST(LabScreenTest, SaysThatItReadsOrChecks) {
  const std::vector<ChapterProgress> chapters = sample();
  EXPECT_TRUE(shows(joined(lab_screen({.chapters = &chapters, .at = 0, .reading = true}, {})),
                    "Reading the workbook"));
  EXPECT_TRUE(shows(joined(lab_screen({.chapters = &chapters, .at = 0, .checking = true}, {})),
                    "Checking ..."));
}

TEST(LabScreenTest, AChapterNotBegunSaysHow) {
  const ScratchWorkbook book;
  ProgressReader reader(book.answers());
  const ChapterProgress chapter = reader.chapter(find_chapter("03"));
  const std::string text = lab_text(chapter, 80, true);
  EXPECT_TRUE(shows(text, "tracebook quiz 03")) << text;
  EXPECT_TRUE(shows(text, "not started  covered_offset")) << text;
}

TEST(LabHintTest, IsCountedAsTheHintCommandCounts) {
  ScratchWorkbook book;
  if (ScratchWorkbook::is_handout()) GTEST_SKIP() << ScratchWorkbook::kHandoutSays;
  ProgressReader reader(book.answers());
  const auto look = [&reader] { return reader.chapter(find_chapter("03")); };
  EXPECT_TRUE(shows(take_next_hint(look()), "Hint 1 of 3: "));
  EXPECT_TRUE(shows(take_next_hint(look()), "Hint 2 of 3: "));
  EXPECT_EQ(look().questions[0].hints_used, 2);
  EXPECT_TRUE(shows(take_next_hint(look(), 2), "overhead_share: "));
  EXPECT_EQ(look().questions[2].hints_used, 1);
  EXPECT_FALSE(look().begun) << "a hint is no answer";
  book.answer("03_schedule_tweak", {.right = 1000});
  EXPECT_TRUE(shows(take_next_hint(look()), "covered_offset: "));
  ScratchWorkbook::solve("03_schedule_tweak");
  EXPECT_EQ(take_next_hint(look()), "Nothing is open in this chapter.");
  EXPECT_EQ(take_next_hint(look(), 1), "This is done already; no hint is counted.");
}

}  // namespace
}  // namespace tracebook
