// SPDX-License-Identifier: Apache-2.0
//
// What this machine has for the workbook, each with what to do where it is missing. Looks without
// CUDA: libraries are opened at run time, chapters' programs are asked.
#pragma once

#include <string>
#include <vector>

namespace tracebook {

struct MachineFinding {
  std::string what;  ///< "driver"
  bool good = false;
  std::string found;   ///< "580.159.04, CUDA 13.0"
  std::string advice;  ///< what to do; "" if good
};

std::vector<MachineFinding> examine_machine();

}  // namespace tracebook
