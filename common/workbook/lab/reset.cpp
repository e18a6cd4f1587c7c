// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/reset.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/questions.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/work_items.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// More than any exercise has; what is larger was put there by mistake, and is not for us to copy.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{16} << 20;

/// Its bytes, or nothing if there is no file. InputError for anything else of this name.
std::optional<std::string> bytes_of(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return std::nullopt;
  expect_plain_file(file, kMostBytes);
  return read_file(file);
}

bool holds_work(const AnswerSheet& answers) {
  return answers.anything_given() || !answers.trace.empty() ||
         std::any_of(answers.hints.begin(), answers.hints.end(),
                     [](const auto& hint) { return hint.second > 0; });
}

void plan_answers(const QuestionSheet& sheet, const fs::path& file, ResetPlan& plan) {
  std::optional<std::string> before = bytes_of(file);
  if (!before) return;
  std::string student;
  try {
    const AnswerSheet answers = read_answers(file, sheet);
    if (!holds_work(answers)) return;
    student = answers.student;
  } catch (const InputError&) {
    // Broken answers are set aside as they are.
  }
  plan.files.push_back({file, std::move(before), empty_answers(sheet, student)});
}

/// A new folder; none that is there is ever taken.
fs::path make_kept_folder(const ResetPlan& plan, const std::string& stamp) {
  std::error_code error;
  fs::create_directories(plan.kept_folder, error);
  const fs::path wanted = plan.kept_folder / (plan.chapter + "." + stamp);
  fs::path folder = wanted;
  for (int number = 2; !error && number < 1000; ++number) {
    if (fs::create_directory(folder, error)) return folder;
    folder = wanted.string() + "." + std::to_string(number);
  }
  throw InputError(wanted.string() + ": cannot make this folder for the copies" +
                   (error ? " (" + error.message() + ")" : "") + "; nothing was changed");
}

fs::path keep_copies(const ResetPlan& plan, const std::string& stamp) {
  fs::path folder = make_kept_folder(plan, stamp);
  try {
    for (const ResetPlan::File& file : plan.files) {
      if (!file.before) continue;
      const fs::path copy = folder / file.path.filename();
      write_file(copy, *file.before);
      if (read_file(copy) != *file.before) throw InputError(copy.string() + ": the copy differs");
    }
  } catch (const InputError& fault) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    throw InputError(std::string(fault.what()) + "; nothing was changed");
  }
  return folder;
}

/// As it was before, as far as the file system lets us.
void put_back(const ResetPlan::File& file) {
  if (file.before) {
    write_file(file.path, *file.before);
    return;
  }
  std::error_code ignored;
  fs::remove(file.path, ignored);
}

}  // namespace

bool ResetPlan::keeps_copies() const {
  return std::any_of(files.begin(), files.end(),
                     [](const File& file) { return file.before.has_value(); });
}

void ResetPlan::keep_only_missing() {
  files.erase(std::remove_if(files.begin(), files.end(),
                             [](const File& file) { return file.before.has_value(); }),
              files.end());
}

ResetPlan plan_reset(const std::string& chapter, const fs::path& answers) {
  ResetPlan plan;
  plan.chapter = chapter;
  plan.kept_folder = answers.parent_path() / "kept";
  std::error_code error;
  if (fs::exists(questions_file(chapter), error)) {
    plan_answers(chapter_questions(chapter), answers, plan);
  }
  for (const WorkItem& item : chapter_work(chapter)) {
    std::optional<std::string> before = bytes_of(item.file);
    const std::optional<std::string> original = item.skeleton();
    if (!original) {
      plan.left.push_back(shown_path(item.file) +
                          " stays as it is: this copy does not hold what it was handed out as");
      continue;
    }
    if (before != original) plan.files.push_back({item.file, std::move(before), *original});
  }
  return plan;
}

fs::path reset_chapter(const ResetPlan& plan, const std::string& stamp) {
  const bool any = plan.keeps_copies();
  fs::path folder = any ? keep_copies(plan, stamp) : fs::path();
  std::size_t changed = 0;
  try {
    for (; changed < plan.files.size(); ++changed) {
      write_file(plan.files[changed].path, plan.files[changed].after);
    }
  } catch (const InputError& fault) {
    try {
      for (std::size_t i = 0; i < changed; ++i) put_back(plan.files[i]);
    } catch (const InputError& second) {
      throw InputError(std::string(fault.what()) + "; and " + second.what() +
                       "; the copies are in " + folder.string());
    }
    std::error_code ignored;
    if (any) fs::remove_all(folder, ignored);
    throw InputError(std::string(fault.what()) + "; everything is as it was");
  }
  return folder;
}

std::string utc_stamp() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return {text, size};
}

}  // namespace tracebook
