// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong, and the exit code it becomes. Every program of the workbook lets an Error
// travel up to main(), which prints `what()` as one line and returns `exit_code()`.
#pragma once

#include <stdexcept>
#include <string>

namespace tracebook {

/// Exit codes of all programs. 77 is what CTest takes for "skipped".
enum class ExitCode : int {
  kGood = 0,
  kMissed = 1,
  kUsage = 2,
  kBadInput = 3,  ///< bad input, I/O or a GPU error
  kCannotJudge = 77,
};

/// An error that a user can act on: one line, saying what was expected.
class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  [[nodiscard]] int exit_code() const noexcept { return static_cast<int>(exit_code_); }

 private:
  ExitCode exit_code_;
};

/// The command line asks for something that does not exist (exit code 2).
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ExitCode::kUsage, message) {}
};

/// A file, a claim, or the GPU gave something unusable (exit code 3).
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::kBadInput, message) {}
};

/// Nothing is wrong, but this machine cannot answer (exit code 77).
class CannotJudge : public Error {
 public:
  explicit CannotJudge(const std::string& message) : Error(ExitCode::kCannotJudge, message) {}
};

}  // namespace tracebook
