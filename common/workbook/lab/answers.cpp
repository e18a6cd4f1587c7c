// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/answers.h"

#include <algorithm>
#include <cmath>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/mended_json.h"
#include "common/workbook/lab/words.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr int kAnswersSchema = 1;

std::string text_of(const Json& document) {
  // Bytes that are no UTF-8 can come from a terminal: they are replaced, not refused.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// With the line ends that the file has: an editor on Windows wrote others than we do.
void write_json(const fs::path& file, const Json& document) {
  const std::string before = read_file(file);
  const std::size_t line_end = before.find('\n');
  const bool crlf = line_end != std::string::npos && line_end > 0 && before[line_end - 1] == '\r';
  std::string text;
  for (const char c : text_of(document)) {
    if (c == '\n' && crlf) text += '\r';
    text += c;
  }
  write_file(file, text);
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

HandWritten parse_answers(const fs::path& file) {
  expect_plain_file(file);
  if (trimmed(read_file(file)).empty()) throw InputError(file.string() + ": the file is empty");
  return parse_hand_written(file, kAnswersSchema);
}

/// Of a file that is no JSON, the members that stand whole on their lines: a slip costs its own
/// line, and is a fault of the file.
HandWritten parse_or_mend(const fs::path& file, const QuestionSheet& sheet, AnswerSheet& out) {
  try {
    return parse_answers(file);
  } catch (const InputError& fault) {
    expect_plain_file(file);
    const std::string text = read_file(file);
    if (Json::accept(text)) throw;
    MendedJson mended = mended_json(text);
    if (!mended.document.contains("chapter") || !mended.document.contains("answers")) throw;
    out.unknown.push_back(fault.what() + std::string("; what stands whole on a line counts"));
    for (const std::string& line : mended.lost) {
      for (const Question& question : sheet.questions) {
        if (line.find('"' + question.id + '"') == std::string::npos) continue;
        out.faults.emplace(question.id, "its line is no JSON: " + short_text(line));
      }
    }
    return {.document = std::move(mended.document), .doubled = std::move(mended.doubled)};
  }
}

/// What stands twice has no one value: an answer is invalid then, other members are faults of the
/// file. A prediction is worth nothing, so it may.
void note_doubled(const std::vector<std::string>& doubled, const QuestionSheet& sheet,
                  AnswerSheet& out) {
  for (const std::string& path : doubled) {
    constexpr std::string_view kAnswers = "answers/";
    const bool is_answer = path.starts_with(kAnswers);
    const std::string id = is_answer ? path.substr(kAnswers.size()) : "";
    if (is_answer && sheet.find(id) != nullptr) {
      out.faults[id] = "it stands twice in \"answers\"; keep one of the two lines";
    } else if (path == "answers") {
      out.unknown.emplace_back(
          R"("answers" stands twice in the file, and only the last one is read; put all answers into one)");
    } else if (!path.starts_with("predictions/")) {
      out.unknown.push_back(in_quotes(path) + " stands twice in the file; keep one of the two");
    }
  }
}

/// A text, or a number such as one by which a school knows its students. What is neither is a fault
/// of the file, and the answers still count.
std::string text_or_number(const Json& document, const char* key, AnswerSheet& out) {
  const auto found = document.find(key);
  if (found == document.end() || found->is_null()) return "";
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number()) return found->dump();
  out.unknown.push_back('"' + std::string(key) + "\": expected a text in quotes, not " +
                        found->type_name());
  return "";
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
      out.unknown.push_back(in_quotes(id) + " in \"" + member +
                            "\" is no question of this chapter; the questions are " +
                            ids_of(sheet));
      continue;
    }
    texts[id] = text;
    if (!fault.empty()) out.faults[id] = fault;
  }
  return texts;
}

/// The object of that name, null where there is none. What is no object is a fault of the file.
const Json* object_of(const Json& document, const char* key, AnswerSheet& out) {
  const auto found = document.find(key);
  if (found == document.end() || found->is_null()) return nullptr;
  if (found->is_object()) return &*found;
  out.unknown.push_back('"' + std::string(key) + "\": expected an object {\"question\": …}, not " +
                        found->type_name());
  return nullptr;
}

/// A prediction is worth nothing: one that is no text is a fault of the file, never of the answer.
void read_predictions(const Json& document, const QuestionSheet& sheet, AnswerSheet& out) {
  const Json* const predictions = object_of(document, "predictions", out);
  if (predictions == nullptr) return;
  AnswerSheet odd;
  out.predictions = read_texts(*predictions, "predictions", sheet, odd);
  out.unknown.insert(out.unknown.end(), odd.unknown.begin(), odd.unknown.end());
  for (const auto& [id, fault] : odd.faults) {
    out.unknown.push_back('"' + id + "\" in \"predictions\": " + fault);
  }
}

