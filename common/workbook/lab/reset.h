// SPDX-License-Identifier: Apache-2.0
//
// A chapter begun anew: what the student has changed is copied aside, then the exercises are as
// they were handed out and the answers are empty.
//
//   const ResetPlan plan = plan_reset("03_schedule_tweak", answers_file("03_schedule_tweak"));
//   if (!plan.empty()) std::cout << "kept in " << reset_chapter(plan, utc_stamp());
//
// Either all of it happens or nothing does. One thread, and nobody else at the same files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

struct ResetPlan {
  struct File {
    std::filesystem::path path;
    std::optional<std::string> before;  ///< its bytes now; nothing if it is not there
    std::string after;
  };
  std::string chapter;
  std::filesystem::path kept_folder;  ///< copies go into a new folder in here
  std::vector<File> files;            ///< only those that will change
  std::vector<std::string> left;      ///< sentences on files that stay as they are, and why

  [[nodiscard]] bool empty() const { return files.empty(); }
  /// Is anything there to be copied?
  [[nodiscard]] bool keeps_copies() const;
  /// Leaves only what puts back files that are not there.
  void keep_only_missing();
};

/// What would change: answers with anything in them, and exercise files that are not as they were
/// handed out. The student's name stays in the answers. InputError if a file cannot be read.
ResetPlan plan_reset(const std::string& chapter, const std::filesystem::path& answers);

/// Copies all files that are there into kept_folder/CHAPTER.STAMP (a number behind it where there
/// is one of this name), then changes them. The folder; "" if no file had to be copied. InputError
/// if anything fails: everything is as it was then.
std::filesystem::path reset_chapter(const ResetPlan& plan, const std::string& stamp);

/// "20250131T235959Z": the time now.
std::string utc_stamp();

}  // namespace tracebook
