// SPDX-License-Identifier: Apache-2.0
//
// Real recordings of work with one known cause: it must be the first or second finding at advice or
// above. Healthy ones must have none.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/analysis/diagnose/diagnose.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

struct Planted {
  std::string file;
  std::vector<std::string> causes;  ///< any of them; none: a healthy control
  std::string verdict;              ///< "" where it is not looked at
};

void PrintTo(const Planted& each, std::ostream* out) { *out << each.file; }

class PlantedTrace : public testing::TestWithParam<Planted> {};

std::string listed(const Diagnosis& diagnosis) {
  std::string out;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.severity != Severity::kInfo)
      out += finding.id + " " + std::to_string(finding.share) + "\n";
  }
  return out;
}

TEST_P(PlantedTrace, IsDiagnosed) {
  const Planted& planted = GetParam();
  const ReadResult read = read_trace_file(TRACEBOOK_SOURCE_DIR "/expected/" + planted.file);
  const Diagnosis diagnosis = diagnose(read.trace, build_structure(read.trace));
  if (!planted.verdict.empty()) {
    EXPECT_EQ(diagnosis.verdict, planted.verdict) << diagnosis.arithmetic;
  }
  std::vector<std::string> acted;
  for (const Finding& finding : diagnosis.findings) {
    EXPECT_GE(finding.share, 0);
    EXPECT_LE(finding.share, 1);
    EXPECT_EQ(finding.share > 0, !finding.arithmetic.empty()) << finding.id;
    if (finding.severity != Severity::kInfo) {
      EXPECT_EQ(finding.severity, severity_of(finding.share)) << finding.id;  // X14 has no say here
      acted.push_back(finding.id);
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(diagnosis.findings, std::greater{}, &Finding::share));
  EXPECT_FALSE(diagnosis.health.records_lost() || diagnosis.health.times_impossible());
  EXPECT_EQ(diagnosis.health.uncategorised, 0);
  EXPECT_EQ(diagnosis_json(diagnosis),
            diagnosis_json(diagnose(read.trace, build_structure(read.trace))));
  if (planted.causes.empty()) {
    EXPECT_TRUE(acted.empty()) << listed(diagnosis);
    return;
  }
  if (acted.size() > 2) acted.resize(2);
  EXPECT_TRUE(std::ranges::any_of(planted.causes, [&](const std::string& cause) {
    return std::ranges::find(acted, cause) != acted.end();
  })) << listed(diagnosis);
}

const Planted kPlanted[] = {
    {"torch_parity/planted-h200/addmm_copy.json.gz", {"C6", "G5"}, "compute-bound"},
    {"torch_parity/planted-h200/cold_conv.json.gz", {"C1", "X15", "G1"}, "overhead-bound"},
    {"torch_parity/planted-h200/cuda_graph.json.gz", {"X11"}, "overhead-bound"},
    {"torch_parity/planted-h200/gpt_decode.json.gz", {"T1"}, "overhead-bound"},
    {"torch_parity/planted-h200/healthy_gemm.json.gz", {}, "compute-bound"},
    {"torch_parity/planted-h200/item_sync.json.gz", {"X2"}, "mixed"},
    {"torch_parity/planted-h200/misaligned_gemm.json.gz", {"X4"}, "compute-bound"},
    {"torch_parity/planted-h200/pageable_copy.json.gz", {"X1"}, "transfer-bound"},
    {"torch_parity/planted-h200/tiny_kernels.json.gz", {"T1", "T4", "X10"}, "overhead-bound"},
    {"planted/input_stall_host.json.gz", {"X3"}, ""},
    {"planted/input_stall_loader.json.gz", {"X3"}, ""},
    {"planted/sgd_for_loop.json.gz", {"X10"}, ""},
    {"planted/allocator_empty_cache.json.gz", {"X7"}, ""},
    {"planted/allocator_no_cache.json.gz", {"X7"}, ""},
    {"planted/recompile_shapes.json.gz", {"X8"}, ""},
    {"planted/layout_transpose.json.gz", {"X6"}, ""},
    {"planted/layout_permute_conv.json.gz", {"X6"}, ""},
    {"planted/sync_after_each_layer.json.gz", {"X2"}, ""},
    {"planted/sync_nonzero.json.gz", {"X2"}, ""},
    {"planted/elementwise_chain.json.gz", {"X9"}, ""},
    {"planted/elementwise_norm_gate.json.gz", {"X9"}, ""},
    {"planted/fp32_gemm.json.gz", {"X5"}, ""},
    {"planted/fp32_mlp_training.json.gz", {"X5"}, ""},
    {"planted/two_streams_serial.json.gz", {"X12"}, ""},
    {"planted/two_streams_waiting.json.gz", {"X12"}, ""},
    {"planted/small_grid_scan.json.gz", {"X13"}, ""},
    {"planted/small_grid_norm.json.gz", {"X13"}, ""},
    {"planted/misaligned_even.json.gz", {"X4"}, ""},
    {"planted/misaligned_head.json.gz", {"X4"}, ""},
    {"planted/pageable_from_device.json.gz", {"X1"}, ""},
    {"planted/pageable_batches.json.gz", {"X1"}, ""},
    {"planted/sync_each_step.json.gz", {"X2"}, ""},
    {"planted/healthy_compiled_block.json.gz", {}, ""},
    {"planted/healthy_conv_channels_last.json.gz", {}, ""},
    {"planted/healthy_prefetch.json.gz", {}, ""},
    {"planted/healthy_attention.json.gz", {}, ""},
    {"planted/healthy_tf32_training.json.gz", {}, ""},
    {"planted/healthy_batched_gemm.json.gz", {}, ""},
};

INSTANTIATE_TEST_SUITE_P(Recordings, PlantedTrace, testing::ValuesIn(kPlanted));

}  // namespace
}  // namespace tracebook
