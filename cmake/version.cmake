# SPDX-License-Identifier: Apache-2.0
#
# tracebook::version, for --version and the provenance of recordings:
#
#   #include "tracebook_version.h"
#   tracebook::version();  // "0.1.0"
#   tracebook::commit();   // "1a2b3c4d5e6f", "1a2b3c4d5e6f-dirty", "unknown" outside a checkout
#
# The commit is looked up in every build, and one small source compiled if it has changed.

set(version_folder "${PROJECT_BINARY_DIR}/version")
configure_file("${PROJECT_SOURCE_DIR}/cmake/tracebook_version.h.in" "${version_folder}/tracebook_version.h" @ONLY)

find_package(Git QUIET)
add_custom_target(tracebook_commit
  COMMAND "${CMAKE_COMMAND}" -D "GIT=${GIT_EXECUTABLE}" -D "VERSION=${PROJECT_VERSION}"
    -D "SOURCE=${PROJECT_SOURCE_DIR}" -D "OUTPUT=${version_folder}/version.cpp"
    -P "${PROJECT_SOURCE_DIR}/cmake/write_version.cmake"
  BYPRODUCTS "${version_folder}/version.cpp"
  COMMENT "Looking up the commit" VERBATIM)

add_library(tracebook_version STATIC "${version_folder}/version.cpp")
add_library(tracebook::version ALIAS tracebook_version)
add_dependencies(tracebook_version tracebook_commit)
target_include_directories(tracebook_version PUBLIC "${version_folder}")
target_link_libraries(tracebook_version PRIVATE tracebook_options)
