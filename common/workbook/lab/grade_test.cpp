// SPDX-License-Identifier: Apache-2.0
//
// A class of thirty, made up from the workbook's own questions: five submissions are broken, each
// in its own way, and all thirty rows must be right.
#include "common/workbook/lab/grade.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "common/trace/file.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/lab_test_support.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

class GradeTest : public testing::Test {
 protected:
  fs::path folder_of(int student) const {
    return folder_.path() / ("student" + std::to_string(student));
  }
  static fs::path file_in(const fs::path& folder, const QuestionSheet& sheet) {
    return folder / "answers" / (sheet.chapter + ".json");
  }

  /// The answers of all chapters, of which the first `right` of each are right and the next, if
  /// there is one, is wrong.
  void hand_in(const fs::path& folder, std::size_t right, int hints) {
    for (const QuestionSheet& sheet : grader_.sheets()) {
      const fs::path file = file_in(folder, sheet);
      start_answers(sheet, file);
      Json document = parse_json_file(file, 1);
      for (std::size_t i = 0; i < std::min(right + 1, sheet.questions.size()); ++i) {
        const Question& question = sheet.questions[i];
        const AnswerKey& key = keys_.key(sheet, question, keys_.trace_of(sheet, question, ""));
        const bool number = question.kind == QuestionKind::kNumber;
        document["answers"][question.id] =
            i < right ? right_answer(question, key) : (number ? "-123456.7" : "nothing like it");
        document["hints"][question.id] = hints;
      }
      write_file(file, document.dump());
    }
  }

  double full_points() const {
    double out = 0;
    for (const QuestionSheet& sheet : grader_.sheets()) {
      out += static_cast<double>(sheet.questions.size());
    }
    return out;
  }
  const QuestionSheet& first() const { return grader_.sheets().front(); }
  /// What is said of a student without anything but the first chapter's answers.
  GradedStudent graded(const std::string& answers) {
    write_file(file_in(folder_of(0), first()), answers);
    return grader_.grade(folder_of(0));
  }

  ScratchFolder folder_;
  Grader grader_;
  AnswerKeys keys_;
};

TEST_F(GradeTest, ThirtySubmissionsFiveOfThemBroken) {
  ASSERT_FALSE(grader_.sheets().empty());
  for (int i = 0; i < 30; ++i) hand_in(folder_of(i), static_cast<std::size_t>(i % 6), i % 5);
  write_file(file_in(folder_of(5), first()), "{\"schema\": 1,\n\"answers\": {,}}");
  write_file(file_in(folder_of(10), first()), "");
  write_file(file_in(folder_of(15), first()), R"({"schema": 7})");
  fs::remove_all(folder_of(20));
  fs::remove(file_in(folder_of(25), first()));
  fs::create_directory(file_in(folder_of(25), first()));
  const std::vector<std::string> words{"not JSON at line 2", "is empty", "expected \"schema\": 1",
                                       "is no folder", "expected a plain file"};

  const auto begin = std::chrono::steady_clock::now();
  Grader fresh;
  std::vector<GradedStudent> rows;
  for (int i = 0; i < 30; ++i) rows.push_back(fresh.grade(folder_of(i)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));

  const auto chapters = static_cast<double>(grader_.sheets().size());
  for (int i = 0; i < 30; ++i) {
    const GradedStudent& row = rows[static_cast<std::size_t>(i)];
    const bool broken = i % 5 == 0 && i > 0;
    const bool gone = i == 20;
    const double judged = gone ? 0 : broken ? chapters - 1 : chapters;
    EXPECT_EQ(row.name, "student" + std::to_string(i));
    EXPECT_DOUBLE_EQ(row.of, full_points());
    EXPECT_DOUBLE_EQ(row.points, judged * (i % 6) * points_after(i % 5)) << row.name;
    if (!broken) continue;
    ASSERT_FALSE(row.faults.empty()) << row.name;
    EXPECT_NE(row.faults[0].find(words[static_cast<std::size_t>(i / 5 - 1)]), std::string::npos)
        << row.faults[0];
  }
}

TEST_F(GradeTest, HintsCostAQuarterEach) {
  EXPECT_DOUBLE_EQ(points_after(0), 1);
  EXPECT_DOUBLE_EQ(points_after(1), 0.75);
  EXPECT_DOUBLE_EQ(points_after(3), 0.25);
  EXPECT_DOUBLE_EQ(points_after(9), 0.25);
}

