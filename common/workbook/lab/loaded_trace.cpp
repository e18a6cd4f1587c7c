// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/loaded_trace.h"

#include "common/trace/error.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

Trace read_whole(const std::filesystem::path& file) {
  ReadResult read = read_trace_file(file);
  if (read.exit_code != 0) {
    throw InputError(file.string() +
                     ": some of its events cannot be understood; record it again, or use the "
                     "chapter's recording");
  }
  // Whoever copied it too early, or not wholly, should not look for the fault in the answers.
  if (read.trace.slices.size() == 0) {
    std::string why;
    for (const Issue& issue : read.trace.issues) why += "; " + issue.says;
    throw InputError(file.string() + ": holds no events" + why +
                     "; record it again, or use the chapter's recording");
  }
  return std::move(read.trace);
}

}  // namespace

LoadedTrace::LoadedTrace(const std::filesystem::path& file)
    : trace(read_whole(file)), structure(build_structure(trace)), database(trace, structure) {}

}  // namespace tracebook
