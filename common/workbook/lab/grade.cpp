// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/grade.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/submission.h"
#include "common/workbook/lab/variants.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// A right query takes milliseconds; thirty endless ones must not take the evening.
constexpr std::chrono::milliseconds kAttemptTimeLimit{2'000};

ItemState state_of(const JudgedExercise& judged) {
  switch (judged.outcome) {
    case ExerciseOutcome::kPassed:
      return ItemState::kEarned;
    case ExerciseOutcome::kFailed:
      return judged.runs ? ItemState::kMissed : ItemState::kFaulty;
    case ExerciseOutcome::kNotStarted:
    case ExerciseOutcome::kNeedsGpu:
      break;
  }
  return ItemState::kOpen;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

/// Longer ones are no names, and would be the whole table.
std::string short_name(const std::string& name) {
  constexpr std::size_t kLongestName = 100;
  return one_line(name.size() <= kLongestName ? name : name.substr(0, kLongestName) + "...");
}

/// A trace of the student's that can be read, but is of something else, costs points: the fault
/// says so.
void note_no_answers(const QuestionSheet& sheet, const JudgedSheet& judged,
                     const std::string& trace, GradedStudent& row) {
  std::vector<std::string> ids;
  for (const JudgedAnswer& answer : judged.answers) {
    if (answer.outcome == AnswerOutcome::kNoAnswer) ids.push_back(answer.id);
  }
  if (ids.empty()) return;
  row.faults.push_back(chapter_number(sheet.chapter) + ": the trace " +
                       (trace.empty() ? sheet.recording : short_name(trace)) +
                       " holds no answer to " + listed(ids, "and"));
}

bool same_bytes(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::file_size(a, error) == fs::file_size(b, error) && read_file(a) == read_file(b);
}

ItemState state_of(AnswerOutcome outcome) {
  switch (outcome) {
    case AnswerOutcome::kRight:
      return ItemState::kEarned;
    case AnswerOutcome::kWrong:
      return ItemState::kMissed;
    case AnswerOutcome::kInvalid:
      return ItemState::kFaulty;
    case AnswerOutcome::kUnanswered:
    case AnswerOutcome::kNoAnswer:
    case AnswerOutcome::kNoted:
      break;
  }
  return ItemState::kOpen;
}

}  // namespace

double points_after(int hints) { return std::max(0.25, 1.0 - 0.25 * std::max(0, hints)); }

double sheet_points(const JudgedSheet& judged, const AnswerSheet& answers) {
  double points = 0;
  for (const JudgedAnswer& answer : judged.answers) {
    if (answer.outcome == AnswerOutcome::kRight) {
      points += points_after(answers.hints_used(answer.id));
    }
  }
  return points;
}

std::string points_text(double points) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2f", points);
  std::string out = buffer;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

Grader::Grader(GradeOptions options) : options_(std::move(options)) {
  const std::vector<std::string>& wanted = options_.chapters;
  for (const ChapterInfo& chapter : all_chapters()) {
    std::error_code error;
    const bool counts =
        wanted.empty() || std::find(wanted.begin(), wanted.end(), chapter.stem) != wanted.end();
    if (!counts || !fs::exists(questions_file(chapter.stem), error)) continue;
    sheets_.push_back(chapter_questions(chapter.stem));
    exercises_.push_back(chapter_exercises(chapter.stem));
    code_.push_back(options_.code ? chapter_code_exercises(chapter.stem)
                                  : std::vector<CodeExercise>());
    const bool whole = std::all_of(exercises_.back().begin(), exercises_.back().end(),
                                   [&error](const SqlExercise& exercise) {
                                     return fs::exists(exercise.solution_file(), error);
                                   });
    if (sheets_.back().handout || !whole) {
      throw CannotJudge(
          "this copy is a handout, without queries or solutions to grade by; grade in the copy "
          "from which `make handout` made it");
    }
  }
}

void Grader::remark_copied(const QuestionSheet& sheet, const JudgedAnswer& answer, bool on_own,
                           GradedStudent& row) {
  const Question& question = *sheet.find(answer.id);
  const bool reads_own = on_own && question.recording.empty();
  if (options_.seed.empty() || question.kind != QuestionKind::kNumber || reads_own) return;
  const std::string& name = question.recording.empty() ? sheet.recording : question.recording;
  const fs::path chosen = keys_.recording_of(sheet, name);
  for (const fs::path& file : keys_.recordings_of(sheet, name)) {
    if (file == chosen) continue;
    const AnswerKey& key = keys_.key(sheet, question, file);
    if (judge_answer(question, answer.given, key).outcome != AnswerOutcome::kRight) continue;
    row.remarks.push_back(chapter_number(sheet.chapter) + " " + answer.id +
                          ": wrong, but right on " + file.parent_path().filename().string() +
                          ", a recording that other students of the class have");
    return;
  }
}

void Grader::grade_answers(const QuestionSheet& sheet, const AnswerSheet& answers,
                           const fs::path& folder, GradedStudent& row, GradedChapter& out) {
  const std::string own_name = short_name(std::string(trimmed(answers.student)));
  const std::string& name = own_name.empty() ? row.name : own_name;
  if (row.name.empty()) row.name = own_name;
  if (student_key(name) != student_key(row.name)) {
    row.remarks.push_back(chapter_number(sheet.chapter) + ": these answers are " + name +
                          "'s by their \"student\", others " + row.name + "'s");
  }
  if (!options_.seed.empty() && name.empty()) {
    throw InputError(
        R"(expected a name behind "student": by it the class's recordings are chosen)");
  }
  keys_.choose(options_.seed, name);
  fs::path own;
  std::string own_fault;
  try {
    own = own_trace_in(folder, answers.trace);
  } catch (const InputError& error) {
    own_fault = error.what();
  }
  if (!options_.seed.empty() && !own.empty()) {
    for (const fs::path& file : keys_.recordings_of(sheet, sheet.recording)) {
      if (!same_bytes(own, file)) continue;
      row.remarks.push_back(chapter_number(sheet.chapter) + ": the trace " + answers.trace +
                            " is " + file.parent_path().filename().string() +
                            "'s recording, not the student's own");
    }
  }
  JudgedSheet judged;
  try {
    judged = judge_sheet(sheet, answers, keys_, own, own_fault);
    for (const JudgedAnswer& answer : judged.answers) {
      if (answer.outcome == AnswerOutcome::kWrong) {
        remark_copied(sheet, answer, !own.empty(), row);
      }
    }
  } catch (const std::exception&) {
    if (!own.empty()) keys_.forget(own);
    throw;
  }
  if (!own.empty()) keys_.forget(own);
  for (std::size_t i = 0; i < judged.answers.size(); ++i) {
    const JudgedAnswer& answer = judged.answers[i];
    GradedItem& item = out.items[i];
    item.outcome = outcome_name(answer.outcome);
    item.state = state_of(answer.outcome);
    item.says = answer.says;
    if (item.state == ItemState::kFaulty) {
      row.faults.push_back(chapter_number(sheet.chapter) + " " + item.id + ": " +
                           one_line(item.says));
    }
  }
  note_no_answers(sheet, judged, answers.trace, row);
  for (const std::string& fault : judged.faults) {
    out.error += (out.error.empty() ? "" : "; ") + one_line(fault);
  }
}

void Grader::grade_exercise(const SqlExercise& exercise, const fs::path& folder, GradedItem& item) {
  const fs::path file = attempt_in(folder, exercise.chapter, exercise.file);
  if (file.empty()) return;
  try {
    expect_unlinked(folder, file.lexically_relative(folder), "the query");
    expect_plain_file(file, kMostAnswerBytes, Links::kRefused);
    const JudgedExercise judged =
        judge_exercise(exercise, read_file(file), recordings_, kAttemptTimeLimit);
    item.says = judged.says;
    item.outcome = outcome_name(judged.outcome);
    item.state = state_of(judged);
  } catch (const std::exception& error) {
    item.state = ItemState::kFaulty;
    item.outcome = "invalid";
    item.says = error.what();
  }
}

void Grader::grade_code_exercise(const CodeExercise& exercise, const fs::path& folder,
                                 GradedItem& item) {
  const fs::path file = attempt_in(folder, exercise.chapter, exercise.file);
  if (file.empty()) return;
  try {
    expect_unlinked(folder, file.lexically_relative(folder), "the program");
    expect_plain_file(file, kMostAnswerBytes, Links::kRefused);
    if (is_untouched(exercise, read_file(file))) {
      item.outcome = outcome_name(ExerciseOutcome::kNotStarted);
      return;
    }
    const fs::path trace = code_trace_in(folder, exercise);
    if (trace.empty()) {
      item.outcome = "no trace";
      item.state = ItemState::kFaulty;
      item.says = lacks_trace(folder, exercise);
      return;
    }
    expect_unlinked(folder, trace.lexically_relative(folder), "the trace");
    expect_plain_file(trace, kMostTraceBytes, Links::kRefused);
    const JudgedExercise judged = judge_code_exercise(exercise, {.file = file, .trace = trace});
    item.says = judged.says;
    item.outcome = outcome_name(judged.outcome);
    item.state = state_of(judged);
  } catch (const std::exception& error) {
    item.state = ItemState::kFaulty;
    item.outcome = "invalid";
    item.says = error.what();
  }
}

GradedChapter Grader::grade_chapter(const QuestionSheet& sheet, const fs::path& folder,
                                    GradedStudent& row) {
  GradedChapter out;
  out.chapter = sheet.chapter;
  for (const Question& question : sheet.questions) out.items.push_back({.id = question.id});
  const std::size_t questions = out.items.size();
  const std::vector<SqlExercise>& exercises =
      exercises_[static_cast<std::size_t>(&sheet - sheets_.data())];
  for (const SqlExercise& exercise : exercises) {
    out.items.push_back({.id = exercise.name(), .of = kExercisePoints});
  }
  const std::vector<CodeExercise>& code = code_[static_cast<std::size_t>(&sheet - sheets_.data())];
  for (const CodeExercise& exercise : code) {
    out.items.push_back({.id = exercise.name(), .of = kCodeExercisePoints});
  }
  for (const GradedItem& item : out.items) out.of += item.of;
  if (!row.is_folder) return out;

  const auto faults_before = static_cast<std::ptrdiff_t>(row.faults.size());
  const fs::path file = answers_in(folder, sheet.chapter);
  std::error_code ignored;
  out.handed_in = fs::exists(fs::symlink_status(file, ignored));
  if (out.handed_in) {
    try {
      expect_plain_file(file, kMostAnswerBytes, Links::kRefused);
      const AnswerSheet answers = read_answers(file, sheet);
      for (GradedItem& item : out.items) item.hints = answers.hints_used(item.id);
      grade_answers(sheet, answers, folder, row, out);
    } catch (const std::exception& error) {
      out.error = one_line(error.what());
      for (std::size_t i = 0; i < questions; ++i) {
        out.items[i].state = ItemState::kFaulty;
        out.items[i].outcome = "not judged";
        out.items[i].says = out.error;
      }
    }
  }
  if (!out.error.empty()) {
    row.faults.insert(row.faults.begin() + faults_before,
                      chapter_number(out.chapter) + ": " + out.error);
  }
  for (std::size_t i = questions; i < out.items.size(); ++i) {
    GradedItem& item = out.items[i];
    const std::size_t number = i - questions;
    if (number < exercises.size()) {
      grade_exercise(exercises[number], folder, item);
    } else {
      grade_code_exercise(code[number - exercises.size()], folder, item);
    }
    out.handed_in = out.handed_in || item.state != ItemState::kOpen;
    if (item.state == ItemState::kFaulty) {
      row.faults.push_back(chapter_number(out.chapter) + " " + item.id + ": " +
                           one_line(item.says));
    }
  }
  for (GradedItem& item : out.items) {
    if (item.state == ItemState::kEarned) item.points = item.of * points_after(item.hints);
    out.points += item.points;
    out.hints += item.hints;
  }
  return out;
}

GradedStudent Grader::grade(const fs::path& folder) {
  GradedStudent out;
  out.folder = folder.string();
  std::error_code error;
  out.is_folder = fs::is_directory(folder, error);
  if (out.is_folder) {
    out.name = known_student(folder / "answers");
    if (out.name.empty()) out.name = known_student(folder);
    out.name = short_name(out.name);
  }
  bool any = false;
  for (const QuestionSheet& sheet : sheets_) {
    GradedChapter chapter = grade_chapter(sheet, folder, out);
    any = any || chapter.handed_in;
    out.points += chapter.points;
    out.of += chapter.of;
    out.hints += chapter.hints;
    out.chapters.push_back(std::move(chapter));
  }
  if (!out.is_folder) {
    out.faults.push_back(no_folder(folder));
  } else if (!any) {
    out.faults.push_back(nothing_handed_in(folder, options_.chapters));
    out.is_class = holds_submissions(folder);
  }
  if (out.name.empty()) {
    const fs::path clean = fs::absolute(folder / "").lexically_normal().parent_path();
    out.name = clean.filename().string();
  }
  return out;
}

void remark_same_names(std::vector<GradedStudent>& students) {
  std::map<std::string, std::vector<GradedStudent*>> by_name;
  for (GradedStudent& student : students) by_name[student_key(student.name)].push_back(&student);
  for (const auto& [name, same] : by_name) {
    for (GradedStudent* const student : same) {
      for (const GradedStudent* const other : same) {
        if (other == student) continue;
        student->remarks.push_back("the name " + student->name + " stands in " + other->folder +
                                   " too");
      }
    }
  }
}

}  // namespace tracebook
