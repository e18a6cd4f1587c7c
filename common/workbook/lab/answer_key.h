// SPDX-License-Identifier: Apache-2.0
//
// What a question's queries give on a trace. Nothing of it is stored: traces are read and asked
// when they are needed, once.
//
//   AnswerKeys keys;
//   const AnswerKey& key = keys.key(sheet, question, keys.trace_of(sheet, question, ""));
//
// Holds the traces in memory until they are forgotten. One thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/database.h"
#include "common/workbook/lab/questions.h"

namespace tracebook {

struct AnswerKey {
  bool deferred = false;       ///< the query is not in this copy: judged when handed in
  Cell right;                  ///< NULL if the trace gives no answer
  std::vector<Cell> mistakes;  ///< one for each of the question's, NULL for none
  std::shared_ptr<const std::vector<std::string>> events;  ///< names in the trace, for an event

  [[nodiscard]] bool has_answer() const { return !std::holds_alternative<std::monostate>(right); }
};

/// The first column of the query's only row; NULL for no row, or for several. InputError naming
/// `where` if the query does not run.
Cell single_value(const Database& database, const std::string& sql, const std::string& where);

AnswerKey make_answer_key(const Question& question, const Database& database,
                          const std::string& where);

class AnswerKeys {
 public:
  AnswerKeys();
  ~AnswerKeys();
  AnswerKeys(const AnswerKeys&) = delete;
  AnswerKeys& operator=(const AnswerKeys&) = delete;

  /// Reads the trace if need be. InputError if it cannot be read, or if the query does not run.
  const AnswerKey& key(const QuestionSheet& sheet, const Question& question,
                       const std::filesystem::path& trace);

  /// From here on the recordings are this student's of that class (see variants.h); without a seed,
  /// the chapter's own.
  void choose(const std::string& seed, const std::string& student);

  /// The trace that a question is about: `own`, if there is one and the question names no recording
  /// of its own; else the question's recording, else the sheet's, as chosen.
  std::filesystem::path trace_of(const QuestionSheet& sheet, const Question& question,
                                 const std::filesystem::path& own);

  /// The recordings that some student may have got in place of that one, the chapter's own first.
  const std::vector<std::filesystem::path>& recordings_of(const QuestionSheet& sheet,
                                                          const std::string& recording);
  /// The one of them that was chosen.
  std::filesystem::path recording_of(const QuestionSheet& sheet, const std::string& recording);

  /// Frees the trace.
  void forget(const std::filesystem::path& trace);

 private:
  struct OpenedTrace;
  OpenedTrace& opened(const std::filesystem::path& trace);

  std::map<std::filesystem::path, std::unique_ptr<OpenedTrace>> traces_;
  std::map<std::string, std::vector<std::filesystem::path>> recordings_;  // "chapter/recording"
  std::string seed_;
  std::string student_;
};

}  // namespace tracebook
