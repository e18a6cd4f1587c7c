#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# handout_test.sh BIN: a class from end to end, in copies of this checkout. The handout is made, holds
# no solution and is the same twice; students answer in it; the full copy grades what they hand in.
# Run in the checkout.
set -u
BIN=$(cd "$1" && pwd) || exit 3
TOOL=$BIN/tracebook
TESTS=$BIN/../tests
if [ ! -d exercises/solutions ]; then
  echo 'skipped: this copy is a handout itself'
  exit 77
fi
if ! git rev-parse --git-dir >/dev/null 2>&1; then
  echo 'skipped: a handout is made from a git checkout'
  exit 77
fi
WORK=$(mktemp -d) || exit 3
trap 'rm -rf "$WORK"' EXIT
FULL=$WORK/full
failures=0
checks=0

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$1"
  sed 's/^/    /' "$WORK/out" | head -n 12
}

# Where lines are broken depends on how long the paths in them are.
unbroken() { tr -s ' \n' ' '; }

# expect CODE WORDS COMMAND…: in the working folder; errors (2, 3, 77) are one line on stderr.
expect() {
  code=$1
  words=$2
  shift 2
  checks=$((checks + 1))
  "$@" >"$WORK/out" 2>"$WORK/err" </dev/null
  got=$?
  lines=$(wc -l <"$WORK/err")
  cat "$WORK/err" >>"$WORK/out"
  [ "$got" -eq "$code" ] || fail "$* exits $got, expected $code"
  unbroken <"$WORK/out" | grep -aqF -- "$(printf '%s' "$words" | unbroken)" ||
    fail "$* does not say: $words"
  case $code in
    2 | 3 | 77) [ "$lines" -eq 1 ] || fail "$* does not fail in one line" ;;
  esac
}
# is CODE WORDS: of a quiz that was typed into.
is() {
  checks=$((checks + 1))
  [ "$got" -eq "$1" ] || fail "the quiz exits $got, expected $1"
  unbroken <"$WORK/out" | grep -aqF -- "$(printf '%s' "$2" | unbroken)" ||
    fail "the quiz does not say: $2"
}
typed() {
  printf '%b' "$1" | "$TOOL" quiz 03 >"$WORK/out" 2>&1
  got=$?
}

# The checkout as a class's teacher has it: nothing solved, all of it committed.
mkdir "$FULL"
git ls-files | while IFS= read -r file; do [ -f "$file" ] && printf '%s\n' "$file"; done >"$WORK/files"
tar -cf - -T "$WORK/files" | tar -xf - -C "$FULL"
cd "$FULL" || exit 3
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE SEED SELF_CHECK
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 TRACEBOOK_ROOT="$FULL"
committed() {
  git add -A && git -c user.name=teacher -c user.email=teacher@localhost commit -qm "$1"
}
sh common/cli/untouched_exercises.sh "$TOOL" . || exit 3
git -c init.defaultBranch=main init -q
committed workbook
handout() { sh "$FULL/cmake/handout.sh" "$TOOL" "$@"; }

# ------------------------------------------------------------------------------ what is in it

expect 0 'handout: one/tracebook-handout-' handout one
(umask 077 && TZ=Asia/Tokyo handout two >/dev/null) || fail 'a second handout is not made'
checks=$((checks + 1))
cmp -s one/*.tar.gz two/*.tar.gz || fail 'the same commit gives other bytes'
expect 0 'autumn-26.tar.gz' env SEED=autumn-26 sh cmake/handout.sh "$TOOL" class
expect 0 'self-check.tar.gz' env SELF_CHECK=1 sh cmake/handout.sh "$TOOL" checked
mv one class checked "$WORK/"
rm -r two

# unpacked FOLDER
unpacked() {
  tar -xzf "$WORK/$1"/*.tar.gz -C "$WORK/$1" && mv "$WORK/$1/tracebook" "$WORK/$1/book"
}
for folder in one class checked; do unpacked $folder || fail "$folder cannot be unpacked"; done
PLAIN=$WORK/one/book

checks=$((checks + 5))
[ -d "$PLAIN/exercises/solutions" ] && fail 'the solutions are in it'
grep -l '"sql"\|"mistakes"' "$PLAIN"/exercises/*/questions.json && fail 'a sheet has its queries'
[ "$(wc -l <"$PLAIN/docs/teaching.md")" -le 5 ] || fail 'the page for teachers is in it'
grep -q "^> " "$PLAIN/docs/start.md" && fail 'the session with answers is in it'
[ -f "$PLAIN/exercises/class.json" ] && fail 'without a seed there is a class'
grep -A 1 'docs/start.md.*first step' "$PLAIN/README.md" | grep -q '^$' || fail 'the README promises a longer start'
for solution in exercises/solutions/*/*.sql exercises/solutions/*/*.cu; do
  checks=$((checks + 1))
  case $solution in
    *.wrong.*) text=$(sed 1d "$solution") ;;
    *) text=$(sed -n '/ solution begin/,/ solution end/p' "$solution" | sed '1d;$d') ;;
  esac
  # No file holds all of its lines; the last hint, which is paid for, may.
  grep -rlF --exclude=exercises.json -e "$(printf '%s\n' "$text" | awk 'length > n { n = length; l = $0 } END { sub(/^ +/, "", l); print l }')" "$PLAIN" >"$WORK/holders"
  while IFS= read -r holder; do
    printf '%s\n' "$text" | sed 's/^ *//; /^$/d' | {
      while IFS= read -r line; do grep -qF -e "$line" "$holder" || exit 0; done
      exit 1
    } || fail "$holder holds $solution"
  done <"$WORK/holders"
