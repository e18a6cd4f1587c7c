#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The programs as a user meets them: exit codes, one-line errors, what is left behind.
#
#   programs_test.sh BIN     the folder of the programs; run in the checkout
set -u
BIN=$(cd "$1" && pwd) || exit 3
ROOT=$(pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
failures=0
checks=0

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$1"
  sed 's/^/    /' "$WORK/out" "$WORK/err" | head -n 12
}

# Where lines are broken depends on how long the paths in them are.
unbroken() { tr -s ' \n' ' '; }

# expect CODE WORDS COMMAND…: exit code, words that must stand in the output, however its lines are
# broken, and for errors (2, 3, 77) exactly one line on stderr.
expect() {
  code=$1
  words=$2
  shift 2
  checks=$((checks + 1))
  "$@" >"$WORK/out" 2>"$WORK/err" </dev/null
  got=$?
  [ "$got" -eq "$code" ] || fail "$* exits $got, expected $code"
  words=$(printf '%s' "$words" | unbroken)
  cat "$WORK/out" "$WORK/err" | unbroken | grep -aqF -- "$words" || fail "$* does not say: $words"
  case $code in
    2 | 3 | 77) [ "$(wc -l <"$WORK/err")" -eq 1 ] || fail "$* does not fail in one line" ;;
  esac
}

# expect_first_line WORDS COMMAND…
expect_first_line() {
  words=$1
  shift
  checks=$((checks + 1))
  "$@" >"$WORK/out" 2>"$WORK/err" </dev/null
  head -n 1 "$WORK/out" | grep -qF -- "$words" || fail "$*: the first line lacks: $words"
}

cd "$WORK" || exit 3
CHAPTER=$BIN/01_cold_trace
TOOL=$BIN/tracebook
TORCH=$ROOT/expected/01_cold_trace/torch/01_cold_64.json

# A replay: the first line names the recording, everything is there, both artefacts stay.
expect_first_line 'Source: recording made on NVIDIA H200, driver ' "$CHAPTER" --replay
for words in 'ProfilerStep*' matmul_add aten::matmul aten::mm cuLaunchKernelEx cudaLaunchKernel nvjet_sm90 \
  'GPU busy' 'held    overhead_bound' '0 missed' 'Artefacts: '; do
  expect 0 "$words" "$CHAPTER" --replay
done
cmp -s traces/01_cold_trace/64_bf16_cold_eager.json "$ROOT/expected/01_cold_trace/h200/64_bf16_cold_eager.json" ||
  fail 'the JSON artefact of a replay is not the recording'
grep -q 'Self CUDA time total' traces/01_cold_trace/64_bf16_cold_eager.txt || fail 'the table is not there'
expect 0 '64_bf16_cold_eager' "$CHAPTER" --list-recordings
expect 0 '--size 4096' "$CHAPTER" --list-variants
expect 0 'Usage' "$CHAPTER" --help
expect 0 '01_cold_trace 0.' "$CHAPTER" --version
expect 0 'tracebook 0.' "$TOOL" --version
expect 0 'held' "$CHAPTER" --replay "$TORCH"

# Command lines that make no sense.
expect 2 'from 1 to' "$CHAPTER" --size 0
expect 2 'got "-5"' "$CHAPTER" --size -5
expect 2 'bf16, fp16, fp32' "$CHAPTER" --dtype bf17
expect 2 'cpu_time_total' "$TOOL" table "$TORCH" --sort-by nothing
expect 2 'text, json or csv' "$TOOL" table "$TORCH" --format xml
expect 2 '01_cold_trace' "$TOOL" check 99
expect 2 'no such step' "$TOOL" timeline "$TORCH" --step 7
expect 2 'SQL: ' "$TOOL" query "$TORCH" 'SELEC 1'
expect 2 'SQL: ' "$TOOL" query "$TORCH" 'DELETE FROM slice'
expect 2 'tracebook --help' "$TOOL" --nonsense
expect 2 'no such command: nonsense; expected one of chapters, table' "$TOOL" nonsense
expect 0 'tracebook 0.' "$TOOL" table --version
expect 2 'two named "name": give one another name with AS' \
  "$TOOL" query "$TORCH" 'SELECT a.name, b.name FROM op a JOIN op b' --format json

