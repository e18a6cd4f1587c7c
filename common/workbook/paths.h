// SPDX-License-Identifier: Apache-2.0
//
// Where the workbook's files lie when a program runs: the checkout around the program, so that a
// build folder carried to another machine finds the recordings carried with it.
#pragma once

#include <filesystem>

namespace tracebook {

/// The folder that holds `expected/` and `chapters/`: $TRACEBOOK_ROOT, or the nearest folder above
/// the running program, or above the working directory. InputError, saying so, if there is none.
std::filesystem::path workbook_root();

}  // namespace tracebook
