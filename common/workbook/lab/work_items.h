// SPDX-License-Identifier: Apache-2.0
//
// A chapter's exercises of every kind as one list: files that a student changes, each with what it
// was handed out as and with its judge. The questions are no part of it (see questions.h).
//
//   for (const WorkItem& item : chapter_work("03_schedule_tweak")) {
//     const JudgedWork judged = judged_work(item);
//     std::cout << work_outcome_name(judged.outcome) << " " << item.name << "\n";
//   }
//
// Plain values; the functions in them read files and recordings and may be called on any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

enum class WorkOutcome : std::uint8_t {
  kPassed,
  kFailed,
  kNotStarted,
  kNeedsGpu,   ///< nothing is known against it, and only a GPU can tell
  kNotJudged,  ///< this copy of the workbook cannot tell, for instance without the solutions
};

/// "passed", "failed", "not started", "needs a GPU", "not judged".
const char* work_outcome_name(WorkOutcome outcome);

/// Can the student do anything more about it here?
bool is_open_work(WorkOutcome outcome);

struct JudgedWork {
  WorkOutcome outcome = WorkOutcome::kNotStarted;
  std::string says;  ///< why, in a sentence without its full stop; "" for nothing
};

struct WorkItem {
  std::string chapter;  ///< "03_schedule_tweak"
  std::string name;     ///< "covered_offset": what `tracebook hint 03` takes
  std::string kind;     ///< "SQL", "code"
  std::string title;
  std::filesystem::path file;   ///< the student's
  std::filesystem::path trace;  ///< that its program records, and its judge reads; "" for none
  std::vector<std::string> hints;
  /// The file as it was handed out; nothing where this copy cannot tell.
  std::function<std::optional<std::string>()> skeleton;
  /// Judges the file as it stands. Builds and runs nothing.
  std::function<JudgedWork()> judge;
};

/// The chapter's, in the order in which they are listed. InputError if a list is broken.
std::vector<WorkItem> chapter_work(const std::string& chapter);

/// Is there nothing of the file's name?
bool is_missing(const WorkItem& item);

/// The item's file as it stands. A file that is not there, is too large, or cannot be read is a
/// failed one; so is one whose recordings cannot be read.
JudgedWork judged_work(const WorkItem& item);

}  // namespace tracebook
