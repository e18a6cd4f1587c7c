#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Follows docs/adding_a_chapter.md: the files that the page shows, its commands in their order, the
# tests that it names, and what they say of broken steps. All in a temporary copy of the workbook.
#
#   adding_a_chapter_test.sh BUILD NINJA CMAKE     run in the checkout; BUILD has been built
#
# Nothing of BUILD is built again: what the new chapter adds is compiled and linked by the commands
# with which BUILD made chapter 01 and tracebook. There is no GPU work: where the page records, the
# recordings of chapter 02 are laid down, byte for byte, since its knobs of these names do the same.
set -u
unset TRACEBOOK_REQUIRE_GPU # the chapter replays, whatever the other tests have to do
ROOT=$(pwd)
BUILD=$(cd "$1" && pwd) || exit 3
NINJA=$2
CMAKE=$3
STEM=99_scratch
TWIN=02_warmup
PAGE=$ROOT/docs/adding_a_chapter.md
[ -f "$BUILD/build.ninja" ] || { echo 'skipped: the build was not made by Ninja'; exit 77; }
WORK=$(mktemp -d) || exit 3
trap 'rm -rf "$WORK"' EXIT
BOOK=$WORK/book   # the checkout of the page's reader
STUBS=$WORK/stubs # the machine with a GPU
MADE=$WORK/made   # what the compiler makes
export TRACEBOOK_ROOT="$BOOK"
failures=0
checks=0
: >"$WORK/out"

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$1"
  head -n 25 "$WORK/out" | cut -c 1-400 | sed 's/^/    /'
}
give_up() {
  fail "$1"
  exit 1
}

# expect CODE WORDS COMMAND…: in the copy. CODE "any": only the words matter.
expect() {
  code=$1
  words=$2
  shift 2
  checks=$((checks + 1))
  (cd "$BOOK" && "$@") >"$WORK/out" 2>&1 </dev/null
  got=$?
  [ "$code" = any ] || [ "$got" -eq "$code" ] || { fail "$* exits $got, expected $code"; return; }
  grep -qF -- "$words" "$WORK/out" || fail "$* does not say: $words"
}

# ----------------------------------------------------------------------------- the page's files

# Each block behind a line that begins with a file's name in backquotes and ends in a colon goes to
# that file below blocks/; the commands, which are the sh blocks, to blocks/commands, one a line.
extract() {
  mkdir -p "$WORK/blocks"
  awk -v out="$WORK/blocks/" '
    open != "" && $0 == open { open = ""; if (file != "") close(file); file = ""; next }
    open != "" { if (file != "") print >> file; next }
    /^````*[a-z]*$/ {
      open = $0
      sub(/[a-z]*$/, "", open)
      file = named
      if ($0 == "```sh") file = out "commands"
      named = ""
      if (file == "") next
      folder = file
      sub(/\/[^\/]*$/, "", folder)
      system("mkdir -p \"" folder "\"")
      next
    }
    /^`[^`]*\/[^`]*`.*:$/ { split($0, part, "`"); named = out part[2]; next }
    /[^ ]/ { named = "" }' "$PAGE"
}
extract
for file in chapters/$STEM/CMakeLists.txt chapters/$STEM/knobs.h chapters/$STEM/scratch.cu \
  chapters/$STEM/README.md expected/$STEM/claims.json expected/record_torch.py commands; do
  checks=$((checks + 1))
  [ -s "$WORK/blocks/$file" ] || give_up "the page shows no $file"
done

mkdir -p "$BOOK/build/bin" "$STUBS/bin" "$MADE"
cp -R chapters docs exercises expected README.md "$BOOK/"
sh common/cli/untouched_exercises.sh "$BUILD/bin/tracebook" "$BOOK" || give_up 'the exercises'
cp -R "$WORK/blocks/chapters/$STEM" "$BOOK/chapters/"
cp -R "$WORK/blocks/expected/$STEM" "$BOOK/expected/"

lines=$(wc -l <"$BOOK/chapters/$STEM/scratch.cu")
checks=$((checks + 1))
case $lines in
  [89]? | 1[0-7]? | 180) ;;
  *) fail "a source is 80 to 180 lines, the page's has $lines" ;;
esac
expect 0 'in order' sh "$ROOT/cmake/check_dependencies.sh"