# What is quoted in an error is harmless to a terminal.
expect 2 'no chapter "?[2J"' "$TOOL" quiz "$(printf '\033[2J')"

# A table by step, by shape, with the times of calls.
expect 0 ',step,min,median,max,spread' "$TOOL" table "$TORCH" --group-by-step --stats --format csv
expect 3 'record_shapes=True' "$TOOL" table "$TORCH" --group-by-shape

# A redacted copy: it reads like any trace, says what was taken out, and never replaces its source.
expect 0 'trace name' "$TOOL" redact "$TORCH" -o redacted.json.gz
expect 0 'Self CPU time total' "$TOOL" table redacted.json.gz
expect 2 'is the trace itself' "$TOOL" redact redacted.json.gz -o ./redacted.json.gz
expect 2 'output' "$TOOL" redact redacted.json.gz
expect 3 'there is no folder' "$TOOL" redact redacted.json.gz -o nowhere/x.json

# Files that are none.
mkdir folder
: >empty.json
echo '{"a": 1}' >other.json
echo '[1, 2]' >array.json
echo 'hello' >text.json
head -c 9000 "$TORCH" >cut.json
gzip -c "$TORCH" | head -c 900 >cut.json.gz
for file in missing.json folder empty.json other.json array.json text.json cut.json cut.json.gz; do
  expect 3 "$file" "$TOOL" table "$file"
  expect 3 "$file" "$CHAPTER" --replay "$file"
done
expect 0 'Self CPU time total' "$TOOL" table --salvage cut.json
# Skipped events: one line that says what to do. Nothing recorded: the reason, no clean bill.
OP='{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2}'
BROKEN='{"ph":"X","name":"C:\Users","ts":5,"dur":1}'
printf '[%s,%s,%s]' "$OP" "$BROKEN" "$OP" >skipped.json
expect 3 'exit code 3; --salvage accepts what is whole' "$TOOL" table skipped.json
expect 0 'Self CPU time total' "$TOOL" table --salvage skipped.json
echo '{"traceEvents":[]}' >empty.json
for command in table timeline diagnose; do
  expect 0 'The trace holds no work. Usual causes: the schedule never reached' "$TOOL" "$command" empty.json
done
expect 0 'no work was recorded' "$TOOL" info empty.json
echo '[{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":2}]' >lost.json
expect 0 'but the trace holds no device work' "$TOOL" diagnose lost.json
for command in table timeline info; do
  expect 0 'all records of 1 launch were lost' "$TOOL" "$command" lost.json
done
expect 77 'no recording of these knobs' "$CHAPTER" --replay --size 100

# Artefacts appear whole or not at all. (The superuser may write anywhere: /dev/full is full for all.)
expect 0 'Artefacts' "$CHAPTER" --replay --out kept
cp kept/01_cold_trace/64_bf16_cold_eager.txt before.txt
rm kept/01_cold_trace/64_bf16_cold_eager.json
mkdir kept/01_cold_trace/64_bf16_cold_eager.json
expect 3 'is a folder' "$CHAPTER" --replay --out kept
cmp -s before.txt kept/01_cold_trace/64_bf16_cold_eager.txt || fail 'a failed run changed the previous table'
rm -rf kept/01_cold_trace
mkdir -p kept/01_cold_trace/64_bf16_cold_eager.txt
expect 3 'is a folder' "$CHAPTER" --replay --out kept
[ ! -e kept/01_cold_trace/64_bf16_cold_eager.json ] || fail 'one artefact of two was left'
echo x >file
expect 3 'file' "$CHAPTER" --replay --out file
[ "$(find kept | grep -c tmp)" -eq 0 ] || fail 'a partial artefact was left behind'
if [ -w /dev/full ]; then
  checks=$((checks + 1))
  "$TOOL" table "$TORCH" >/dev/full 2>"$WORK/err"
  [ $? -eq 3 ] || fail 'a full disk goes unnoticed'
  "$CHAPTER" --replay >/dev/full 2>"$WORK/err"
  [ $? -eq 3 ] || fail 'a chapter does not notice that its output is lost'
  for option in --help --version 'table --help'; do
    # shellcheck disable=SC2086  # one or two words
    for program in "$TOOL" "$CHAPTER"; do
      [ "$program $option" = "$CHAPTER table --help" ] && continue
      checks=$((checks + 1))
      "$program" $option >/dev/full 2>"$WORK/err"
      [ $? -eq 3 ] || fail "$program $option does not notice that its output is lost"
    done
  done