TEST_F(GradeTest, FaultsOfSingleAnswersAreNamedAndTheOthersCount) {
  std::string answers;
  const Question* number = nullptr;
  for (const Question& question : first().questions) {
    if (question.kind == QuestionKind::kNumber && number == nullptr) {
      number = &question;
      continue;
    }
    const AnswerKey& key = keys_.key(first(), question, keys_.trace_of(first(), question, ""));
    answers += "\"" + question.id + "\": \"" + right_answer(question, key) + "\", ";
  }
  ASSERT_NE(number, nullptr);
  const GradedStudent row = graded(R"({"schema": 1, "chapter": ")" + first().chapter +
                                   R"(", "student": "A\nda", "answers": {)" + answers + "\"" +
                                   number->id + R"(": "1,5", "mystery": "5"}})");
  EXPECT_EQ(row.name, "A da");
  EXPECT_DOUBLE_EQ(row.points, static_cast<double>(first().questions.size() - 1));
  ASSERT_EQ(row.faults.size(), 2);
  EXPECT_NE(row.faults[0].find("\"mystery\""), std::string::npos) << row.faults[0];
  EXPECT_NE(row.faults[1].find("has a comma"), std::string::npos) << row.faults[1];
}

TEST_F(GradeTest, ATraceOfTheStudentsMustLieInTheSubmission) {
  const auto with_trace = [this](const std::string& trace) {
    const GradedStudent row = graded(R"({"schema": 1, "chapter": ")" + first().chapter +
                                     R"(", "trace": ")" + trace + R"(", "answers": {}})");
    return row.faults.empty() ? "" : row.faults[0];
  };
  EXPECT_NE(with_trace("/dev/zero").find("outside the submission"), std::string::npos);
  EXPECT_NE(with_trace("../student1/t.json").find("outside the submission"), std::string::npos);
  EXPECT_NE(with_trace("none.json").find("no such file"), std::string::npos);
  fs::create_symlink("/dev/zero", folder_of(0) / "link.json");
  EXPECT_NE(with_trace("link.json").find("is a link"), std::string::npos);
  EXPECT_NE(with_trace(".").find("expected a plain file"), std::string::npos);
  fs::copy_file(recording_file(first().chapter, first().recording, ""), folder_of(0) / "t.json");
  EXPECT_EQ(with_trace("t.json"), "");
}

TEST_F(GradeTest, ATraceThatIsGoneSpoilsOnlyTheAnswersThatNeedIt) {
  std::string answers;
  std::size_t with_recording = 0;
  for (const Question& question : first().questions) {
    const AnswerKey& key = keys_.key(first(), question, keys_.trace_of(first(), question, ""));
    answers += (answers.empty() ? "\"" : ", \"") + question.id + "\": \"" +
               right_answer(question, key) + "\"";
    with_recording += question.recording.empty() ? 0 : 1;
  }
  ASSERT_GT(with_recording, 0);
  ASSERT_LT(with_recording, first().questions.size());
  const GradedStudent row =
      graded(R"({"schema": 1, "student": 4711, "chapter": ")" + first().chapter +
             R"(", "trace": "gone.json", "answers": {)" + answers + "}}");
  EXPECT_EQ(row.name, "4711");
  EXPECT_DOUBLE_EQ(row.points, static_cast<double>(with_recording));
}

TEST_F(GradeTest, GradescopeGetsATestAQuestion) {
  hand_in(folder_of(0), 2, 1);
  write_file(folder_of(0) / "answers" / (grader_.sheets().back().chapter + ".json"), "{");
  const GradedStudent row = grader_.grade(folder_of(0));
  const Json document = Json::parse(gradescope_json(row));
  EXPECT_DOUBLE_EQ(document.at("score").get<double>(), row.points);
  double score = 0;
  double most = 0;
  for (const Json& test : document.at("tests")) {
    score += test.at("score").get<double>();
    most += test.at("max_score").get<double>();
    EXPECT_FALSE(test.at("name").get<std::string>().empty());
    EXPECT_FALSE(test.at("output").get<std::string>().empty());
  }
  EXPECT_DOUBLE_EQ(score, row.points);
  EXPECT_DOUBLE_EQ(most, row.of);
  EXPECT_NE(document.at("output").get<std::string>().find("not JSON at line 1"), std::string::npos);
}

}  // namespace
}  // namespace tracebook
