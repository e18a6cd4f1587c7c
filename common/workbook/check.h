// SPDX-License-Identifier: Apache-2.0
//
// A chapter's claims on whole recordings, both ways: each claim holds where it applies and misses,
// by a measured value, on the recordings that its `fails_on` names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/trace/structure.h"
#include "common/trace/trace.h"
#include "common/workbook/chapter.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/recordings.h"

namespace tracebook {

/// What the claims say of one trace.
struct CheckedTrace {
  std::string label;
  JudgedClaims judged;    ///< claims that should hold here
  JudgedClaims controls;  ///< claims that should miss here
  std::string note = {};  ///< of somebody's trace: by which claims it is judged, and why

  /// Nothing missed that should hold, and every control missed by a measured value.
  [[nodiscard]] bool good() const;
};

/// expected/NN_name/claims.json.
std::filesystem::path claims_file(const ChapterInfo& chapter);

/// All recordings of the chapter, and those of other chapters that its `fails_on` lists name as
/// "NN_name/h200/NAME". CannotJudge if the chapter has no recordings.
std::vector<CheckedTrace> check_recordings(const ChapterInfo& chapter);

/// Somebody's trace. If its name is that of a run or recording of the chapter, the claims made for
/// it; else all of them, each with its `when`.
CheckedTrace check_trace(const ChapterInfo& chapter, const std::string& file, const Trace& trace,
                         const Structure& structure);

/// What claims know a trace from `file` by, and whether it is one of the chapter's runs.
struct TraceName {
  std::string label;
  bool known = false;
};
TraceName name_of_trace(const ChapterInfo& chapter, const std::string& file, const Trace& trace,
                        const Manifest& manifest);

}  // namespace tracebook