# PyTorch's: each of the page's entries is one of chapter 02 under another name.
mkdir -p "$STUBS/torch"
while IFS= read -r entry; do
  checks=$((checks + 1))
  twin=$(printf '%s\n' "$entry" | sed "s/\"$STEM\"/\"$TWIN\"/; s/\"$STEM/\"$TWIN/")
  grep -qxF -- "$twin" expected/record_torch.py || { fail "record_torch.py takes no such entry: $entry"; continue; }
  name=$(printf '%s\n' "$entry" | cut -d '"' -f 2)
  for ending in json averages.json origin.json; do
    cp "expected/$TWIN/torch/$TWIN${name#"$STEM"}.$ending" "$STUBS/torch/$name.$ending" || give_up "$name"
  done
done <"$WORK/blocks/expected/record_torch.py"

# ------------------------------------------------------------------------------------- building

# As common/workbook/CMakeLists.txt makes the catalogue, and with what the chapter's own tells the
# build. (A script cannot watch folders, hence the word taken out.)
sed 's/ CONFIGURE_DEPENDS//' common/workbook/CMakeLists.txt >"$MADE/catalogue.cmake"
cat >"$MADE/script.cmake" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
function(tracebook_library)
endfunction()
function(tracebook_test)
endfunction()
function(tracebook_command_test)
endfunction()
function(add_subdirectory)
endfunction()
function(add_chapter name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;KNOBS" "")
  file(WRITE "${made}/chapter" "${name} ${arg_SOURCE} ${arg_KNOBS}${arg_UNPARSED_ARGUMENTS}")
endfunction()
set(PROJECT_SOURCE_DIR "${book}")
set(CMAKE_CURRENT_BINARY_DIR "${made}")
include("${made}/catalogue.cmake")
include("${book}/chapters/99_scratch/CMakeLists.txt")
CMAKE
"$CMAKE" -Dbook="$BOOK" -Dmade="$MADE" -P "$MADE/script.cmake" >"$WORK/out" 2>&1 || give_up 'CMake refuses the chapter'
checks=$((checks + 1))
[ "$(cat "$MADE/chapter" 2>/dev/null)" = "$STEM scratch.cu knobs.h" ] || give_up 'CMakeLists.txt does not add the chapter'

# command_of TARGET WORDS: the last of the commands that make TARGET and hold WORDS.
command_of() { (cd "$BUILD" && "$NINJA" -t commands "$1" 2>&1) | grep -F -- "$2" | tail -n 1; }
# The same command without what it makes, and with the copy's chapters found first.
compiler_of() {
  sed -E "s# -MD # #; s# -M[TF] [^ ]+##g; s# -c [^ ]+\$##; s# -o [^ ]+\$##; s# -c [^ ]+\$##; s# -I# -I'$BOOK' -I#"
}
cxx=$(command_of tracebook '/chapter_01_cold_trace.cpp.o -c ' | compiler_of)
link=$(command_of tracebook ' -o bin/tracebook ')
test_link=$(command_of workbook_check_test ' -o tests/workbook_check_test ')
if [ -z "$cxx" ] || [ -z "$link" ] || [ -z "$test_link" ]; then
  give_up "$BUILD has no commands of tracebook and workbook_check_test"
fi

objects=$(printf '%s\n' "$test_link" | grep -oE '[^ ]*/check_test\.cpp\.o[^ ]*')
for name in numbers claims_matrix; do
  objects="$objects $(printf '%s\n' "${objects%% *}" | sed "s#check_test#${name}_test#g")"
done
# The new chapter is described as chapter.h is now: older objects would crash instead of saying so.
for file in "${objects%% *}" common/workbook/libtracebook_workbook.a common/cli/CMakeFiles/tracebook.dir/cmd_chapters.cpp.o; do
  [ -f "$BUILD/$file" ] || give_up "there is no $file in $BUILD: build first"
  [ -n "$(find common/workbook/chapter.h -newer "$BUILD/$file")" ] && give_up "$file is older than chapter.h: build first"
done

# in_build COMMAND WHAT: as Ninja would run it.
in_build() { (cd "$BUILD" && sh -c "$1") >"$WORK/out" 2>&1 || give_up "does not compile or link: $2"; }

# The source that runs live: by nvcc where the build has it (one GPU will do), otherwise by the host's
# compiler, which can tell since all CUDA is behind common/gpu and common/profiler.
nvcc=$(command_of 01_cold_trace '/cold_trace.cu -o ')
if [ -n "$nvcc" ]; then
  live=$(printf '%s\n' "$nvcc" | compiler_of | sed -E ':a; s# --generate-code=[^ ]+( --generate-code=)#\1#; ta')
  live="$live -c $BOOK/chapters/$STEM/scratch.cu -o $MADE/scratch.cu.o"
else
  live="$cxx -fsyntax-only -x c++ $BOOK/chapters/$STEM/scratch.cu"
fi
(cd "$BUILD" && sh -c "$live") >"$WORK/live" 2>&1 </dev/null &
live_pid=$!

in_build "$cxx -c $MADE/chapter_$STEM.cpp -o $MADE/chapter.o" knobs.h
in_build "$cxx -c $MADE/chapter_list.cpp -o $MADE/list.o" 'the catalogue'
knobs="'-DTRACEBOOK_CHAPTER_KNOBS=\"chapters/$STEM/knobs.h\"'"
in_build "$cxx $knobs -c $ROOT/common/workbook/replay_main.cpp -o $MADE/replay.o" replay_main.cpp
catalogue="$MADE/chapter.o $MADE/list.o"
# linked LINE SED WHAT: by that line, changed so.
linked() { in_build "$(printf '%s\n' "$1" | sed -E "$2")" "$3"; }
linked "$link" "s# -o bin/tracebook # $catalogue -o $BOOK/build/bin/tracebook #" tracebook
linked "$link" "s# common/cli/[^ ]*##g; s# -o bin/tracebook # $MADE/replay.o -o $BOOK/build/bin/$STEM #" "$STEM"
linked "$test_link" "s# [^ ]*/check_test\.cpp\.o[^ ]*# $objects $catalogue#
  s# -o [^ ]+# -o $BOOK/build/bin/chapter_tests#" 'the tests'
wait "$live_pid" || { cp "$WORK/live" "$WORK/out"; give_up 'does not compile: scratch.cu'; }

# ---------------------------------------------------------------------------- the page's commands

# The machine with a GPU: its nvidia-smi, its chapter and its torch hand out the recordings.
cat >"$STUBS/nvidia-smi" <<'SH'
#!/bin/sh
echo 'NVIDIA H200'
SH
cat >"$STUBS/python3" <<SH
#!/bin/sh
[ "\$1" = -c ] && exit 0
[ "\$3 \$4" = '--chapter 99' ] || exit 2
mkdir -p "\$2/$STEM/torch" && cp '$STUBS/torch/'* "\$2/$STEM/torch/"
SH
cat >"$STUBS/bin/$STEM" <<SH
#!/bin/sh
[ "\$1" = --live ] || exec '$BOOK/build/bin/$STEM' "\$@"
out=\$3
shift 3
name=\$('$BOOK/build/bin/$STEM' --replay "\$@" 2>&1 | sed -n 's/.*no recording of these knobs: \([^;]*\);.*/\1/p')
mkdir -p "\$out/$STEM" && cp "$ROOT/expected/$TWIN/h200/\$name.json" "\$out/$STEM/"
SH
ln -s "$BOOK/build/bin/tracebook" "$STUBS/bin/tracebook"
chmod +x "$STUBS/nvidia-smi" "$STUBS/python3" "$STUBS/bin/$STEM"

# The tests of the build, on the copy and with its catalogue.
chapter_tests() { build/bin/chapter_tests --gtest_brief=1 --gtest_filter="$1"; }
docs_test() { "$BUILD/tests/workbook_docs_test" --gtest_brief=1; }
manifest_test() { sh "$ROOT/common/workbook/manifest_test.sh"; }

# What the page's commands mean in the copy.
make() {
  target=$1
  shift
  N='' ARGS=''
  for argument in "$@"; do
    case $argument in
      N=99) N=99 ;;
      ARGS=*) ARGS=${argument#ARGS=} ;;
      *) echo "make $target takes no $argument"; return 2 ;;
    esac
  done
  grep -q "^$target:.*##" "$ROOT/Makefile" || { echo "there is no make $target"; return 2; }
  case $target in
    chapter)
      # shellcheck disable=SC2086  # words
      build/bin/${N}_scratch $ARGS
      # Without a GPU there is nothing yet to replay.
      [ $? -eq 77 ] ;;
    record) PATH="$STUBS:$PATH" BIN="$STUBS/bin" OUT=build/record N=$N sh "$ROOT/cmake/record.sh" ;;
    check) build/bin/tracebook check "$N" ;;
    test) chapter_tests 'ChaptersTest.*:LessonsTest.*:ClaimsMatrixTest.*' && docs_test && manifest_test ;;
    *) echo "this test does not know make $target"; return 2 ;;
  esac
}

