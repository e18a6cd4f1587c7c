// SPDX-License-Identifier: Apache-2.0
//
// Where a student stands. Nothing of it is stored: it is derived from the answers and the exercise
// files each time, so that a new version of the workbook loses nothing.
//
//   ProgressReader reader(workbook_root() / "answers");
//   for (const ChapterProgress& chapter : reader.workbook()) std::cout << chapter.done();
//
// What cannot be read is a fault of its chapter and does not stop the others. The reader keeps the
// recordings it has opened and what it has judged; one thread at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/workbook/chapter.h"
#include "common/workbook/lab/answer_key.h"
#include "common/workbook/lab/judge_answers.h"
#include "common/workbook/lab/questions.h"
#include "common/workbook/lab/work_items.h"

namespace tracebook {

struct QuestionProgress {
  JudgedAnswer judged;
  std::string prompt;
  int hints_used = 0;
  Question question = {};
  std::filesystem::path trace = {};  ///< where it is to be read; "" where that is not known
};

struct WorkProgress {
  WorkItem item;
  JudgedWork judged;
};

struct ChapterProgress {
  std::string chapter;  ///< "03_schedule_tweak"
  std::string number;   ///< "03"
  std::string title;
  std::filesystem::path answers;    ///< the file, there or not
  bool begun = false;               ///< an answer or a prediction is given, or the file is broken
  std::string broken;               ///< why the answers cannot be read at all; all are open then
  std::vector<std::string> faults;  ///< of the file's single lines, and of the chapter's own files
  std::vector<QuestionProgress> questions;
  std::vector<WorkProgress> work;
  /// What it was derived from and the student may change, there or not.
  std::vector<std::filesystem::path> files;

  [[nodiscard]] std::size_t count(AnswerOutcome outcome) const;
  [[nodiscard]] std::size_t count(WorkOutcome outcome) const;
  /// Answers that are wrong or invalid, and exercises that failed.
  [[nodiscard]] std::size_t wrong() const;
  /// Right answers and passed exercises, of all().
  [[nodiscard]] std::size_t done() const;
  [[nodiscard]] std::size_t all() const { return questions.size() + work.size(); }
  /// Is there anything that the student can still do here?
  [[nodiscard]] bool is_open() const;
  /// 3 if something cannot be read, else as `quiz --check`: 1 if anything is wrong, 77 if anything
  /// is open or cannot be judged here, 0.
  [[nodiscard]] int exit_code() const;
};

class ProgressReader {
 public:
  /// What is to be told of each exercise before it is judged, which may take seconds; null: it is.
  using TellJudging = std::function<void(const WorkItem*)>;

  explicit ProgressReader(std::filesystem::path answers_folder, TellJudging tell = {});

  /// Never throws an Error: what cannot be read is told in the result.
  ChapterProgress chapter(const ChapterInfo& info);
  /// All chapters, in order.
  std::vector<ChapterProgress> workbook();

 private:
  void read_questions(ChapterProgress& progress);
  void judge_answers(const QuestionSheet& sheet, ChapterProgress& progress);
  void find_traces(const QuestionSheet& sheet, const std::filesystem::path& own,
                   ChapterProgress& progress);
  void read_work(ChapterProgress& progress);
  JudgedWork judge(const WorkItem& item) const;

  std::filesystem::path folder_;
  TellJudging tell_;
  AnswerKeys keys_;
  /// By file: the text that was judged (nothing if it could not be read), and the judgement.
  std::map<std::filesystem::path, std::pair<std::optional<std::string>, JudgedWork>> judged_;
};

/// The worst of the chapters' exit codes: 3 before 1 before 77 before 0.
int progress_exit_code(const std::vector<ChapterProgress>& chapters);

}  // namespace tracebook