fi

# Claims that are broken, in a workbook of their own.
mkdir -p book/chapters
cp -r "$ROOT/expected" book/expected
sed 's/FROM step"/FROM nowhere"/' "$ROOT/expected/01_cold_trace/claims.json" >book/expected/01_cold_trace/claims.json
expect 3 'claims.json: claim ' env TRACEBOOK_ROOT="$WORK/book" "$CHAPTER" --replay
echo '{"schema": 1, "claims": [' >book/expected/01_cold_trace/claims.json
expect 3 'line 2' env TRACEBOOK_ROOT="$WORK/book" "$CHAPTER" --replay
expect 0 'no   recordings' env TRACEBOOK_ROOT="$WORK/folder" "$TOOL" doctor
expect 3 'TRACEBOOK_ROOT' env TRACEBOOK_ROOT="$WORK/folder" "$CHAPTER" --replay

# A query that never ends can be interrupted. (A claim's is stopped after a minute: claims_test.)
checks=$((checks + 1))
endless='WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n'
timeout -s INT 0.5 "$TOOL" query "$TORCH" "$endless" >"$WORK/out" 2>"$WORK/err"
[ $? -eq 124 ] || fail 'a query that never ends cannot be interrupted'

# Where there is no GPU: 77 with the reason, or a failure if one is required.
if ! "$CHAPTER" --gpu-status >/dev/null; then
  expect 77 '--live: ' "$CHAPTER" --live
  checks=$((checks + 1))
  TRACEBOOK_REQUIRE_GPU=1 "$CHAPTER" >"$WORK/out" 2>"$WORK/err"
  [ $? -eq 1 ] || fail 'TRACEBOOK_REQUIRE_GPU=1 passes without a GPU'
fi

# What the README shows is what a terminal of 80 columns shows.
if script -qec true /dev/null >/dev/null 2>&1; then
  NO_COLOR=1 LC_ALL=C.UTF-8 script -qec "stty cols 80 rows 50; '$CHAPTER' --replay" /dev/null 2>/dev/null |
    tr -d '\r' >"$WORK/out"
  : >"$WORK/err"
  sed -n '/^Source: /,/^```/p' "$ROOT/README.md" | grep -v -e '^```' -e '^…' >shown
  [ -s shown ] || fail 'the README shows no output'
  while IFS= read -r line; do
    checks=$((checks + 1))
    grep -qxF -- "$line" "$WORK/out" || fail "the README shows what the program does not print: $line"
  done <shown
fi