# A line's comment may say that it exits with another code than 0.
while IFS= read -r line; do
  checks=$((checks + 1))
  wanted=$(printf '%s\n' "$line" | sed -n 's/.*# exit code \([0-9]*\).*/\1/p')
  (cd "$BOOK" && eval "$line") >"$WORK/out" 2>&1 </dev/null
  got=$?
  [ "$got" -eq "${wanted:-0}" ] || give_up "the page's command exits $got: $line"
done <"$WORK/blocks/commands"

# ----------------------------------------------------------------- what has to be there afterwards

CHAPTER=build/bin/$STEM
TOOL=build/bin/tracebook
CLAIMS=$BOOK/expected/$STEM/claims.json
LESSON=$BOOK/chapters/$STEM/README.md
MATRIX=$BOOK/expected/claims_matrix.txt
expect 0 'Source: recording made on NVIDIA H200, driver ' "$CHAPTER" --replay
expect 0 '0 missed' "$CHAPTER" --replay --between pause
expect 0 '--between pause' "$CHAPTER" --list-variants
expect 0 'torch/99_scratch_64_pause' "$CHAPTER" --list-recordings
expect 0 'matmul_add_us' "$CHAPTER" --pauses --replay
expect 0 '99  A pause before the step' "$TOOL" chapters
expect 0 'recordings: 4' "$TOOL" chapters
expect 0 'misses  pause_in_step' "$TOOL" check 99
expect any 'the trace holds no GPU work' \
  "$TOOL" check 99 "$ROOT/expected/01_cold_trace/h200/64_bf16_cold_eager_cpu.json"
