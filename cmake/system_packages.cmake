# SPDX-License-Identifier: Apache-2.0
#
# What each package is called by the systems' package managers.

#                 find_package        apt                 dnf                 brew
set(_names
  "SQLite3          libsqlite3-dev      sqlite-devel        sqlite"
  "ZLIB             zlib1g-dev          zlib-devel          zlib"
  "simdjson         libsimdjson-dev     simdjson-devel      simdjson"
  "nlohmann_json    nlohmann-json3-dev  json-devel          nlohmann-json"
  "CLI11            libcli11-dev        cli11-devel         cli11"
  "GTest            libgtest-dev        gtest-devel         googletest"
  "benchmark        libbenchmark-dev    google-benchmark-devel google-benchmark")

function(tracebook_explain_missing packages)
  set(apt "")
  set(dnf "")
  set(brew "")
  foreach(line IN LISTS _names)
    string(REGEX REPLACE " +" ";" fields "${line}")
    list(POP_FRONT fields package)
    if(package IN_LIST packages)
      foreach(manager IN ITEMS apt dnf brew)
        list(POP_FRONT fields name)
        string(APPEND ${manager} " ${name}")
      endforeach()
    endif()
  endforeach()
  list(JOIN packages ", " packages)
  message(FATAL_ERROR "Missing: ${packages}. Install with one of\n"
    "  apt install${apt}\n  dnf install${dnf}\n  brew install${brew}\n"
    "or let `make start` do it (Debian, Ubuntu).")
endfunction()