# No line is longer than a narrow terminal.
if script -qec true /dev/null >/dev/null 2>&1; then
  : >"$WORK/err"
  head -c 20000 "$TORCH" >cut.json
  for line in "'$TOOL' --help" "'$TOOL' query --help" "'$CHAPTER' --help" "'$CHAPTER' --replay" \
    "'$TOOL' chapters" "'$TOOL' check 01" "'$TOOL' cheatsheet" "'$TOOL' info '$TORCH'" \
    "'$TOOL' query '$TORCH' 'SELECT id, ts, dur, name, path, args FROM slice'" \
    "'$TOOL' tabel" "'$TOOL' quiz 99" "'$TOOL' table --sort-by nothing '$TORCH'" "'$TOOL' table cut.json" \
    "'$TOOL' query '$TORCH' 'SELECT nothing FROM slice'" "'$CHAPTER' --replay --size 100"; do
    checks=$((checks + 1))
    TRACEBOOK_ROOT=$ROOT LC_ALL=C.UTF-8 script -qec "stty cols 60 rows 50; $line" /dev/null </dev/null 2>/dev/null |
      tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' >"$WORK/out"
    [ -s "$WORK/out" ] || fail "$line says nothing on a terminal"
    LC_ALL=C.UTF-8 sed -n '/^.\{61,\}/p' "$WORK/out" | grep ' ' >"$WORK/err" &&
      fail "$line is wider than the terminal"
  done
fi

# The tool, on PyTorch's trace.
expect 0 'aten::mm' "$TOOL" table "$TORCH"
expect 0 '"self_cpu_time_total"' "$TOOL" table "$TORCH" --format json
expect 0 'ProfilerStep#2' "$TOOL" timeline "$TORCH"
expect 0 'torch.profiler' "$TOOL" info "$TORCH"
cat >"$WORK/counters.json" <<'END'
[{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 5},
 {"ph": "C", "name": "cpu", "pid": 1, "ts": 2, "args": {"user": 1, "sys": 2}},
 {"ph": "C", "name": "cpu", "pid": 1, "ts": 3, "args": {"user": 1, "sys": 2}}]
END
"$TOOL" info "$WORK/counters.json" | grep -Eq '^counter +2( |$)' || fail 'info does not count counter events'
"$TOOL" info "$TORCH" | grep -q '^counter' && fail 'info counts counters where there are none'
expect 0 '0 missed' "$TOOL" check 01
expect 0 'overhead_bound' "$TOOL" check 01 "$TORCH" --format csv
expect 0 'taken for torch/01_cold_64' "$TOOL" check 01 "$TORCH"
expect 0 'no run of this chapter' "$TOOL" check 01 "$ROOT/expected/torch_parity/torch-h200/06_warmup_4096.json.gz"
expect 0 'CUDA Toolkit' "$TOOL" doctor
expect 0 'A cold trace' "$TOOL" chapters
expect 0 'dur' "$TOOL" query "$TORCH" 'SELECT number, dur FROM step'
expect 0 '{"schema": 1,' "$TOOL" info "$TORCH" --format json
expect 0 '{"schema": 1,' "$TOOL" chapters --format json
expect 0 '{"schema": 1,' "$TOOL" doctor --format json
expect 0 '{"schema": 1,' "$TOOL" check 01 --format json
expect 0 '"value": 100, "unit": "% of steps"' "$TOOL" check 01 --format json
expect 0 '"x": null' "$TOOL" query "$TORCH" 'SELECT 1e308 * 10 AS x' --format json
"$TOOL" table - <"$TORCH" >"$WORK/out" 2>"$WORK/err" || fail 'standard input is not read'

# A class's handout judges nothing, and its students have names: handout_test.sh tries one.
if [ ! -d "$ROOT/exercises/solutions" ] || [ -f "$ROOT/exercises/class.json" ]; then
  echo "$checks checks, $failures failed; the lab's commands are tried in a copy with solutions"
  [ "$failures" -eq 0 ]
  exit
fi

# The lab: questions, hints, exercises, grades.
expect 77 'not started; begin with' "$TOOL" quiz 1 --check --answers mine.json
expect 77 'points: 0 of ' "$TOOL" quiz 1 --check --answers mine.json
expect 0 'Made mine.json' "$TOOL" quiz 1 --start --answers mine.json
expect 0 'left as it is: mine.json' "$TOOL" quiz 01 --start --answers mine.json
expect 77 '/tracebook quiz 01 --answers mine.json`' "$TOOL" quiz 1 --check --answers mine.json
expect 77 'points: 0 of ' "$TOOL" quiz 1 --check --answers mine.json
expect 77 "quiz 01 --answers 'no such.json' --trace $TORCH\`" \
  "$TOOL" quiz 1 --check --answers 'no such.json' --trace "$TORCH"
