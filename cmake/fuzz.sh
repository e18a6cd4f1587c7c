#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fuzz.sh BUILD [SECONDS [JOBS [SEED]]]
#
# Runs BUILD/fuzz/trace_fuzz for so long. It begins with what the reader's tests read (so that a new
# kind of broken file has one home, its test) and the smallest recordings; what it finds on the way
# stays in BUILD/corpus for the next run. An input that breaks something goes to BUILD/crashes, and
# exit 1 says so; `trace_fuzz FILE` shows it again.
#
# With a SEED, one process tries the same inputs in the same order each time, and nothing found
# earlier: a failure comes back when the same commit is fuzzed with the same seed, so that a gate
# which uses one says something about the commit and not about the day.
set -eu
build=$1
seconds=${2:-120}
jobs=${3:-2}
seed=${4:-}
case $seed in
  *[!0-9]* | 0) echo "fuzz: SEED=$seed: expected a whole number from 1, or none" >&2; exit 2 ;;
esac
case $seconds in
  '' | *[!0-9]*) echo "fuzz: SECONDS=$seconds: expected a whole number, 120 for two minutes" >&2; exit 2 ;;
esac
# Stacks with names and lines, where there is something that finds them.
symbolizer=$(command -v llvm-symbolizer-16 || command -v llvm-symbolizer || true)
[ -z "$symbolizer" ] || export ASAN_SYMBOLIZER_PATH="$symbolizer"

corpus=corpus
[ -z "$seed" ] || { corpus=corpus-of-seed; rm -rf "${build:?}/$corpus"; }
rm -rf "$build/seeds" "$build/crashes"
mkdir -p "$build/seeds" "$build/crashes" "$build/$corpus"
for test in reader_broken_test reader_phases_test reader_test; do
  TRACEBOOK_SEEDS="$build/seeds" "$build/tests/trace_$test" > "$build/seeds.log" 2>&1 ||
    { cat "$build/seeds.log"; exit 1; }
done
find expected -name '*.json' -size -32k ! -name claims.json ! -name manifest.json |
  while read -r file; do cp "$file" "$build/seeds/$(echo "$file" | tr / _)"; done
echo "fuzz: $(find "$build/seeds" -type f | wc -l) seeds," \
  "$(find "$build/$corpus" -type f | wc -l) inputs found earlier"

absolute=$(cd "$build" && pwd)
dictionary=$(pwd)/common/render/trace_fuzz.dict
cd "$build"
rm -f fuzz-*.log
status=0
# Without -entropic=0 most of the time would go into weighing the corpus.
set -- "$absolute/fuzz/trace_fuzz" -max_total_time="$seconds" -entropic=0 -max_len=4096 -timeout=10 \
  -rss_limit_mb=2048 -dict="$dictionary" -artifact_prefix="$absolute/crashes/"
if [ -n "$seed" ]; then
  # What the order of inputs depends on: the order of the seeds, when the corpus is looked through
  # again, and through comparisons of pointers where memory lies.
  find seeds -type f | LC_ALL=C sort | paste -s -d , - > seeds.list
  set -- "$@" -seed="$seed" -reload=0 -seed_inputs=@seeds.list "$corpus"
  if setarch -R true 2> /dev/null; then set -- setarch -R "$@"; fi
  "$@" > fuzz-0.log 2>&1 || status=$?
else
  # One process a core, that share what they find.
  "$@" -jobs="$jobs" -workers="$jobs" "$corpus" seeds > fuzz.log 2>&1 || status=$?
fi
for log in fuzz-*.log; do
  case $(tail -n 1 "$log") in
    "Done "*) grep 'DONE' "$log" | sed 's/^#/fuzz: inputs tried: /' ;;
    *) tail -n 60 "$log"; status=1 ;;
  esac
done
if [ "$status" -ne 0 ] || [ -n "$(ls crashes)" ]; then
  echo "fuzz: FAILED$(find "$absolute/crashes" -type f | sed 's/^/ /' | tr -d '\n')"
  exit 1
fi
echo "fuzz: $seconds s, nothing found"
