// SPDX-License-Identifier: Apache-2.0
//
// The program of a chapter, apart from its work: reads the knobs, runs live or replays, prints the
// source line, the table, the timeline and the claims, and leaves the two artefacts.
//
//   int main(int argc, char** argv) {
//     return run_chapter(kChapter, argc, argv, {.why_no_gpu = why_no_gpu, .record = record});
//   }
//
// Exit codes as in error.h. Never throws.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/trace/trace.h"
#include "common/workbook/chapter.h"

namespace tracebook {

/// What a build with CUDA adds. Both empty: this build only replays.
struct LiveRun {
  /// Called before anything asks for a GPU: for what must be settled before CUDA starts, such as
  /// environment variables.
  std::function<void(const Knobs&)> prepare = {};
  /// Why no GPU can be used here and what to do about it; nothing if one can.
  std::function<std::optional<std::string>()> why_no_gpu = {};
  /// Does the chapter's work under the profiler.
  std::function<Trace(const Knobs&)> record = {};
};

int run_chapter(const ChapterInfo& chapter, int argc, char** argv, const LiveRun& live = {});

}  // namespace tracebook
