// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/answers.h"

#include <algorithm>
#include <cmath>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/tool_name.h"
#include "common/workbook/lab/words.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr int kAnswersSchema = 1;

void write_json(const fs::path& file, const Json& document) {
  // Bytes that are no UTF-8 can come from a terminal: they are replaced, not refused.
  write_file(file, document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string value_of(const AnswerTexts& texts, std::string_view id) {
  const auto found = texts.find(id);
  return found == texts.end() ? "" : found->second;
}

std::string ids_of(const QuestionSheet& sheet) {
  std::vector<std::string> ids;
  for (const Question& question : sheet.questions) ids.push_back(question.id);
  return listed(ids, "and");
}

Json parse_answers(const fs::path& file) {
  expect_plain_file(file);
  if (trimmed(read_file(file)).empty()) {
    throw InputError(file.string() + ": the file is empty; remove it, and `" + tool_name() +
                     " quiz` makes a fresh one");
  }
  return parse_json_file(file, kAnswersSchema);
}

/// A text, or a number such as one by which a school knows its students.
std::string text_or_number(const Json& document, const char* key, const fs::path& file) {
  const auto found = document.find(key);
  if (found != document.end() && found->is_number()) return found->dump();
  return optional_text(document, key, file.string());
}

/// The texts of one member, with the faults of its values.
AnswerTexts read_texts(const Json& object, const char* member, const QuestionSheet& sheet,
                       AnswerSheet& out) {
  AnswerTexts texts;
  for (const auto& [id, value] : object.items()) {
    std::string text;
    std::string fault;
    if (value.is_string()) {
      text = trimmed(value.get_ref<const std::string&>());
    } else if (value.is_number()) {
      text = value.dump();
    } else if (!value.is_null()) {
      fault = "expected a text in quotes or a number, not " + std::string(value.type_name());
    }
    if (sheet.find(id) == nullptr) {
      if (text.empty() && fault.empty()) continue;
      out.unknown.push_back('"' + id + "\" in \"" + member +
                            "\" is no question of this chapter; the questions are " +
                            ids_of(sheet));
      continue;
    }
    texts[id] = text;
    if (!fault.empty()) out.faults[id] = fault;
  }
  return texts;
}

void read_hints(const Json& document, AnswerSheet& out) {
  const auto found = document.find("hints");
  if (found == document.end() || !found->is_object()) return;
  for (const auto& [id, value] : found->items()) {
    constexpr double kMost = 1000;
    // What is no count was not written by us: it counts as all the hints there are.
    const double used = value.is_number() ? value.get<double>() : kMost;
    out.hints[id] = static_cast<int>(std::ceil(used >= 0 ? std::min(used, kMost) : kMost));
  }
}

void save_member(const fs::path& file, const char* member, const std::string& id,
                 const Json& value) {
  Json document = parse_answers(file);
  Json& object = document[member];
  if (!object.is_object()) object = Json::object();
  object[id] = value;
  write_json(file, document);
}

}  // namespace

void expect_plain_file(const fs::path& file, std::uintmax_t most_bytes, Links links) {
  std::error_code error;
  const fs::file_status status =
      links == Links::kFollowed ? fs::status(file, error) : fs::symlink_status(file, error);
  if (!fs::exists(status)) throw InputError(file.string() + ": no such file");
  if (!fs::is_regular_file(status)) throw InputError(file.string() + ": expected a plain file");
  if (fs::file_size(file, error) > most_bytes) {
    throw InputError(file.string() + ": too large; expected at most " +
                     std::to_string(most_bytes >> 20U) + " MiB");
  }
}

std::string AnswerSheet::answer(std::string_view id) const { return value_of(answers, id); }

std::string AnswerSheet::prediction(std::string_view id) const { return value_of(predictions, id); }

int AnswerSheet::hints_used(std::string_view id) const {
  const auto found = hints.find(id);
  return found == hints.end() ? 0 : found->second;
}

fs::path answers_file(std::string_view chapter) {
  return workbook_root() / "answers" / (std::string(chapter) + ".json");
}

bool start_answers(const QuestionSheet& sheet, const fs::path& file) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(file, error))) return false;
  Json document{{"schema", kAnswersSchema},
                {"chapter", sheet.chapter},
                {"student", ""},
                {"trace", ""},
                {"answers", Json::object()},
                {"predictions", Json::object()},
                {"hints", Json::object()}};
  for (const Question& question : sheet.questions) {
    document["answers"][question.id] = "";
    if (question.predict) document["predictions"][question.id] = "";
    document["hints"][question.id] = 0;
  }
  write_json(file, document);
  return true;
}

AnswerSheet read_answers(const fs::path& file, const QuestionSheet& sheet) {
  const Json document = parse_answers(file);
  const std::string chapter = optional_text(document, "chapter", file.string());
  if (chapter != sheet.chapter) {
    throw InputError(file.string() + R"(: expected "chapter": ")" + sheet.chapter + "\", not \"" +
                     chapter + "\": are these another chapter's answers?");
  }
  const auto answers = document.find("answers");
  if (answers == document.end() || !answers->is_object()) {
    throw InputError(file.string() +
                     R"(: expected an object "answers": {"question": "answer", …})");
  }
  AnswerSheet out;
  out.file = file;
  out.student = text_or_number(document, "student", file);
  out.trace = trimmed(optional_text(document, "trace", file.string()));
  out.answers = read_texts(*answers, "answers", sheet, out);
  const auto predictions = document.find("predictions");
  if (predictions != document.end() && predictions->is_object()) {
    // A prediction is worth nothing, so whatever stands there does no harm.
    AnswerSheet ignored;
    out.predictions = read_texts(*predictions, "predictions", sheet, ignored);
  }
  read_hints(document, out);
  return out;
}

std::string known_student(const fs::path& folder) {
  for (const ChapterInfo& chapter : all_chapters()) {
    const fs::path file = folder / (std::string(chapter.stem) + ".json");
    try {
      expect_plain_file(file, kMostAnswerBytes, Links::kRefused);
      std::string name = text_or_number(parse_answers(file), "student", file);
      if (!trimmed(name).empty()) return std::string(trimmed(name));
    } catch (const InputError&) {
      // What is wrong with it is said where it is judged.
    }
  }
  return "";
}

void save_student(const fs::path& file, const std::string& name) {
  Json document = parse_answers(file);
  document["student"] = name;
  write_json(file, document);
}

void save_answer(const fs::path& file, const std::string& id, const std::string& text) {
  save_member(file, "answers", id, text);
}

void save_prediction(const fs::path& file, const std::string& id, const std::string& text) {
  save_member(file, "predictions", id, text);
}

void save_hints(const fs::path& file, const std::string& id, int used) {
  save_member(file, "hints", id, used);
}

}  // namespace tracebook
