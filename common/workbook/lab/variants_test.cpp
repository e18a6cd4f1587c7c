// SPDX-License-Identifier: Apache-2.0
//
// The recordings that a class's students get in place of a chapter's own: which one is whose, and
// whether every question can be asked on each of them.
#include "common/workbook/lab/variants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/check.h"
#include "common/workbook/lab/answer_key.h"
#include "common/workbook/lab/judge_answers.h"
#include "common/workbook/lab/lab_test_support.h"
#include "common/workbook/lab/loaded_trace.h"
#include "common/workbook/lab/quantity.h"
#include "common/workbook/paths.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

TEST(ChoiceTest, TheHashIsTheSameForEver) {
  EXPECT_EQ(stable_hash(""), 0xefd01f60ba992926U);
  EXPECT_EQ(stable_hash("autumn-26\nada@uni.example\n03_schedule_tweak/h200/64_bf16_warm_eager"),
            0x92703380c913d2e1U);
}

TEST(ChoiceTest, NamesAreFoldedAndTheRestCounts) {
  const std::string label = "03_schedule_tweak/h200/64_bf16_warm_eager";
  EXPECT_EQ(student_key(" Ada  Lovelace@Uni.Example "), "adalovelace@uni.example");
  EXPECT_EQ(chosen_variant("autumn-26", "ada@uni.example", label, 3), 0);
  EXPECT_EQ(chosen_variant("autumn-26", " ADA@uni.example", label, 3), 0);
  EXPECT_EQ(chosen_variant("autumn-26", "ada@uni.example", label, 1), 0);
  std::map<std::size_t, int> by_student;
  std::set<std::size_t> by_seed;
  std::set<std::size_t> by_label;
  for (int i = 0; i < 300; ++i) {
    const std::string number = std::to_string(i);
    ++by_student[chosen_variant("autumn-26", "student" + number, label, 3)];
    by_seed.insert(chosen_variant("autumn-" + number, "ada", label, 3));
    by_label.insert(chosen_variant("autumn-26", "ada", label + number, 3));
  }
  EXPECT_EQ(by_seed.size(), 3);
  EXPECT_EQ(by_label.size(), 3);
  ASSERT_EQ(by_student.size(), 3);
  for (const auto& [file, students] : by_student) EXPECT_NEAR(students, 100, 30) << file;
}

TEST(ChoiceTest, ASeedIsAFewPlainCharacters) {
  expect_seed("autumn-26", "--seed");
  for (const char* const seed : {"", "a b", "a\n", "\"", "ä"}) {
    EXPECT_THROW(expect_seed(seed, "--seed"), InputError) << seed;
  }
  EXPECT_THROW(expect_seed(std::string(65, 'a'), "--seed"), InputError);
}

class VariantsTest : public testing::TestWithParam<std::string> {
 protected:
  VariantsTest() : sheet_(chapter_questions(GetParam())) {}

  static const std::string& recording_of(const QuestionSheet& sheet, const Question& question) {
    return question.recording.empty() ? sheet.recording : question.recording;
  }
  const std::vector<fs::path>& files(const Question& question) {
    return keys_.recordings_of(sheet_, recording_of(sheet_, question));
  }

  /// Is the mistake's value, typed as an answer, wrong there, and is it said why?
  static bool is_told(const Question& question, const AnswerKey& key, std::size_t mistake) {
    AnswerKey as_right;
    as_right.right = key.mistakes[mistake];
    const JudgedAnswer judged = judge_answer(question, right_answer(question, as_right), key);
    return judged.outcome == AnswerOutcome::kWrong &&
           std::any_of(question.mistakes.begin(), question.mistakes.end(),
                       [&judged](const Mistake& one) { return one.says == judged.says; });
  }
  static bool has_value(const AnswerKey& key, std::size_t mistake) {
    return !std::holds_alternative<std::monostate>(key.mistakes[mistake]);
  }

  static std::ptrdiff_t held(const CheckedTrace& checked) {
    return std::count_if(checked.judged.begin(), checked.judged.end(),
                         [](const auto& claim) { return claim.second.verdict == Verdict::kHeld; });
  }

  QuestionSheet sheet_;
  AnswerKeys keys_;
};

