// SPDX-License-Identifier: Apache-2.0
//
// Exercise and solution from one source. A solution, under exercises/solutions/, marks what the
// student is to write and what stands in its place:
//
//   -- solution begin
//   SELECT number, dur FROM step
//   -- solution end
//   -- instead begin
//   -- | SELECT number, NULL AS dur FROM step   -- TODO: its length
//   -- instead end
//
// In a .cu or .cpp file the marks begin with "//", in a .sql file with "--". Behind these two parts
// may stand a third, "wrong begin: WORDS": what goes in place of the solution in a planted wrong
// one, quoted as the second, and the words that must reject it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tracebook {

/// What the student is given: the lines between "solution begin" and "solution end" are gone, those
/// between "instead begin" and "instead end" stand without their "| ". `file` names the language.
/// InputError naming it if the marks do not fit together.
std::string skeleton_of(std::string_view solution, const std::filesystem::path& file);

struct WrongSolution {
  std::string words;  ///< part of the message that must reject it
  std::string text;
};

/// The solution with its wrong parts in place of its own. InputError if it has none, or the marks
/// do not fit together.
WrongSolution wrong_solution(std::string_view solution, const std::filesystem::path& file);

/// exercises/solutions/NN_name/FILE.
std::filesystem::path solution_path(const std::string& chapter, const std::string& file);
/// exercises/skeletons/NN_name/FILE: where a copy without solutions keeps what was handed out.
std::filesystem::path kept_skeleton_path(const std::string& chapter, const std::string& file);

/// The skeleton as it was handed out: from the solution, or in a copy without solutions as kept.
/// Nothing if neither is there.
std::optional<std::string> original_skeleton(const std::string& chapter, const std::string& file);

}  // namespace tracebook
