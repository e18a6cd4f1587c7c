// SPDX-License-Identifier: Apache-2.0
//
// Runs another program and waits for it: chapters run themselves once for each run of a table, the
// lab builds and runs the reader's programs. No shell is involved, so words need no quoting.
//
//   const ProcessEnd end = run_process({"cmake", "--build", "build"}, Output::kKept);
//   if (end.exit_code != 0) show(end.output);
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tracebook {

/// What becomes of the program's standard output.
enum class Output : std::uint8_t {
  kDropped,  ///< thrown away; its errors go where ours go
  kKept,     ///< returned, with its errors in between as they come
};

struct ProcessEnd {
  int exit_code = 0;   ///< 128 and the signal's number for one that a signal ended
  std::string output;  ///< of Output::kKept
  bool timed_out = false;
};

/// `words`: the program (looked for on PATH if it has no slash) and its arguments. With a `limit`
/// (for kept output only) it is killed when that is over. InputError if it cannot be started.
ProcessEnd run_process(std::vector<std::string> words, Output output,
                       std::chrono::milliseconds limit = {});

}  // namespace tracebook
