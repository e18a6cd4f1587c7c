#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Does live.sh tell good from bad? Without a GPU: chapters, exercises and the tracebook command are
# scripts that end as they are told to.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# program NAME CODE [TEXT]: a program in bin/ that prints TEXT and ends with CODE.
program() {
  printf '%s\n' '#!/bin/sh' "printf '%b' '${3:-}'" "exit $2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# chapter CODE TEXT: a chapter of one variant.
chapter() {
  cat >"$work/bin/08_demo" <<STUB
#!/bin/sh
case \$1 in
  --list-variants) echo "--size 64"; exit ;;
  --list-comparisons) exit ;;
esac
echo "$2"
exit $1
STUB
  chmod +x "$work/bin/08_demo"
}

# A tree in which all is well: one chapter, one code exercise.
fresh() {
  rm -rf "${work:?}"/*
  mkdir -p "$work/bin/exercises" "$work/exercises/solutions/08_demo"
  chapter 0 '3 held, 0 missed'
  echo '// solution' >"$work/exercises/solutions/08_demo/fuse.cu"
  echo '// expect: b was copied' >"$work/wrong"
  program exercises/solution_08_fuse 0 'passed       fuse.cu\n             3 claims held on the trace of a GPU.\n'
  program exercises/wrong_08_fuse 1 'failed       fuse.cu\n             In this one b was\n             copied. Expected: no copy\n'
  program exercises/skeleton_08_fuse 1 'failed       fuse.cu\n             Two kernels. Expected: one\n'
  # tracebook exercise --skeleton FILE, --wrong FILE, and … --program PROGRAM FILE, which runs it.
  cat >"$work/bin/tracebook" <<'STUB'
#!/bin/sh
[ "$1" = exercise ] || exit 2
for last in "$@"; do :; done
[ -f "$last" ] || { echo "tracebook: no file $last"; exit 3; }
if [ "$2" = --skeleton ]; then echo '// TODO'; exit 0; fi
if [ "$2" = --wrong ]; then cat wrong; exit 0; fi
case " $* " in *' --again '*) ;; *) echo 'tracebook: an old trace would do'; exit 3 ;; esac
case $last in
  */skeletons/08_demo/fuse.cu) grep -q static_assert "$last" || exit 77 ;;
  *skeletons*) exit 3 ;;
esac
while [ "$1" != --program ]; do shift; done
exec "$2"
STUB
  chmod +x "$work/bin/tracebook"
}

# expect good|bad WORDS WHAT: runs live.sh on the tree; it must say WORDS.
expect() {
  status=0
  output=$(cd "$work" && BIN=bin OUT=live sh "$here/live.sh" 2>&1) || status=$?
  case $1$status in
    good0 | bad1) ;;
    *) echo "$3: expected $1, got exit $status"; printf '%s\n' "$output" | sed 's/^/    /'; failures=1 ;;
  esac
  case $output in
    *"$2"*) ;;
    *) echo "$3: expected \"$2\" in"; printf '%s\n' "$output" | sed 's/^/    /'; failures=1 ;;
  esac
}

fresh
expect good '4 of 4 live runs good' 'all is well'
case $output in *'In this one b was copied.'*) ;; *) echo 'the wrong one has no words'; failures=1 ;; esac

fresh
chapter 1 '  MISSED two'
expect bad '3 of 4 live runs good' 'a chapter misses a claim'

# Of a long log it shows what missed, and nothing else.
fresh
chapter 1 '                    row of a table
median: of what
  held    one: 1 of 1
          one is one
  MISSED  two: 3 of 2
          two is not three
Artefacts'
expect bad '          MISSED  two: 3 of 2
                  two is not three
ok ' 'a chapter misses one claim of two'
case $output in *'row of'* | *'one is one'*) echo 'it shows more than what missed'; failures=1 ;; esac

fresh
program exercises/solution_08_fuse 1 'failed       fuse.cu\n             Two kernels. Expected: one\n'
expect bad 'FAIL  exercise 08 fuse  ' 'a solution is rejected'

fresh
program exercises/solution_08_fuse 77 'needs a GPU  fuse.cu\n'
expect bad 'exit 77' 'a solution cannot be judged'

fresh
program exercises/wrong_08_fuse 0 'passed       fuse.cu\n'
expect bad 'exit 0 instead of 1' 'a wrong solution passes'

fresh
program exercises/wrong_08_fuse 1 'failed       fuse.cu\n             Two kernels. Expected: one\n'
expect bad 'does not say "b was copied"' 'a wrong solution is rejected for another reason'

fresh
program exercises/skeleton_08_fuse 0 'passed       fuse.cu\n'
expect bad 'FAIL  exercise 08 fuse, skeleton' 'a skeleton passes'

fresh
program exercises/skeleton_08_fuse 1 'failed       fuse.cu\n             the program was ended by signal 11\n'
expect bad 'does not say "Expected: "' 'a skeleton crashes'

fresh
rm "$work/bin/exercises/wrong_08_fuse"
expect bad 'FAIL  exercise 08 fuse, wrong' 'a program was not built'

fresh
echo '// no words' >"$work/wrong"
expect bad 'FAIL  exercise 08 fuse, wrong' 'a wrong solution says not what to expect'

fresh
rm -r "$work/bin/exercises"
expect good 'no code exercises' 'a build without exercises'
case $output in *'1 of 1 live runs good'*) ;; *) echo 'the chapter did not run'; failures=1 ;; esac

exit "$failures"
