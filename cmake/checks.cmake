# SPDX-License-Identifier: Apache-2.0
#
# Checks of the tree as a whole, and the targets `programs` (all that a reader runs) and
# `check_headers` (each header compiled alone; part of `make lint`). Comes last: it looks at what the
# folders have added.

# What was added in a folder and below, by type.
function(_tracebook_targets folder type result)
  get_property(found DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  set(chosen "")
  foreach(target IN LISTS found)
    get_target_property(target_type ${target} TYPE)
    if(target_type STREQUAL type)
      list(APPEND chosen ${target})
    endif()
  endforeach()
  get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS below)
    _tracebook_targets("${subfolder}" "${type}" more)
    list(APPEND chosen ${more})
  endforeach()
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

add_custom_target(programs)
_tracebook_targets("${PROJECT_SOURCE_DIR}" EXECUTABLE executables)
foreach(target IN LISTS executables)
  get_target_property(folder ${target} RUNTIME_OUTPUT_DIRECTORY)
  if(folder STREQUAL CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    add_dependencies(programs ${target})
  endif()
endforeach()

file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "common/*.h" "chapters/*.h")
if(NOT TRACEBOOK_HAS_CUDA)
  list(FILTER headers EXCLUDE REGEX "^common/(gpu|profiler/cupti)/")
endif()
set(sources "")
foreach(header IN LISTS headers)
  set(source "${PROJECT_BINARY_DIR}/check_headers/${header}.cpp")
  # Twice, so that a missing #pragma once shows as well.
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
  list(APPEND sources "${source}")
endforeach()
add_library(check_headers OBJECT EXCLUDE_FROM_ALL ${sources})
target_link_libraries(check_headers PRIVATE tracebook_options)
target_compile_options(check_headers PRIVATE -O0 -Werror)
_tracebook_targets("${PROJECT_SOURCE_DIR}" STATIC_LIBRARY libraries)
target_link_libraries(check_headers PRIVATE ${libraries} nlohmann_json::nlohmann_json CLI11::CLI11
  $<TARGET_NAME_IF_EXISTS:tracebook_cupti> $<TARGET_NAME_IF_EXISTS:CUDA::cublas>)

if(TRACEBOOK_TESTS)
  add_test(NAME tree/dependencies COMMAND sh cmake/check_dependencies.sh
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  add_test(NAME tree/dependencies_checker COMMAND sh cmake/check_dependencies_test.sh
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  add_test(NAME tree/live_runs COMMAND sh cmake/live_test.sh
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  add_test(NAME tree/record_runs COMMAND sh cmake/record_test.sh
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endif()
