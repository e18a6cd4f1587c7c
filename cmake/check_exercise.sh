#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_exercise.sh TRACEBOOK exercises/NN_name/FILE: what `tracebook exercise` says of it, and ends
# with; 3 and how to have it back if it is not there. For `make check` and CTest.
set -u
tracebook=$1
attempt=$2
[ -e "$attempt" ] && exec "$tracebook" exercise "$attempt"
chapter=${attempt#exercises/}
echo "missing      $attempt"
echo "             \`make reset N=${chapter%%_*} ARGS=--missing\` puts it back."
exit 3
