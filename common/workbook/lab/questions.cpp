// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/questions.h"

#include <algorithm>

#include "common/trace/error.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/quantity.h"
#include "common/workbook/lab/tool_name.h"
#include "common/workbook/lab/words.h"
#include "common/workbook/paths.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr int kQuestionsSchema = 1;
constexpr const char* kMembers[] = {"id",        "prompt",    "kind",   "unit",
                                    "tolerance", "choices",   "sql",    "hints",
                                    "mistakes",  "recording", "predict"};

QuestionKind kind_of(const std::string& name, const std::string& where) {
  if (name == "number") return QuestionKind::kNumber;
  if (name == "choice") return QuestionKind::kChoice;
  if (name == "event") return QuestionKind::kEvent;
  if (name == "text") return QuestionKind::kText;
  throw InputError(where + R"(: "kind" is number, choice, event or text, not ")" + name + '"');
}

std::vector<std::string> texts(const Json& object, const char* key, const std::string& where) {
  std::vector<std::string> out;
  if (!object.contains(key)) return out;
  const auto bad = [&] {
    return InputError(where + ": \"" + key + "\" must be an array of texts");
  };
  if (!object.at(key).is_array()) throw bad();
  for (const Json& item : object.at(key)) {
    if (!item.is_string() || item.get_ref<const std::string&>().empty()) throw bad();
    out.push_back(item.get<std::string>());
  }
  return out;
}

void read_tolerance(const Json& object, const std::string& where, Question& question) {
  if (!object.contains("tolerance")) return;
  const Json& tolerance = object.at("tolerance");
  const auto bad = [&] {
    return InputError(where +
                      R"(: "tolerance" takes numbers "relative" and "absolute", both >= 0)");
  };
  if (!tolerance.is_object()) throw bad();
  for (const auto& [key, value] : tolerance.items()) {
    const bool known = key == "relative" || key == "absolute";
    if (!known || !value.is_number() || value.get<double>() < 0) throw bad();
    double& member = key == "relative" ? question.relative_tolerance : question.absolute_tolerance;
    member = value.get<double>();
  }
}

void read_mistakes(const Json& object, const std::string& where, Question& question) {
  if (!object.contains("mistakes")) return;
  if (!object.at("mistakes").is_array()) {
    throw InputError(where + ": \"mistakes\" must be an array of objects with sql and says");
  }
  for (const Json& mistake : object.at("mistakes")) {
    const std::string place = where + ", mistake " + std::to_string(question.mistakes.size() + 1);
    question.mistakes.push_back(
        {text_member(mistake, "sql", place), text_member(mistake, "says", place)});
  }
}

/// What the members must be together.
void check_question(const Json& object, const std::string& where, const Question& question) {
  const bool number = question.kind == QuestionKind::kNumber;
  if (!number && (object.contains("unit") || object.contains("tolerance"))) {
    throw InputError(where + ": \"unit\" and \"tolerance\" are for numbers");
  }
  if (!is_known_unit(question.unit)) {
    throw InputError(where + ": unknown unit \"" + question.unit + '"');
  }
  const bool choice = question.kind == QuestionKind::kChoice;
  if (choice != (question.choices.size() >= 2)) {
    throw InputError(where + ": a choice, and only a choice, has at least two \"choices\"");
  }
}

/// What a handout's question must not have.
void expect_no_queries(const Json& object, const std::string& where) {
  if (object.contains("sql") || object.contains("mistakes")) {
    throw InputError(where +
                     ": the sheet says \"handout\": true, so no question of it may have "
                     "\"sql\" or \"mistakes\"");
  }
}

