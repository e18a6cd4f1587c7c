# SPDX-License-Identifier: Apache-2.0
#
# tracebook_library, tracebook_program, tracebook_test, tracebook_command_test, tracebook_benchmark,
# tracebook_fuzzer: what the CMakeLists.txt of a folder is made of.

# DEPENDS takes our own names ("trace" is tracebook::trace), targets of packages ("ZLIB::ZLIB") and
# whatever else target_link_libraries does (${CMAKE_DL_LIBS}).
set(_tracebook_names trace analysis render workbook lab cli profiler gpu version)
function(_tracebook_link target scope)
  foreach(name IN LISTS ARGN)
    if(name IN_LIST _tracebook_names)
      set(name tracebook::${name})
    endif()
    target_link_libraries(${target} ${scope} ${name})
  endforeach()
endfunction()

# tracebook_library(NAME trace SOURCES reader.cpp … [DEPENDS …] [PRIVATE_DEPENDS …])
#
# The static library tracebook_trace, alias tracebook::trace. Its headers are included from the
# root: #include "common/trace/trace.h". DEPENDS are what its headers need as well as its sources,
# PRIVATE_DEPENDS what only its sources do.
function(tracebook_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
  set(target tracebook_${arg_NAME})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(tracebook::${arg_NAME} ALIAS ${target})
  target_link_libraries(${target} PUBLIC tracebook_options)
  _tracebook_link(${target} PUBLIC ${arg_DEPENDS})
  _tracebook_link(${target} PRIVATE ${arg_PRIVATE_DEPENDS})
endfunction()

# tracebook_program(NAME tracebook SOURCES main.cpp … [DEPENDS …]) is bin/tracebook.
function(tracebook_program)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPENDS")
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE tracebook_options)
  _tracebook_link(${arg_NAME} PRIVATE ${arg_DEPENDS})
endfunction()

# What CTest is to think of a test: 77 means that it cannot be judged on this machine.
function(_tracebook_test_properties name)
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${ARGN}")
  if("live" IN_LIST ARGN)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK gpu)  # one at a time: they measure
  endif()
endfunction()

# tracebook_test(NAME reader_test SOURCES reader_test.cpp … [DEPENDS …] [LABELS live …])
#
# A GoogleTest program in tests/ and one CTest entry, "<folder>/reader_test". The sources may open
# files of the checkout as TRACEBOOK_SOURCE_DIR "/expected/…". A program all of whose tests were
# skipped counts as skipped; one without tests fails. Put tests that need a GPU into a program of
# their own, labelled live.
function(tracebook_test)
  if(NOT TRACEBOOK_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPENDS;LABELS")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  set(target ${folder}_${arg_NAME})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE tracebook_options tracebook_test_main)
  _tracebook_link(${target} PRIVATE ${arg_DEPENDS})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests"
    BUILD_RPATH "$ORIGIN/../bin")
  target_compile_definitions(${target} PRIVATE TRACEBOOK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${folder}/${arg_NAME} COMMAND ${target})
  _tracebook_test_properties(${folder}/${arg_NAME} ${arg_LABELS})
endfunction()

# tracebook_command_test(NAME help COMMAND tracebook --help [LABELS live …])
#
# Any command as a CTest entry, "<folder>/help", run in the checkout; a target's name stands for its
# program. Exit 0 passes, 77 skips.
function(tracebook_command_test)
  if(NOT TRACEBOOK_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "COMMAND;LABELS")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  add_test(NAME ${folder}/${arg_NAME} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  _tracebook_test_properties(${folder}/${arg_NAME} ${arg_LABELS})
endfunction()

# tracebook_benchmark(NAME reader_bench SOURCES reader_bench.cpp [DEPENDS …]) is bench/reader_bench.
function(tracebook_benchmark)
  if(NOT TRACEBOOK_BENCH)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPENDS")
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE tracebook_options benchmark::benchmark benchmark::benchmark_main)
  _tracebook_link(${arg_NAME} PRIVATE ${arg_DEPENDS})
  set_target_properties(${arg_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench" BUILD_RPATH "$ORIGIN/../bin")
  target_compile_definitions(${arg_NAME} PRIVATE TRACEBOOK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()

# tracebook_fuzzer(NAME trace_fuzz SOURCES trace_fuzz.cpp [DEPENDS …]) is fuzz/trace_fuzz; run it
# with `make fuzz`.
function(tracebook_fuzzer)
  if(NOT TRACEBOOK_FUZZ)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPENDS")
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE tracebook_options)
  target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
  _tracebook_link(${arg_NAME} PRIVATE ${arg_DEPENDS})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
endfunction()
