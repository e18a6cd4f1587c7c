# SPDX-License-Identifier: Apache-2.0
#
# cmake -D GIT=git -D VERSION=0.1.0 -D SOURCE=. -D OUTPUT=version.cpp -P write_version.cmake

set(commit "unknown")
if(GIT)
  execute_process(COMMAND "${GIT}" describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE output RESULT_VARIABLE result
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(result EQUAL 0)
    set(commit "${output}")
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0
#include "tracebook_version.h"

namespace tracebook {

const char* version() { return "@VERSION@"; }
const char* commit() { return "@commit@"; }

}  // namespace tracebook
]])
