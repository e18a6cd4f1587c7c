// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/judge_answers.h"

#include <gtest/gtest.h>

#include <string>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/lab/lab_test_support.h"

namespace tracebook {
namespace {

class JudgeAnswersTest : public testing::Test {
 protected:
  JudgedAnswer judged(const Question& question, const std::string& text) {
    AnswerKey key = make_answer_key(question, *small_.database, "test");
    key.events = std::make_shared<std::vector<std::string>>(std::vector<std::string>{
        "aten::mm", "aten::matmul", "gemm_tile_large", "gemm_tile_small", "cudaLaunchKernel"});
    return judge_answer(question, text, key);
  }
  void expect(const Question& question, const std::string& text, AnswerOutcome outcome,
              const std::string& says = "") {
    const JudgedAnswer found = judged(question, text);
    EXPECT_EQ(found.outcome, outcome) << text << ": " << found.says;
    EXPECT_NE(found.says.find(says), std::string::npos) << text << ": " << found.says;
  }

  static Question gpu_time() {
    Question question;
    question.id = "gpu_time";
    question.kind = QuestionKind::kNumber;
    question.unit = "us";
    question.relative_tolerance = 0.02;
    question.sql = "SELECT sum(dur) FROM kernel";                                         // 100
    question.mistakes = {{"SELECT max(dur) FROM kernel", "That is the longest kernel."},  // 60
                         {"SELECT sum(dur) FROM kernel", "Never said."},
                         {"SELECT NULL", "Never said either."}};
    return question;
  }