expect 0 "quiz 01 --check --answers 'mine too.json'\`" "$TOOL" quiz 1 --start --answers 'mine too.json'
expect 77 'Enter skips, ? is a hint, q leaves.' sh -c '"$0" quiz 1 --answers mine.json; s=$?; echo >&2; exit $s' "$TOOL"
expect 0 'Hint 1 of 3: ' "$TOOL" hint 1 --answers mine.json
expect 0 'Hint 2 of 3: ' "$TOOL" hint 1 --answers mine.json
expect 2 'hint: nothing called "nope"' "$TOOL" hint 1 nope --answers mine.json
expect 2 '--start excludes --check' "$TOOL" quiz 1 --start --check
expect 3 'no such trace' "$TOOL" quiz 1 --check --answers mine.json --trace none.json
printf '{"schema": 1,\n"answers": {,}}' >broken.json
expect 3 'broken.json: not JSON at line 2, column 13' "$TOOL" quiz 1 --check --answers broken.json
: >"$WORK/empty_answers.json"
expect 3 'the file is empty' "$TOOL" quiz 1 --check --answers "$WORK/empty_answers.json"
for text in '' '{' '[]' '{"schema": 2}' '{"schema": 1}' '{"schema": 1, "chapter": "01_cold_trace"}'; do
  printf '%s' "$text" >unreadable.json
  for way in 'quiz 1 --check' 'quiz 1' 'hint 1'; do
    # shellcheck disable=SC2086  # several words
    expect 3 'quiz 01 --start --answers unreadable.json` makes a fresh one' \
      "$TOOL" $way --answers unreadable.json
  done
