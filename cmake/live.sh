#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every chapter and variant, live, with its claims; then the code exercises, whose solutions must
# pass, while the planted wrong ones and the skeletons must be rejected by a claim; then the tests that
# need a GPU. One line each, the total at the end; fails if anything missed. Needs a GPU and a build,
# which may have been made on another machine:   BIN=build/bin sh cmake/live.sh
set -u
BIN=${BIN:-build/bin}
OUT=${OUT:-build/live}
export TRACEBOOK_REQUIRE_GPU=1
mkdir -p "$OUT" || exit 3
runs=0
failures=0

# expect CODE WORDS NAME COMMAND…: runs it, prints a line, keeps the log. It is good if it ends with
# CODE and says WORDS, wherever it breaks its lines.
expect() {
  wanted=$1
  words=$2
  name=$3
  shift 3
  log="$OUT/$(printf '%s' "$name" | tr -c 'A-Za-z0-9_.-' '_').log"
  begin=$(date +%s)
  "$@" >"$log" 2>&1
  code=$?
  seconds=$(($(date +%s) - begin))
  runs=$((runs + 1))
  tally=$(grep -E '^ *[0-9]+ held, |^ *[0-9]+ claims? held|^\[  PASSED  \]' "$log" | tail -n 1 |
    sed -e 's/^ *//' -e 's/ on the trace of .*//')
  # Of what was rejected, why: "failed FILE WHY. Expected: …".
  [ "$wanted" -eq 0 ] || tally=$(tr -s ' \n' ' ' <"$log" | sed -e 's/^[^ ]* [^ ]* //' -e 's/ Expected: .*//')
  if [ "$code" -ne "$wanted" ]; then
    why="exit $code instead of $wanted"
    [ "$wanted" -ne 0 ] || why="exit $code"
  elif tr -s ' \n' ' ' <"$log" | grep -qF -e "$words"; then
    printf 'ok    %-58s %3ss  %s\n' "$name" "$seconds" "$tally"
    return
  else
    why="does not say \"$words\""
  fi
  failures=$((failures + 1))
  printf 'FAIL  %-58s %3ss  %s, see %s\n' "$name" "$seconds" "$why" "$log"
  # What missed, with the indented lines below it that say what was expected.
  awk '/^ *(MISSED|\[  FAILED  \])|^a claim missed|^(tracebook|[0-9][0-9]_[0-9a-z_]+): |^(passed|failed|not started|needs a GPU) / {
         why = 1; print; next
       }
       why && /^          / { print; next }
       { why = 0 }' "$log" | head -n 6 | sed 's/^/        /'
}

# one NAME COMMAND…: the same of what must end well, whatever it says.
one() { expect 0 '' "$@"; }

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

judge() {
  "$BIN/tracebook" exercise --again --out "$OUT/traces" --program "$BIN/exercises/$1" "$2"
}
exercises=0
for solution in exercises/solutions/[0-9][0-9]_*/*.cu; do
  [ -f "$solution" ] || continue
  [ -d "$BIN/exercises" ] || continue
  exercises=$((exercises + 1))
  chapter=$(basename "$(dirname "$solution")")
  stem=$(basename "$solution" .cu)
  number=${chapter%%_*}
  one "exercise $number $stem" judge "solution_${number}_$stem" "$solution" </dev/null

  mkdir -p "$OUT/wrong/$chapter" "$OUT/skeletons/$chapter" || exit 3
  wrong="$OUT/wrong/$chapter/$stem.wrong.cu"
  "$BIN/tracebook" exercise --wrong "$solution" >"$wrong"
  words=$(sed -n '1s|^// expect: ||p' "$wrong")
  expect 1 "${words:-(no words to expect in $solution)}" "exercise $number $stem, wrong" \
    judge "wrong_${number}_$stem" "$wrong" </dev/null

  # As handed out it is "not started": a declaration of nothing begins it.
  skeleton="$OUT/skeletons/$chapter/$stem.cu"
  "$BIN/tracebook" exercise --skeleton "$solution" >"$skeleton" || exit 3
  echo 'static_assert(true);' >>"$skeleton"
  # A claim's words: a program that does not even run is rejected as well, but not for its reason.
  expect 1 'Expected: ' "exercise $number $stem, skeleton" \
    judge "skeleton_${number}_$stem" "$skeleton" </dev/null
done
if [ "$exercises" -eq 0 ]; then
  echo "no code exercises: no solutions here, or no $BIN/exercises (target code_exercises)" >&2
fi

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
