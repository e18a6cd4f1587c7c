#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Does record.sh keep what it should? Without a GPU: nvidia-smi, python3, a chapter, exercises and
# the tracebook command are scripts that do as they are told to.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# script NAME: makes standard input a program.
script() {
  mkdir -p "$work/$(dirname "$1")"
  { echo '#!/bin/sh'; cat; } >"$work/$1"
  chmod +x "$work/$1"
}

# A chapter of two variants, one exercise, a GPU; no torch.
fresh() {
  rm -rf "${work:?}"/*
  echo 'echo "NVIDIA Stub 9000"' | script path/nvidia-smi
  echo 'exit 1' | script path/python3
  script bin/08_demo <<'END'
[ "$1" = --list-variants ] && { echo ''; echo '--size 64'; exit; }
mkdir -p "$3/08_demo"
echo "run: $4 $5" >"$3/08_demo/a$5.json"
END
  for kind in solution wrong skeleton; do
    echo "[ \"\$1\" = --out ] && echo $kind >\"\$2\"" | script "bin/exercises/${kind}_08_fuse"
  done
  mkdir -p "$work/exercises/solutions/08_demo"
  echo '// solution' >"$work/exercises/solutions/08_demo/fuse.cu"
  script bin/tracebook <<'END'
case $1 in
  manifest) cut -d ' ' -f 3- >"$2/manifest.json" ;;
  numbers) echo '3 numbers, 0 differ' ;;
  *) exit 2 ;;
esac
END
}

# expect CODE WORDS WHAT [NAME=VALUE…]: runs record.sh; it must end with CODE and say WORDS.
expect() {
  wanted=$1 words=$2 what=$3
  shift 3
  status=0
  output=$(cd "$work" && env PATH="$work/path:$PATH" BIN=bin OUT=out "$@" sh "$here/record.sh" 2>&1) || status=$?
  [ "$status" -eq "$wanted" ] || { echo "$what: expected exit $wanted, got $status: $output"; failures=1; }
  case $output in
    *"$words"*) ;;
    *) echo "$what: expected \"$words\" in: $output"; failures=1 ;;
  esac
}

# archive WHAT: files that it must hold, on standard input; no others.
archive() {
  (cd "$work" && tar -tzf out/recordings.tar.gz) | grep -v '/$' | sort >"$work/is"
  sort >"$work/must"
  cmp -s "$work/is" "$work/must" || { echo "$1: the archive holds"; cat "$work/is"; failures=1; }
}

exercise_files() {
  for name in fuse.skeleton fuse.solution fuse.wrong; do
    echo "./exercises/solutions/08_demo/stub_9000/$name.json"
  done
  echo ./exercises/solutions/08_demo/manifest.json
}

fresh
expect 0 '3 numbers, 0 differ' 'all is well'
{ exercise_files
  printf './expected/08_demo/%s\n' manifest.json stub_9000/a.json stub_9000/a64.json; } | archive 'all is well'
(cd "$work" && tar -xzf out/recordings.tar.gz)
[ "$(cat "$work/expected/08_demo/manifest.json")" = "$(printf 'stub_9000/a.json\nstub_9000/a64.json')" ] ||
  { echo 'the manifest names:'; cat "$work/expected/08_demo/manifest.json"; failures=1; }

# What PyTorch recorded stays, and stays in the manifest.
fresh
mkdir -p "$work/expected/08_demo/torch"
echo torch >"$work/expected/08_demo/torch/t.json"
expect 0 'left as they are' 'no torch'
grep -q '^torch/t.json$' "$work/out/tree/expected/08_demo/manifest.json" || { echo 'the manifest lost torch'; failures=1; }
cmp -s "$work/expected/08_demo/torch/t.json" "$work/out/tree/expected/08_demo/torch/t.json" ||
  { echo 'the archive lost torch'; failures=1; }

fresh
expect 2 'expected exercises, not "lessons"' 'an unknown word' ONLY=lessons
expect 0 'archive: out/recordings.tar.gz' 'exercises alone' ONLY=exercises
exercise_files | archive 'exercises alone'

fresh
expect 3 'no chapter 03 in bin' 'another chapter' N=03

# A claim that is missed keeps no recording back; a program that cannot run does.
fresh
sed 's/^mkdir/[ "$5" != 64 ] || echo "MISSED two"; mkdir/; $a\
[ "$5" != 64 ]' "$work/bin/08_demo" >"$work/missing"
cat "$work/missing" >"$work/bin/08_demo"
expect 0 'MISSED two' 'a claim is missed'
{ exercise_files
  printf './expected/08_demo/%s\n' manifest.json stub_9000/a.json stub_9000/a64.json; } | archive 'a claim is missed'

fresh
echo 'echo "fuse: out of memory" >&2; exit 3' | script bin/exercises/wrong_08_fuse
expect 3 'out of memory' 'an exercise does not run'
[ ! -f "$work/out/recordings.tar.gz" ] || { echo 'half of the recordings were packed'; failures=1; }

fresh
echo 'exit 1' | script bin/exercises/wrong_08_fuse
expect 3 'wrong_08_fuse left no recording' 'an exercise records nothing'

fresh
rm "$work/bin/exercises/skeleton_08_fuse"
expect 3 'no bin/exercises/skeleton_08_fuse (target code_exercises)' 'a program was not built'

# What is long is packed.
fresh
script bin/exercises/solution_08_fuse <<'END'
head -c 300000 /dev/zero >"$2"
END
expect 0 archive 'a long recording' ONLY=exercises
exercise_files | sed 's/solution.json$/&.gz/' | archive 'a long recording'

fresh
echo 'exit 9' | script path/nvidia-smi
expect 77 'no GPU that nvidia-smi lists' 'no GPU'

exit "$failures"
