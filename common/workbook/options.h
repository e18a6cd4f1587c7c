// SPDX-License-Identifier: Apache-2.0
//
// The command line of a chapter's program: the knobs, and what to do with them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/workbook/chapter.h"

namespace tracebook {

enum class RunMode {
  kAuto,  ///< live where there is a GPU, else replay
  kLive,
  kReplay,
};

struct ChapterOptions {
  Knobs knobs;
  RunMode mode = RunMode::kAuto;
  std::string replay_file;  ///< "" for the recording of these knobs
  std::string sort_by = "cuda_time_total";
  int row_limit = 15;
  std::filesystem::path out = "traces";
  bool list_recordings = false;
  bool list_variants = false;
  bool list_comparisons = false;
  const RunComparison* comparison = nullptr;  ///< into the chapter: print this table instead
  bool gpu_status = false;                    ///< say whether this program runs live here
};

/// Nothing if the command line asked for --help or --version, which is then printed. UsageError for
/// a command line that makes no sense.
std::optional<ChapterOptions> parse_chapter_options(const ChapterInfo& chapter, int argc,
                                                    const char* const* argv);

/// The knobs of one line of ChapterInfo::variants.
Knobs parse_knobs(const ChapterInfo& chapter, const std::string& arguments);

}  // namespace tracebook
