#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# handout.sh TRACEBOOK [FOLDER]: the students' archive, FOLDER/tracebook-handout-COMMIT.tar.gz, of the
# files that are committed. Without exercises/solutions, the queries of the questions and the pages
# that show answers; with the skeletons under exercises/skeletons, so that "not started" is known there.
#   SELF_CHECK=1     the queries stay: the students' copies judge their answers
#   SEED=autumn-26   a class: each student gets recordings of their own (exercises/class.json, whose
#                    seed in this copy is taken without one)
# The same commit gives the same bytes. Exit 3, with a line, if an attempt at an exercise would leak.
set -eu
tracebook=$1
out=${2:-build}
# A copy that grades a class hands out to the same one.
seed=${SEED:-$(sed -n 's/^.*"seed": *"\([^"]*\)".*$/\1/p' exercises/class.json 2>/dev/null || :)}
self_check=${SELF_CHECK:-}
die() {
  echo "handout: $1" >&2
  exit 3
}

[ -d exercises/solutions ] || die 'this copy is a handout itself; make it from the copy with the solutions'
commit=$(git rev-parse --short=12 HEAD 2>/dev/null) ||
  die 'expected a git checkout, since only what is committed is handed out'
case $seed in
  *[!A-Za-z0-9._-]*) die "SEED: expected letters, digits, '.', '_' or '-', not \"$seed\"" ;;
esac
[ ${#seed} -le 64 ] || die 'SEED: expected at most 64 characters'
changed=$(git diff --name-only HEAD -- exercises | head -n 1)
[ -z "$changed" ] ||
  die "$changed is not as it is committed, and a handout holds no attempts; commit it, or take it back with git checkout -- $changed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir "$tree"
git archive HEAD | tar -xf - -C "$tree"

# What a student begins with is what the solution leaves, and is kept a second time for starting over.
git ls-files exercises/solutions >"$work/solutions"
while IFS= read -r solution; do
  name=${solution#exercises/solutions/}
  case $name in *.wrong.*) continue ;; esac
  [ -f "$tree/exercises/$name" ] || continue
  "$tracebook" exercise --skeleton "$solution" >"$work/skeleton"
  cmp -s "$work/skeleton" "$tree/exercises/$name" ||
    die "exercises/$name is not what $solution leaves to the student; make it anew: tracebook exercise --skeleton $solution"
  mkdir -p "$tree/exercises/skeletons/$(dirname "$name")"
  cp "$work/skeleton" "$tree/exercises/skeletons/$name"
done <"$work/solutions"
rm -r "$tree/exercises/solutions"

if [ -z "$self_check" ]; then
  for sheet in "$tree"/exercises/[0-9][0-9]_*/questions.json; do
    number=$(basename "$(dirname "$sheet")" | cut -c 1-2)
    TRACEBOOK_ROOT=$tree "$tracebook" quiz "$number" --handout >"$work/sheet"
    cp "$work/sheet" "$sheet"
  done
fi
# Pages that hold answers: the teacher's, and a session in which somebody gives them.
printf '# Teaching\n\nThis page is in the copy from which this one was handed out.\n' >"$tree/docs/teaching.md"
cat >"$tree/docs/start.md" <<'END'
# Start here

1. `make start` sets up what is missing, builds, and runs chapter 01.
2. Read [chapter 01](../chapters/01_cold_trace/README.md) beside it.
3. Do its [exercises](../exercises/01_cold_trace/README.md). [How answering works](exercises.md).

Go on chapter by chapter, and hand in what you are asked for.
END
# The README says of that page what is no longer in it.
awk '/^\*\*\[docs\/start.md\]/ { print "**[docs/start.md](docs/start.md)** is the first step."; cut = 1 }
  /^$/ { cut = 0 }
  !cut' "$tree/README.md" >"$work/README.md"
cp "$work/README.md" "$tree/README.md"
# Tests that answer the questions.
says='skipped: a handout has none of the tests that answer its questions'
for test in handout_test.sh lab_terminal_test.sh; do
  printf '#!/bin/sh\necho "%s"\nexit 77\n' "$says" >"$tree/common/cli/$test"
done
printf 'print("%s")\nraise SystemExit(77)\n' "$says" >"$tree/common/cli/quiz_terminal_test.py"
rm -f "$tree/common/cli/lab_terminal_test.py"
sed '/^# The lab: /,$d' "$tree/common/cli/programs_test.sh" >"$work/programs_test.sh"
cp "$work/programs_test.sh" "$tree/common/cli/"
[ -z "$seed" ] || printf '{\n  "schema": 1,\n  "seed": "%s"\n}\n' "$seed" >"$tree/exercises/class.json"

# Git writes archives whose order, times, owners and modes hang on nothing of this machine.
time=$(git show -s --format=%ct HEAD)
name=tracebook-handout-$commit${seed:+-$seed}${self_check:+-self-check}
mkdir -p "$out"
(
  cd "$tree"
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
  export GIT_AUTHOR_DATE="$time +0000" GIT_COMMITTER_DATE="$time +0000"
  unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
  git -c init.defaultBranch=main init -q
  git -c core.autocrlf=false add -A -f
  git -c user.name=tracebook -c user.email=tracebook@localhost commit -q -m handout
  git -c tar.umask=0022 archive --prefix=tracebook/ HEAD
) >"$work/handout.tar"
gzip -9n <"$work/handout.tar" >"$out/$name.tar.gz"
echo "handout: $out/$name.tar.gz"
left=$(git status --porcelain | wc -l | tr -d ' ')
[ "$left" -eq 0 ] || echo "handout: it holds what is committed; $left other changed or new files are not in it"
