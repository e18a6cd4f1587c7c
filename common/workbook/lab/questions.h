// SPDX-License-Identifier: Apache-2.0
//
// A chapter's questions on its traces, as exercises/NN_name/questions.json holds them. A question's
// answer is a query: the right answer is what it gives on the trace that was read. A class's
// handout holds sheets without queries; their answers are judged where the queries are.
//
//   const QuestionSheet sheet = read_questions(questions_file("03_schedule_tweak"));
//   for (const Question& question : sheet.questions) std::cout << question.prompt << "\n";
//
// Plain values. docs/exercises.md describes the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

enum class QuestionKind { kNumber, kChoice, kEvent, kText };

/// A wrong way to the answer: what it gives, and what to say to whoever went it.
struct Mistake {
  std::string sql;
  std::string says;
};

struct Question {
  std::string id;
  std::string prompt;
  QuestionKind kind = QuestionKind::kText;
  std::string unit;                  ///< of a number; "" for a count
  double relative_tolerance = 0;     ///< of a number, of the right value
  double absolute_tolerance = 0;     ///< of a number, in `unit`; the larger of the two counts
  std::vector<std::string> choices;  ///< of a choice
  bool predict = false;              ///< the quiz asks for a guess before anything is read
  std::string sql;                   ///< "" in a handout
  std::vector<std::string> hints;    ///< each nearer than the last
  std::vector<Mistake> mistakes;
  std::string recording;  ///< which one it is about; "": the sheet's
};

struct QuestionSheet {
  std::filesystem::path file;
  std::string chapter;    ///< "03_schedule_tweak"
  std::string recording;  ///< name or label: "64_bf16_warm_eager", "torch/03_schedule_64"
  std::vector<Question> questions;
  bool handout = false;  ///< without queries: nothing can be judged in this copy

  /// The question of that id, or null.
  [[nodiscard]] const Question* find(std::string_view id) const;
};

/// InputError naming the file, the question and what was expected.
QuestionSheet read_questions(const std::filesystem::path& file);

/// The text of a questions.json as a class gets it: without queries and without mistakes, and
/// marked as such. InputError if `file` is no sheet of questions, or has none to take out.
std::string handout_sheet(const std::filesystem::path& file);

/// exercises/NN_name/questions.json of the workbook.
std::filesystem::path questions_file(std::string_view chapter);

/// The chapter's sheet. CannotJudge if the chapter has no questions (yet).
QuestionSheet chapter_questions(std::string_view chapter);

/// The file of a chapter's recording, by name (ours) or label ("torch/NAME"), of another chapter's
/// ("NN_name/torch/NAME"), or of a planted one ("planted/NAME", whether or not it is there).
/// InputError naming `where`, and what there is, if the chapter has no such recording.
std::filesystem::path recording_file(const std::string& chapter, const std::string& recording,
                                     const std::string& where);

}  // namespace tracebook
