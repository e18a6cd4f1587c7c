#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fuzz.sh BUILD [SECONDS [JOBS]]
#
# Runs BUILD/fuzz/trace_fuzz for so long. It begins with what the reader's tests read (so that a new
# kind of broken file has one home, its test) and the smallest recordings; what it finds on the way
# stays in BUILD/corpus for the next run. An input that breaks something goes to BUILD/crashes, and
# exit 1 says so; `trace_fuzz FILE` shows it again.
set -eu
build=$1
seconds=${2:-120}
jobs=${3:-2}
case $seconds in
  '' | *[!0-9]*) echo "fuzz: SECONDS=$seconds: expected a whole number, 120 for two minutes" >&2; exit 2 ;;
esac
program=$build/fuzz/trace_fuzz
# Stacks with names and lines, where there is something that finds them.
symbolizer=$(command -v llvm-symbolizer-16 || command -v llvm-symbolizer || true)
[ -z "$symbolizer" ] || export ASAN_SYMBOLIZER_PATH="$symbolizer"

rm -rf "$build/seeds" "$build/crashes"
mkdir -p "$build/seeds" "$build/crashes" "$build/corpus"
for test in reader_broken_test reader_test; do
  TRACEBOOK_SEEDS="$build/seeds" "$build/tests/trace_$test" > "$build/seeds.log" 2>&1 ||
    { cat "$build/seeds.log"; exit 1; }
done
find expected -name '*.json' -size -32k ! -name claims.json ! -name manifest.json |
  while read -r file; do cp "$file" "$build/seeds/$(echo "$file" | tr / _)"; done
echo "fuzz: $(ls "$build/seeds" | wc -l) seeds, $(ls "$build/corpus" | wc -l) inputs found earlier"

# With -fork one input that breaks the target in the beginning would be passed over: each once first.
"$program" -max_len=32768 -timeout=10 -runs=0 -artifact_prefix="$build/crashes/" \
  "$build/seeds" "$build/corpus" > "$build/fuzz.log" 2>&1 ||
  { tail -n 60 "$build/fuzz.log"; echo "fuzz: FAILED on a seed: $(ls -d "$build"/crashes/*)"; exit 1; }
status=0
"$program" -max_len=8192 -timeout=10 -rss_limit_mb=2048 -max_total_time="$seconds" -fork="$jobs" \
  -ignore_timeouts=0 -ignore_ooms=0 -artifact_prefix="$build/crashes/" \
  -dict=common/render/trace_fuzz.dict "$build/corpus" "$build/seeds" > "$build/fuzz.log" 2>&1 ||
  status=$?
if [ "$status" -ne 0 ] || [ -n "$(ls "$build/crashes")" ]; then
  tail -n 60 "$build/fuzz.log"
  echo "fuzz: FAILED: $(ls -d "$build"/crashes/*)"
  exit 1
fi
grep '^#' "$build/fuzz.log" | tail -n 1
echo "fuzz: $seconds s, nothing found"