expect 0 ' 0 differ' "$TOOL" numbers
checks=$((checks + 4))
grep -q '[^0-9.]0\(\.0*\)\{0,1\}<!--' "$LESSON" && fail 'a number of the lesson was not filled in'
head -n 1 "$MATRIX" | grep -q ' 99$' || fail 'the matrix has no column for the chapter'
[ "$(grep -c '^99 pause_in_step .*-\|^99 gpu_idle .*-' "$MATRIX")" -eq 2 ] || fail 'the matrix lacks a claim'
for name in 64_bf16_warm_eager 64_bf16_warm_eager_between-pause; do
  cmp -s "$ROOT/expected/$TWIN/h200/$name.json" "$BOOK/expected/$STEM/h200/$name.json" || fail "$name was edited"
done

# ------------------------------------------------------------------------------ broken steps are seen

# broken FILE SED CODE WORDS COMMAND…: with FILE changed so.
broken() {
  file=$1
  cp "$file" "$WORK/whole"
  sed "$2" "$WORK/whole" >"$file"
  cmp -s "$file" "$WORK/whole" && fail "$2 changes nothing in $file"
  shift 2
  expect "$@"
  cp "$WORK/whole" "$file"
}
broken "$CLAIMS" 's/"min": 4000/"min": 40000/' 1 'MISSED  pause_in_step' "$TOOL" check 99
broken "$CLAIMS" 's/"min": 4000/"min": 4/' 1 'WRONG   pause_in_step' "$TOOL" check 99
broken "$CLAIMS" 's/FROM step"/FROM nowhere"/' 3 'claims.json: claim ' "$TOOL" check 99
broken "$CLAIMS" '/"when_says"/s/,$//; /"fails_on": \["01_/d' 1 'gpu_idle has no recording that it must miss on' chapter_tests '*BothWays'
broken "$CLAIMS" 's/"max": 20/"max": 200000/' 1 '99 gpu_idle misses nowhere' chapter_tests 'ClaimsMatrixTest.*'
broken "$LESSON" 's/[1-9]<!--= h200/77<!--= h200/' 1 'chapters/99_scratch/README.md:' "$TOOL" numbers
broken "$LESSON" 's/<!--=.*-->//' 1 'a lesson shows what it measured' chapter_tests 'LessonsTest.*'
broken "$LESSON" 's/^About\|^\*About/[See](nowhere.md) &/' 1 'links to nowhere.md' docs_test
broken "$BOOK/expected/$STEM/manifest.json" 's/"name": "64_bf16_warm_eager"/"name": "63_bf16_warm_eager"/' \
  1 'EveryVariantHasARecordingAndEveryRecordingAVariant' chapter_tests '*EveryVariant*'
broken "$BOOK/expected/$STEM/h200/64_bf16_warm_eager.json" '1s/^/ /' 1 'is not the file' manifest_test
expect 0 ' 0 wrong' manifest_test

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
