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
tidy=${CLANG_TIDY:-clang-tidy-16}
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

# tidy_all CONFIG FILES…, one clang-tidy a core.
tidy_all() {
  config=$1
  shift
  [ $# -eq 0 ] && return
  # The options are for GCC; what clang does not know among them is no finding.
  printf '%s\n' "$@" | xargs -n 1 -P "$jobs" "$tidy" -p "$build" --quiet --config-file="$config" \
    --extra-arg=-Wno-unknown-warning-option 2> "$build/tidy.log" && return
  grep -v 'warnings\? generated\.$' "$build/tidy.log"
  return 1
}

check_tidy() {
  total=0 tests='' others=''
  for file in $(sources '*.cpp'); do
    total=$((total + 1))
    grep -qF "\"file\": \"$(pwd)/$file\"" "$build/compile_commands.json" || continue
    case $file in *_test.cpp) tests="$tests $file" ;; *) others="$others $file" ;; esac
  done
  # shellcheck disable=SC2086  # lists; no path here has a space
  { set -- $others $tests
    echo "lint: clang-tidy reads $# of $total .cpp files"
    [ $# -gt 0 ] || return 1
    result=0
    tidy_all .clang-tidy $others || result=1
    tidy_all cmake/tests.clang-tidy $tests || result=1
    return $result; }
}

step format check_format
step dependencies sh cmake/check_dependencies.sh
step dependencies_checker sh cmake/check_dependencies_test.sh
step headers check_headers
step clang-tidy check_tidy

[ -z "$failed" ] || { echo "lint: FAILED:$failed"; exit 1; }
echo "lint: all good"
