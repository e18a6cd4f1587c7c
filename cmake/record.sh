#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Fresh recordings of every chapter and variant on this machine's GPU, PyTorch's of the same steps
# where python3 has torch, and their manifests: all in one archive, laid out as expected/. Then the
# numbers in the lessons that they would change. The build may come from another machine:
#   BIN=build/bin OUT=build/record sh cmake/record.sh
# N=08 records that chapter alone.
# Take them over with: tar -xzf build/record/recordings.tar.gz -C expected
set -eu
BIN=${BIN:-build/bin}
OUT=${OUT:-build/record}
FOLDER=$OUT/expected
rm -rf "$FOLDER" "$OUT/runs"
mkdir -p "$FOLDER"

# Recordings lie in a folder named after the GPU: "NVIDIA H200" is h200.
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1 |
  tr 'A-Z' 'a-z' | sed 's/^nvidia //; s/[^a-z0-9]/_/g')
[ -n "$gpu" ] || { echo "record: no GPU that nvidia-smi lists" >&2; exit 77; }

for program in "$BIN"/${N:-[0-9][0-9]}_*; do
  [ -x "$program" ] || continue
  chapter=$(basename "$program")
  "$program" --list-variants >"$OUT/variants"
  while IFS= read -r arguments; do
    echo "recording: $chapter $arguments"
    # A missed claim must not keep the recording back: it is the lesson that is wrong then.
    # shellcheck disable=SC2086  # the words of the line are arguments
    "$program" --live --out "$OUT/runs" $arguments </dev/null >"$OUT/log" 2>&1 || {
      code=$?
      cat "$OUT/log"
      [ "$code" -eq 1 ] || exit "$code"
    }
  done <"$OUT/variants"
  mkdir -p "$FOLDER/$chapter/$gpu"
  cp "$OUT/runs/$chapter"/*.json "$FOLDER/$chapter/$gpu/"
  # Long ones are packed; -n keeps the time of packing out of the file.
  find "$FOLDER/$chapter/$gpu" -name '*.json' -size +256k -exec gzip -9n {} +
done
rm -f "$OUT/variants" "$OUT/log"

if python3 -c 'import torch' 2>/dev/null; then
  python3 "$(dirname "$0")/../expected/record_torch.py" "$FOLDER" ${N:+--chapter "$N"} || failed=yes
else
  echo "recording: python3 has no torch here, so PyTorch's recordings are left as they are"
fi

for chapter in "$FOLDER"/*; do
  (cd "$chapter" && find . \( -name '*.json' -o -name '*.json.gz' \) ! -name '*.averages.json' ! -name '*.origin.json' ! -name manifest.json |
    sed 's|^\./||' | sort | xargs sha256sum) | "$BIN/tracebook" manifest "$chapter"
done
tar -czf "$OUT/recordings.tar.gz" -C "$FOLDER" .
echo "archive: $OUT/recordings.tar.gz"
"$BIN/tracebook" numbers "$FOLDER" || true
[ -z "${failed:-}" ]
