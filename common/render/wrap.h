// SPDX-License-Identifier: Apache-2.0
//
// Finished text broken to a terminal's width: help, lists, Markdown. For text made for this many
// columns see wrapped() in claims_report.h.
//
//   std::cout << fitted_to_stdout(app.help());      // as it is, for pipes and files
//   wrapped_lines("  --out DIR   folder for the artefacts", 24);
//
// Plain functions of texts; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tracebook {

/// Each line of `text` that is longer than `width` columns goes on below the start of its second
/// column (what follows two or more blanks), if that is in its left half; else, below its own
/// start, a little further in where it begins a list or has columns. Words are not cut: a path
/// stays whole.
std::string wrapped_lines(std::string_view text, std::size_t width);

/// `wrapped_lines` at the terminal's width where standard output is one.
std::string fitted_to_stdout(std::string text);

/// `said` with its lines `printable`, since errors quote what they were given; `wrapped_lines` at
/// the terminal's width where standard error is one: elsewhere an error stays one line.
std::string fitted_to_stderr(const std::string& said);

}  // namespace tracebook
