// SPDX-License-Identifier: Apache-2.0
//
// Numbers in lessons. Each measured number in a lesson is followed by a comment that Markdown does
// not show, naming the recording and the query that it is the answer of:
//
//   The first step takes 291<!--= torch/01_cold_64: SELECT dur FROM step WHERE number = 2 --> us.
//
// A test compares all of them; `make record` lists those that new recordings change.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

/// One number as written, and what its query answers.
struct LessonNumber {
  std::filesystem::path file;
  int line = 0;
  std::size_t offset = 0;  ///< of `written` in the text
  std::string written;     ///< "1,234.5"
  std::string recording;   ///< "torch/01_cold_64", or "planted/NAME" of expected/planted
  std::string sql;
  std::string measured;    ///< at the precision of `written`; or what went wrong
  bool has_value = false;  ///< `measured` is a number
  bool agrees = false;     ///< equal at that precision
};

/// Finds the numbers of a Markdown text. InputError, with the line, for a comment that follows no
/// number or has no query.
std::vector<LessonNumber> find_numbers(const std::filesystem::path& file, std::string_view text);

/// The numbers of a lesson, each measured on the recordings in `chapter_folder` (expected/NN_name).
std::vector<LessonNumber> check_numbers(const std::filesystem::path& lesson,
                                        const std::filesystem::path& chapter_folder);

/// `text` with each number that its recording gives otherwise replaced by what it gives.
std::string updated_lesson(std::string text, const std::vector<LessonNumber>& numbers);

}  // namespace tracebook