Question read_question(const Json& object, const std::string& where, bool handout) {
  Question question;
  question.id = text_member(object, "id", where);
  const std::string named = where + " (" + question.id + ")";
  for (const auto& [key, value] : object.items()) {
    if (std::find(std::begin(kMembers), std::end(kMembers), key) == std::end(kMembers)) {
      throw InputError(named + ": unknown member \"" + key + '"');
    }
  }
  question.prompt = text_member(object, "prompt", named);
  question.kind = kind_of(text_member(object, "kind", named), named);
  question.unit = optional_text(object, "unit", named);
  question.choices = texts(object, "choices", named);
  if (handout) {
    expect_no_queries(object, named);
  } else {
    question.sql = text_member(object, "sql", named);
  }
  question.hints = texts(object, "hints", named);
  question.recording = optional_text(object, "recording", named);
  if (object.contains("predict")) {
    if (!object.at("predict").is_boolean()) {
      throw InputError(named + ": \"predict\" must be true or false");
    }
    question.predict = object.at("predict").get<bool>();
  }
  read_tolerance(object, named, question);
  read_mistakes(object, named, question);
  check_question(object, named, question);
  return question;
}

}  // namespace

const Question* QuestionSheet::find(std::string_view id) const {
  const auto found = std::find_if(questions.begin(), questions.end(),
                                  [id](const Question& question) { return question.id == id; });
  return found == questions.end() ? nullptr : &*found;
}

QuestionSheet read_questions(const fs::path& file) {
  const Json document = parse_json_file(file, kQuestionsSchema);
  QuestionSheet sheet;
  sheet.file = file;
  sheet.chapter = text_member(document, "chapter", file.string());
  sheet.recording = text_member(document, "recording", file.string());
  if (document.contains("handout")) {
    if (!document.at("handout").is_boolean()) {
      throw InputError(file.string() + ": \"handout\" must be true or false");
    }
    sheet.handout = document.at("handout").get<bool>();
  }
  const auto list = document.find("questions");
  if (list == document.end() || !list->is_array() || list->empty()) {
    throw InputError(file.string() + ": expected an array \"questions\" with at least one");
  }
  for (const Json& object : *list) {
    const std::string where =
        file.string() + ": question " + std::to_string(sheet.questions.size() + 1);
    Question question = read_question(object, where, sheet.handout);
    if (sheet.find(question.id) != nullptr) {
      throw InputError(where + ": a second question with the id " + question.id);
    }
    sheet.questions.push_back(std::move(question));
  }
  return sheet;
}

std::string handout_sheet(const fs::path& file) {
  if (read_questions(file).handout) {
    throw InputError(file.string() + " is a handout's already; expected a sheet with its queries");
  }
  const Json document = parse_json_file(file, kQuestionsSchema);
  Json out;
  for (const auto& [key, value] : document.items()) {
    // Said before the questions, where a reader of the file sees it.
    if (key == "questions") out["handout"] = true;
    out[key] = value;
  }
  for (Json& question : out["questions"]) {
    question.erase("sql");
    question.erase("mistakes");
  }
  return out.dump(2) + "\n";
}

fs::path questions_file(std::string_view chapter) {
  return workbook_root() / "exercises" / chapter / "questions.json";
}

QuestionSheet chapter_questions(std::string_view chapter) {
  const fs::path file = questions_file(chapter);
  std::error_code error;
  if (!fs::exists(file, error)) {
    throw CannotJudge(std::string(chapter) + " has no questions yet; `" + tool_name() +
                      " chapters` lists the chapters");
  }
  QuestionSheet sheet = read_questions(file);
  if (sheet.chapter != chapter) {
    throw InputError(file.string() + R"(: expected "chapter": ")" + std::string(chapter) + '"');
  }
  return sheet;
}

fs::path recording_file(const std::string& chapter, const std::string& recording,
                        const std::string& where) {
  if (recording.starts_with("planted/")) {
    return workbook_root() / "expected" / (recording + ".json.gz");
  }
  const bool foreign = std::count(recording.begin(), recording.end(), '/') == 2;
  const std::size_t slash = foreign ? recording.find('/') : 0;
  const std::string owner = foreign ? recording.substr(0, slash) : chapter;
  const std::string name = foreign ? recording.substr(slash + 1) : recording;
  const Manifest manifest = read_manifest(workbook_root() / "expected" / owner);
  std::vector<std::string> labels;
  for (const Recording& there : manifest.recordings) {
    if (there.label() == name || there.label() == "h200/" + name) return there.path;
    labels.push_back(there.label());
  }
  throw InputError(where + ": " + owner + " has no recording \"" + name + "\"; there are " +
                   listed(labels, "and"));
}

}  // namespace tracebook
