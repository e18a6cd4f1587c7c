// SPDX-License-Identifier: Apache-2.0
//
// A trace from a file, with what is needed to ask it.
//
//   const LoadedTrace loaded(file);
//   QueryResult rows = loaded.database.query("SELECT count(*) FROM kernel");
//
// Stays at one address (the database points into the rest). One thread at a time.
#pragma once

#include <filesystem>

#include "common/analysis/database.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

struct LoadedTrace {
  /// InputError if it cannot be read, or not wholly, or holds no events.
  explicit LoadedTrace(const std::filesystem::path& file);
  ~LoadedTrace() = default;
  LoadedTrace(const LoadedTrace&) = delete;
  LoadedTrace& operator=(const LoadedTrace&) = delete;

  Trace trace;
  Structure structure;
  Database database;
};

}  // namespace tracebook
