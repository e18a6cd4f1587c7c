# SPDX-License-Identifier: Apache-2.0

# add_chapter(01_cold_trace SOURCE cold_trace.cu KNOBS knobs.h)
#
# bin/01_cold_trace, whatever the machine: with CUDA from SOURCE, whose work it can run; without
# from the chapter's knobs alone, replaying.
function(add_chapter name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;KNOBS" "")
  if(TRACEBOOK_HAS_CUDA)
    add_executable(${name} ${arg_SOURCE})
    target_link_libraries(${name} PRIVATE tracebook_options)
    _tracebook_link(${name} PRIVATE gpu profiler)
  else()
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}"
      OUTPUT_VARIABLE folder)
    add_executable(${name} "${PROJECT_SOURCE_DIR}/common/workbook/replay_main.cpp")
    target_compile_definitions(${name} PRIVATE TRACEBOOK_CHAPTER_KNOBS="${folder}/${arg_KNOBS}")
    target_link_libraries(${name} PRIVATE tracebook_options)
  endif()
  target_link_libraries(${name} PRIVATE tracebook::workbook)
endfunction()