done
printf '\376\377\000{\000}' >utf16.json
expect 3 'utf16.json: the file is UTF-16; save it as UTF-8' "$TOOL" quiz 1 --check --answers utf16.json
expect 3 'expected a plain file' "$TOOL" quiz 1 --check --answers /dev/null
printf '{"schema": 1, "chapter": "01_cold_trace", "answers": {"who": "5"}}' >unknown.json
expect 1 '"who" in "answers" is no question of this chapter' "$TOOL" quiz 1 --check --answers unknown.json
printf '{"schema": 1, "chapter": "01_cold_trace", "answers": {"queue": 1, "queue": 2, "range_self": 1e400, "hotspot": "aten::mm", "add_grid": "1"}}' >odd.json
expect 1 'it stands twice in "answers"' "$TOOL" quiz 1 --check --answers odd.json
expect 1 '"1e400" is beyond what can be an answer' "$TOOL" quiz 1 --check --answers odd.json
expect 1 'three whole numbers' "$TOOL" quiz 1 --check --answers odd.json
expect 1 'right       hotspot' "$TOOL" quiz 1 --check --answers odd.json
expect 3 '"answers/queue" stands twice; keep one of the two' "$TOOL" quiz 1 --answers odd.json
printf '{"schema": 1, "chapter": "01_cold_trace", "answers": {"queue": "8.1"}}' >wrong.json
expect 1 ' --answers wrong.json' "$TOOL" quiz 1 --check --answers wrong.json
SOLUTION=$(echo "$ROOT"/exercises/solutions/01_cold_trace/*e.sql)
"$TOOL" exercise --skeleton "$SOLUTION" >"$(basename "$SOLUTION")"
expect 77 'not started: ' "$TOOL" exercise "$(basename "$SOLUTION")"
expect 0 'passed' "$TOOL" exercise "$SOLUTION"
expect 0 'points: 2 of 2' "$TOOL" exercise "$SOLUTION"
echo 'SELECT 1 AS step' >"$(basename "$SOLUTION")"
expect 1 'the result has no column' "$TOOL" exercise "$(basename "$SOLUTION")"
echo 'SELECT' >"$(basename "$SOLUTION")"
expect 1 'the query does not run' "$TOOL" exercise "$(basename "$SOLUTION")"
expect 1 "hint 01 $(basename "$SOLUTION" .sql)" "$TOOL" exercise "$(basename "$SOLUTION")"
: >"$(basename "$SOLUTION")"
expect 1 "hint 01 $(basename "$SOLUTION" .sql)" "$TOOL" exercise "$(basename "$SOLUTION")"
printf '\377\376S\000E\000' >"$(basename "$SOLUTION")"
expect 1 'the file is UTF-16; save it as UTF-8' "$TOOL" exercise "$(basename "$SOLUTION")"
for nothing in nothing.sql nothing.cu; do
  expect 2 'is no exercise; there are exercises/01_cold_trace/' "$TOOL" exercise $nothing
  expect 2 '.cu, exercises/' "$TOOL" exercise $nothing
done
mkdir -p class/ada class/bob
cp mine.json class/ada/01_cold_trace.json
cp broken.json class/bob/01_cold_trace.json
expect 0 'bob: 01: class/bob/01_cold_trace.json: not JSON at line 2' "$TOOL" grade class/*
expect 0 '{"schema": 1,' "$TOOL" grade class/* --format json
expect 0 'student,points,of,01' "$TOOL" grade class/* --format csv
expect 0 'student,points,of,01,02,hints,folder,faults,remarks' "$TOOL" grade --format csv --chapters 1,02 class/*
expect 2 'no chapter "77"; there are ' "$TOOL" grade class/* --chapters 02,77
expect 3 'there is no folder class/bbo and class/ead' "$TOOL" grade class/ada class/bbo class/ead class/bob
grep -q '^bob ' "$WORK/out" || fail 'a folder that is not there stops the grading'
expect 0 'ada' "$TOOL" grade class/ada --gradescope results.json
grep -q '"max_score"' results.json || fail 'results.json has no tests'
# A name that would be a formula in a spreadsheet is a text there.
printf '{"schema": 1, "chapter": "01_cold_trace", "student": "=1+1", "answers": {}}' >class/ada/01_cold_trace.json
expect 0 "'=1+1,0," "$TOOL" grade class/ada --format csv
expect 0 '"student": "=1+1"' "$TOOL" grade class/ada --format json
expect 3 '--seed: expected 1 to 64 letters' "$TOOL" grade class/ada --seed 'a b'
expect 0 'bob' "$TOOL" grade class/* --seed autumn-26 --junit class.xml
if command -v python3 >/dev/null; then
  checks=$((checks + 1))
  python3 - class.xml >"$WORK/out" 2>"$WORK/err" <<'END' || fail 'class.xml is not the class'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
suites = root.findall("testsuite")
assert [s.get("name") for s in suites] == ["=1+1", "bob"], suites
for suite in suites:
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.get("tests")) > 60
    ended = {kind: len(suite.findall("testcase/" + kind)) for kind in ("failure", "error", "skipped")}
    for kind, name in ("failure", "failures"), ("error", "errors"), ("skipped", "skipped"):
        assert ended[kind] == int(suite.get(name)), (kind, ended)
    of = lambda element: {p.get("name"): p.get("value") for p in element.find("properties")}
    assert sum(float(of(c)["of"]) for c in cases) == float(of(suite)["of"])
    assert sum(float(of(c)["points"]) for c in cases) == float(of(suite)["points"])
assert "01_cold_trace.json: not JSON at line 2" in suites[1].find("system-err").text
assert suites[1].find("testcase/error") is not None
END
fi
expect 2 '--gradescope is for one folder' "$TOOL" grade class/* --gradescope results.json

# Leading: where one stands, once, where there is no terminal. In a workbook of its own.
mkdir own
for folder in chapters expected docs; do ln -s "$ROOT/$folder" "own/$folder"; done
cp -r "$ROOT/exercises" own/exercises
sh "$ROOT/common/cli/untouched_exercises.sh" "$TOOL" own || fail 'the exercises are not as handed out'
own() { env TRACEBOOK_ROOT="$WORK/own" "$TOOL" "$@"; }
expect 0 'Begin chapter 01 (A cold trace)' own next
expect 0 '{"schema": 1,' own next --format json
expect 2 'text or json' own next --format csv
expect 77 'something is open, and nothing is wrong' own lab
expect 77 'in chapter 03 something is open' own lab 3
expect 2 'no chapter "99"' own lab 99
expect 0 'nothing to reset' own reset 1
expect 2 'chapter is required' own reset
echo 'SELECT' >own/exercises/03_schedule_tweak/covered_offset.sql
expect 1 'failed       covered_offset' own lab 3
expect 2 'nobody is there to ask' own reset 3
expect 0 'is as handed out again; a copy is kept' own reset 3 --yes

# What `make check` runs: the exercises that are listed, no other file, and none left out in silence.
ln -s "$ROOT/cmake" own/cmake
check_lab() { (cd own && env TRACEBOOK_ROOT="$WORK/own" sh cmake/check_lab.sh "$TOOL" "$1"); }
echo 'SELECT 1' >own/exercises/03_schedule_tweak/mine.sql
expect 0 'not started' check_lab 3
checks=$((checks + 2))
[ "$(grep -c '^not started  exercises/03_schedule_tweak/' "$WORK/out")" -eq 2 ] ||
  fail 'not each exercise of chapter 03 is checked once'
grep -q 'mine' "$WORK/out" && fail 'a query of the reader is checked'
rm own/exercises/03_schedule_tweak/covered_offset.sql
checks=$((checks + 1))
check_lab 03 >"$WORK/out" 2>"$WORK/err"
[ $? -eq 3 ] && grep -qF 'missing      exercises/03_schedule_tweak/covered_offset.sql' "$WORK/out" &&
  grep -qF '`make reset N=03 ARGS=--missing` puts it back' "$WORK/out" || fail 'a deleted exercise is not named'
expect 0 'covered_offset.sql' own reset 3 --yes
expect 0 'not started' check_lab 3
expect 0 'nothing to reset' own reset 3
cat own/answers/kept/03_schedule_tweak.*/covered_offset.sql | grep -qx SELECT || fail 'reset keeps no copy'
mkdir -p own/answers/01_cold_trace.json
expect 3 'answers/01_cold_trace.json: expected a plain file' own lab 1
expect 3 'expected a plain file' own reset 1 --yes
expect 3 'expected a plain file, not a folder; move it away' own quiz 1 --start
expect 3 'expected a plain file, not a folder; move it away' own quiz 1 --check
rmdir own/answers/01_cold_trace.json
ln -s nowhere own/answers/01_cold_trace.json
for way in 'quiz 1 --start' 'quiz 1 --check' 'quiz 1 --list' 'quiz 1' 'hint 1' 'lab 1'; do
  # shellcheck disable=SC2086  # several words
  expect 3 'a link to a file that is not there' own $way
done
rm own/answers/01_cold_trace.json
# A command that is none makes no file.
expect 2 'nothing called "nosuch"' own hint 1 nosuch
expect 3 'no such trace' own hint 1 --trace nosuch
expect 3 'no such trace' own quiz 1 --trace nosuch
expect 0 'where is the widest gap' own quiz 3 --list
[ ! -e own/answers/01_cold_trace.json ] || fail 'a wrong command makes a file of answers'
printf '{"schema": 1, "chapter": "01_cold_trace", "answers": {}, "answers": {}}' >doubled.json
expect 1 '"answers" stands twice in the file' "$TOOL" quiz 1 --check --answers doubled.json
rm own/exercises/03_schedule_tweak/covered_offset.sql
expect 1 'reset 03 --missing' own lab 3
expect 0 'is missing, and is put back' own reset 3 --missing
expect 0 'No exercise file is missing' own reset 3 --missing
expect 0 '03 · Another schedule' own lesson 3
expect 2 'no chapter "99"' own lesson 99

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
