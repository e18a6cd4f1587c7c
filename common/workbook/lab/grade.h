// SPDX-License-Identifier: Apache-2.0
//
// Grades for many students' answers: a row a student, points by chapter, hints used, and what could
// not be read. A broken submission is a row with its error and never stops the others.
//
//   Grader grader;
//   std::vector<GradedStudent> rows;
//   for (const auto& folder : folders) rows.push_back(grader.grade(folder));
//
// A right answer is a point, less a quarter for each hint, at least a quarter. The questions and
// the recordings are this workbook's, read once. One thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/workbook/lab/answer_key.h"
#include "common/workbook/lab/judge_answers.h"
#include "common/workbook/lab/questions.h"

namespace tracebook {

struct GradedAnswer {
  std::string id;
  AnswerOutcome outcome = AnswerOutcome::kUnanswered;
  std::string says;
  int hints = 0;
  double points = 0;
};

struct GradedChapter {
  std::string chapter;  ///< "03_schedule_tweak"
  std::vector<GradedAnswer> answers;
  double points = 0;
  double of = 0;
  int hints = 0;
  bool handed_in = false;
  std::string error;  ///< why the file could not be judged
};

struct GradedStudent {
  std::string name;    ///< as the answers say, else the folder's
  std::string folder;  ///< as it was given
  std::vector<GradedChapter> chapters;
  double points = 0;
  double of = 0;
  int hints = 0;
  std::vector<std::string> faults;  ///< what could not be read or judged, by chapter
};

/// Points of a right answer after so many hints: 1, 0.75, 0.5, 0.25, 0.25 …
double points_after(int hints);

class Grader {
 public:
  /// InputError if this workbook's own questions are broken.
  Grader();

  /// The folder's answers/NN_name.json, or NN_name.json in it. A trace that the answers name is
  /// looked for in the folder alone.
  GradedStudent grade(const std::filesystem::path& folder);

  [[nodiscard]] const std::vector<QuestionSheet>& sheets() const { return sheets_; }

 private:
  GradedChapter grade_chapter(const QuestionSheet& sheet, const std::filesystem::path& folder,
                              std::string& student);

  std::vector<QuestionSheet> sheets_;
  AnswerKeys keys_;
};

/// {"score", "output", "tests": [{"name", "score", "max_score", "output"}]}, as Gradescope's
/// autograder reads it.
std::string gradescope_json(const GradedStudent& student);

}  // namespace tracebook
