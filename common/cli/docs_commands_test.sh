#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# docs_commands_test.sh BIN: every command that the README, the lessons, the exercises and docs/ show
# in a block of its own runs. A command ends well (0), judges (1), or says that it cannot judge here
# (77); anything else is a command that does not exist or is wrong. Run in the checkout.
set -u
# Every machine replays the recordings: live runs are for `make live`.
export CUDA_VISIBLE_DEVICES=
unset TRACEBOOK_REQUIRE_GPU
BIN=$(cd "$1" && pwd)
ROOT=$(pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# A workbook of its own, so that answers and artefacts stay out of the checkout.
mkdir "$WORK/build"
ln -s "$BIN" "$WORK/build/bin"
for folder in chapters expected docs; do ln -s "$ROOT/$folder" "$WORK/$folder"; done
cp -R exercises "$WORK/"
sh common/cli/untouched_exercises.sh "$BIN/tracebook" "$WORK" || exit 3
export TRACEBOOK_ROOT="$WORK"

# One command a line: those of the blocks between ```, joined where a backslash or an open quote
# says that they go on.
commands_of() {
  awk '
    /^```/ { inside = !inside; command = ""; next }
    !inside { next }
    command == "" && !/^build\/bin\// { next }
    {
      line = $0
      goes_on = sub(/\\$/, "", line)
      command = command (command == "" ? "" : " ") line
      quotes = gsub(/"/, "\"", command)
      if (goes_on || quotes % 2 == 1) next
      print command
      command = ""
    }' "$1"
}

checks=0
failures=0
for page in README.md docs/*.md chapters/*/README.md exercises/*/README.md; do
  # The page on adding a chapter has a test of its own, which runs it with its chapter.
  [ "$page" = docs/adding_a_chapter.md ] && continue
  commands_of "$page" >"$WORK/commands"
  while IFS= read -r command; do
    # What the reader has to fill in: a trace of theirs, a dot-dot-dot.
    case $command in
      *…* | *FILE* | *TRACE* | *my_trace* | *before.json* | *' A B'* | *DIR*) continue ;;
    esac
    checks=$((checks + 1))
    (cd "$WORK" && timeout 120 sh -c "$command") </dev/null >"$WORK/out" 2>&1
    code=$?
    case $code in
      0 | 1 | 77) ;;
      *)
        failures=$((failures + 1))
        echo "FAIL: $page: $command"
        sed 's/^/    /' "$WORK/out" | tail -n 3
        ;;
    esac
  done <"$WORK/commands"
done

# And every target of make that they name is one.
for target in $(cat README.md docs/*.md chapters/*/README.md exercises/*/README.md |
  grep -oE '(^|`)make [a-z]+' | sed 's/.*make //' | sort -u); do
  checks=$((checks + 1))
  grep -qE "^$target:" Makefile && continue
  failures=$((failures + 1))
  echo "FAIL: make has no target $target"
done
echo "$checks commands of the documentation, $failures failed"
[ "$failures" -eq 0 ] && [ "$checks" -ge 40 ]