TEST_P(VariantsTest, EachQuestionHasAnAnswerAndToldMistakesOnEach) {
  if (sheet_.handout) GTEST_SKIP() << "a handout has no queries to answer its questions by";
  std::size_t with_variants = 0;
  for (const Question& question : sheet_.questions) {
    const std::vector<fs::path>& all = files(question);
    with_variants += all.size() > 1 ? 1 : 0;
    const AnswerKey& own = keys_.key(sheet_, question, all.front());
    for (const fs::path& file : all) {
      const AnswerKey& key = keys_.key(sheet_, question, file);
      ASSERT_TRUE(key.has_answer()) << question.id << " on " << file;
      EXPECT_EQ(judge_answer(question, right_answer(question, key), key).outcome,
                AnswerOutcome::kRight)
          << question.id << " on " << file;
      for (std::size_t i = 0; i < question.mistakes.size(); ++i) {
        if (!has_value(key, i) || !is_told(question, own, i)) continue;
        EXPECT_TRUE(is_told(question, key, i))
            << question.id << ", mistake " << i + 1 << " on " << file;
      }
    }
  }
  EXPECT_GE(with_variants, 2);
}

TEST_P(VariantsTest, ACopiedNumberIsWrongSomewhere) {
  if (sheet_.handout) GTEST_SKIP() << "a handout has no queries to answer its questions by";
  std::set<std::string> told_apart;
  for (const Question& question : sheet_.questions) {
    if (question.kind != QuestionKind::kNumber) continue;
    for (const fs::path& mine : files(question)) {
      const std::string copied =
          right_answer(question, keys_.key(sheet_, question, files(question).front()));
      const AnswerKey& key = keys_.key(sheet_, question, mine);
      if (judge_answer(question, copied, key).outcome == AnswerOutcome::kWrong) {
        told_apart.insert(question.id);
      }
    }
  }
  EXPECT_FALSE(told_apart.empty());
}

TEST_P(VariantsTest, EachIsARunOfTheSameCommandAndHoldsTheChaptersClaims) {
  const ChapterInfo& chapter = find_chapter(GetParam());
  const Manifest standard = read_manifest(workbook_root() / "expected" / GetParam());
  const Manifest variants = read_manifest(workbook_root() / "exercises" / GetParam() / "variants");
  std::set<fs::path> used;
  for (const Question& question : sheet_.questions) {
    used.insert(files(question).begin(), files(question).end());
  }
  std::set<std::string> sums;
  for (const Recording& one : standard.recordings) sums.insert(one.sha256);
  EXPECT_FALSE(variants.recordings.empty());
  for (const Recording& one : variants.recordings) {
    EXPECT_TRUE(used.contains(one.path)) << one.file << " stands for no question's recording";
    EXPECT_TRUE(sums.insert(one.sha256).second) << one.file << " is a copy of another recording";
    const std::string folder = fs::path(one.file).parent_path().string();
    const std::string label = folder.substr(0, folder.find('_')) + "/" + one.name;
    const auto own = std::find_if(standard.recordings.begin(), standard.recordings.end(),
                                  [&](const Recording& r) { return r.label() == label; });
    ASSERT_NE(own, standard.recordings.end()) << one.file;
    EXPECT_EQ(one.command, own->command) << one.file;
    EXPECT_EQ(one.gpu, own->gpu) << one.file;
    EXPECT_EQ(one.commit.find("dirty"), std::string::npos) << one.file;
    const LoadedTrace loaded(one.path);
    const CheckedTrace checked =
        check_trace(chapter, one.path.string(), loaded.trace, loaded.structure);
    EXPECT_TRUE(checked.good()) << one.file;
    // As many claims hold as on the chapter's own, so the name is known for what it is.
    const LoadedTrace original(own->path);
    EXPECT_EQ(held(checked),
              held(check_trace(chapter, own->path.string(), original.trace, original.structure)))
        << one.file;
  }
}

TEST(ClassTest, TwoStudentsReadDifferentRecordings) {
  AnswerKeys ada;
  AnswerKeys bob;
  ada.choose("autumn-26", "ada@uni.example");
  bob.choose("autumn-26", "bob@uni.example");
  int different = 0;
  for (const ChapterInfo& chapter : all_chapters()) {
    if (!fs::exists(questions_file(chapter.stem))) continue;
    const QuestionSheet sheet = chapter_questions(chapter.stem);
    for (const Question& question : sheet.questions) {
      different += ada.trace_of(sheet, question, "") != bob.trace_of(sheet, question, "") ? 1 : 0;
    }
    AnswerKeys nobody;
    EXPECT_EQ(nobody.recording_of(sheet, sheet.recording),
              recording_file(sheet.chapter, sheet.recording, ""));
  }
  EXPECT_GE(different, 8);
}

std::vector<std::string> chapters_with_questions() {
  std::vector<std::string> out;
  for (const ChapterInfo& chapter : all_chapters()) {
    if (fs::exists(questions_file(chapter.stem))) out.push_back(chapter.stem);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, VariantsTest, testing::ValuesIn(chapters_with_questions()),
                         [](const auto& chapter) { return chapter.param; });

}  // namespace
}  // namespace tracebook
