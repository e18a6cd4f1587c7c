// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/grade.h"

#include <algorithm>

#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// Reading more would take the others' time.
constexpr std::uintmax_t kMostTraceBytes = std::uintmax_t{256} << 20;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// The trace that the answers name, in the student's folder; "" for none.
fs::path trace_in(const fs::path& folder, const std::string& name) {
  if (name.empty()) return {};
  const fs::path relative = fs::path(name).lexically_normal();
  if (relative.is_absolute() || *relative.begin() == "..") {
    throw InputError("the trace " + name +
                     " lies outside the submission; hand it in with the "
                     "answers");
  }
  // No link on the way may lead out.
  fs::path path = folder;
  for (const fs::path& part : relative) {
    path /= part;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error))) {
      throw InputError("the trace " + name + " is a link; hand in the file itself");
    }
  }
  expect_plain_file(path, kMostTraceBytes, Links::kRefused);
  return path;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

double points_after(int hints) { return std::max(0.25, 1.0 - 0.25 * std::max(0, hints)); }

Grader::Grader() {
  for (const ChapterInfo& chapter : all_chapters()) {
    std::error_code error;
    if (fs::exists(questions_file(chapter.stem), error)) {
      sheets_.push_back(chapter_questions(chapter.stem));
    }
  }
}

GradedChapter Grader::grade_chapter(const QuestionSheet& sheet, const fs::path& folder,
                                    std::string& student) {
  GradedChapter out;
  out.chapter = sheet.chapter;
  out.of = static_cast<double>(sheet.questions.size());
  const std::string name = sheet.chapter + ".json";
  const fs::path below = folder / "answers" / name;
  const fs::path file = is_there(below) ? below : folder / name;
  out.handed_in = is_there(file);
  if (!out.handed_in) return out;
  fs::path own;
  try {
    expect_plain_file(file, kMostAnswerBytes, Links::kRefused);
    const AnswerSheet answers = read_answers(file, sheet);
    if (student.empty()) student = one_line(answers.student);
    std::string own_fault;
    try {
      own = trace_in(folder, answers.trace);
    } catch (const InputError& error) {
      own_fault = error.what();
    }
    const JudgedSheet judged = judge_sheet(sheet, answers, keys_, own, own_fault);
    for (const JudgedAnswer& answer : judged.answers) {
      GradedAnswer graded{answer.id, answer.outcome, answer.says, answers.hints_used(answer.id), 0};
      if (answer.outcome == AnswerOutcome::kRight) graded.points = points_after(graded.hints);
      out.points += graded.points;
      out.hints += graded.hints;
      out.answers.push_back(std::move(graded));
    }
    for (const std::string& fault : judged.faults) {
      out.error += (out.error.empty() ? "" : "; ") + one_line(fault);
    }
  } catch (const std::exception& error) {
    out.answers.clear();
    out.points = 0;
    out.hints = 0;
    out.error = one_line(error.what());
  }
  if (!own.empty()) keys_.forget(own);
  return out;
}

GradedStudent Grader::grade(const fs::path& folder) {
  GradedStudent out;
  out.folder = folder.string();
  std::error_code error;
  const bool is_folder = fs::is_directory(folder, error);
  bool any = false;
  for (const QuestionSheet& sheet : sheets_) {
    GradedChapter chapter;
    chapter.chapter = sheet.chapter;
    chapter.of = static_cast<double>(sheet.questions.size());
    if (is_folder) chapter = grade_chapter(sheet, folder, out.name);
    any = any || chapter.handed_in;
    out.points += chapter.points;
    out.of += chapter.of;
    out.hints += chapter.hints;
    const std::string number = chapter.chapter.substr(0, 2);
    if (!chapter.error.empty()) out.faults.push_back(number + ": " + chapter.error);
    for (const GradedAnswer& answer : chapter.answers) {
      if (answer.outcome == AnswerOutcome::kInvalid) {
        out.faults.push_back(number + " " + answer.id + ": " + one_line(answer.says));
      }
    }
    out.chapters.push_back(std::move(chapter));
  }
  if (!is_folder) {
    out.faults.push_back(out.folder + " is no folder; expected one with answers/NN_name.json");
  } else if (!any) {
    out.faults.push_back("no answers; expected answers/NN_name.json or NN_name.json in " +
                         out.folder);
  }
  if (out.name.empty()) {
    const fs::path clean = fs::absolute(folder / "").lexically_normal().parent_path();
    out.name = clean.filename().string();
  }
  return out;
}

std::string gradescope_json(const GradedStudent& student) {
  Json tests = Json::array();
  for (const GradedChapter& chapter : student.chapters) {
    if (chapter.answers.empty()) {
      const std::string why = !chapter.error.empty() ? chapter.error : "not handed in";
      tests.push_back(
          {{"name", chapter.chapter}, {"score", 0.0}, {"max_score", chapter.of}, {"output", why}});
      continue;
    }
    for (const GradedAnswer& answer : chapter.answers) {
      std::string output = outcome_name(answer.outcome);
      if (answer.hints > 0)
        output += ", " + counted(static_cast<std::size_t>(answer.hints), "hint");
      if (!answer.says.empty()) output += ": " + answer.says;
      tests.push_back({{"name", chapter.chapter + " " + answer.id},
                       {"score", answer.points},
                       {"max_score", 1.0},
                       {"output", output}});
    }
  }
  std::string output = "Hints used: " + std::to_string(student.hints);
  for (const std::string& fault : student.faults) output += "\n" + fault;
  const Json document{{"score", student.points}, {"output", output}, {"tests", tests}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tracebook
