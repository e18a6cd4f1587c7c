// SPDX-License-Identifier: Apache-2.0
//
// Grades for many students' submissions: a row a student, points by chapter and item, hints used,
// and what could not be read. A broken submission is a row with its error and never stops the
// others.
//
//   Grader grader({.seed = class_seed()});
//   std::vector<GradedStudent> rows;
//   for (const auto& folder : folders) rows.push_back(grader.grade(folder));
//
// A right answer is a point and a passed SQL exercise two, less a quarter of them for each hint, at
// least a quarter. The questions, solutions and recordings are this workbook's, read once. One
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/workbook/lab/answer_key.h"
#include "common/workbook/lab/code_exercise.h"
#include "common/workbook/lab/exercise_recordings.h"
#include "common/workbook/lab/judge_answers.h"
#include "common/workbook/lab/questions.h"
#include "common/workbook/lab/sql_exercise.h"

namespace tracebook {

enum class ItemState : std::uint8_t {
  kEarned,
  kMissed,
  kFaulty,  ///< cannot be read or does not run
  kOpen,    ///< not done, or not handed in
};

/// A question or an exercise.
struct GradedItem {
  std::string id;
  double of = 1;  ///< what it is worth
  ItemState state = ItemState::kOpen;
  std::string outcome = "not handed in";  ///< in a word: "right", "failed", "unanswered"
  std::string says = {};
  int hints = 0;
  double points = 0;
};

struct GradedChapter {
  std::string chapter;  ///< "03_schedule_tweak"
  std::vector<GradedItem> items;
  double points = 0;
  double of = 0;
  int hints = 0;
  bool handed_in = false;
  std::string error;  ///< why the answers could not be judged
};

struct GradedStudent {
  std::string name;    ///< as the answers say, else the folder's
  std::string folder;  ///< as it was given
  bool is_folder = true;
  bool is_class = false;  ///< a folder of students' folders, where one of these was meant
  std::vector<GradedChapter> chapters;
  double points = 0;
  double of = 0;
  int hints = 0;
  std::vector<std::string> faults;   ///< what could not be read or judged, by chapter
  std::vector<std::string> remarks;  ///< for the teacher alone: what looks copied
};

/// The part of an item's points that is left after so many hints: 1, 0.75, 0.5, 0.25, 0.25 …
double points_after(int hints);

/// What a passed SQL exercise is worth.
inline constexpr double kExercisePoints = 2;
/// What a passed code exercise is worth.
inline constexpr double kCodeExercisePoints = 3;

/// The points of a chapter's answers.
double sheet_points(const JudgedSheet& judged, const AnswerSheet& answers);

/// "5", "5.25".
std::string points_text(double points);

struct GradeOptions {
  std::string seed = {};                   ///< of the class; "": the chapters' own recordings
  std::vector<std::string> chapters = {};  ///< stems; none: all
  /// Code exercises count too, by the traces that were handed in with them. Not for a class
  /// without a GPU: nobody could earn these points.
  bool code = false;
};

class Grader {
 public:
  /// InputError if this workbook's own questions are broken, CannotJudge if it is a handout.
  explicit Grader(GradeOptions options = {});

  /// The folder's answers/NN_name.json or NN_name.json, and its exercises/NN_name/NAME.sql,
  /// NN_name/NAME.sql or NAME.sql. A trace that the answers name is looked for in the folder alone.
  /// With `code`, NAME.cu at the same places and the trace that it recorded,
  /// traces/exercises/NN_NAME.json or NN_NAME.json. Nothing of a student's is built or run.
  GradedStudent grade(const std::filesystem::path& folder);

  [[nodiscard]] const std::vector<QuestionSheet>& sheets() const { return sheets_; }

 private:
  GradedChapter grade_chapter(const QuestionSheet& sheet, const std::filesystem::path& folder,
                              GradedStudent& row);
  void grade_answers(const QuestionSheet& sheet, const AnswerSheet& answers,
                     const std::filesystem::path& folder, GradedStudent& row, GradedChapter& out);
  void grade_exercise(const SqlExercise& exercise, const std::filesystem::path& folder,
                      GradedItem& item);
  static void grade_code_exercise(const CodeExercise& exercise, const std::filesystem::path& folder,
                                  GradedItem& item);
  void remark_copied(const QuestionSheet& sheet, const JudgedAnswer& answer, bool on_own,
                     GradedStudent& row);

  GradeOptions options_;
  std::vector<QuestionSheet> sheets_;
  std::vector<std::vector<SqlExercise>> exercises_;  // one list a sheet
  std::vector<std::vector<CodeExercise>> code_;      // the same; empty lists without `code`
  AnswerKeys keys_;
  ExerciseRecordings recordings_;
};

/// Remarks on names that stand in several folders.
void remark_same_names(std::vector<GradedStudent>& students);

}  // namespace tracebook
