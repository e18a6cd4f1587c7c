#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every chapter and variant, live, with its claims; then the tests that need a GPU. One line each,
# the total at the end; fails if anything missed. Needs a GPU and a build, which may have been made
# on another machine:   BIN=build/bin sh cmake/live.sh
set -u
BIN=${BIN:-build/bin}
OUT=${OUT:-build/live}
export TRACEBOOK_REQUIRE_GPU=1
mkdir -p "$OUT" || exit 3
runs=0
failures=0

# one NAME COMMAND…: runs it, prints a line, keeps the log.
one() {
  name=$1
  shift
  log="$OUT/$(printf '%s' "$name" | tr -c 'A-Za-z0-9_.-' '_').log"
  begin=$(date +%s)
  "$@" >"$log" 2>&1
  code=$?
  seconds=$(($(date +%s) - begin))
  runs=$((runs + 1))
  tally=$(grep -E '^ *[0-9]+ held, |^\[  PASSED  \]' "$log" | tail -n 1 | sed 's/^ *//')
  if [ "$code" -eq 0 ]; then
    printf 'ok    %-58s %3ss  %s\n' "$name" "$seconds" "$tally"
  else
    failures=$((failures + 1))
    printf 'FAIL  %-58s %3ss  exit %s, see %s\n' "$name" "$seconds" "$code" "$log"
    grep -E 'MISSED|FAILED|^[0-9a-z_]+: ' "$log" | head -n 5 | sed 's/^/        /'
  fi
}

for program in "$BIN"/[0-9][0-9]_*; do
  [ -x "$program" ] || continue
  chapter=$(basename "$program")
  "$program" --list-variants >"$OUT/variants" || exit 3
  while IFS= read -r arguments; do
    # shellcheck disable=SC2086  # the words of the line are arguments
    one "$chapter $arguments" "$program" --live --out "$OUT/traces" $arguments </dev/null
  done <"$OUT/variants"
  "$program" --list-comparisons >"$OUT/comparisons" || exit 3
  while IFS= read -r comparison; do
    one "$chapter $comparison" "$program" --live --out "$OUT/traces" "$comparison" </dev/null
  done <"$OUT/comparisons"
done
rm -f "$OUT/variants" "$OUT/comparisons"
for test in "$BIN"/../tests/*live_test; do
  [ -x "$test" ] || continue
  one "$(basename "$test")" "$test" </dev/null
done
if [ "$runs" -eq 0 ]; then
  echo "no chapters in $BIN: build first, or say where the build is with BIN=" >&2
  exit 3
fi
echo "$((runs - failures)) of $runs live runs good"
[ "$failures" -eq 0 ]
