#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# setup.sh run|test|bench|lint|fuzz …
#
# Installs what those steps need and this machine lacks. Debian and Ubuntu: through apt, as root or
# with sudo. Elsewhere it only names the packages. Where nothing is missing it does nothing, offline.
# Exit 3 if something is still missing. The CUDA Toolkit is never installed: without it the chapters
# replay their recordings.
set -eu

# The packages of each step, by package manager, and what shows that they are there: a command, or a
# header that the compiler finds, or that the compiler can link a fuzz target.
packages() {
  cat <<LIST
run    g++                   g++                 gcc-c++                 gcc
run    cmake                 cmake               cmake                   cmake
run    ninja                 ninja-build         ninja-build             ninja
run    <simdjson.h>          libsimdjson-dev     simdjson-devel          simdjson
run    <sqlite3.h>           libsqlite3-dev      sqlite-devel            sqlite
run    <zlib.h>              zlib1g-dev          zlib-devel              zlib
run    <nlohmann/json.hpp>   nlohmann-json3-dev  json-devel              nlohmann-json
run    <CLI/CLI.hpp>         libcli11-dev        cli11-devel             cli11
test   <gtest/gtest.h>       libgtest-dev        gtest-devel             googletest
test   python3               python3             python3                 python
bench  <benchmark/benchmark.h> libbenchmark-dev  google-benchmark-devel  google-benchmark
bench  python3               python3             python3                 python
lint   ${CLANG_FORMAT:-clang-format-16} clang-format-16 clang-tools-extra llvm@16
lint   ${CLANG_TIDY:-clang-tidy-16}     clang-tidy-16   clang-tools-extra llvm@16
lint   python3              python3             python3                 python
fuzz   ${CLANG:-clang++-16} clang-16            clang                   llvm@16
fuzz   libFuzzer            libclang-rt-16-dev  compiler-rt             llvm@16
LIST
}

has_command() { command -v "$1" > /dev/null 2>&1; }

compiler=${CXX:-c++}
# Homebrew's headers lie where no compiler looks by itself, though CMake does.
include=''
if has_command brew; then include="-I$(brew --prefix)/include"; fi

# has PROOF
# shellcheck disable=SC2086  # $include is nothing or one option
has() {
  case $1 in
    g++) has_command "$compiler" ;;
    "<"*)
      has_command "$compiler" &&
        printf '#if !__has_include(%s)\n#error\n#endif\n' "$1" |
          $compiler $include -x c++ -std=c++20 -E - > /dev/null 2>&1 ;;
    libFuzzer)
      printf 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }\n' |
        ${CLANG:-clang++-16} -fsanitize=fuzzer,address -x c++ -o /dev/null - > /dev/null 2>&1 ;;
    *) has_command "$1" ;;
  esac
}

apt=''
dnf=''
brew=''
for step; do
  found=0
  while read -r of proof apt_name dnf_name brew_name; do
    [ "$of" = "$step" ] || continue
    found=1
    has "$proof" && continue
    apt="$apt $apt_name" dnf="$dnf $dnf_name" brew="$brew $brew_name"
  done <<LIST
$(packages)
LIST
  [ "$found" -eq 1 ] || { echo "setup: no such step: $step" >&2; exit 2; }
done

if [ -n "$apt" ]; then
  root=''
  [ "$(id -u)" -eq 0 ] || root=sudo
  if ! has_command apt-get || { [ -n "$root" ] && ! has_command sudo; }; then
    { echo "setup: packages are missing. Install them with the one that this system has:"
      echo "  apt-get install$apt"
      echo "  dnf install$dnf"
      echo "  brew install$brew"; } >&2
    exit 3
  fi
  echo "setup: installing$apt"
  # shellcheck disable=SC2086  # lists of names
  install() {
    $root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 $apt > /dev/null
  }
  # A machine's package lists may be absent or old: fetch them, and only then give up.
  if [ -z "$(find /var/lib/apt/lists -name '*_Packages*' 2> /dev/null | head -n 1)" ] || ! install; then
    if ! { $root apt-get update -qq && install; }; then
      echo "setup: apt-get could not install$apt" >&2
      exit 3
    fi
  fi
fi

version=$(cmake --version | sed -n '1s/.*version //p')
major=${version%%.*}
minor=${version#*.}
minor=${minor%%.*}
if [ "$major" -lt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -lt 25 ]; }; then
  echo "setup: CMake $version is too old, 3.25 or newer is needed (https://cmake.org/download)" >&2
  exit 3
fi
