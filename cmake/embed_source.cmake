# SPDX-License-Identifier: Apache-2.0
#
# cmake -D SOURCE=fused.cu -D OUTPUT=fused_source.cpp -P embed_source.cmake
#
# A source file that gives the program its own text: what is kept in the trace is then what was
# compiled, whatever the file says when the program runs.
cmake_minimum_required(VERSION 3.25)
file(READ "${SOURCE}" text HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," text "${text}")
string(REGEX REPLACE "('.x0a',)" "\\1\n  " text "${text}")
cmake_path(GET SOURCE FILENAME name)
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT
"// Made by CMake from @name@: its text.
#include \"common/workbook/run_exercise.h\"

namespace {
constexpr char kText[] = {
  @text@'\\0'};
const bool kKept = tracebook::set_exercise_source({kText, sizeof kText - 1});
}  // namespace
")
