// SPDX-License-Identifier: Apache-2.0
//
// The program of a code exercise, apart from its work: runs it live, prints the table and the
// timeline, and leaves the trace for `tracebook exercise` to judge.
//
//   int main(int argc, char** argv) {
//     return run_exercise({"08_addmm_fusion", "true_fusion"}, argc, argv,
//                         {.why_no_gpu = why_no_gpu, .record = record});
//   }
//
// --out FILE: where the trace goes (traces/exercises/08_true_fusion.json). The build gives each
// such program its own source (cmake/embed_source.cmake), which is kept in the trace, so that
// whoever judges it knows what made it.
//
// Exit codes as in error.h: 77 where there is no GPU, never a replay. Never throws.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/trace/trace.h"

namespace tracebook {

/// Name of the trace's member (a JSON text) that holds the program's source.
inline constexpr const char* kExerciseSource = "exercise source";

/// The running program's source, which must stay where it is. True, so that it can initialise
/// something before main.
bool set_exercise_source(std::string_view text);

/// That member for a source of this text.
std::string exercise_source_json(std::string_view text);

struct ExerciseProgram {
  std::string chapter;  ///< "08_addmm_fusion"
  std::string name;     ///< "true_fusion", as its file
};

struct ExerciseRun {
  /// Why no GPU can be used here and what to do about it; nothing if one can.
  std::function<std::optional<std::string>()> why_no_gpu = {};
  /// Does the exercise's work under the profiler.
  std::function<Trace()> record = {};
};

int run_exercise(const ExerciseProgram& program, int argc, char** argv, const ExerciseRun& run);

}  // namespace tracebook