  SmallTrace small_;
};

TEST_F(JudgeAnswersTest, APredictionThatIsNoNumberIsAFaultOfTheFile) {
  QuestionSheet sheet;
  sheet.questions = {gpu_time()};
  AnswerSheet answers;
  answers.answers["gpu_time"] = "";
  AnswerKeys keys;
  const auto faults_with = [&](const std::string& prediction) {
    answers.predictions["gpu_time"] = prediction;
    return judge_sheet(sheet, answers, keys, "").faults;
  };
  EXPECT_TRUE(faults_with("").empty());
  EXPECT_TRUE(faults_with("5 ms").empty());
  ASSERT_EQ(faults_with("abc").size(), 1);
  EXPECT_EQ(faults_with("abc")[0].find("\"gpu_time\" in \"predictions\": \"abc\" is no number"), 0)
      << faults_with("abc")[0];
}

TEST_F(JudgeAnswersTest, ANumberIsRightWithinTheLargerTolerance) {
  Question question = gpu_time();
  for (const char* const text : {"100", "101.9 us", "0.1 ms", "98001 ns"}) {
    expect(question, text, AnswerOutcome::kRight);
  }
  expect(question, "102.1", AnswerOutcome::kWrong);
  question.absolute_tolerance = 5;
  expect(question, "104.9", AnswerOutcome::kRight);
  expect(question, "105.1", AnswerOutcome::kWrong);
  question.absolute_tolerance = question.relative_tolerance = 0;
  expect(question, "100", AnswerOutcome::kRight);
  expect(question, "100.001", AnswerOutcome::kWrong);
}

TEST_F(JudgeAnswersTest, AMistakeIsNamedWhereItDiffersFromTheRightAnswer) {
  expect(gpu_time(), "60.5 us", AnswerOutcome::kWrong, "That is the longest kernel.");
  expect(gpu_time(), "77", AnswerOutcome::kWrong, "That is not it.");
  Question question = gpu_time();
  question.mistakes = {{"SELECT 101", "Equals the right one."}};
  expect(question, "102.5", AnswerOutcome::kWrong, "That is not it.");
}

TEST_F(JudgeAnswersTest, SlipsOfUnitsAndSignsAreSeen) {
  expect(gpu_time(), "100 ms", AnswerOutcome::kWrong, "1000 times too much");
  expect(gpu_time(), "0.1", AnswerOutcome::kWrong, "1000 times too little");
  expect(gpu_time(), "-100", AnswerOutcome::kWrong, "the sign is not");
  Question share = gpu_time();
  share.unit = "%";
  share.sql = "SELECT 25";
  expect(share, "0.25", AnswerOutcome::kWrong, "the fraction");
  expect(share, "2500", AnswerOutcome::kWrong, "That is not it.");
  expect(share, "400", AnswerOutcome::kWrong, "That is the inverse");
  Question count = gpu_time();
  count.unit = "";
  expect(count, "100000", AnswerOutcome::kWrong, "1000 times too much");
  expect(count, "0.1", AnswerOutcome::kWrong, "1000 times too little");
  expect(count, "0.01", AnswerOutcome::kWrong, "That is not it.");
  Question ratio = gpu_time();
  ratio.unit = "x";
  ratio.sql = "SELECT 20";
  expect(ratio, "0.05", AnswerOutcome::kWrong, "That is the inverse");
  expect(ratio, "0", AnswerOutcome::kWrong, "That is not it.");
  expect(ratio, "20000", AnswerOutcome::kWrong, "That is not it.");
}

TEST_F(JudgeAnswersTest, WhatIsNoAnswerIsNamed) {
  expect(gpu_time(), "", AnswerOutcome::kUnanswered);
  expect(gpu_time(), "  ", AnswerOutcome::kUnanswered);
  expect(gpu_time(), "long", AnswerOutcome::kInvalid, "is no number");
  expect(gpu_time(), "0,1 ms", AnswerOutcome::kInvalid, "write 0.1");
  expect(gpu_time(), "100 MiB", AnswerOutcome::kInvalid, "ns, us, ms or s");
  Question none = gpu_time();
  none.sql = "SELECT dur FROM kernel WHERE name = 'nobody'";
  expect(none, "1", AnswerOutcome::kNoAnswer, "holds no answer");
  none.sql = "SELECT dur FROM kernel";
  expect(none, "1", AnswerOutcome::kNoAnswer, "holds no answer");
}

TEST_F(JudgeAnswersTest, AChoiceIsWordsOrANumber) {
  Question question;
  question.kind = QuestionKind::kChoice;
  question.choices = {"launch spacing", "a request", "the queue"};
  question.sql = "SELECT 'a request'";
  question.mistakes = {{"SELECT 'the queue'", "The queue is empty."}};
  expect(question, " A  Request", AnswerOutcome::kRight);
  expect(question, "2", AnswerOutcome::kRight);
  expect(question, "1", AnswerOutcome::kWrong, "That is not it.");
  expect(question, "the queue", AnswerOutcome::kWrong, "The queue is empty.");
  for (const char* const text : {"0", "4", "requests"}) {
    expect(question, text, AnswerOutcome::kInvalid,
           "none of the choices; expected launch spacing, a request or the queue");
  }
}

TEST_F(JudgeAnswersTest, AnEventIsItsNameOrAUniqueBeginning) {
  Question question;
  question.kind = QuestionKind::kEvent;
  question.sql = "SELECT name FROM kernel ORDER BY dur DESC LIMIT 1";  // gemm_tile_small
  question.mistakes = {{"SELECT 'gemm_tile_large'", "By name only."}};
  expect(question, "gemm_tile_small", AnswerOutcome::kRight);
  expect(question, "GEMM_tile_s", AnswerOutcome::kRight);
  expect(question, "gemm_tile_s...", AnswerOutcome::kRight);
  expect(question, "gemm_tile_l", AnswerOutcome::kWrong, "By name only.");
  expect(question, "aten::mm", AnswerOutcome::kWrong, "That is not it.");
  expect(question, "gemm", AnswerOutcome::kInvalid, "2 different events begin");
  expect(question, "cud", AnswerOutcome::kInvalid, "at least 4 characters");
  expect(question, "gemm_tile_tiny", AnswerOutcome::kInvalid, "no event of the trace");
}

TEST_F(JudgeAnswersTest, TextIsComparedWithoutCaseAndBlanks) {
  Question question;
  question.kind = QuestionKind::kText;
  question.sql = "SELECT 'Two words'";
  expect(question, " two   WORDS ", AnswerOutcome::kRight);
  expect(question, "\u00A0two\u2009words", AnswerOutcome::kRight);
  expect(question, "twowords", AnswerOutcome::kWrong);
}

TEST_F(JudgeAnswersTest, AGridCanBeWrittenInSeveralWays) {
  Question question;
  question.kind = QuestionKind::kText;
  question.sql = "SELECT '8,16,1'";
  question.mistakes = {{"SELECT '128,1,1'", "That is the block."}};
  for (const char* const text : {"8,16,1", "8, 16, 1", "(8,16,1)", "[8 16 1]", "8x16x1",
                                 "8 × 16 × 1", "8,\u00A016,\u202F1", " {8;16;1} ", "8*16*1"}) {
    expect(question, text, AnswerOutcome::kRight);
  }
  expect(question, "[128, 1, 1]", AnswerOutcome::kWrong, "That is the block.");
  expect(question, "81,6,1", AnswerOutcome::kWrong, "That is not it.");
  for (const char* const text : {"128", "8,16", "8,16,1,1", "8.0,16,1", "eight"}) {
    expect(question, text, AnswerOutcome::kInvalid, "expected three whole numbers");
  }
}

TEST_F(JudgeAnswersTest, WhatIsQuotedIsShortAndPrintable) {
  Question choice;
  choice.kind = QuestionKind::kChoice;
  choice.choices = {"the CPU", "the GPU"};
  choice.sql = "SELECT 'the CPU'";
  Question event;
  event.kind = QuestionKind::kEvent;
  event.sql = "SELECT name FROM op LIMIT 1";
  Question grid;
  grid.kind = QuestionKind::kText;
  grid.sql = "SELECT '8,16,1'";
  for (const Question& question : {gpu_time(), choice, event, grid}) {
    expect(question, "\033[2J\xFFx", AnswerOutcome::kInvalid, "\"?[2J\uFFFDx\"");
    const std::string says = judged(question, std::string(10'000, 'x')).says;
    EXPECT_NE(says.find("xxx…\""), std::string::npos) << says;
    EXPECT_LT(says.size(), 250U);
  }
}

TEST_F(JudgeAnswersTest, ABrokenQueryIsAFaultOfTheQuestions) {
  Question question = gpu_time();
  question.sql = "SELECT nothing FROM nowhere";
  EXPECT_THROW(judged(question, "1"), InputError);
  question.sql = "SELECT 'text'";
  EXPECT_THROW(judged(question, "1"), InputError);
}

TEST(JudgeSheetTest, EachAnswerIsJudgedByItselfAndExitCodesFollow) {
  const ScratchFolder folder;
  write_file(folder / "questions.json", kSmallQuestions);
  const QuestionSheet sheet = read_questions(folder / "questions.json");
  AnswerKeys keys;
  const auto judge_text = [&](const std::string& answers) {
    write_file(folder / "a.json",
               R"({"schema": 1, "chapter": "01_cold_trace", "answers": )" + answers + "}");
    return judge_sheet(sheet, read_answers(folder / "a.json", sheet), keys, "");
  };
  JudgedSheet judged = judge_text(R"({"gpu_time": true, "kernels": 6, "bound": "", "who": 1})");
  EXPECT_EQ(judged.answers[0].outcome, AnswerOutcome::kInvalid);
  EXPECT_EQ(judged.answers[1].outcome, AnswerOutcome::kRight) << judged.answers[1].says;
  EXPECT_EQ(judged.answers[2].outcome, AnswerOutcome::kUnanswered);
  EXPECT_NE(judged.answers[3].says.find("no line for it"), std::string::npos);
  ASSERT_EQ(judged.faults.size(), 1);
  EXPECT_NE(judged.faults[0].find("\"who\""), std::string::npos);
  EXPECT_EQ(judged.exit_code(), 1);

  EXPECT_EQ(judge_text("{}").exit_code(), 77);
  EXPECT_EQ(judge_text(R"({"kernels": "6"})").exit_code(), 77);
  EXPECT_EQ(judge_text(R"({"kernels": "7"})").exit_code(), 1);
  std::string all = "{";
  for (const Question& question : sheet.questions) {
    const AnswerKey& key = keys.key(sheet, question, keys.trace_of(sheet, question, ""));
    all += (all.size() > 1 ? ", \"" : "\"") + question.id + "\": \"" + right_answer(question, key) +
           '"';
  }
  EXPECT_EQ(judge_text(all + "}").exit_code(), 0) << all;
}

}  // namespace
}  // namespace tracebook
