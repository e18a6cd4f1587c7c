// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/answer_key.h"

#include "common/trace/error.h"
#include "common/workbook/claims.h"
#include "common/workbook/lab/loaded_trace.h"
#include "common/workbook/lab/variants.h"

namespace tracebook {

namespace fs = std::filesystem;

struct AnswerKeys::OpenedTrace {
  explicit OpenedTrace(const fs::path& file) : loaded(file) {}

  LoadedTrace loaded;
  std::shared_ptr<const std::vector<std::string>> events;
  std::map<std::string, AnswerKey> keys;  // by "file of the questions#id"
};

namespace {

std::vector<std::string> event_names(const Database& database) {
  std::vector<std::string> out;
  for (const auto& row : database.query("SELECT DISTINCT name FROM slice").rows) {
    if (const auto* name = std::get_if<std::string>(&row.front())) out.push_back(*name);
  }
  return out;
}

}  // namespace

Cell single_value(const Database& database, const std::string& sql, const std::string& where) {
  try {
    const QueryResult result = database.query(sql, kClaimTimeLimit);
    if (result.rows.size() != 1 || result.rows.front().empty()) return {};
    return result.rows.front().front();
  } catch (const SqlError& error) {
    throw InputError(where + ": " + error.what());
  }
}

AnswerKey make_answer_key(const Question& question, const Database& database,
                          const std::string& where) {
  AnswerKey key;
  if (question.sql.empty()) {
    key.deferred = true;
    return key;
  }
  key.right = single_value(database, question.sql, where);
  if (question.kind == QuestionKind::kNumber && std::holds_alternative<std::string>(key.right)) {
    throw InputError(where + ": \"sql\" must give a number, not a text");
  }
  for (const Mistake& mistake : question.mistakes) {
    key.mistakes.push_back(single_value(database, mistake.sql, where + ", mistake"));
  }
  return key;
}

AnswerKeys::AnswerKeys() = default;
AnswerKeys::~AnswerKeys() = default;

AnswerKeys::OpenedTrace& AnswerKeys::opened(const fs::path& trace) {
  const auto found = traces_.find(trace);
  if (found != traces_.end()) return *found->second;
  return *traces_.emplace(trace, std::make_unique<OpenedTrace>(trace)).first->second;
}

const AnswerKey& AnswerKeys::key(const QuestionSheet& sheet, const Question& question,
                                 const fs::path& trace) {
  OpenedTrace& open = opened(trace);
  const std::string name = sheet.file.string() + "#" + question.id;
  const auto found = open.keys.find(name);
  if (found != open.keys.end()) return found->second;
  const std::string where = sheet.file.string() + ": question " + question.id;
  AnswerKey key = make_answer_key(question, open.loaded.database, where);
  if (question.kind == QuestionKind::kEvent) {
    if (!open.events) {
      open.events = std::make_shared<std::vector<std::string>>(event_names(open.loaded.database));
    }
    key.events = open.events;
  }
  return open.keys.emplace(name, std::move(key)).first->second;
}

fs::path AnswerKeys::trace_of(const QuestionSheet& sheet, const Question& question,
                              const fs::path& own) {
  if (!own.empty() && question.recording.empty()) return own;
  return recording_of(sheet, question.recording.empty() ? sheet.recording : question.recording);
}

void AnswerKeys::choose(const std::string& seed, const std::string& student) {
  seed_ = seed;
  student_ = student;
}

const std::vector<fs::path>& AnswerKeys::recordings_of(const QuestionSheet& sheet,
                                                       const std::string& recording) {
  std::vector<fs::path>& files = recordings_[sheet.chapter + "/" + recording];
  if (files.empty()) files = variant_files(sheet.chapter, recording, sheet.file.string());
  return files;
}

fs::path AnswerKeys::recording_of(const QuestionSheet& sheet, const std::string& recording) {
  const std::vector<fs::path>& files = recordings_of(sheet, recording);
  if (seed_.empty()) return files.front();
  const std::string label = sheet.chapter + "/" + recording_label(recording);
  return files[chosen_variant(seed_, student_, label, files.size())];
}

void AnswerKeys::forget(const fs::path& trace) { traces_.erase(trace); }

}  // namespace tracebook
