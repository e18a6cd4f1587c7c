#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run_tests.sh BUILD [JOBS] [CTEST OPTIONS…]
#
# Runs CTest, then says how many live tests (label "live": they need a GPU) and how many others ran,
# how many were skipped, and why: a skipped test's reason is its last line that begins "skipped: ",
# or else its last line. The reader's answers and exercises (exercises/…) are counted by themselves.
# Exits as CTest does; having no test at all is an error.
set -u
build=$1
jobs=${2:-2}
shift
[ $# -eq 0 ] || shift

status=0
ctest --test-dir "$build" -j "$jobs" --no-tests=error --output-on-failure \
  --output-junit tests.xml "$@" || status=$?
[ -f "$build/tests.xml" ] || exit "$status"

ctest --test-dir "$build" -N -L '^live$' | sed -n 's/^ *Test *#[0-9]*: //p' |
  awk '
    function reason_of(line) {
      gsub(/<[^>]*>/, "", line)
      sub(/^[ \t]+/, "", line)
      gsub(/&lt;/, "<", line); gsub(/&gt;/, ">", line); gsub(/&quot;/, "\"", line)
      gsub(/&apos;/, "\047", line); gsub(/&amp;/, "\\&", line)
      return line
    }
    function report(kind) {
      if (kind == "exercise") {
        if (ran[kind] + skipped[kind] > 0)
          printf "your exercises: %d judged, %d not done yet (docs/exercises.md)\n", ran[kind],
            skipped[kind]
        return
      }
      if (kind == "live" && ran[kind] + skipped[kind] == 0) {
        print "live tests: 0 ran, there are none in a build without CUDA"
        return
      }
      printf "%s tests: %d ran, %d skipped\n", kind, ran[kind], skipped[kind]
      for (i = 1; i <= reasons; i++)
        if ((kind, i) in count) printf "  %d skipped: %s\n", count[kind, i], reason[i]
    }
    FILENAME == "-" { live[$0] = 1; next }
    /<testcase / {
      name = $0
      sub(/^.*<testcase name="/, "", name)
      sub(/".*$/, "", name)
      kind = name in live ? "live" : name ~ /^exercises\// ? "exercise" : "other"
      state = $0 ~ /status="notrun"/ ? "skipped" : "ran"
      last = said = ""
    }
    /<system-out>/ { output = 1 }
    output {
      line = reason_of($0)
      if (line ~ /[^ \t]/) last = line
      if (line ~ /^skipped: /) said = substr(line, 10)
    }
    /<\/system-out>/ { output = 0 }
    /<\/testcase>/ {
      if (state == "ran") { ran[kind]++; next }
      skipped[kind]++
      why = said != "" ? said : last != "" ? last : "no reason given"
      if (!(why in number)) { number[why] = ++reasons; reason[reasons] = why }
      count[kind, number[why]]++
    }
    END { print ""; report("live"); report("other"); report("exercise") }' - "$build/tests.xml"
exit "$status"
