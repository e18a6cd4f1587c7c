// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/submission.h"

#include <algorithm>

#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/sql_exercise.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// A chapter's files as they are handed in.
struct ChapterFiles {
  std::string chapter;
  std::vector<std::string> attempts;
};

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

std::vector<ChapterFiles> all_files() {
  std::vector<ChapterFiles> out;
  for (const ChapterInfo& chapter : all_chapters()) {
    ChapterFiles& files = out.emplace_back(ChapterFiles{std::string(chapter.stem), {}});
    for (const auto& exercise : chapter_exercises(chapter.stem)) {
      files.attempts.push_back(exercise.file);
    }
    for (const auto& exercise : chapter_code_exercises(chapter.stem)) {
      files.attempts.push_back(exercise.file);
    }
  }
  return out;
}

/// Which of them a folder holds, relative to it.
std::vector<std::string> files_of(const fs::path& folder, const std::vector<ChapterFiles>& all) {
  std::vector<std::string> out;
  const auto add = [&](const fs::path& file) {
    if (!file.empty() && is_there(file)) out.push_back(file.lexically_relative(folder).string());
  };
  for (const ChapterFiles& one : all) {
    add(answers_in(folder, one.chapter));
    for (const std::string& file : one.attempts) add(attempt_in(folder, one.chapter, file));
  }
  return out;
}

/// What lies in a folder, by name; of a huge one, some. No links.
std::vector<fs::path> entries_of(const fs::path& folder, bool folders) {
  constexpr std::size_t kMost = 1'000;
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::file_status status = entry->symlink_status(error);
    if (folders ? fs::is_directory(status) : fs::is_regular_file(status)) {
      out.push_back(entry->path());
    }
    if (out.size() == kMost) break;
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool is_archive(const fs::path& file) {
  const std::string name = folded(file.filename().string());
  const auto ends = [&name](const char* ending) { return name.ends_with(ending); };
  return ends(".zip") || ends(".tar") || ends(".tgz") || ends(".7z") || ends(".rar") ||
         name.find(".tar.") != std::string::npos;
}

/// How many of the folders are submissions.
std::size_t submissions_among(const std::vector<fs::path>& folders) {
  const std::vector<ChapterFiles> all = all_files();
  return static_cast<std::size_t>(
      std::count_if(folders.begin(), folders.end(),
                    [&](const fs::path& one) { return !files_of(one, all).empty(); }));
}

std::vector<fs::path> folders_below(const std::vector<fs::path>& folders) {
  std::vector<fs::path> out;
  for (const fs::path& folder : folders) {
    const std::vector<fs::path> below = entries_of(folder, true);
    out.insert(out.end(), below.begin(), below.end());
  }
  return out;
}

/// What a shell makes the folders of submissions of: "class/*", "class/*/*". "" if there are none.
std::string pattern_of(const fs::path& folder) {
  const std::vector<fs::path> below = entries_of(folder, true);
  if (submissions_among(below) > 0) return (folder / "*").string();
  if (submissions_among(folders_below(below)) > 0) return (folder / "*" / "*").string();
  return "";
}

/// "a, b, c and 4 more".
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t kMost = 3;
  if (names.size() <= kMost + 1) return listed(names, "and");
  const std::string more = std::to_string(names.size() - kMost) + " more";
  names.resize(kMost);
  names.push_back(more);
  return listed(names, "and");
}

}  // namespace

void expect_unlinked(const fs::path& folder, const fs::path& relative, const std::string& what) {
  fs::path path = folder;
  for (const fs::path& part : relative) {
    path /= part;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error))) {
      throw InputError(what + " " + relative.string() + " is a link; hand in the file itself");
    }
  }
}

fs::path answers_in(const fs::path& folder, const std::string& chapter) {
  const std::string name = chapter + ".json";
  const fs::path below = folder / "answers" / name;
  return is_there(below) ? below : folder / name;
}

fs::path attempt_in(const fs::path& folder, const std::string& chapter, const std::string& file) {
  for (const fs::path& place : {folder / "exercises" / chapter, folder / chapter, folder}) {
    if (is_there(place / file)) return place / file;
  }
  return {};
}

fs::path own_trace_in(const fs::path& folder, const std::string& name) {
  if (name.empty()) return {};
  const fs::path relative = fs::path(name).lexically_normal();
  if (relative.is_absolute() || *relative.begin() == "..") {
    throw InputError("the trace " + name +
                     " lies outside the submission; hand it in with the answers");
  }
  expect_unlinked(folder, relative, "the trace");
  fs::path path = folder / relative;
  expect_plain_file(path, kMostTraceBytes, Links::kRefused);
  return path;
}

fs::path code_trace_in(const fs::path& folder, const CodeExercise& exercise) {
  for (const fs::path& place : {folder / "traces" / "exercises", folder}) {
    for (const char* const ending : {".json", ".json.gz"}) {
      fs::path file = place / (exercise.number() + "_" + exercise.name() + ending);
      if (is_there(file)) return file;
    }
  }
  return {};
}

std::string lacks_trace(const fs::path& folder, const CodeExercise& exercise) {
  std::vector<std::string> others;
  for (const fs::path& place : {folder / "traces" / "exercises", folder / "traces", folder}) {
    for (const fs::path& file : entries_of(place, false)) {
      const std::string name = file.filename().string();
      const bool is_named = name.find(exercise.name()) != std::string::npos;
      const bool is_trace = name.find(".json") != std::string::npos;
      if (is_named && is_trace) others.push_back(file.lexically_relative(folder).string());
    }
  }
  return exercise.file + " without its trace " + exercise.number() + "_" + exercise.name() +
         ".json" + (others.empty() ? "" : "; there is " + some_of(others));
}

std::string nothing_handed_in(const fs::path& folder, const std::vector<std::string>& chapters) {
  std::vector<std::string> numbers;
  for (const std::string& chapter : chapters) numbers.push_back(chapter_number(chapter));
  const std::string nothing =
      "nothing handed in" + (numbers.empty() ? "" : " for " + listed(numbers, "and")) + "; ";
  const std::vector<std::string> found = files_of(folder, all_files());
  if (!found.empty()) {
    return nothing + "there is " + some_of(found) + ", untouched or of what does not count here";
  }
  for (const fs::path& file : entries_of(folder, false)) {
    if (is_archive(file)) return nothing + "unpack " + file.string() + " first";
  }
  const std::string pattern = pattern_of(folder);
  if (!pattern.empty()) return nothing + "did you mean " + pattern + "?";
  return nothing + "expected answers/NN_name.json or NN_name.json in " + folder.string();
}

std::string no_folder(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && is_archive(path)) {
    return path.string() + " is no folder; unpack it first";
  }
  return path.string() + " is no folder; expected one with answers/NN_name.json";
}

bool holds_submissions(const fs::path& folder) {
  const std::vector<fs::path> below = entries_of(folder, true);
  if (!files_of(folder, all_files()).empty()) return false;
  const std::size_t direct = submissions_among(below);
  return direct > 1 || (direct == 0 && submissions_among(folders_below(below)) > 1);
}

}  // namespace tracebook
