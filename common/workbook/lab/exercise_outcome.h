// SPDX-License-Identifier: Apache-2.0
//
// How an attempt at an exercise was judged, whatever kind of exercise it is.
#pragma once

#include <cstdint>
#include <string>

namespace tracebook {

enum class ExerciseOutcome : std::uint8_t {
  kPassed,
  kFailed,
  kNotStarted,
  kNeedsGpu,  ///< a program that cannot be run here; it compiles, if that can be tried
};

struct JudgedExercise {
  ExerciseOutcome outcome = ExerciseOutcome::kFailed;
  std::string says;         ///< what differs, and how; no full stop behind it
  std::string detail = {};  ///< lines of a compiler or of the program, as they came; "" for none
  bool runs = true;         ///< false: the attempt itself is at fault, not what it gives
  /// False: `says` tells all that is to be done, and it has nothing to do with the task.
  bool hint_helps = true;
};

/// "passed", "failed", "not started", "needs a GPU".
const char* outcome_name(ExerciseOutcome outcome);

}  // namespace tracebook
