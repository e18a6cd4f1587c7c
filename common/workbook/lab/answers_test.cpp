// SPDX-License-Identifier: Apache-2.0
//
// The files of questions and answers: made, read, saved, and what is said of broken ones.
#include "common/workbook/lab/answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/lab/lab_test_support.h"

namespace tracebook {
namespace {

class AnswersTest : public testing::Test {
 protected:
  AnswersTest() : file_(folder_ / "01.json") {
    write_file(folder_ / "questions.json", kSmallQuestions);
    sheet_ = read_questions(folder_ / "questions.json");
  }

  std::string why_unreadable(const std::string& text) {
    write_file(file_, text);
    try {
      read_answers(file_, sheet_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  std::string why_no_questions(const std::string& from, const std::string& to) {
    std::string text = kSmallQuestions;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_file(folder_ / "q.json", text.replace(at, from.size(), to));
    try {
      read_questions(folder_ / "q.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  ScratchFolder folder_;
  std::filesystem::path file_;
  QuestionSheet sheet_;
};

TEST_F(AnswersTest, AFreshFileHasEveryQuestionAndIsNeverReplaced) {
  EXPECT_TRUE(start_answers(sheet_, file_));
  AnswerSheet answers = read_answers(file_, sheet_);
  EXPECT_EQ(answers.answers.size(), 4);
  EXPECT_EQ(answers.predictions.size(), 1);
  EXPECT_EQ(answers.hints.size(), 4);
  EXPECT_TRUE(answers.unknown.empty());
  write_file(file_, "mine");
  EXPECT_FALSE(start_answers(sheet_, file_));
  EXPECT_EQ(read_file(file_), "mine");
}

TEST_F(AnswersTest, SavingChangesOneMemberAlone) {
  write_file(file_,
             R"({"schema": 1, "chapter": "01_cold_trace", "note": "keep", "answers": {"x": 1}})");
  save_answer(file_, "kernels", "6");
  save_prediction(file_, "gpu_time", "5 us");
  save_hints(file_, "kernels", 2);
  const AnswerSheet answers = read_answers(file_, sheet_);
  EXPECT_EQ(answers.answer("kernels"), "6");
  EXPECT_EQ(answers.prediction("gpu_time"), "5 us");
  EXPECT_EQ(answers.hints_used("kernels"), 2);
  EXPECT_NE(read_file(file_).find("\"note\": \"keep\""), std::string::npos);
  EXPECT_NE(read_file(file_).find("\"x\": 1"), std::string::npos);
  save_answer(file_, "kernels", "\xff\"");
  EXPECT_FALSE(read_answers(file_, sheet_).answer("kernels").empty());
}

TEST_F(AnswersTest, SavingKeepsTheLineEnds) {
  write_file(file_, "{\"schema\": 1,\r\n\"chapter\": \"01_cold_trace\",\r\n\"answers\": {}}\r\n");
  save_answer(file_, "kernels", "6\n7");
  save_student(file_, "ada");
  const std::string text = read_file(file_);
  EXPECT_NE(text.find("\"student\": \"ada\""), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(text.begin(), text.end(), '\r'));
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_EQ(text[i] == '\n', i > 0 && text[i - 1] == '\r') << text;
  }
  EXPECT_EQ(read_answers(file_, sheet_).answer("kernels"), "6\n7");
}

TEST_F(AnswersTest, AnswersMayBeTextsOrNumbersAndTheirFaultsAreTheirOwn) {
  write_file(file_, R"({"schema": 1, "chapter": "01_cold_trace", "answers":
      {"gpu_time": 12.5, "kernels": [6], "bound": null, "longest": " aten::mm ", "kernel": "6",
       "old": ""}})");
  const AnswerSheet answers = read_answers(file_, sheet_);
  EXPECT_EQ(answers.answer("gpu_time"), "12.5");
  EXPECT_EQ(answers.answer("bound"), "");
  EXPECT_EQ(answers.answer("longest"), "aten::mm");
  EXPECT_EQ(answers.faults.at("kernels"), "expected a text in quotes or a number, not array");
  ASSERT_EQ(answers.unknown.size(), 1);
  EXPECT_EQ(answers.unknown[0],
            "\"kernel\" in \"answers\" is no question of this chapter; the questions are gpu_time, "
            "kernels, bound and longest");
}

TEST_F(AnswersTest, AFileThatCannotBeReadSaysWhereAndWhy) {
  EXPECT_NE(why_unreadable("").find("the file is empty"), std::string::npos);
  EXPECT_NE(why_unreadable(" \n").find("the file is empty"), std::string::npos);
  EXPECT_NE(why_unreadable("{\"schema\": 1,\n \"answers\": {\"a\": 1,}}")
                .find("not JSON at line 2, column"),
            std::string::npos);
  EXPECT_NE(why_unreadable(R"({"schema": 2})").find("expected \"schema\": 1"), std::string::npos);
  EXPECT_NE(why_unreadable(R"({"schema": 1, "chapter": "02_warmup", "answers": {}})")
                .find("expected \"chapter\": \"01_cold_trace\", not \"02_warmup\""),
            std::string::npos);
  EXPECT_NE(why_unreadable(R"({"schema": 1, "chapter": "01_cold_trace"})")
                .find("expected an object \"answers\""),
            std::string::npos);
  EXPECT_NE(why_unreadable("[]").find("expected a JSON object"), std::string::npos);
}

TEST_F(AnswersTest, ASlipInTheFileCostsItsLineAlone) {
  const std::string text =
      "{\n\"schema\": 1,\n\"chapter\": \"01_cold_trace\",\n\"answers\": {\n"
      "\"gpu_time\": 12,5,\n\"kernels\": \"6\"\n\"bound\": \"1\",\n}\n}\n";
  write_file(file_, text);
  const AnswerSheet answers = read_answers(file_, sheet_);
  EXPECT_EQ(answers.answer("kernels"), "6");
  EXPECT_EQ(answers.answer("bound"), "1");
  EXPECT_EQ(answers.faults.at("gpu_time"), "its line is no JSON: \"gpu_time\": 12,5");
  EXPECT_EQ(answers.faults.size(), 1);
  ASSERT_EQ(answers.unknown.size(), 1);
  EXPECT_NE(answers.unknown[0].find("not JSON at line 5, column"), std::string::npos);
  // What is saved would be another file than the student wrote.
  EXPECT_THROW(save_answer(file_, "bound", "2"), InputError);
  EXPECT_THROW(expect_savable(file_), InputError);
  EXPECT_EQ(read_file(file_), text);
}

TEST_F(AnswersTest, WhatIsQuotedOfTheFileIsShortAndPrintable) {
  const std::string name(10'000, 'x');
  write_file(file_, R"({"schema": 1, "chapter": "01_cold_trace", "answers": {"\u001b[2J)" + name +
                        R"(": "1"}, "hints": {"kernels": ")" + name + "\"}}");
  for (const std::string& fault : read_answers(file_, sheet_).unknown) {
    EXPECT_LT(fault.size(), 250);
    EXPECT_EQ(fault.find('\033'), std::string::npos);
  }
  EXPECT_EQ(read_answers(file_, sheet_).unknown.size(), 2);
  write_file(
      file_,
      "{\n\"schema\": 1,\n\"chapter\": \"01_cold_trace\",\n\"answers\": {\n\"kernels\": \"\033" +
          name + "\n}\n}\n");
  const std::string fault = read_answers(file_, sheet_).faults.at("kernels");
  EXPECT_LT(fault.size(), 120);
  EXPECT_EQ(fault.find('\033'), std::string::npos);
  EXPECT_LT(why_unreadable(R"({"schema": 1, "chapter": ")" + name + R"(", "answers": {}})").size(),
            250);
}

TEST_F(AnswersTest, WhatStandsTwiceIsNamedAndTheOthersCount) {
  write_file(file_, R"({"schema": 1, "chapter": "01_cold_trace", "student": "a", "student": "b",
      "answers": {"gpu_time": "5", "kernels": "6", "gpu_time": "7", "bound": "1"},
      "predictions": {"gpu_time": "1", "gpu_time": "2"}})");
  const AnswerSheet answers = read_answers(file_, sheet_);
  EXPECT_EQ(answers.faults.at("gpu_time"),
            "it stands twice in \"answers\"; keep one of the two lines");
  EXPECT_EQ(answers.faults.size(), 1);
  EXPECT_EQ(answers.answer("kernels"), "6");
  EXPECT_EQ(answers.answer("bound"), "1");
  ASSERT_EQ(answers.unknown.size(), 1);
  EXPECT_EQ(answers.unknown[0], "\"student\" stands twice in the file; keep one of the two");
  // Saving would choose one of the two, so it is refused and the file stays.
  const std::string before = read_file(file_);
  EXPECT_THROW(save_answer(file_, "bound", "2"), InputError);
  EXPECT_THROW(expect_savable(file_), InputError);
  EXPECT_EQ(read_file(file_), before);
}

TEST_F(AnswersTest, AMemberThatIsNoTextCostsNoAnswer) {
  write_file(file_, R"({"schema": 1, "chapter": "01_cold_trace", "student": ["a"], "trace": true,
      "answers": {"kernels": "6"}})");
  const AnswerSheet answers = read_answers(file_, sheet_);
  EXPECT_EQ(answers.answer("kernels"), "6");
  EXPECT_EQ(answers.trace, "");
  ASSERT_EQ(answers.unknown.size(), 2);
  EXPECT_EQ(answers.unknown[0], "\"student\": expected a text in quotes, not array");
}

TEST_F(AnswersTest, ANumberBeyondADoubleIsAnAnswerLikeAnother) {
  write_file(file_, R"({"schema": 1, "chapter": "01_cold_trace", "note": "1e400 \" 1e400",
      "answers": {"gpu_time": 1e400, "kernels": -1e999, "bound": 1e300, "longest": "6"}})");
  const AnswerSheet answers = read_answers(file_, sheet_);
  EXPECT_EQ(answers.answer("gpu_time"), "1e400");
  EXPECT_EQ(answers.answer("kernels"), "-1e999");
  EXPECT_EQ(answers.answer("longest"), "6");
  EXPECT_TRUE(answers.faults.empty());
  save_answer(file_, "longest", "7");
  EXPECT_NE(read_file(file_).find(R"("note": "1e400 \" 1e400")"), std::string::npos);
}

TEST_F(AnswersTest, OnlyPlainFilesOfABearableSizeAreOpened) {
  for (const char* const path : {"/dev/zero", "/dev/null", "/"}) {
    EXPECT_THROW(expect_plain_file(path), InputError) << path;
  }
  write_file(file_, std::string((std::size_t{1} << 20) + 1, ' '));
  EXPECT_THROW(read_answers(file_, sheet_), InputError);
}

TEST_F(AnswersTest, HintsThatAreNoCountsAreNamedAndCostNothing) {
  const auto read = [this](const std::string& hints) {
    write_file(file_, R"({"schema": 1, "chapter": ")" + sheet_.chapter +
                          R"(", "answers": {"bound": "1"}, "hints": )" + hints + "}");
    return read_answers(file_, sheet_);
  };
  const auto used = [&](const std::string& hints) {
    const AnswerSheet answers = read("{\"kernels\": " + hints + "}");
    EXPECT_TRUE(answers.unknown.empty()) << hints;
    return answers.hints_used("kernels");
  };
  EXPECT_EQ(used("2"), 2);
  EXPECT_EQ(used("0.5"), 1);
  EXPECT_EQ(used("null"), 0);
  EXPECT_EQ(used("9223372036854775807"), 1000);
  EXPECT_EQ(used("1e9"), 1000);
  for (const char* const odd : {"-40", "\"3\"", "[1]", "true"}) {
    const AnswerSheet answers = read("{\"kernels\": " + std::string(odd) + ", \"bound\": 1}");
    EXPECT_EQ(answers.hints_used("kernels"), 0) << odd;
    EXPECT_EQ(answers.hints_used("bound"), 1) << odd;
    EXPECT_EQ(answers.answer("bound"), "1");
    ASSERT_EQ(answers.unknown.size(), 1) << odd;
    EXPECT_EQ(answers.unknown[0],
              "\"kernels\" in \"hints\": expected how many were used, not " + std::string(odd));
  }
  ASSERT_EQ(read("[3]").unknown.size(), 1);
  EXPECT_EQ(read("[3]").unknown[0], "\"hints\": expected an object {\"question\": …}, not array");
}

TEST_F(AnswersTest, PredictionsThatAreNoneAreNamedAndSpoilNoAnswer) {
  write_file(file_, R"({"schema": 1, "chapter": "01_cold_trace", "answers": {"gpu_time": "5"},
      "predictions": {"gpu_time": [1], "nope": "5", "old": ""}})");
  const AnswerSheet answers = read_answers(file_, sheet_);
  EXPECT_TRUE(answers.faults.empty());
  ASSERT_EQ(answers.unknown.size(), 2);
  EXPECT_EQ(answers.unknown[0].find("\"nope\" in \"predictions\" is no question"), 0);
  EXPECT_EQ(answers.unknown[1].find("\"gpu_time\" in \"predictions\": expected a text"), 0);
}

TEST_F(AnswersTest, BrokenQuestionsAreNamed) {
  EXPECT_EQ(sheet_.questions.size(), 4);
  EXPECT_TRUE(sheet_.find("gpu_time")->predict);
  EXPECT_NE(why_no_questions("\"kernels\"", "\"gpu_time\"").find("a second question"),
            std::string::npos);
  EXPECT_NE(why_no_questions("\"unit\": \"us\"", "\"unit\": \"mins\"").find("unknown unit"),
            std::string::npos);
  EXPECT_NE(why_no_questions("\"choice\"", "\"text\"").find("only a choice"), std::string::npos);
  EXPECT_NE(why_no_questions("\"event\"", "\"name\"").find("\"kind\" is number, choice"),
            std::string::npos);
  EXPECT_NE(why_no_questions("\"relative\": 0.02", "\"relative\": -1").find("\"tolerance\" takes"),
            std::string::npos);
  EXPECT_NE(why_no_questions("\"hints\": [\"Look", "\"hint\": [\"Look").find("unknown member"),
            std::string::npos);
  EXPECT_NE(why_no_questions("\"says\": \"That", "\"say\": \"That").find("text \"says\""),
            std::string::npos);
}

TEST(RecordingFileTest, RecordingsAreFoundByNameAndLabel) {
  EXPECT_EQ(recording_file("01_cold_trace", "64_bf16_cold_eager", "t").filename(),
            "64_bf16_cold_eager.json");
  EXPECT_EQ(recording_file("01_cold_trace", "torch/01_cold_64", "t").filename(), "01_cold_64.json");
  EXPECT_EQ(recording_file("02_warmup", "01_cold_trace/torch/01_cold_64", "t").filename(),
            "01_cold_64.json");
  EXPECT_THROW(recording_file("01_cold_trace", "01_cold_64", "t"), InputError);
  EXPECT_THROW(recording_file("01_cold_trace", "02_warmup/torch/01_cold_64", "t"), InputError);
}

}  // namespace
}  // namespace tracebook
