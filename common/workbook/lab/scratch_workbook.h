// SPDX-License-Identifier: Apache-2.0
//
// For tests of the lab: a workbook of their own, with this checkout's chapters and recordings and
// untouched exercises, so that nobody's answers are read or changed.
//
//   ScratchWorkbook book;                                  // until it goes, workbook_root() is it
//   book.answer("03_schedule_tweak", {.right = 3, .wrong = 1});
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/answer_key.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/judge_answers.h"
#include "common/workbook/lab/lab_test_support.h"
#include "common/workbook/lab/skeleton.h"
#include "common/workbook/lab/work_items.h"
#include "common/workbook/paths.h"

namespace tracebook {

class ScratchWorkbook {
 public:
  ScratchWorkbook() {
    namespace fs = std::filesystem;
    const fs::path source = workbook_root();
    for (const char* const folder : {"chapters", "expected", "docs"}) {
      fs::create_directory_symlink(source / folder, folder_ / folder);
    }
    fs::copy(source / "exercises", folder_ / "exercises", fs::copy_options::recursive);
    if (const char* const before = std::getenv("TRACEBOOK_ROOT")) before_ = before;
    setenv("TRACEBOOK_ROOT", folder_.path().c_str(), 1);
    // Whoever works in the checkout may have begun some.
    for (const ChapterInfo& chapter : all_chapters()) {
      for (const WorkItem& item : chapter_work(chapter.stem)) {
        if (const auto text = item.skeleton()) write_file(item.file, *text);
      }
    }
  }
  ~ScratchWorkbook() {
    if (before_.empty()) {
      unsetenv("TRACEBOOK_ROOT");
    } else {
      setenv("TRACEBOOK_ROOT", before_.c_str(), 1);
    }
  }
  ScratchWorkbook(const ScratchWorkbook&) = delete;
  ScratchWorkbook& operator=(const ScratchWorkbook&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return folder_ / name;
  }
  [[nodiscard]] std::filesystem::path answers() const { return folder_ / "answers"; }

  /// A handout has neither solutions nor, as a rule, the queries of its questions: nothing there
  /// can be answered or solved by a test.
  [[nodiscard]] static bool is_handout() {
    return std::filesystem::exists(workbook_root() / "exercises/skeletons");
  }
  static constexpr const char* kHandoutSays = "a handout has nothing to answer or solve it with";

  struct Given {
    std::size_t right = 0;  ///< of the chapter's first questions
    std::size_t wrong = 0;  ///< of those behind them
  };
  void answer(const std::string& chapter, const Given& given) {
    const QuestionSheet sheet = chapter_questions(chapter);
    const std::filesystem::path file = answers_file(chapter);
    start_answers(sheet, file);
    for (std::size_t i = 0; i < sheet.questions.size() && i < given.right + given.wrong; ++i) {
      const Question& question = sheet.questions[i];
      const AnswerKey& key = keys_.key(sheet, question, keys_.trace_of(sheet, question, ""));
      const bool number = question.kind == QuestionKind::kNumber;
      const bool choice = question.kind == QuestionKind::kChoice;
      const std::string right = right_answer(question, key);
      const std::string wrong = number   ? "-123456.7"
                                : choice ? (question.choices[0] == right ? "2" : "1")
                                         : "nothing like it";
      save_answer(file, question.id, i < given.right ? right : wrong);
    }
  }
  /// The chapter's exercises as their solutions have them.
  static void solve(const std::string& chapter) {
    for (const WorkItem& item : chapter_work(chapter)) {
      write_file(item.file, read_file(solution_path(chapter, item.file.filename().string())));
    }
  }
  void finish(const std::string& chapter) {
    answer(chapter, {.right = 1000});
    solve(chapter);
  }

 private:
  ScratchFolder folder_;
  AnswerKeys keys_;
  std::string before_;
};

}  // namespace tracebook
