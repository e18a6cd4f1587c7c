// SPDX-License-Identifier: Apache-2.0
//
// For tests of the lab: a folder of their own, a tiny trace, and questions on it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <unistd.h>

#include "common/analysis/database.h"
#include "common/trace/hand_made.h"
#include "common/trace/structure.h"
#include "common/workbook/lab/questions.h"

namespace tracebook {

/// A folder that is gone after the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lab_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A step with two launches and their kernels: 40 and 60 us on the GPU.
struct SmallTrace {
  SmallTrace() {
    made.annotation("ProfilerStep#2", 0, 200'000);
    made.op("aten::mm", 1'000, 50'000);
    made.op("aten::matmul", 60'000, 90'000);
    made.call("cudaLaunchKernel", 10'000, 20'000, {.correlation = 5});
    made.call("cudaLaunchKernel", 61'000, 66'000, {.correlation = 6});
    made.kernel("gemm_tile_large", 30'000, 70'000, {.correlation = 5});
    made.kernel("gemm_tile_small", 80'000, 140'000, {.correlation = 6});
    structure = build_structure(made.trace);
    database = std::make_unique<Database>(made.trace, structure);
  }

  HandMade made;
  Structure structure;
  std::unique_ptr<Database> database;
};

/// Questions on the trace of the first chapter's plain run: enough of each kind.
inline constexpr const char* kSmallQuestions = R"({
"schema": 1, "chapter": "01_cold_trace", "recording": "64_bf16_cold_eager",
"questions": [
 {"id": "gpu_time", "prompt": "How long do all kernels take?", "kind": "number", "unit": "us",
  "tolerance": {"relative": 0.02}, "predict": true,
  "sql": "SELECT sum(dur) FROM kernel WHERE kind = 'kernel'",
  "hints": ["Look at the GPU's lane.", "Add up its kernels.", "SELECT sum(dur) FROM kernel"],
  "mistakes": [{"sql": "SELECT max(dur) FROM kernel WHERE kind = 'kernel'",
                "says": "That is one kernel, the longest."}]},
 {"id": "kernels", "prompt": "How many kernels are there?", "kind": "number",
  "sql": "SELECT count(*) FROM kernel WHERE kind = 'kernel'",
  "hints": ["Count.", "Count them.", "Count them all."],
  "mistakes": [{"sql": "SELECT 1", "says": "There are more steps than one."}]},
 {"id": "bound", "prompt": "Which side takes longer?", "kind": "choice",
  "choices": ["the CPU", "the GPU"], "sql": "SELECT 'the CPU'", "hints": ["a", "b", "c"]},
 {"id": "longest", "prompt": "Which op takes longest?", "kind": "event",
  "sql": "SELECT name FROM op ORDER BY dur DESC LIMIT 1", "hints": ["a", "b", "c"]}]})";

}  // namespace tracebook
