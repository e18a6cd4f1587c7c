// SPDX-License-Identifier: Apache-2.0
//
// A student's answers to a chapter's questions: answers/NN_name.json, made from the questions and
// then the student's own. A file that is there is never replaced as a whole: saving one answer
// reads it again and changes that member alone.
//
//   start_answers(sheet, file);                          // makes it if there is none
//   AnswerSheet answers = read_answers(file, sheet);
//   save_answer(file, "request_length", "2154 us");
//
// Faults of single answers are kept beside them, so that the others still count. One thread a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/workbook/lab/questions.h"

namespace tracebook {

/// By question id.
using AnswerTexts = std::map<std::string, std::string, std::less<>>;

struct AnswerSheet {
  std::filesystem::path file;
  std::string student;
  std::string trace;        ///< "": the recordings; else a trace of the student's own
  AnswerTexts answers;      ///< as written, numbers too; "" where there is none
  AnswerTexts predictions;  ///< the same
  std::map<std::string, int, std::less<>> hints;  ///< how many were shown
  AnswerTexts faults;                             ///< of answers that are no text and no number
  std::vector<std::string> unknown;               ///< sentences on what else is no answer: faults

  [[nodiscard]] bool has_line(std::string_view id) const { return answers.count(id) != 0; }
  [[nodiscard]] std::string answer(std::string_view id) const;
  [[nodiscard]] std::string prediction(std::string_view id) const;
  [[nodiscard]] int hints_used(std::string_view id) const;
  /// Is any answer or prediction written, be it one that cannot be read?
  [[nodiscard]] bool anything_given() const;
};

/// answers/NN_name.json of the workbook.
std::filesystem::path answers_file(std::string_view chapter);

/// Makes the file with every answer empty. False if there is one already, which stays as it is.
bool start_answers(const QuestionSheet& sheet, const std::filesystem::path& file);

/// The text of such a file, with the student's name in it.
std::string empty_answers(const QuestionSheet& sheet, const std::string& student = "");

/// Whether a link will do for the file it leads to.
enum class Links : std::uint8_t { kFollowed, kRefused };
inline constexpr std::uintmax_t kMostAnswerBytes = std::uintmax_t{1} << 20;

/// InputError unless `file` is a plain file of at most `most_bytes`: whatever else stands there
/// could keep us waiting for ever, and larger ones are no answers.
void expect_plain_file(const std::filesystem::path& file,
                       std::uintmax_t most_bytes = kMostAnswerBytes,
                       Links links = Links::kFollowed);

/// InputError if the file cannot be read at all: no such file, empty, no JSON (line and column),
/// another schema or chapter, no object "answers".
AnswerSheet read_answers(const std::filesystem::path& file, const QuestionSheet& sheet);

/// The name that stands in the first of the folder's answers (NN_name.json) that has one, "" if
/// none has. Files that cannot be read are passed over, links too.
std::string known_student(const std::filesystem::path& folder);

void save_student(const std::filesystem::path& file, const std::string& name);
/// InputError where saving an answer would lose something: a member stands twice.
void expect_savable(const std::filesystem::path& file);

void save_answer(const std::filesystem::path& file, const std::string& id, const std::string& text);
void save_prediction(const std::filesystem::path& file, const std::string& id,
                     const std::string& text);
void save_hints(const std::filesystem::path& file, const std::string& id, int used);

}  // namespace tracebook
