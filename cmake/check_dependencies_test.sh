#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Plants one #include at a time in a small tree and sees whether check_dependencies.sh tells good
# from bad.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# expect good|bad FILE INCLUDE
expect() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/common/trace" "$tree/$(dirname "$2")"
  echo '#include <vector>' > "$tree/common/trace/trace.h"
  printf '// comment\n#include %s\n' "$3" > "$tree/$2"
  status=0
  output=$(sh "$here/check_dependencies.sh" "$tree" 2>&1) || status=$?
  case $1$status in
    good0) ;;
    bad1)
      case $output in *"$2:2:"*) ;; *) echo "wrong place for $3 in $2: $output"; failures=1 ;; esac ;;
    *) echo "expected $1, got exit $status: $2 with #include $3"; failures=1 ;;
  esac
}

expect good common/trace/reader.cpp '"common/trace/trace.h"'
expect bad common/trace/reader.cpp '"common/analysis/averages.h"'
expect bad common/trace/reader.cpp '"trace.h"'
expect bad common/trace/reader.cpp '<cuda_runtime.h>'
expect good common/analysis/averages.cpp '"common/trace/trace.h"'
expect bad common/analysis/averages.cpp '"common/render/table.h"'
expect good common/render/table.cpp '"common/analysis/averages.h"'
expect bad common/render/table.cpp '"common/workbook/claims.h"'
expect good common/workbook/claims.cpp '"common/analysis/database.h"'
expect good common/workbook/catalogue.cpp '"chapters/01_cold_trace/knobs.h"'
expect bad common/workbook/claims.cpp '"common/cli/cli.h"'
expect bad common/workbook/claims.cpp '"common/gpu/device.h"'
expect good common/cli/table.cpp '"common/workbook/claims.h"'
expect good common/cli/table.cpp '"tracebook_version.h"'
expect bad common/cli/table.cpp '"common/profiler/profiler.h"'
expect bad common/cli/table.cpp '<cublas_v2.h>'
expect good common/profiler/profiler.cpp '"common/trace/trace.h"'
expect bad common/profiler/profiler.cpp '"common/gpu/device.h"'
expect bad common/profiler/profiler.cpp '"common/analysis/averages.h"'
expect bad common/profiler/profiler.cpp '<cupti.h>'
expect good common/profiler/cupti/session.cpp '<cupti_activity.h>'
expect good common/gpu/device.cpp '<cuda_runtime.h>'
expect good common/gpu/device.cpp '"common/profiler/record_function.h"'
expect bad common/gpu/device.cpp '"cupti.h"'
expect bad common/gpu/device.cpp '"common/workbook/claims.h"'
expect good chapters/01_cold_trace/cold_trace.cu '"chapters/01_cold_trace/knobs.h"'
expect good chapters/01_cold_trace/cold_trace.cu '"common/gpu/device.h"'
expect bad chapters/01_cold_trace/cold_trace.cu '"common/cli/cli.h"'
expect bad chapters/02_warm/warm.cu '"chapters/01_cold_trace/knobs.h"'
expect bad chapters/01_cold_trace/knobs.h '<cuda_fp16.h>'
expect bad chapters/01_cold_trace/cold_trace.cu '<cupti.h>'

echo 'struct Twice {' > "$tree/common/trace/trace.h"
echo 'class Twice final : Other {' > "$tree/common/trace/other.h"
if sh "$here/check_dependencies.sh" "$tree" > "$tree/out" 2>&1; then
  echo "two headers may not define the same type"
  failures=1
fi

[ "$failures" -eq 0 ] && echo "check_dependencies: every planted #include was judged rightly"
exit "$failures"
