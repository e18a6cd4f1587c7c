#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# lab_terminal_test.sh BIN: `tracebook lab`, `next` and `reset` at a real terminal, driven by
# lab_terminal_test.py. Run in the checkout.
set -eu
command -v python3 >/dev/null 2>&1 || {
  echo 'lab_terminal_test: there is no python3 to drive a terminal with' >&2
  exit 77
}
exec python3 common/cli/lab_terminal_test.py "$1"
