# SPDX-License-Identifier: Apache-2.0
#
# How everything here is compiled. Our targets link `tracebook_options`; packages never see it.

# No -g, and stripped: a build folder is carried to machines with a GPU, and each of its programs holds
# SQLite and the readers. CMAKE_BUILD_TYPE=RelWithDebInfo keeps symbols; the sanitizers' presets do too.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CUDA_FLAGS_RELEASE "-O2 -DNDEBUG")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Programs look for libraries beside themselves first, so that the build folder can be carried.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
if(APPLE)
  set(CMAKE_BUILD_RPATH "@loader_path")
else()
  set(CMAKE_BUILD_RPATH "$ORIGIN")
endif()

add_library(tracebook_options INTERFACE)
# On the command line, since CMake 3.25 drops CMAKE_CUDA_STANDARD 20 without a word.
target_compile_options(tracebook_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>"
  "$<$<COMPILE_LANGUAGE:CXX>:-std=c++20>")
target_include_directories(tracebook_options INTERFACE "${PROJECT_SOURCE_DIR}")

# Leaving members out is what designated initializers are for.
set(warnings -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
# Nanoseconds are 64 bits wide: a silent narrowing is this project's likeliest bug. Sizes and signed
# indices mix harmlessly, so sign changes are not reported.
set(cxx_warnings ${warnings} -Wpedantic -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports both for correct std::string code (its bugs 105651 and 105562).
  list(APPEND cxx_warnings -Wno-restrict)
  if(TRACEBOOK_SANITIZE)
    list(APPEND cxx_warnings -Wno-maybe-uninitialized)
  endif()
endif()
list(JOIN warnings "," cuda_host_warnings)
target_compile_options(tracebook_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${cxx_warnings}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${cuda_host_warnings}>")
if(TRACEBOOK_WERROR)
  target_compile_options(tracebook_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
endif()

# A program takes from SQLite, nlohmann/json and CLI11 only what it calls.
target_compile_options(tracebook_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-ffunction-sections;-fdata-sections>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffunction-sections,-fdata-sections>")
if(APPLE)
  target_link_options(tracebook_options INTERFACE "LINKER:-dead_strip")
else()
  target_link_options(tracebook_options INTERFACE "LINKER:--gc-sections")
  if(NOT TRACEBOOK_SANITIZE)
    target_link_options(tracebook_options INTERFACE "$<$<CONFIG:Release>:LINKER:--strip-all>")
  endif()
endif()

if(TRACEBOOK_SANITIZE)
  # -Og compiles three times as fast as -O2, and assertions, the standard library's too, find what the
  # sanitizers cannot: an index beyond a string_view's end but within its string.
  target_compile_options(tracebook_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TRACEBOOK_SANITIZE};-fno-sanitize-recover=all;-Og;-g1>"
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer;-UNDEBUG;-D_GLIBCXX_ASSERTIONS>")
  target_link_options(tracebook_options INTERFACE "-fsanitize=${TRACEBOOK_SANITIZE}")
endif()

if(TRACEBOOK_FUZZ)
  # libFuzzer steers by what all of the code does, not by the target's own alone.
  target_compile_options(tracebook_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>")
endif()
