// SPDX-License-Identifier: Apache-2.0
//
// A class of thirty, made up from the workbook's own questions and SQL exercises: five submissions
// are broken, each in its own way, and all thirty rows must be right. With a seed, each student
// has recordings of their own.
#include "common/workbook/lab/grade.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/trace/reader.h"
#include "common/trace/writer.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/grade_reports.h"
#include "common/workbook/lab/lab_test_support.h"
#include "common/workbook/lab/skeleton.h"
#include "common/workbook/recordings.h"
#include "common/workbook/run_exercise.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

class GradeTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      grader_.emplace();
    } catch (const CannotJudge& handout) {
      GTEST_SKIP() << handout.what();
    }
  }
  fs::path folder_of(int student) const {
    return folder_.path() / ("student" + std::to_string(student));
  }
  static fs::path file_in(const fs::path& folder, const QuestionSheet& sheet) {
    return folder / "answers" / (sheet.chapter + ".json");
  }

  /// The answers of all chapters, of which the first `right` of each are right and the next, if
  /// there is one, is wrong. With a seed: on the recordings of `student`.
  void hand_in(const fs::path& folder, std::size_t right, int hints, const std::string& seed = "",
               const std::string& student = "") {
    keys_.choose(seed, student);
    for (const QuestionSheet& sheet : grader_->sheets()) {
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
      document["student"] = student;
      for (const SqlExercise& exercise : chapter_exercises(sheet.chapter)) {
        document["hints"][exercise.name()] = hints;
      }
      write_file(file, document.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
  }

  /// By `kind` from 0: the solutions, the planted wrong ones, what was handed out, nothing; in the
  /// `place`th of the three where they may lie.
  static void hand_in_exercises(const fs::path& folder, int kind, std::size_t place = 0) {
    for (const SqlExercise& exercise : all_exercises()) {
      fs::path from = exercise.solution_file();
      if (kind == 1) from.replace_extension(".wrong.sql");
      const std::string text = kind == 2  ? *original_skeleton(exercise.chapter, exercise.file)
                               : kind < 2 ? read_file(from)
                                          : "";
      const fs::path places[] = {folder / "exercises" / exercise.chapter, folder / exercise.chapter,
                                 folder};
      if (!text.empty()) write_file(places[place % 3] / exercise.file, text);
    }
  }
  static std::vector<SqlExercise> all_exercises() {
    std::vector<SqlExercise> out;
    for (const ChapterInfo& chapter : all_chapters()) {
      for (SqlExercise& exercise : chapter_exercises(chapter.stem)) out.push_back(exercise);
    }
    return out;
  }
  static GradedItem item(const GradedStudent& row, const std::string& id) {
    for (const GradedChapter& chapter : row.chapters) {
      for (const GradedItem& one : chapter.items) {
        if (one.id == id) return one;
      }
    }
    throw InputError("no item " + id);
  }

  double full_points() const {
    double out = 0;
    for (const QuestionSheet& sheet : grader_->sheets()) {
      out += static_cast<double>(sheet.questions.size());
    }
    return out + exercise_points();
  }
  static double exercise_points() { return 2 * static_cast<double>(all_exercises().size()); }
  const QuestionSheet& first() const { return grader_->sheets().front(); }
  /// What is said of a student without anything but the first chapter's answers.
  GradedStudent graded(const std::string& answers) {
    write_file(file_in(folder_of(0), first()), answers);
    return grader_->grade(folder_of(0));
  }

  ScratchFolder folder_;
  std::optional<Grader> grader_;
  AnswerKeys keys_;
};

/// Of ten students seven hand in the solutions.
int exercises_of(int student) { return std::max(0, student % 10 - 6); }

TEST_F(GradeTest, ThirtySubmissionsFiveOfThemBroken) {
  ASSERT_FALSE(grader_->sheets().empty());
  for (int i = 0; i < 30; ++i) hand_in(folder_of(i), static_cast<std::size_t>(i % 6), i % 5);
  for (int i = 0; i < 30; ++i) {
    hand_in_exercises(folder_of(i), exercises_of(i), static_cast<std::size_t>(i));
  }
  write_file(file_in(folder_of(5), first()), "{\"schema\": 1,\n\"answers\": {,}}");
  write_file(file_in(folder_of(10), first()), "");
  write_file(file_in(folder_of(15), first()), R"({"schema": 7})");
  fs::remove_all(folder_of(20));
  fs::remove(file_in(folder_of(25), first()));
  fs::create_directory(file_in(folder_of(25), first()));
  const std::vector<std::string> words{"not JSON at line 2", "is empty", "expected \"schema\": 1",
                                       "is no folder", "expected a plain file"};

  Grader fresh;
  std::vector<GradedStudent> rows;
  for (int i = 0; i < 30; ++i) rows.push_back(fresh.grade(folder_of(i)));

  const auto chapters = static_cast<double>(grader_->sheets().size());
  for (int i = 0; i < 30; ++i) {
    const GradedStudent& row = rows[static_cast<std::size_t>(i)];
    const bool broken = i % 5 == 0 && i > 0;
    const bool gone = i == 20;
    const double judged = gone ? 0 : broken ? chapters - 1 : chapters;
    EXPECT_EQ(row.name, "student" + std::to_string(i));
    EXPECT_DOUBLE_EQ(row.of, full_points());
    // A broken file of answers takes its chapter's hints along, so its exercise counts in full.
    const double hinted = points_after(i % 5);
    const double exercises =
        gone || exercises_of(i) != 0 ? 0 : 2 * judged * hinted + (broken ? 2 : 0);
    EXPECT_DOUBLE_EQ(row.points, judged * (i % 6) * hinted + exercises) << row.name;
    EXPECT_TRUE(row.remarks.empty()) << row.name;
    const GradedItem exercise = item(row, all_exercises().front().name());
    constexpr const char* kOutcomes[] = {"passed", "failed", "not started", "not handed in"};
    EXPECT_EQ(exercise.outcome, gone ? "not handed in" : kOutcomes[exercises_of(i)]) << row.name;
    if (!broken) continue;
    ASSERT_FALSE(row.faults.empty()) << row.name;
    EXPECT_NE(row.faults[0].find(words[static_cast<std::size_t>(i / 5 - 1)]), std::string::npos)
        << row.faults[0];
  }
}

TEST_F(GradeTest, AClassReadsItsOwnRecordingsAndACopiedNumberIsRemarked) {
  constexpr const char* kSeed = "autumn-26";
  Grader grader({.seed = kSeed});
  std::vector<GradedStudent> rows;
  std::set<std::string> numbers;
  for (int i = 0; i < 30; ++i) {
    hand_in(folder_of(i), 99, 0, kSeed, "Student " + std::to_string(i) + "@Uni.example");
    rows.push_back(grader.grade(folder_of(i)));
    EXPECT_DOUBLE_EQ(rows.back().points, full_points() - exercise_points());
    EXPECT_TRUE(rows.back().remarks.empty());
    EXPECT_TRUE(rows.back().faults.empty());
    numbers.insert(parse_json_file(file_in(folder_of(i), first()), 1).at("answers").dump());
  }
  EXPECT_GE(numbers.size(), 3);

  // All of student 0's answers under another name.
  const fs::path copy = folder_ / "copy";
  fs::copy(folder_of(0), copy, fs::copy_options::recursive);
  for (const QuestionSheet& sheet : grader.sheets()) {
    save_student(file_in(copy, sheet), "student1@uni.example");
  }
  rows.push_back(grader.grade(copy));
  EXPECT_LT(rows.back().points, rows.front().points);
  ASSERT_FALSE(rows.back().remarks.empty());
  EXPECT_NE(rows.back().remarks[0].find("wrong, but right on "), std::string::npos);
  remark_same_names(rows);
  EXPECT_NE(rows.back().remarks.back().find("student1 too"), std::string::npos);
  EXPECT_EQ(rows[1].remarks.size(), 1);
  // The remarks are the teacher's.
  EXPECT_EQ(gradescope_json(rows.back()).find("right on"), std::string::npos);
  EXPECT_EQ(grade_junit(rows).find("right on"), std::string::npos);
}

TEST_F(GradeTest, InAClassANameIsNeededAndOtherNamesAreRemarked) {
  Grader grader({.seed = "autumn-26", .chapters = {first().chapter, grader_->sheets()[1].chapter}});
  hand_in(folder_of(0), 99, 0);
  const GradedStudent nameless = grader.grade(folder_of(0));
  ASSERT_EQ(nameless.faults.size(), 2);
  EXPECT_NE(nameless.faults[0].find("expected a name behind \"student\""), std::string::npos);
  EXPECT_DOUBLE_EQ(nameless.points, 0);
  hand_in(folder_of(1), 99, 0, "autumn-26", "ada");
  save_student(file_in(folder_of(1), grader.sheets()[1]), "");
  EXPECT_TRUE(grader.grade(folder_of(1)).remarks.empty());  // the other file's name stands for it
  save_student(file_in(folder_of(1), grader.sheets()[1]), "bob");
  const GradedStudent two = grader.grade(folder_of(1));
  EXPECT_EQ(two.name, "ada");
  ASSERT_FALSE(two.remarks.empty());
  EXPECT_NE(two.remarks[0].find("these answers are bob's"), std::string::npos) << two.remarks[0];
}

TEST_F(GradeTest, InAClassAnothersRecordingIsNoTraceOfOnesOwn) {
  Grader grader({.seed = "autumn-26"});
  hand_in(folder_of(0), 99, 0, "autumn-26", std::string(5000, 'a'));
  const fs::path file = file_in(folder_of(0), first());
  Json document = parse_json_file(file, 1);
  document["trace"] = "mine.json";
  write_file(file, document.dump());
  fs::copy_file(keys_.recordings_of(first(), first().recording)[1], folder_of(0) / "mine.json");
  const GradedStudent row = grader.grade(folder_of(0));
  ASSERT_FALSE(row.remarks.empty());
  EXPECT_NE(row.remarks[0].find("mine.json is h200_b's recording"), std::string::npos);
  EXPECT_LT(row.name.size(), 200);
}

TEST_F(GradeTest, AFolderOfStudentsFoldersIsAskedAbout) {
  for (int i = 0; i < 2; ++i) hand_in(folder_of(i), 1, 0);
  const GradedStudent row = grader_->grade(folder_.path());
  EXPECT_TRUE(row.is_class);
  ASSERT_EQ(row.faults.size(), 1);
  EXPECT_NE(row.faults[0].find("did you mean "), std::string::npos) << row.faults[0];
  EXPECT_FALSE(grader_->grade(folder_of(0)).is_class);
}

TEST_F(GradeTest, ChaptersLimitWhatCounts) {
  hand_in(folder_of(0), 99, 0);
  Grader grader({.chapters = {first().chapter}});
  const GradedStudent row = grader.grade(folder_of(0));
  ASSERT_EQ(row.chapters.size(), 1);
  EXPECT_DOUBLE_EQ(row.points, static_cast<double>(first().questions.size()));
  EXPECT_DOUBLE_EQ(row.of, static_cast<double>(first().questions.size() + 2));
}

TEST_F(GradeTest, ABrokenQueryIsTheRowsFaultAndStopsNothing) {
  const SqlExercise exercise = all_exercises().front();
  const fs::path file = folder_of(0) / exercise.file;
  const auto fault = [&] {
    const GradedStudent row = grader_->grade(folder_of(0));
    return row.faults.empty() ? "" : row.faults[0];
  };
  write_file(file, "SELECT nothing FROM nowhere");
  EXPECT_NE(fault().find("does not run"), std::string::npos) << fault();
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT ";
  write_file(file, endless + "count(*) FROM n");
  EXPECT_NE(fault().find("stopped after 2 s"), std::string::npos);
  write_file(file, endless + "i FROM n");
  EXPECT_NE(fault().find("stopped after"), std::string::npos);
  fs::remove(file);
  fs::create_symlink(exercise.solution_file(), file);
  EXPECT_NE(fault().find("is a link"), std::string::npos) << fault();
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_NE(fault().find("expected a plain file"), std::string::npos) << fault();
}

TEST_F(GradeTest, CodeExercisesCountByTheirTracesIfTheyAreWanted) {
  Grader with_code({.chapters = {"08_addmm_fusion"}, .code = true});
  Grader without({.chapters = {"08_addmm_fusion"}});
  const CodeExercise exercise = chapter_code_exercises("08_addmm_fusion").front();
  const fs::path folder = folder_of(1);
  const fs::path source = folder / "exercises" / exercise.chapter / exercise.file;
  const fs::path trace = folder / "traces" / "exercises" / "08_true_fusion.json";
  const auto item = [&] {
    const GradedStudent row = with_code.grade(folder);
    EXPECT_EQ(row.chapters.front().items.back().id, exercise.name());
    return row.chapters.front().items.back();
  };
  const auto record = [&](const std::string& label, const std::string& text) {
    Trace made = read_trace_file(recording_file(exercise.chapter, label, exercise.file)).trace;
    made.head.members.emplace_back(kExerciseSource, exercise_source_json(text));
    write_file(trace, write_trace_text(made));
  };
  write_file(source, *original_skeleton(exercise.chapter, exercise.file));
  EXPECT_EQ(item().outcome, "not started");
  write_file(source, "int main() {}\n");
  EXPECT_EQ(item().outcome, "no trace");
  ASSERT_EQ(with_code.grade(folder).faults.size(), 1);
  EXPECT_EQ(with_code.grade(folder).faults[0],
            "08 true_fusion: true_fusion.cu without its trace 08_true_fusion.json");
  record(exercise.like.front(), "int main() {}\n");
  EXPECT_EQ(item().points, kCodeExercisePoints) << item().says;
  record(exercise.like.front(), "int main() { return 0; }\n");
  EXPECT_EQ(item().state, ItemState::kFaulty) << "another source made this trace";
  record("h200/4096_bf16_warm_eager_variant-copy", "int main() {}\n");
  EXPECT_EQ(item().state, ItemState::kMissed);
  write_file(trace, "{");
  EXPECT_EQ(item().state, ItemState::kFaulty);
  EXPECT_FALSE(with_code.grade(folder).faults.empty());
  EXPECT_EQ(with_code.grade(folder).of, without.grade(folder).of + kCodeExercisePoints);
}

TEST_F(GradeTest, PointsReadWell) {
  EXPECT_EQ(points_text(0), "0");
  EXPECT_EQ(points_text(10), "10");
  EXPECT_EQ(points_text(5.25), "5.25");
  EXPECT_EQ(points_text(5.5), "5.5");
}

TEST_F(GradeTest, JUnitNamesEachItemAndIsXmlWhateverStudentsWrite) {
  hand_in(folder_of(0), 2, 1, "", "<Ada> & \"Bob\" \x01\xff");
  hand_in_exercises(folder_of(0), 1);
  const std::string text =
      grade_junit({grader_->grade(folder_of(0)), grader_->grade(folder_of(1))});
  EXPECT_NE(text.find("<testsuite name=\"&lt;Ada&gt; &amp; &quot;Bob&quot;"), std::string::npos);
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_NE(text.find("<failure message=\"failed, 1 hint: on "), std::string::npos);
  EXPECT_NE(text.find("<skipped message=\"not handed in\"/>"), std::string::npos);
  EXPECT_NE(text.find("<property name=\"points\" value=\"0.75\"/>"), std::string::npos);
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

TEST_F(GradeTest, ATraceWithoutEventsOrWithoutAnswersIsAFault) {
  hand_in(folder_of(0), 99, 0);
  const fs::path file = file_in(folder_of(0), first());
  Json document = parse_json_file(file, 1);
  document["trace"] = "mine.json";
  write_file(file, document.dump());
  const auto fault_with = [&](const std::string& trace) {
    write_file(folder_of(0) / "mine.json", trace);
    const GradedStudent row = grader_->grade(folder_of(0));
    EXPECT_LT(row.points, full_points() - exercise_points());
    return row.faults.empty() ? "" : row.faults.front();
  };
  const std::string cut = fault_with(R"({"traceEvents":[)");
  EXPECT_NE(cut.find("mine.json: holds no events; the list of events is never closed"),
            std::string::npos)
      << cut;
  const std::string empty = fault_with(R"({"traceEvents":[]})");
  EXPECT_NE(empty.find("mine.json: holds no events; record it again"), std::string::npos) << empty;
  const std::string other = fault_with(
      R"([{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}])");
  EXPECT_NE(other.find("01: the trace mine.json holds no answer to "), std::string::npos) << other;
}

TEST_F(GradeTest, GradescopeGetsATestAQuestion) {
  hand_in(folder_of(0), 2, 1);
  write_file(folder_of(0) / "answers" / (grader_->sheets().back().chapter + ".json"), "{");
  const GradedStudent row = grader_->grade(folder_of(0));
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
