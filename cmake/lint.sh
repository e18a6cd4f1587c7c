#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh BUILD [JOBS]
#
# Formatting, dependencies, headers, clang-tidy, in this order, on a configured build folder. All
# steps run even if one fails; exit 1 if any did. Nothing is remembered between runs.
# clang-tidy reads no .cu file, nor any .cpp that this build leaves out: it prints how many.
set -u
build=$1
jobs=${2:-2}
format=${CLANG_FORMAT:-clang-format-16}
failed=''

# step NAME COMMAND…
step() {
  name=$1
  shift
  began=$(date +%s)
  if "$@"; then result=ok; else result=FAILED failed="$failed $name"; fi
  echo "lint: $name: $result ($(($(date +%s) - began)) s)"
}

# The files of this tree, committed or not.
sources() { git ls-files --cached --others --exclude-standard -- "$@" | LC_ALL=C sort -u; }

check_format() {
  files=$(sources '*.h' '*.cpp' '*.cu' '*.cuh')
  [ -n "$files" ] && echo "$files" | xargs -n 20 -P "$jobs" "$format" --dry-run -Werror
}

check_headers() {
  cmake --build "$build" --target check_headers -j "$jobs" > "$build/check_headers.log" ||
    { cat "$build/check_headers.log"; return 1; }
}

step format check_format
step dependencies sh cmake/check_dependencies.sh
step dependencies_checker sh cmake/check_dependencies_test.sh
step headers check_headers
step clang-tidy_checker sh cmake/tidy_test.sh
step clang-tidy python3 cmake/tidy.py "$build" "$jobs"

[ -z "$failed" ] || { echo "lint: FAILED:$failed"; exit 1; }
echo "lint: all good"
