#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Fresh recordings of every chapter and variant on this machine's GPU, PyTorch's of the same steps
# where python3 has torch, those of the code exercises (solution, planted wrong one, skeleton), and
# their manifests: all in one archive, laid out as this folder. Then the numbers in the lessons that
# they would change. The build may come from another machine:
#   BIN=build/bin OUT=build/record sh cmake/record.sh
# N=08 records that chapter alone, ONLY=exercises the code exercises alone.
# Take them over with: tar -xzf build/record/recordings.tar.gz
set -eu
BIN=${BIN:-build/bin}
OUT=${OUT:-build/record}
TREE=$OUT/tree
FOLDER=$TREE/expected
rm -rf "$TREE" "$OUT/runs"
mkdir -p "$FOLDER"
case ${ONLY:-} in
  '' | exercises) ;;
  *) echo "record: ONLY: expected exercises, not \"$ONLY\"" >&2; exit 2 ;;
esac

# Recordings lie in a folder named after the GPU: "NVIDIA H200" is h200.
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1 |
  tr 'A-Z' 'a-z' | sed 's/^nvidia //; s/[^a-z0-9]/_/g')
[ -n "$gpu" ] || { echo "record: no GPU that nvidia-smi lists" >&2; exit 77; }

# run PROGRAM ARGUMENTS…: a missed claim must not keep the recording back, since it is the lesson
# that is wrong then.
run() {
  code=0
  "$@" </dev/null >"$OUT/log" 2>&1 || code=$?
  [ "$code" -eq 0 ] && return
  cat "$OUT/log"
  [ "$code" -eq 1 ] || exit "$code"
}

# pack FOLDER: long recordings are packed; -n keeps the time of packing out of the file.
pack() { find "$1" -name '*.json' -size +256k -exec gzip -9n {} +; }

# manifest FOLDER: names what lies in it.
manifest() {
  (cd "$1" && find . \( -name '*.json' -o -name '*.json.gz' \) ! -name '*.averages.json' ! -name '*.origin.json' ! -name manifest.json |
    sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum) | "$BIN/tracebook" manifest "$1"
}

if [ "${ONLY:-}" != exercises ]; then
  for program in "$BIN"/${N:-[0-9][0-9]}_*; do
    [ -x "$program" ] || continue
    chapter=$(basename "$program")
    "$program" --list-variants >"$OUT/variants"
    while IFS= read -r arguments; do
      echo "recording: $chapter $arguments"
      # shellcheck disable=SC2086  # the words of the line are arguments
      run "$program" --live --out "$OUT/runs" $arguments
    done <"$OUT/variants"
    mkdir -p "$FOLDER/$chapter/$gpu"
    cp "$OUT/runs/$chapter"/*.json "$FOLDER/$chapter/$gpu/"
    pack "$FOLDER/$chapter/$gpu"
  done

  if python3 -c 'import torch' 2>/dev/null; then
    python3 "$(dirname "$0")/../expected/record_torch.py" "$FOLDER" ${N:+--chapter "$N"} || failed=yes
  else
    echo "recording: python3 has no torch here, so PyTorch's recordings are left as they are"
    for chapter in "$FOLDER"/*; do  # the manifest names them too
      [ ! -d "expected/${chapter##*/}/torch" ] || cp -R "expected/${chapter##*/}/torch" "$chapter/"
    done
  fi
fi

# They hold their programs' sources, so they lie with the solutions.
for solution in exercises/solutions/${N:-[0-9][0-9]}_*/*.cu; do
  [ -f "$solution" ] || continue
  chapter=$(basename "$(dirname "$solution")")
  stem=$(basename "$solution" .cu)
  for kind in solution wrong skeleton; do
    program=$BIN/exercises/${kind}_${chapter%%_*}_$stem
    [ -x "$program" ] || { echo "record: no $program (target code_exercises)" >&2; exit 3; }
    echo "recording: exercise $chapter $stem, $kind"
    mkdir -p "$TREE/exercises/solutions/$chapter/$gpu"
    recording=$TREE/exercises/solutions/$chapter/$gpu/$stem.$kind.json
    run "$program" --out "$recording"
    [ -f "$recording" ] || { echo "record: $program left no recording" >&2; exit 3; }
  done
  pack "$TREE/exercises/solutions/$chapter/$gpu"
done
rm -f "$OUT/variants" "$OUT/log"
[ -n "$(find "$TREE" -type f)" ] ||
  { echo "record: nothing to record: no chapter${N:+ $N} in $BIN, nor a code exercise of it" >&2; exit 3; }

for folder in "$FOLDER"/* "$TREE"/exercises/solutions/*; do
  [ ! -d "$folder" ] || manifest "$folder"
done
tar -czf "$OUT/recordings.tar.gz" -C "$TREE" .
echo "archive: $OUT/recordings.tar.gz"
if [ "${ONLY:-}" != exercises ]; then "$BIN/tracebook" numbers "$FOLDER" || true; fi
[ -z "${failed:-}" ]
