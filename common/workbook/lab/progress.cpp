// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/progress.h"

#include <algorithm>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/variants.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// A dangling link is there too: it cannot be read, and the student should know.
bool is_something_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

std::optional<std::string> text_of(const fs::path& file) {
  try {
    expect_plain_file(file);
    return read_file(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::size_t ChapterProgress::count(AnswerOutcome outcome) const {
  return static_cast<std::size_t>(
      std::count_if(questions.begin(), questions.end(),
                    [outcome](const auto& one) { return one.judged.outcome == outcome; }));
}

std::size_t ChapterProgress::count(WorkOutcome outcome) const {
  return static_cast<std::size_t>(
      std::count_if(work.begin(), work.end(),
                    [outcome](const auto& one) { return one.judged.outcome == outcome; }));
}

std::size_t ChapterProgress::wrong() const {
  return count(AnswerOutcome::kWrong) + count(AnswerOutcome::kInvalid) +
         count(WorkOutcome::kFailed);
}

std::size_t ChapterProgress::done() const {
  return count(AnswerOutcome::kRight) + count(AnswerOutcome::kNoted) + count(WorkOutcome::kPassed);
}

bool ChapterProgress::is_open() const {
  return !broken.empty() || !faults.empty() ||
         std::any_of(questions.begin(), questions.end(),
                     [](const auto& one) { return !is_done(one.judged.outcome); }) ||
         std::any_of(work.begin(), work.end(),
                     [](const WorkProgress& one) { return is_open_work(one.judged.outcome); });
}

int ChapterProgress::exit_code() const {
  if (!broken.empty()) return static_cast<int>(ExitCode::kBadInput);
  if (wrong() > 0 || !faults.empty()) return static_cast<int>(ExitCode::kMissed);
  if (done() < all() || count(AnswerOutcome::kNoted) > 0)
    return static_cast<int>(ExitCode::kCannotJudge);
  return static_cast<int>(ExitCode::kGood);
}

int progress_exit_code(const std::vector<ChapterProgress>& chapters) {
  for (const ExitCode worst : {ExitCode::kBadInput, ExitCode::kMissed, ExitCode::kCannotJudge}) {
    const int code = static_cast<int>(worst);
    if (std::any_of(chapters.begin(), chapters.end(),
                    [code](const ChapterProgress& one) { return one.exit_code() == code; })) {
      return code;
    }
  }
  return static_cast<int>(ExitCode::kGood);
}

ProgressReader::ProgressReader(fs::path answers_folder, TellJudging tell)
    : folder_(std::move(answers_folder)), tell_(std::move(tell)) {}

void ProgressReader::judge_answers(const QuestionSheet& sheet, ChapterProgress& progress) {
  AnswerSheet answers;
  try {
    answers = read_answers(progress.answers, sheet);
  } catch (const Error& fault) {
    progress.begun = true;
    progress.broken = with_shown_path(fault.what(), progress.answers);
    return;
  }
  progress.begun = answers.anything_given();
  fs::path own;
  std::string own_fault;
  if (!answers.trace.empty()) {
    own = workbook_root() / answers.trace;
    progress.files.push_back(own);
    std::error_code error;
    if (!fs::exists(own, error)) {
      own_fault = own.string() + ": no such trace; expected a trace of yours, or \"\"";
      own.clear();
    }
  }
  if (const std::string seed = class_seed(); !seed.empty()) {
    const std::string student = answers.student.empty() ? known_student(folder_) : answers.student;
    keys_.choose(seed, student);
    if (student.empty() && progress.begun) {
      progress.faults.emplace_back(
          R"("student": expected your name, by which this class's recordings are chosen)");
    }
  }
  find_traces(sheet, own, progress);
  const JudgedSheet judged = judge_sheet(sheet, answers, keys_, own, own_fault);
  // It may have been recorded anew by the next time.
  if (!own.empty()) keys_.forget(own);
  for (std::size_t i = 0; i < judged.answers.size(); ++i) {
    progress.questions[i].judged = judged.answers[i];
    progress.questions[i].hints_used = answers.hints_used(judged.answers[i].id);
  }
  progress.faults.insert(progress.faults.end(), judged.faults.begin(), judged.faults.end());
}

void ProgressReader::find_traces(const QuestionSheet& sheet, const fs::path& own,
                                 ChapterProgress& progress) {
  for (QuestionProgress& one : progress.questions) {
    try {
      one.trace = keys_.trace_of(sheet, one.question, own);
    } catch (const Error&) {
      // A recording that is not there: judging an answer tells it.
    }
  }
}

void ProgressReader::read_questions(ChapterProgress& progress) {
  std::error_code error;
  if (!fs::exists(questions_file(progress.chapter), error)) return;
  const QuestionSheet sheet = chapter_questions(progress.chapter);
  for (const Question& question : sheet.questions) {
    progress.questions.push_back(
        {{question.id, AnswerOutcome::kUnanswered, "", ""}, question.prompt, 0, question});
  }
  progress.files.push_back(progress.answers);
  if (is_something_there(progress.answers)) {
    judge_answers(sheet, progress);
  } else if (class_seed().empty()) {
    find_traces(sheet, "", progress);
  }
}

JudgedWork ProgressReader::judge(const WorkItem& item) const {
  if (tell_) tell_(&item);
  JudgedWork judged = judged_work(item);
  if (tell_) tell_(nullptr);
  return judged;
}

void ProgressReader::read_work(ChapterProgress& progress) {
  for (const WorkItem& item : chapter_work(progress.chapter)) {
    progress.files.push_back(item.file);
    if (!item.trace.empty()) {
      // Its judgement may change while its text does not.
      progress.files.push_back(item.trace);
      progress.work.push_back({item, judge(item)});
      continue;
    }
    auto& [text, judged] = judged_[item.file];
    const std::optional<std::string> now = text_of(item.file);
    if (!now || now != text) judged = judge(item);
    text = now;
    progress.work.push_back({item, judged});
  }
}

ChapterProgress ProgressReader::chapter(const ChapterInfo& info) {
  ChapterProgress progress;
  progress.chapter = info.stem;
  progress.number = info.number();
  progress.title = info.title;
  progress.answers = folder_ / (info.stem + ".json");
  try {
    read_questions(progress);
  } catch (const Error& fault) {
    progress.faults.emplace_back(fault.what());
  }
  try {
    read_work(progress);
  } catch (const Error& fault) {
    progress.faults.emplace_back(fault.what());
  }
  return progress;
}

std::vector<ChapterProgress> ProgressReader::workbook() {
  std::vector<ChapterProgress> out;
  for (const ChapterInfo& info : all_chapters()) out.push_back(chapter(info));
  return out;
}

}  // namespace tracebook
