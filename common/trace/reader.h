// SPDX-License-Identifier: Apache-2.0
//
// Reads a trace file: what torch.profiler and Kineto have written since 2021, recordings of ours,
// and other writers of Chrome's JSON trace format; plain or gzip.
//
//   ReadResult result = read_trace_file("trace.json.gz");
//   if (result.exit_code != 0) …                     // readable, but not wholly: see trace.issues
//
// The text is parsed in windows of whole events (about 1 MiB) with simdjson; a window that simdjson
// refuses goes to a tolerant scanner. Memory is bounded by the events kept, not by the file.
// Errors: InputError names the file, what was expected and, where it has one, the byte offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "common/trace/trace.h"

namespace tracebook {

struct ReadOptions {
  /// Return all whole events of a file that is cut or holds events that cannot be understood.
  bool salvage = false;
  /// Keep the args texts (grid, bytes, shapes …). Correlation and external ids are read anyway.
  bool keep_args = true;
  /// Keep flow events; links are made from correlation ids, so only writing needs them.
  bool keep_flows = true;
  std::size_t window_bytes = std::size_t{1} << 20;
  /// Called now and then with the bytes consumed so far and the file's size (0 if unknown).
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

struct ReadResult {
  Trace trace;
  /// 0, or 3 when events were skipped that could not be understood (never with `salvage`).
  int exit_code = 0;
  /// Events that were read, metadata included (flows are counted even if they are not kept).
  std::int64_t events = 0;
};

/// `path` may be "-" for standard input.
ReadResult read_trace_file(const std::filesystem::path& path, const ReadOptions& options = {});
/// `name` stands for the file in messages.
ReadResult read_trace_text(std::string_view text, std::string_view name,
                           const ReadOptions& options = {});

}  // namespace tracebook