done
# Nothing but the questions speaks of a question, so nothing answers it.
for id in call_alone in_which_call range_self; do
  checks=$((checks + 1))
  found=$(grep -rlw -e "$id" "$PLAIN" | grep -v '/exercises/[0-9]*_[a-z0-9_]*/questions.json$' | head -n 1)
  [ -z "$found" ] || fail "$found speaks of the question $id"
done
git ls-files exercises/solutions | grep -v '\.wrong\.' >"$WORK/solutions"
while IFS= read -r solution; do
  name=${solution#exercises/solutions/}
  [ -f "exercises/$name" ] || continue
  checks=$((checks + 1))
  cmp -s "exercises/$name" "$PLAIN/exercises/skeletons/$name" || fail "no skeleton of $name is kept"
done <"$WORK/solutions"

# ---------------------------------------------------------------------- a student without a class

cd "$PLAIN" || exit 3
export TRACEBOOK_ROOT="$PLAIN"
attempt=exercises/03_schedule_tweak/covered_offset.sql
expect 77 'are not started' "$TOOL" quiz 03 --check
typed '12 us\n2\n1,5\n'
is 1 'has a comma'
typed '60 us\nsomewhere\n12 us\nnothing\n'
is 1 'Noted.'
is 1 'is none of the choices'
is 1 'no event of the trace has a name that begins with "nothing"'
is 1 'predicted 12 us, read 60 us; 5 times what you predicted'
typed '1\n3.5\ncudaFuncSetAttribute\n'
is 77 'This copy has no queries to judge them by: hand that file in.'
is 77 '4 of 7 questions answered, 3 unanswered'
grep -q 'Right\|Wrong' "$WORK/out" && fail 'a handout judges'
expect 77 'answers are judged when you hand in answers/' "$TOOL" quiz 03 --check
expect 0 'second_step: ' "$TOOL" hint 03
expect 0 'Hint 1 of 3: ' "$TOOL" hint 03 covered_offset
expect 77 'not started: ' "$TOOL" exercise $attempt
echo 'SELECT nothing' >$attempt
expect 1 'the query does not run' "$TOOL" exercise $attempt
echo 'SELECT 1 AS step' >$attempt
expect 1 'the result has no column to_launch_us and covered_us' "$TOOL" exercise $attempt
cp "$FULL/exercises/solutions/03_schedule_tweak/covered_offset.sql" $attempt
expect 77 'covered_offset.sql runs and has the columns, but cannot be judged here' "$TOOL" exercise $attempt
expect 77 'this copy is a handout' "$TOOL" grade .
expect 3 'this copy is a handout itself' sh cmake/handout.sh "$TOOL"
# Of the tests that look at the exercises and the pages, none fails there.
for program in exercises_test grade_test variants_test; do
  [ -x "$TESTS/lab_$program" ] || continue
  checks=$((checks + 1))
  "$TESTS/lab_$program" --gtest_brief=1 >"$WORK/out" 2>&1
  case $? in 0 | 77) grep -q '^skipped: ' "$WORK/out" || fail "$program skips nothing" ;; *) fail "$program fails in a handout" ;; esac
done
checks=$((checks + 1))
[ ! -x "$TESTS/workbook_docs_test" ] || "$TESTS/workbook_docs_test" --gtest_brief=1 >"$WORK/out" 2>&1 ||
  fail 'a link of a page leads nowhere in a handout'
export TRACEBOOK_ROOT="$FULL"
expect 0 "$(basename "$PLAIN") " "$TOOL" grade "$PLAIN"
# A right answer, and two points less a quarter of them; the others are not begun.
expect 0 '"01": null, "02": null, "03": 2.5, ' "$TOOL" grade "$PLAIN" --format json

# ------------------------------------------------------------------------- a class of two students

