#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every recording that a manifest.json names is the file that was recorded (SHA-256), and every
# recording that lies there is named. Run in the checkout.
set -u
sum() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1; }
checked=0
failed=0
for manifest in expected/*/manifest.json exercises/*/variants/manifest.json \
  exercises/solutions/*/manifest.json; do
  [ -f "$manifest" ] || continue
  folder=$(dirname "$manifest")
  # One "file" and one "sha256" a recording, in this order.
  sed -n 's/^ *"\(file\|sha256\)": "\([^"]*\)".*/\2/p' "$manifest" | paste - - >"${TMPDIR:-/tmp}/manifest.$$"
  while read -r file expected; do
    checked=$((checked + 1))
    [ "$(sum <"$folder/$file")" = "$expected" ] && continue
    echo "$folder/$file is not the file that its manifest names"
    failed=$((failed + 1))
  done <"${TMPDIR:-/tmp}/manifest.$$"
  for file in "$folder"/*/*.json "$folder"/*/*.json.gz; do
    case $file in *.averages.json | *.origin.json | *'*'*) continue ;; esac
    grep -q "^${file#"$folder"/}[[:space:]]" "${TMPDIR:-/tmp}/manifest.$$" && continue
    echo "$file is in no manifest"
    failed=$((failed + 1))
  done
  rm -f "${TMPDIR:-/tmp}/manifest.$$"
done
echo "$checked recordings, $failed wrong"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
