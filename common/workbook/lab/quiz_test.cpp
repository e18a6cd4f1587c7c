// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/quiz.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/lab/hints.h"
#include "common/workbook/lab/lab_test_support.h"

namespace tracebook {
namespace {

class QuizTest : public testing::Test {
 protected:
  QuizTest() : file_(folder_ / "01.json") {
    write_file(folder_ / "questions.json", kSmallQuestions);
    sheet_ = read_questions(folder_ / "questions.json");
    start_answers(sheet_, file_);
    AnswerKeys keys;
    for (const Question& question : sheet_.questions) {
      right_.push_back(
          right_answer(question, keys.key(sheet_, question, keys.trace_of(sheet_, question, ""))));
    }
  }

  /// What is printed when `lines` are typed; the exit code is kept.
  std::string typed(const std::string& lines, bool person = false) {
    Quiz quiz(sheet_, file_, "", {.width = 100, .person = person, .options = options_});
    std::istringstream in(lines);
    std::ostringstream out;
    exit_code_ = quiz.ask(in, out);
    return out.str();
  }
  [[nodiscard]] AnswerSheet saved() const { return read_answers(file_, sheet_); }

  static void expect_has(const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\nis not in\n" << text;
  }

  ScratchFolder folder_;
  std::filesystem::path file_;
  QuestionSheet sheet_;
  std::vector<std::string> right_;
  std::string options_;
  int exit_code_ = -1;
};

TEST_F(QuizTest, APipeAnswersPredictionsThenReadings) {
  const std::string out = typed("1 us\n" + right_[0] + "\n" + right_[1] + "\n1\n" + right_[3]);
  EXPECT_EQ(exit_code_, 0) << out;
  expect_has(out, "Predict: How long do all kernels take?");
  expect_has(out, "> " + right_[0]);
  expect_has(out, "times what you predicted");
  expect_has(out, "Predicted and read:\n  gpu_time: predicted 1 us, read " + right_[0]);
  expect_has(out, "4 of 4 questions right");
  EXPECT_EQ(saved().prediction("gpu_time"), "1 us");
  EXPECT_EQ(saved().answer("bound"), "1");
  expect_has(out, "bound     the CPU");
}

TEST_F(QuizTest, APredictionThatIsNoNumberIsNamedAndAskedForAgain) {
  save_prediction(file_, "gpu_time", "abc");
  const std::string out = typed("q\n");
  expect_has(out, "Predict: How long do all kernels take?");
  expect_has(out, "\"gpu_time\" in \"predictions\": \"abc\" is no number");
  EXPECT_EQ(exit_code_, 1);
  EXPECT_EQ(typed("5 us\nq\n").find("invalid"), std::string::npos);
  EXPECT_EQ(saved().prediction("gpu_time"), "5 us");
}

TEST_F(QuizTest, EnterSkipsAndTheNextRunAsksForWhatIsOpen) {
  typed("\n\n" + right_[1] + "\n\n\n");
  EXPECT_EQ(exit_code_, 77);
  const std::string out = typed("q\n");
  EXPECT_EQ(out.find("How many kernels"), std::string::npos);
  expect_has(out, "1 of 4 questions right, 3 unanswered; go on with `tracebook quiz 01`");
}

TEST_F(QuizTest, WrongAnswersAreSavedAndToldWhy) {
  const std::string out = typed("\n0,5 ms\n1\n2\nq\n");
  EXPECT_EQ(exit_code_, 1);
  expect_has(out, "write 0.5, with a point");
  expect_has(out, "Wrong. There are more steps than one.");
  expect_has(out, "Next hint: tracebook hint 01 kernels");
  EXPECT_EQ(saved().answer("kernels"), "1");
  EXPECT_EQ(out.find(right_[0]), std::string::npos) << "gives an answer away:\n" << out;
}

TEST_F(QuizTest, CommandsInMessagesCarryTheOptionsGiven) {
  options_ = " --answers mine.json";
  const std::string out = typed("\n\n1\nq\n");
  expect_has(out, "Next hint: tracebook hint 01 kernels --answers mine.json");
  expect_has(out, "go on with `tracebook quiz 01 --answers mine.json`");
}

TEST_F(QuizTest, AnAnswerThatStandsTwiceIsNeverChosenForTheReader) {
  write_file(file_, R"({"schema": 1, "chapter": "01_cold_trace",
                        "answers": {"kernels": "1", "kernels": "2"}})");
  EXPECT_THROW(typed("1\n"), InputError);
}

TEST_F(QuizTest, APersonMayTryAgainAndAskForHints) {
  const std::string out =
      typed("soon\n5 us\n?\n" + right_[0] + "\n1\n" + right_[1] + "\nq\n", true);
  expect_has(out, "\"soon\" is no number");
  expect_has(out, "Hint 1 of 3: Look at the GPU's lane.");
  expect_has(out, "Try again");
  EXPECT_EQ(saved().hints_used("gpu_time"), 1);
  EXPECT_EQ(saved().answer("kernels"), right_[1]);
  EXPECT_EQ(exit_code_, 77);
}

TEST_F(QuizTest, NothingIsAskedWhenAllIsRight) {
  for (std::size_t i = 0; i < right_.size(); ++i) {
    save_answer(file_, sheet_.questions[i].id, right_[i]);
  }
  const std::string out = typed("");
  EXPECT_EQ(exit_code_, 0);
  EXPECT_EQ(out.find("\n> "), std::string::npos) << out;
  expect_has(out, "chapter 01's questions are done");
}

TEST_F(QuizTest, HintsComeOneByOneAndThenAllAgain) {
  const Question& question = sheet_.questions[0];
  EXPECT_EQ(next_hint(question, 0).text, "Hint 1 of 3: Look at the GPU's lane.");
  EXPECT_EQ(next_hint(question, 2).used, 3);
  EXPECT_EQ(next_hint(question, 3).used, 3);
  expect_has(next_hint(question, 3).text, "Add up its kernels.");
  save_answer(file_, "gpu_time", right_[0]);
  AnswerKeys keys;
  EXPECT_EQ(first_open(sheet_, judge_sheet(sheet_, saved(), keys, ""))->id, "kernels");
}

TEST_F(QuizTest, PredictionsAreComparedWithResults) {
  Question question;
  question.kind = QuestionKind::kNumber;
  question.unit = "us";
  AnswerKey key;
  key.right = 100.0;
  EXPECT_EQ(against_prediction(question, "0.1 ms", key), "as you predicted");
  EXPECT_EQ(against_prediction(question, "20", key), "5 times what you predicted");
  EXPECT_EQ(against_prediction(question, "1 ms", key), "10 times less than you predicted");
  EXPECT_EQ(against_prediction(question, "0", key), "not as you predicted");
  EXPECT_EQ(against_prediction(question, "soon", key), "");
}

class HandoutTest : public QuizTest {
 protected:
  HandoutTest() {
    write_file(folder_ / "handout.json", handout_sheet(folder_ / "questions.json"));
    sheet_ = read_questions(folder_ / "handout.json");
  }
};

TEST_F(HandoutTest, HasNoQueriesAndSaysSo) {
  EXPECT_TRUE(sheet_.handout);
  for (const Question& question : sheet_.questions) {
    EXPECT_TRUE(question.sql.empty());
    EXPECT_TRUE(question.mistakes.empty());
    EXPECT_EQ(question.hints.size(), 3);
  }
  EXPECT_EQ(read_file(folder_ / "handout.json").find("SELECT sum"),
            read_file(folder_ / "handout.json").rfind("SELECT sum"));  // in the last hint alone
  EXPECT_THROW(handout_sheet(folder_ / "handout.json"), InputError);
}

TEST_F(HandoutTest, IsWholeOrNotOne) {
  const auto fault = [this](const std::string& from, const std::string& to) -> std::string {
    std::string text = read_file(folder_ / "handout.json");
    text.replace(text.find(from), from.size(), to);
    write_file(folder_ / "changed.json", text);
    try {
      read_questions(folder_ / "changed.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  expect_has(fault("\"predict\": true", "\"sql\": \"SELECT 1\""), "no question of it may have");
  expect_has(fault("\"handout\": true", "\"handout\": false"), "\"sql\"");
  expect_has(fault("\"handout\": true", "\"handout\": 1"), "\"handout\" must be true or false");
}

TEST_F(HandoutTest, NotesWhatCanBeAnAnswerAndNamesWhatCannot) {
  const std::string out = typed("10 us\n2 ms\n5 us\n3\nno such op\n");
  EXPECT_EQ(exit_code_, 1) << out;
  expect_has(out, "Noted.");
  expect_has(out, "is none of the choices");
  expect_has(out, "no event of the trace has a name that begins with \"no such op\"");
  expect_has(out, "gpu_time: predicted 10 us, read 2 ms; 200 times what you predicted");
  expect_has(out, "1 of 4 questions answered, 3 invalid");
  EXPECT_EQ(out.find("Right"), std::string::npos);
  EXPECT_EQ(out.find("Wrong"), std::string::npos);
  // Only what could be no answer is asked again.
  const std::string again = typed("2\n1\n" + right_[3] + "\n");
  EXPECT_EQ(exit_code_, 77) << again;
  EXPECT_EQ(again.find("How long do all kernels take?"), std::string::npos);
  expect_has(again, "4 of 4 questions answered; answers are judged when you hand in answers/");
}

TEST_F(QuizTest, AClassAsksForTheNameFirstAndTakesItFromOtherChapters) {
  const auto asked = [this](const std::string& lines) {
    Quiz quiz(sheet_, file_, "", {.width = 100}, "autumn-26");
    std::istringstream in(lines);
    std::ostringstream out;
    quiz.ask(in, out);
    return out.str();
  };
  EXPECT_THROW(asked(""), CannotJudge);
  EXPECT_THROW(asked("q\n"), CannotJudge);
  std::string out = asked("\n?\nada@uni.example\n");
  expect_has(out, "Who are you?");
  expect_has(out, "variants/h200_b/64_bf16_cold_eager.json");
  EXPECT_EQ(saved().student, "ada@uni.example");
  out = asked("");
  EXPECT_EQ(out.find("Who are you?"), std::string::npos);

  save_student(file_, "");
  write_file(folder_ / "02_warmup.json", R"({"schema": 1, "student": " ada@uni.example"})");
  write_file(folder_ / "01_cold_trace.json", "{");
  EXPECT_EQ(asked("").find("Who are you?"), std::string::npos);
  EXPECT_EQ(saved().student, "ada@uni.example");
}

}  // namespace
}  // namespace tracebook