# answer NAME: with the right number for the recording that NAME's quiz shows.
answer() {
  mkdir -p "$WORK/hand_in/$1"
  cp -R "$WORK/class/book/." "$WORK/$1"
  cd "$WORK/$1" || exit 3
  export TRACEBOOK_ROOT="$WORK/$1"
  typed "$1\nq\n"
  trace=$(tr '\n' ' ' <"$WORK/out" | sed 's/.*Questions of [^,]*, on \([^ ]*\) .*/\1/')
  sql=$(sed -n '/"id": "call_alone"/,/"sql"/s/^ *"sql": "\(.*\)",$/\1/p' "$FULL/exercises/03_schedule_tweak/questions.json")
  number=$("$TOOL" query --format csv "$trace" "$sql" | tail -n 1)
  typed "1\n1\n$number\n"
  is 77 'Noted.'
  # As docs/teaching.md says.
  tar -czf hand_in.tar.gz --exclude=variants answers exercises
  tar -xzf hand_in.tar.gz -C "$WORK/hand_in/$1"
  [ -d "$WORK/hand_in/$1/exercises/03_schedule_tweak/variants" ] && fail 'recordings are handed in'
  cd "$WORK/hand_in" || exit 3
  export TRACEBOOK_ROOT="$FULL"
}
answer ada
ada=$trace
answer grace
checks=$((checks + 1))
[ "$ada" != "$trace" ] || fail "both read $trace"
expect 0 '"student": "ada", "points": 1, ' "$TOOL" grade ada grace --seed autumn-26 --format json
expect 0 '"student": "grace", "points": 1, ' "$TOOL" grade ada grace --seed autumn-26 --format json
cp -R ada eve
sed 's/"student": "ada"/"student": " GRACE "/' ada/answers/03_schedule_tweak.json >eve/answers/03_schedule_tweak.json
expect 0 '"student": "GRACE", "points": 0, ' "$TOOL" grade ada eve --seed autumn-26 --format json
expect 0 'GRACE: remark: 03 call_alone: wrong, but right on h200' "$TOOL" grade ada eve --seed autumn-26
expect 0 'remark: the name grace stands in eve too' "$TOOL" grade ada grace eve --seed autumn-26
# The seed of the copy that grades.
cp "$WORK/class/book/exercises/class.json" "$FULL/exercises/"
expect 0 '"student": "grace", "points": 1, ' "$TOOL" grade grace --format json
cd "$FULL" || exit 3
expect 0 'autumn-26.tar.gz' handout "$WORK/again"
rm exercises/class.json

# In a class nothing is judged or asked before there is a name.
export TRACEBOOK_ROOT="$WORK/class/book"
cd "$TRACEBOOK_ROOT" || exit 3
expect 0 'write it first' "$TOOL" quiz 03 --start
expect 77 'expected your name behind "student"' "$TOOL" quiz 03 --check
typed ''
is 77 'Who are you?'
typed 'Linus\nq\n'
typed 'q\n'
is 77 'Questions of 03_schedule_tweak'
printf 'q\n' | "$TOOL" quiz 04 >"$WORK/out" 2>&1
checks=$((checks + 1))
grep -q '"student": "Linus"' answers/04*.json || fail 'the name is asked again in the next chapter'

# ------------------------------------------------------------------------- one that judges itself

export TRACEBOOK_ROOT="$WORK/checked/book"
cd "$TRACEBOOK_ROOT" || exit 3
typed '1\n1\n1\n'
is 1 'Wrong.'
expect 77 'not started: ' "$TOOL" exercise $attempt
expect 77 'this copy is a handout' "$TOOL" grade .

# --------------------------------------------------------------------------- the students' make test

# What needs solutions or queries is skipped there; the rest holds.
for copy in "$PLAIN" "$WORK/checked/book"; do
  export TRACEBOOK_ROOT="$copy"
  cd "$copy" || exit 3
  for test in "$BIN"/../tests/lab_* "$BIN"/../tests/workbook_docs_test; do
    [ -x "$test" ] || continue
    checks=$((checks + 1))
    "$test" --gtest_brief=1 >"$WORK/out" 2>&1
    case $? in 0 | 77) ;; *) fail "in a handout ${test##*/} fails" ;; esac
  done
done

# ------------------------------------------------------------------------------------- refusals

cd "$FULL" || exit 3
export TRACEBOOK_ROOT="$FULL"
solution=exercises/solutions/03_schedule_tweak/covered_offset.sql
mkdir -p "$WORK/bare/exercises/solutions"
cd "$WORK/bare" || exit 3
expect 3 'expected a git checkout' handout no
cd "$FULL" || exit 3
expect 3 'expected letters, digits' env SEED='a b' sh cmake/handout.sh "$TOOL" no
cp $solution $attempt
expect 3 "$attempt is not as it is committed" handout no
committed solved
expect 3 "$attempt is not what $solution leaves to the student" handout no
git rm -rq exercises/solutions
expect 3 'this copy is a handout itself' handout no
checks=$((checks + 1))
[ ! -e no ] || fail 'a refused handout is made'

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
