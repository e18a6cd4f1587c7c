#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Does tidy.py find what it should, in files that are read together and in files read alone? On a
# small tree of its own, with this one's rules. Needs clang-tidy: part of `make lint`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

mkdir -p "$work/common/demo" "$work/cmake" "$work/build"
cp "$here/../.clang-tidy" "$work/"
cp "$here/tests.clang-tidy" "$work/cmake/"
cd "$work"
git init -q
echo /build/ >.gitignore

# file NAME TEXT
file() { printf '%s\n' "$2" >"common/demo/$1"; }

# tree TEXT TEST: two files read together, one of them TEXT, and a test, TEST.
tree() {
  file first.cpp 'namespace demo { namespace { int helper(int x) { return x + 1; } } int first() { return helper(1); } }'
  file second.cpp "$1"
  file third_test.cpp "$2"
  git add -A
  for name in first second third_test; do
    printf '{"directory": "%s", "file": "%s", "command": "c++ -std=c++20 -o %s.o -c %s"},\n' \
      "$work/build" "$work/common/demo/$name.cpp" "$name" "$work/common/demo/$name.cpp"
  done | sed '1s/^/[/; $s/,$/]/' >build/compile_commands.json
}

# expect CODE WORDS WHAT
expect() {
  status=0
  output=$(python3 "$here/tidy.py" build 2 2>&1) || status=$?
  [ "$status" -eq "$1" ] || { echo "$3: expected exit $1, got $status: $output"; failures=1; }
  case $output in *"$2"*) ;; *) echo "$3: expected \"$2\" in: $output"; failures=1 ;; esac
}

good='namespace demo { int second() { return 2; } }'
tree "$good" "$good"
expect 0 'reads 3 of 3' 'nothing to find'
case $output in *alone*) echo "they were not read together: $output"; failures=1 ;; esac

tree 'namespace demo { int* second() { return 0; } }' "$good"
expect 1 'second.cpp:1:' 'a fault in a group'
expect 1 'modernize-use-nullptr' 'a fault in a group'

tree 'namespace demo { namespace { int helper(int x) { return x; } } int second() { return helper(2); } }' "$good"
expect 0 'files read alone' 'two helpers of one name'

tree 'namespace demo { namespace { int helper(int x) { return x; } } int* Second() { helper(2); return 0; } }' "$good"
expect 1 'modernize-use-nullptr' 'a fault behind two helpers of one name'
expect 1 'readability-identifier-naming' 'a fault behind two helpers of one name'

# Tests have rules of their own.
tree "$good" 'namespace demo { int* second() { return 0; } }'
expect 0 'reads 3 of 3' 'no fault in a test'
tree "$good" 'namespace demo { struct Lock { Lock(); ~Lock(); }; void second() { Lock(); second(); } }'
expect 1 'bugprone-unused-raii' 'a fault in a test'

tree 'namespace demo { int second() { return nothing; } }' "$good"
expect 1 'nothing' 'what does not compile'

echo '[]' >build/compile_commands.json
expect 1 'reads 0 of 3' 'no file at all'

exit "$failures"
