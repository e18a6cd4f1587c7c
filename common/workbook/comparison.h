// SPDX-License-Identifier: Apache-2.0
//
// The table over several runs of a chapter that `--sweep` and the like print.
//
//   const ComparedRuns runs = compare_runs(chapter, comparison, manifest, {.live = true, …});
//   std::cout << compared_text(runs.rows);
//
// InputError if a run fails, CannotJudge if a recording is missing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/analysis/database.h"
#include "common/workbook/chapter.h"
#include "common/workbook/recordings.h"

namespace tracebook {

struct ComparedRuns {
  std::string source;               ///< "live runs on NVIDIA H200, …" or "recordings made on …"
  QueryResult rows;                 ///< with a first column `run`, if there are several runs
  std::vector<std::string> missed;  ///< live runs with a claim that missed
};

/// Live: starts this same program anew for each run; its artefacts go to `out`.
ComparedRuns compare_runs(const ChapterInfo& chapter, const RunComparison& comparison,
                          const Manifest& manifest, bool live, const std::filesystem::path& out);

/// The rows as a table. Where that is wider than `width` columns (0: no limit), the runs are
/// numbered and listed above it, headers are broken at their underscores, and texts are cut.
std::string compared_text(const QueryResult& rows, std::size_t width = 0);

}  // namespace tracebook
