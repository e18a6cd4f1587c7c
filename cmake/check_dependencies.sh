#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_dependencies.sh [ROOT]
#
# Reads every #include under common/, chapters/ and exercises/ and reports those that go against
#
#   trace <- analysis <- render <- workbook <- cli        (none of these ever includes CUDA)
#   trace <- profiler <- gpu;  chapters and exercises -> all but cli
#
# A chapter's knobs.h is read without CUDA too, and cupti.h belongs to common/profiler/cupti alone.
# Also reports a type that two headers define: the linker would take the inline functions of either
# for both. Exit 1 if there is any such line, 3 if there is nothing to read.
set -eu
cd "${1:-.}"

folders=
for folder in common chapters exercises; do
  [ -d "$folder" ] && folders="$folders $folder"
done
[ -n "$folders" ] || { echo "check_dependencies: no sources in $(pwd)" >&2; exit 3; }

# shellcheck disable=SC2046,SC2086  # lists; no path here has a space
set -- $(find $folders -name '*.h' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.cu' | LC_ALL=C sort)
[ $# -gt 0 ] || { echo "check_dependencies: no sources in $(pwd)" >&2; exit 3; }

awk '
  BEGIN {
    may["trace"] = " trace "
    may["analysis"] = " trace analysis "
    may["render"] = " trace analysis render "
    may["workbook"] = " trace analysis render workbook "
    may["cli"] = " trace analysis render workbook cli "
    may["profiler"] = " trace profiler "
    may["gpu"] = " trace profiler gpu "
    may["chapters"] = may["exercises"] = " trace analysis render workbook profiler gpu "
    cuda = "^(cuda|cublas|cupti|curand|cusparse|cusolver|cufft|cooperative_groups|generated_cuda|nvtx|nvml|nvrtc|nv/|cub/|thrust/|cute/|cutlass/|mma\\.h|driver_types|vector_types|device_launch)"
    without_cuda = " trace analysis render workbook cli "
  }
  function report(why) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, $0, why
    bad = 1
  }
  FNR == 1 {
    files++
    split(FILENAME, part, "/")
    module = part[1] == "common" ? part[2] : part[1]
    host_only = index(without_cuda, " " module " ") || FILENAME ~ /\/knobs\.h$/
    if (!(module in may)) report("common/" module " has no place in the order of dependencies")
  }
  FILENAME ~ /^common\/.*\.(h|cuh)$/ && /^(class|struct|enum class) [A-Za-z0-9_]+( final)?( :[^;]*)? \{/ {
    type = $0
    sub(/^(class|struct|enum class) /, "", type)
    sub(/[^A-Za-z0-9_].*$/, "", type)
    if (type in defined) report(type " is defined in " defined[type] " too: one of them needs another name")
    defined[type] = FILENAME
  }
  /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    quoted = $0 ~ /^[^<"]*"/
    header = $0
    sub(/^[^<"]*[<"]/, "", header)
    sub(/[>"].*$/, "", header)

    if (header ~ cuda && host_only) report("no CUDA here: this is built without it too")
    if (header ~ /^(.*\/)?cupti[^\/]*\.h$/ && header !~ /^common\// && FILENAME !~ /^common\/profiler\/cupti\//)
      report("only common/profiler/cupti includes CUPTI")

    split(header, part, "/")
    if (part[1] == "common") {
      if (!index(may[module], " " part[2] " ")) report(module " does not depend on " part[2])
    } else if (part[1] == "chapters" || part[1] == "exercises") {
      own = FILENAME
      sub(/\/[^\/]*$/, "/", own)
      if (index(header, own) != 1 && !(module == "workbook" && header ~ /\/knobs\.h$/))
        report("only the chapter itself, and the workbook its knobs.h, may include this")
    } else if (quoted && header != "tracebook_version.h" && header !~ cuda) {
      report("include project headers from the root: \"common/...\"")
    }
  }
  # Two types of one name are one to the linker, which then mixes their functions.
  FILENAME ~ /\.h$/ && /^(struct|class|enum class) [A-Z][A-Za-z0-9]* *(final *)?[:{]/ {
    name = $0
    sub(/^(struct|class|enum class) /, "", name)
    sub(/[^A-Za-z0-9].*$/, "", name)
    if (name in home && home[name] != FILENAME) report(home[name] " has a type of this name")
    home[name] = FILENAME
  }
  END {
    if (bad) exit 1
    printf "dependencies: %d files in order\n", files
  }' "$@"
