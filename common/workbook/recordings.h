// SPDX-License-Identifier: Apache-2.0
//
// The recordings of a chapter, as expected/NN_name/manifest.json lists them: ours (h200/) and
// PyTorch's of the same experiment (torch/), each with how it came about.
//
//   const Manifest manifest = read_manifest(workbook_root() / "expected" / "01_cold_trace");
//   const Recording* recording = manifest.find("64_bf16_cold_eager");
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/trace/trace.h"

namespace tracebook {

struct Recording {
  std::string name;     ///< stem of the file, "64_bf16_cold_eager"
  std::string file;     ///< relative to the manifest's folder, "h200/64_bf16_cold_eager.json"
  std::string source;   ///< "tracebook" or "torch.profiler"
  std::string command;  ///< what made it
  std::string gpu;
  std::string driver;
  std::string cuda;
  std::string cublas;
  std::string pytorch;         ///< "" for ours
  std::string commit;          ///< "" for PyTorch's
  std::string recorded_at;     ///< UTC, ISO 8601
  std::string sha256;          ///< of the file
  std::filesystem::path path;  ///< where it lies

  /// "h200/64_bf16_cold_eager": what claims name it by.
  [[nodiscard]] std::string label() const;
};

/// Name of a trace from its file: "a/b/x.json.gz" → "x".
std::string trace_stem(const std::filesystem::path& file);

struct Manifest {
  std::filesystem::path folder;
  std::vector<Recording> recordings;

  /// A recording of ours by name, or null.
  [[nodiscard]] const Recording* find(std::string_view name) const;
};

/// InputError with the file's name if it cannot be read or is no manifest. A chapter without a
/// manifest has no recordings.
Manifest read_manifest(const std::filesystem::path& chapter_folder);

/// "NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-29": what a replay names first.
std::string describe_origin(const Recording& recording);

/// Text of a manifest.json of the recordings in `chapter_folder` (or exercises/NN_name/variants/),
/// from their own provenance; `sums` is what `sha256sum h200/* torch/*` prints there.
std::string make_manifest(const std::filesystem::path& chapter_folder, std::string_view sums);

}  // namespace tracebook
