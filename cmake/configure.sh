#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# configure.sh PRESET BUILD [-DNAME=VALUE …]
#
# `cmake --preset` in a few words: what CMake said goes to BUILD/configure.log and to the terminal
# only if it failed. An empty BUILD folder gets no tests, unless asked, so that `make start` needs
# no test framework; later calls keep what the folder has.
set -eu
preset=$1
build=$2
shift 2
if [ ! -f "$build/CMakeCache.txt" ]; then
  echo "configuring $build"
  set -- -DTRACEBOOK_TESTS=OFF "$@"
fi
mkdir -p "$build"
cmake --preset "$preset" -B "$build" "$@" > "$build/configure.log" 2>&1 || {
  cat "$build/configure.log" >&2
  exit 3
}
sed -n 's/^-- CUDA: /CUDA: /p' "$build/configure.log"