/// What is no count was not written by us: it is a fault of the file, and costs no points.
void read_hints(const Json& document, AnswerSheet& out) {
  const Json* const hints = object_of(document, "hints", out);
  if (hints == nullptr) return;
  for (const auto& [id, value] : hints->items()) {
    constexpr double kMost = 1000;
    const double used = value.is_number() ? value.get<double>() : -1;
    if (used >= 0) {
      out.hints[id] = static_cast<int>(std::ceil(std::min(used, kMost)));
    } else if (!value.is_null()) {
      out.unknown.push_back(in_quotes(id) + " in \"hints\": expected how many were used, not " +
                            short_text(value.dump(-1, ' ', false, Json::error_handler_t::replace)));
    }
  }
}

/// Saving would drop one of the two without a word.
std::string doubled_fault(const fs::path& file, const std::string& path) {
  return file.string() + ": " + in_quotes(path) + " stands twice; keep one of the two, then go on";
}

void save_member(const fs::path& file, const char* member, const std::string& id,
                 const Json& value) {
  HandWritten read = parse_answers(file);
  if (!read.doubled.empty()) throw InputError(doubled_fault(file, read.doubled.front()));
  Json& document = read.document;
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
  if (!fs::exists(status)) {
    const bool is_link = fs::is_symlink(fs::symlink_status(file, error));
    throw InputError(file.string() +
                     (is_link ? ": a link to a file that is not there" : ": no such file"));
  }
  if (!fs::is_regular_file(status)) {
    const char* const not_a = fs::is_directory(status) ? ", not a folder"
                              : fs::is_symlink(status) ? ", not a link"
                                                       : "";
    throw InputError(file.string() + ": expected a plain file" + not_a);
  }
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

bool AnswerSheet::anything_given() const {
  const auto given = [](const auto& entry) { return !entry.second.empty(); };
  return std::any_of(answers.begin(), answers.end(), given) ||
         std::any_of(predictions.begin(), predictions.end(), given) || !faults.empty() ||
         !unknown.empty();
}

fs::path answers_file(std::string_view chapter) {
  return workbook_root() / "answers" / (std::string(chapter) + ".json");
}

std::string empty_answers(const QuestionSheet& sheet, const std::string& student) {
  Json document{{"schema", kAnswersSchema},  {"chapter", sheet.chapter},
                {"student", student},        {"trace", ""},
                {"answers", Json::object()}, {"predictions", Json::object()},
                {"hints", Json::object()}};
  for (const Question& question : sheet.questions) {
    document["answers"][question.id] = "";
    if (question.predict) document["predictions"][question.id] = "";
    document["hints"][question.id] = 0;
  }
  return text_of(document);
}

bool start_answers(const QuestionSheet& sheet, const fs::path& file) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(file, error))) return false;
  write_file(file, empty_answers(sheet));
  return true;
}

AnswerSheet read_answers(const fs::path& file, const QuestionSheet& sheet) {
  AnswerSheet out;
  out.file = file;
  const HandWritten read = parse_or_mend(file, sheet, out);
  const Json& document = read.document;
  const std::string chapter = text_or_number(document, "chapter", out);
  const std::string where = file.string() + ": expected ";
  if (chapter != sheet.chapter) {
    throw InputError(where + R"("chapter": ")" + sheet.chapter + "\", not " + in_quotes(chapter) +
                     " (another chapter's answers?)");
  }
  const auto answers = document.find("answers");
  if (answers == document.end() || !answers->is_object()) {
    throw InputError(where + R"(an object "answers": {"question": "answer", …})");
  }
  out.student = text_or_number(document, "student", out);
  out.trace = trimmed(text_or_number(document, "trace", out));
  out.answers = read_texts(*answers, "answers", sheet, out);
  read_predictions(document, sheet, out);
  read_hints(document, out);
  note_doubled(read.doubled, sheet, out);
  return out;
}

std::string known_student(const fs::path& folder) {
  for (const ChapterInfo& chapter : all_chapters()) {
    const fs::path file = folder / (std::string(chapter.stem) + ".json");
    try {
      expect_plain_file(file, kMostAnswerBytes, Links::kRefused);
      AnswerSheet ignored;
      const std::string name = text_or_number(parse_answers(file).document, "student", ignored);
      if (!trimmed(name).empty()) return std::string(trimmed(name));
    } catch (const InputError&) {
      // What is wrong with it is said where it is judged.
    }
  }
  return "";
}

void expect_savable(const fs::path& file) {
  const HandWritten read = parse_answers(file);
  if (!read.doubled.empty()) throw InputError(doubled_fault(file, read.doubled.front()));
}

void save_student(const fs::path& file, const std::string& name) {
  HandWritten read = parse_answers(file);
  if (!read.doubled.empty()) throw InputError(doubled_fault(file, read.doubled.front()));
  read.document["student"] = name;
  write_json(file, read.document);
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
