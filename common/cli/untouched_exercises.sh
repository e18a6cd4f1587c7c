#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# untouched_exercises.sh TRACEBOOK BOOK: for tests, which work on copies of the checkout. Makes the
# exercises of the copy BOOK as they were handed out, whatever their reader has written in them or
# deleted. Everything else in BOOK stays.
set -eu
tracebook=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$2/exercises"
for from in solutions/*/*.sql solutions/*/*.cu skeletons/*/*; do
  name=${from#*/}
  case $name in *.wrong.*) continue ;; esac
  [ -f "$from" ] && [ -d "${name%/*}" ] || continue
  case $from in
    solutions/*) "$tracebook" exercise --skeleton "$from" >"$name" ;;
    # A copy without solutions keeps them ready.
    *) cp "$from" "$name" ;;
  esac
done
