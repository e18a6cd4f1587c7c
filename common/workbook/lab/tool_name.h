// SPDX-License-Identifier: Apache-2.0
//
// What a reader types to run this program, so that the commands in messages can be copied.
//
//   set_tool_name(argv[0]);                       // first thing in main
//   std::cout << tool_name() << " hint 03\n";     // "build/bin/tracebook hint 03"
//
// Set once, before any thread; "tracebook" until then.
#pragma once

#include <string>
#include <string_view>

namespace tracebook {

const std::string& tool_name();

/// A path is shown relative to the working folder where it lies below it; a plain name stays.
void set_tool_name(std::string_view as_typed);

}  // namespace tracebook
