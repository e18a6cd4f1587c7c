#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_lab.sh TRACEBOOK N: the reader's answers and exercises of chapter N, for `make check`.
# Exercises are what exercises.json lists, so a query of the reader's own beside them is none. What is
# not started is no failure. Exit 1 if something is wrong, 3 if something cannot be read or is gone.
set -u
tracebook=$1
n=$(printf '%02d' "$(echo "$2" | sed 's/^0*\([0-9]*\).*/\1/')") || exit 2

worst=0
note() {
  case $1 in
    0 | 77) ;;
    *) [ "$1" -le "$worst" ] || worst=$1 ;;
  esac
}
[ -f "$(echo exercises/"$n"_*/questions.json)" ] || exit 0
echo "Your answers"
"$tracebook" quiz "$n" --check 2>&1
note $?
for list in exercises/"$n"_*/exercises.json; do
  [ -f "$list" ] || continue
  for name in $(sed -n 's/^ *"file": *"\([^"]*\)".*/\1/p' "$list"); do
    attempt=${list%/*}/$name
    echo
    sh cmake/check_exercise.sh "$tracebook" "$attempt" 2>&1
    note $?
  done
done
exit "$worst"
