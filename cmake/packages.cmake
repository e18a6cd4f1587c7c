# SPDX-License-Identifier: Apache-2.0
#
# The packages that everything needs. Whatever is missing is named, all at once, with what to
# install. Programs take SQLite and zlib into themselves and find simdjson beside themselves, so
# that a build folder runs on a machine that has none of them.

include(system_packages)

set(TRACEBOOK_MISSING "")
# tracebook_need(<package as find_package and system_packages.cmake call it>)
macro(tracebook_need package)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND TRACEBOOK_MISSING ${package})
  endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
if(NOT APPLE)  # whose SDK has neither library as an archive, and has both on every machine
  find_library(SQLite3_LIBRARY NAMES libsqlite3.a sqlite3)
  set(ZLIB_USE_STATIC_LIBS ON)
  find_library(ZLIB_LIBRARY_RELEASE NAMES libz.a z)
endif()
tracebook_need(SQLite3)
tracebook_need(ZLIB)
tracebook_need(simdjson)
tracebook_need(nlohmann_json)
tracebook_need(CLI11)
if(TRACEBOOK_TESTS)
  tracebook_need(GTest)
endif()
if(TRACEBOOK_BENCH)
  tracebook_need(benchmark)
endif()
if(TRACEBOOK_MISSING)
  tracebook_explain_missing("${TRACEBOOK_MISSING}")
endif()

# An archive does not name what it needs itself.
if(TARGET SQLite::SQLite3 AND SQLite3_LIBRARY MATCHES "\\.a$")
  set_property(TARGET SQLite::SQLite3 APPEND PROPERTY
    INTERFACE_LINK_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)
endif()

get_target_property(type simdjson::simdjson TYPE)
get_target_property(location simdjson::simdjson LOCATION)
if(NOT APPLE AND location MATCHES "\\.so")
  get_filename_component(file "${location}" REALPATH)
  # The name that the loader asks for: libsimdjson.so.14 of libsimdjson.so.14.0.0.
  string(REGEX MATCH "^.*\\.so(\\.[0-9]+)?" soname "${file}")
  get_filename_component(soname "${soname}" NAME)
  configure_file("${file}" "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${soname}" COPYONLY)
endif()
